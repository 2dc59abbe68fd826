import { eq, getTableColumns, sql } from 'drizzle-orm'
import { cachedUntilWrite, type Database, policies, prepareOnce, userPolicies, users } from '../../database/index.ts'
import type { Person } from '../request/person.ts'
import { deputizedBy } from './deputies.ts'

export const personReader = prepareOnce((db, params) => {
  const { password, search, ...columns } = getTableColumns(users)
  const granted = sql<string | null>`(select group_concat(p.key) from ${userPolicies} g
    join ${policies} p on p.id = g.policy_id where g.user_id = ${params.id} and g.value = 1)`
  const people = db.select({ ...columns, granted }).from(users)
  const byId = people.where(eq(users.id, params.id)).prepare()
  const read = (id: number) => {
    const row = byId.get({ id })
    if (!row) return undefined
    const { acts, reads } = deputizedBy(db, id)
    return Object.freeze(Object.assign(row, { policies: parsePolicies(row.granted), managers: [id, ...acts], reading: reads }))
  }
  return (id: number) => cachedUntilWrite(db, `person ${id}`, () => read(id))
})

export function personFinder(db: Database): (id: number) => Person | undefined {
  const read = personReader(db)
  return (id) => {
    const person = read(id)
    return person?.active ? person : undefined
  }
}

/** Sets of policies by their own text, so that the same one is not taken apart for each request. */
const policySets = new Map<string | null, ReadonlySet<string>>()
const policySetLimit = 1000

function parsePolicies(granted: string | null): ReadonlySet<string> {
  const known = policySets.get(granted)
  if (known) return known
  if (policySets.size === policySetLimit) policySets.clear()
  const set = new Set(granted?.split(','))
  policySets.set(granted, set)
  return set
}
