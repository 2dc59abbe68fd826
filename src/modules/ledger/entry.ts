import type { Author, Database } from '../../database/index.ts'
import { findSettings } from '../../database/index.ts'
import { HttpError } from '../../http/request/errors.ts'
import { formatCalendarDate } from '../../i18n/format.ts'

/** Who wrote an entry of the ledger, or an allocation, as both hold it. */
export function authorColumns({ id, name, impersonator }: Author) {
  return { actor_id: id, actor_name: name, impersonator_id: impersonator?.id, impersonator_name: impersonator?.name }
}

/** A day of a period that was closed. */
export class ClosedDay extends HttpError {
  constructor(closed_until: string) {
    super(422, 'The books are closed until {date}. Choose a later day.', { date: formatCalendarDate(closed_until) })
  }
}

/** @throws ClosedDay for a day (YYYY-MM-DD) up to the one until which nothing may be booked any more */
export function refuseClosedDay(db: Database, date: string): void {
  const { closed_until } = findSettings(db)
  if (closed_until !== null && date <= closed_until) throw new ClosedDay(closed_until)
}
