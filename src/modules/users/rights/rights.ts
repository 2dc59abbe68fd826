import { and, asc, count, eq, getTableColumns, sql } from 'drizzle-orm'
import type { PolicyKey } from '../../../core/policies.ts'
import {
  bestEffort,
  type ChangedFields,
  type Database,
  logSecurityEvent,
  policies,
  prepareOnce,
  updateRecord,
  userPolicies,
  users,
} from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { closeAccessRequests } from '../access-requests/access-request.ts'
import { guardAdministrator } from '../administrators.ts'
import { type User, userLabel } from '../user.ts'

export type Right = ReturnType<typeof rightsOf>[number]

export function rightsOf(db: Database, userId: number) {
  return rightsQuery(db).all({ user: userId })
}

export function grantedKeys(db: Database, userId: number): PolicyKey[] {
  return rightsOf(db, userId).flatMap(({ key, value }) => (value ? key : []))
}

const rightsQuery = prepareOnce((db, params) =>
  db
    .select({ ...getTableColumns(policies), value: sql`coalesce(${userPolicies.value}, 0)`.mapWith(Boolean) })
    .from(policies)
    .leftJoin(userPolicies, and(eq(userPolicies.policy_id, policies.id), eq(userPolicies.user_id, params.user)))
    .orderBy(asc(policies.id))
    .prepare(),
)

/** Creates missing records as false without changing existing ones (permission model, rule 4). */
export function createMissingRights(db: Database, userId: number): void {
  const { known, all } = countRights(db).get({ user: userId }) ?? {}
  if (known === all) return
  bestEffort(() => db.run(sql`insert or ignore into ${userPolicies} (user_id, policy_id, value) select ${userId}, id, 0 from ${policies}`))
}

const countRights = prepareOnce((db, params) => {
  const rows = db.select({ all: count(), known: count(userPolicies.policy_id) }).from(policies)
  return rows.leftJoin(userPolicies, and(eq(userPolicies.policy_id, policies.id), eq(userPolicies.user_id, params.user))).prepare()
})

export function setRights(context: Context, user: User, wanted: Right[]): void {
  const { author } = context
  const { db } = context.server
  const held = new Map(rightsOf(db, user.id).map(({ id, value }) => [id, value]))
  const changed = wanted.filter(({ id, value }) => held.get(id) !== value)
  for (const { id, value } of changed)
    db.insert(userPolicies)
      .values({ user_id: user.id, policy_id: id, value })
      .onConflictDoUpdate({ target: [userPolicies.user_id, userPolicies.policy_id], set: { value } })
      .run()
  for (const value of [true, false]) {
    const ids = changed.filter((right) => right.value === value).map(({ id }) => id)
    closeAccessRequests(db, user.id, ids, value ? 'granted' : 'declined', author)
  }
  if (changed.length > 0) guardAdministrator(context, user, 'administrator-rights')
  const fields: ChangedFields = Object.fromEntries(changed.map(({ key, value }) => [`rights.${key}`, [!value, value]]))
  updateRecord(db, users, user, {}, userLabel(user), author, fields)
  if (changed.length === 0) return
  const detail = changed.map(({ key, value }) => `${key}: ${value}`).join(', ')
  logSecurityEvent(db, { event: 'rights-changed', author, user, detail })
}
