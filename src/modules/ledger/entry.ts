import type { Author, Database } from '../../database/index.ts'
import { findSettings } from '../../database/index.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { formatCalendarDate } from '../../i18n/format.ts'

/** Who wrote an entry of the ledger, or an allocation, as both hold it. */
export function authorColumns({ id, name, impersonator }: Author) {
  return { actor_id: id, actor_name: name, impersonator_id: impersonator?.id, impersonator_name: impersonator?.name }
}

/** A day of a period that was closed. */
export class ClosedDay extends ValidationFailed {
  constructor(closed_until: string) {
    const params = { date: formatCalendarDate(closed_until) }
    super({ date: { message: 'The books are closed until {date}. Choose a later day.', params } })
  }
}

/** Whether a day (YYYY-MM-DD) is up to the one until which nothing may be booked any more. */
export function isClosed(db: Database, date: string): boolean {
  const { closed_until } = findSettings(db)
  return closed_until !== null && date <= closed_until
}

/** @throws ClosedDay for a day that is closed */
export function refuseClosedDay(db: Database, date: string): void {
  if (isClosed(db, date)) throw new ClosedDay(findSettings(db).closed_until as string)
}
