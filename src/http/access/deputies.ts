import { and, eq, gte, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Database, deputies, prepareOnce, users } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'

/** Whose work somebody does today as a deputy, and whose companies they may read: nobody's whose own deputies they are. */
export function deputizedBy(db: Database, id: number): { acts: number[]; reads: number[] } {
  const rows = managersOf(db).all({ id, day: today() })
  const of = (reading: boolean) => rows.filter((row) => row.reading === reading).map(({ manager_id }) => manager_id)
  const acts = of(false)
  return { acts, reads: of(true).filter((manager) => !acts.includes(manager)) }
}

/** The deputies who do the work of a manager today. */
export function deputiesOf(db: Database, manager: number | null): number[] {
  return actingFor(db)
    .all({ id: manager, day: today() })
    .map(({ deputy_id }) => deputy_id)
}

const manager = alias(users, 'manager')
const deputy = alias(users, 'deputy')

/** Those who are away come back to their work; those who are gone have none to do. */
const inForce = (day: unknown) => and(lte(deputies.first_day, sql`${day}`), gte(deputies.last_day, sql`${day}`), eq(manager.active, true))

const managersOf = prepareOnce((db, params) =>
  db
    .selectDistinct({ manager_id: deputies.manager_id, reading: deputies.reading })
    .from(deputies)
    .innerJoin(manager, eq(manager.id, deputies.manager_id))
    .where(and(eq(deputies.deputy_id, params.id), inForce(params.day)))
    .orderBy(deputies.manager_id)
    .prepare(),
)

const actingFor = prepareOnce((db, params) =>
  db
    .selectDistinct({ deputy_id: deputies.deputy_id })
    .from(deputies)
    .innerJoin(manager, eq(manager.id, deputies.manager_id))
    .innerJoin(deputy, and(eq(deputy.id, deputies.deputy_id), eq(deputy.active, true)))
    .where(and(eq(deputies.manager_id, params.id), eq(deputies.reading, false), inForce(params.day)))
    .orderBy(deputies.deputy_id)
    .prepare(),
)
