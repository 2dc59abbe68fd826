import { and, eq, gte, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { addDays } from '../../../core/days.ts'
import { type Database, deputies, findUser, logRow, users } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, ValidationFailed } from '../../../http/request/errors.ts'
import { formatCalendarDate, today } from '../../../i18n/format.ts'
import { choice, date, toggle } from '../../../records/fields/index.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'
import { tellDeputy } from '../../notifications/queue.ts'
import { type User, userLabel } from '../user.ts'

export const deputyRecords: Subordinate = {
  table: deputies,
  title: 'Deputies',
  fields: {
    manager_id: choice('Manager'),
    deputy_id: choice('Deputy'),
    first_day: date('From'),
    last_day: date('Until'),
    reading: toggle('Only reads'),
  },
  owners: [{ table: users, column: deputies.manager_id }],
}

const manager = alias(users, 'manager')
const deputy = alias(users, 'deputy')

function namedWhere(db: Database, condition: SQL) {
  const person = ({ id, lastname, name, middlename, active }: typeof manager | typeof deputy) => ({
    id,
    lastname,
    name,
    middlename,
    active,
  })
  const { id, first_day, last_day, reading } = deputies
  const day = today()
  return db
    .select({ id, first_day, last_day, reading, manager: person(manager), deputy: person(deputy) })
    .from(deputies)
    .innerJoin(manager, eq(manager.id, deputies.manager_id))
    .innerJoin(deputy, eq(deputy.id, deputies.deputy_id))
    .where(and(condition, gte(deputies.last_day, day)))
    .orderBy(deputies.first_day, deputies.id)
    .all()
    .map((row) => ({ ...row, begun: row.first_day <= day, paused: !row.manager.active || !row.deputy.active }))
}

/** Who is or will be the deputy of a manager. */
export const deputiesNamed = (db: Database, manager_id: number) => namedWhere(db, eq(deputies.manager_id, manager_id))

/** Whose deputy somebody is or will be. */
export const deputizedFor = (db: Database, deputy_id: number) => namedWhere(db, eq(deputies.deputy_id, deputy_id))

export type NamedDeputy = ReturnType<typeof namedWhere>[number]

interface NewDeputy {
  deputy_id: number
  from: string
  until: string
  reading?: boolean
}

/** Names a deputy, and tells a manager for whom somebody else has done so. Call it inside `write`. */
export function nameDeputy({ server, actor, author }: Context, manager: User, named: NewDeputy): void {
  const { db } = server
  const manager_id = manager.id
  const { deputy_id, from: first_day, until: last_day, reading = false } = named
  if (last_day < today()) throw new ValidationFailed({ until: 'Choose a day from today on.' })
  if (last_day < first_day) throw new ValidationFailed({ until: 'The last day is before the first one.' })
  const already = deputiesNamed(db, manager_id).find(({ deputy }) => deputy.id === deputy_id)
  if (already)
    throw new ValidationFailed({
      deputy_id: { message: 'Already named until {date}. End that first.', params: { date: formatCalendarDate(already.last_day) } },
    })
  const row = { manager_id, deputy_id, first_day, last_day, reading }
  const { id } = db
    .insert(deputies)
    .values({ ...row, created_at: Date.now() })
    .returning({ id: deputies.id })
    .get()
  const deputy = findUser(db, deputy_id) as User
  logRow(db, deputies, { action: 'create', id, label: userLabel(deputy), after: row }, author)
  tellDeputy(server, deputy, 'deputy-named', daysFor(manager, row), author)
  if (actor.id !== manager_id) tellDeputy(server, manager, 'deputy-given', daysFor(deputy, row), author)
}

/**
 * Ends what a deputy does for a manager: yesterday was the last day. Call it inside `write`.
 * @throws HttpError 409 for somebody who is not their deputy
 */
export function endDeputy({ server, author }: Context, manager: User, deputy_id: number | undefined): void {
  const { db } = server
  const named = deputiesNamed(db, manager.id).find(({ deputy }) => deputy.id === deputy_id)
  if (!named) throw new HttpError(409, 'This deputy has ended already.')
  const { id, last_day } = named
  const deputy = findUser(db, named.deputy.id) as User
  const ended = { last_day: addDays(today(), -1) }
  db.update(deputies).set(ended).where(eq(deputies.id, id)).run()
  logRow(db, deputies, { action: 'update', id, label: userLabel(deputy), before: { last_day }, after: ended }, author)
  tellDeputy(server, deputy, 'deputy-ended', daysFor(manager, { ...named, ...ended }), author)
}

/** Who, or for whom, and on which days: what is over before it began has none. */
function daysFor(person: User, { first_day, last_day }: { first_day: string; last_day: string }): string {
  const days = last_day < first_day ? [] : [`${formatCalendarDate(first_day)} – ${formatCalendarDate(last_day)}`]
  return [userLabel(person), ...days].join(', ')
}
