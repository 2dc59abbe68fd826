import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import { allows, type Grant, type Rule } from '../../core/access.ts'
import { type Database, policies, selectRows, userPolicies, users } from '../../database/index.ts'
import type { Person } from '../request/person.ts'
import { personFinder } from './person-reader.ts'

/** More are not offered, and nobody waits for them. */
const limit = 1000

/** The people who are active and whom a rule allows something with a record, by group and name: those whom its grants may concern are asked. */
export function permittedPeople<R>(db: Database, rule: Rule<R>, record: R): Person[] {
  const parts = rule.map((grants) => or(...grants.map((grant) => mayConcern(grant, record))))
  const found = selectRows<[number]>(
    db,
    sql`select id from ${users} where ${and(eq(users.active, true), ...parts)} order by group_id, lastname, name, id limit +${limit}`,
  )
  return whomAllows(db, rule, record, found.flat())
}

/** Those of the people who are active and whom a rule allows something with a record. */
export function whomAllows<R>(db: Database, rule: Rule<R>, record: R, people: readonly number[]): Person[] {
  return people.flatMap((id) => personFinder(db)(id) ?? []).filter((person) => allows(rule, person, record))
}

function mayConcern<R>({ permission, scope }: Grant<R>, record: R): SQL | undefined {
  return and(holds(permission), scope?.whose?.(record) as SQL | undefined)
}

function holds(permission: Grant['permission']): SQL {
  if (permission === 'everyone' || permission === 'own-name') return sql`true`
  if (permission === 'superadministrator') return sql`${users.superadmin}`
  if ('group' in permission) return eq(users.group_id, permission.group)
  return sql`(${users.superadmin} or ${users.id} in (select ${userPolicies.user_id} from ${userPolicies}
    join ${policies} on ${policies.id} = ${userPolicies.policy_id} where ${policies.key} = ${permission.policy} and ${userPolicies.value}))`
}
