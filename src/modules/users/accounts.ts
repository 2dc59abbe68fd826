import { and, eq, inArray, not } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Group, roleDefaults } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import {
  type Author,
  type ChangedFields,
  createRecord,
  type Database,
  logSecurityEvent,
  policies,
  updateRecord,
  userPolicies,
  users,
  whereIn,
} from '../../database/index.ts'
import { revokeTokensOf } from '../../http/access/api-tokens.ts'
import { endSessionsOf } from '../../http/access/session.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { queueAccountNotice } from '../notifications/queue.ts'
import { revokeInvitation } from './invitations/invitation.ts'
import { noPassword, type User, userLabel } from './user.ts'

export type NewUser = Omit<typeof users.$inferInsert, 'id' | 'group_id' | 'search'>

type UserChanges = Partial<NewUser>

/** Creates a user with the rights of their role. Call it inside `write`, the password hashed. */
export function createAccount(
  db: Database,
  group_id: Group,
  values: NewUser,
  author: Author,
  mayGrant: (key: PolicyKey) => boolean = () => true,
): number {
  const user = { mail_pace: 'hourly' as const, ...values, group_id }
  return createRecord(db, users, user, userLabel(values), author, (id) =>
    grantRoleDefaults(db, id, roleDefaults[group_id].filter(mayGrant)),
  )
}

/**
 * Updates a user. Call it inside `write`, the password hashed. A new password or deactivation ends their sessions.
 * @param others what else the history says was changed
 */
export function updateAccount(app: FastifyInstance, before: User, values: UserChanges, author: Author, others: ChangedFields = {}): void {
  const { db } = app
  if (before.superadmin && (values.superadmin === false || values.active === false)) ensureSuperadministratorRemains(db, [before.id])
  const after = { ...before, ...values }
  updateRecord(db, users, before, values, userLabel(after), author, others)
  logAccountChanges(db, before, after, author)
  // Whoever chooses their first password, with an invitation, has changed none.
  const isFirst = before.password === noPassword && author.id === before.id
  if (after.password !== before.password && !isFirst) queueAccountNotice(app, before, 'password-changed', author)
  if (after.email !== before.email) queueAccountNotice(app, before, 'email-changed', author)
  if (after.tg_id !== before.tg_id && author.id !== before.id) queueAccountNotice(app, before, 'telegram-changed', author)
  if (values.password || values.active === false) endSessionsOf(db, before.id)
  if (values.active === false) revokeTokensOf(db, before.id, author)
  if (values.password || after.email !== before.email || !after.active) revokeInvitation(db, before.id)
}

function logAccountChanges(db: Database, before: User, after: User, author: Author): void {
  if (after.password !== before.password) logSecurityEvent(db, { event: 'password-changed', author, user: before })
  if (after.email !== before.email)
    logSecurityEvent(db, { event: 'email-changed', author, user: before, detail: `${before.email} → ${after.email}` })
  if (after.superadmin !== before.superadmin)
    logSecurityEvent(db, { event: 'rights-changed', author, user: before, detail: `superadmin: ${after.superadmin}` })
  if (before.active && !after.active) logSecurityEvent(db, { event: 'sessions-ended', author, user: before })
}

export function ensureSuperadministratorRemains(db: Database, leaving: number[]): void {
  const losing = and(eq(users.superadmin, true), eq(users.active, true), whereIn(users.id, leaving))
  if (!db.select({ id: users.id }).from(users).where(losing).get()) return
  const remaining = and(eq(users.superadmin, true), eq(users.active, true), not(whereIn(users.id, leaving)))
  if (db.select({ id: users.id }).from(users).where(remaining).get()) return
  const message = 'At least one active superadministrator is required.'
  throw new ValidationFailed({ superadmin: message })
}

function grantRoleDefaults(db: Database, userId: number, keys: PolicyKey[]): ChangedFields {
  const granted = db.select().from(policies).where(inArray(policies.key, keys)).all()
  for (const policy of granted) db.insert(userPolicies).values({ user_id: userId, policy_id: policy.id, value: true }).run()
  return Object.fromEntries(granted.map(({ key }) => [`rights.${key}`, [false, true]]))
}
