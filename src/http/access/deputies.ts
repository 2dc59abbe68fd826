import { and, eq, gte, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Actor, readManagers } from '../../core/access.ts'
import { type Author, type Database, deputies, prepareOnce, users, whereIn } from '../../database/index.ts'
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

/** The names of the managers whose work somebody does, or whose companies they read, besides their own. */
export function deputizedNames(db: Database, actor: Actor): ReadonlyMap<number | null, string> {
  const others = readManagers(actor).filter((id) => id !== actor.id)
  return new Map(
    others.length === 0
      ? []
      : namesOf(db)
          .all({ ids: JSON.stringify(others) })
          .map((one) => [one.id, nameOf(one)]),
  )
}

/** The name of the manager for whom somebody does what they do now, if that is not their own work. */
export function actsFor(db: Database, manager: number | null, { id }: Author): string | null {
  if (id === null || !deputiesOf(db, manager).includes(id)) return null
  const [found] = namesOf(db).all({ ids: JSON.stringify([manager]) })
  return found ? nameOf(found) : null
}

const nameOf = ({ lastname, name }: { lastname: string | null; name: string | null }) => [lastname, name].filter(Boolean).join(' ')

const namesOf = prepareOnce((db, params) => {
  const { id, lastname, name } = users
  return db.select({ id, lastname, name }).from(users).where(whereIn(users.id, params.ids)).prepare()
})

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
