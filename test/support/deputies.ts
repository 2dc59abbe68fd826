import type { Database } from '../../src/database/open.ts'
import { deputies } from '../../src/database/schema/index.ts'

/** Some days of a November, and the moment of noon on each. */
export const noonOf = (day: string) => new Date(`${day}T12:00:00`).getTime()

interface Days {
  from?: string
  until?: string
  reading?: boolean
}

export function insertDeputy(db: Database, manager_id: number, deputy_id: number, days: Days = {}): void {
  const { from = '2000-01-01', until = '2999-12-31', reading = false } = days
  db.insert(deputies).values({ manager_id, deputy_id, first_day: from, last_day: until, reading, created_at: 1 }).run()
}
