import { type Database, findSettings } from '../../database/index.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { formatCalendarDate } from '../../i18n/format.ts'

/** A day of a period that was closed. */
class ClosedDay extends ValidationFailed {
  constructor(closed_until: string) {
    const params = { date: formatCalendarDate(closed_until) }
    super({ date: { message: 'The books are closed until {date}. Choose a later day.', params } })
  }
}

/** The day until which the books are closed, where a day (YYYY-MM-DD) is not after it. */
export function closedUntil(db: Database, date: string): string | undefined {
  const { closed_until } = findSettings(db)
  return closed_until !== null && date <= closed_until ? closed_until : undefined
}

/** @throws ClosedDay for a day that is closed */
export function refuseClosedDay(db: Database, date: string): void {
  const closed_until = closedUntil(db, date)
  if (closed_until !== undefined) throw new ClosedDay(closed_until)
}
