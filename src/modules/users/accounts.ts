import { and, eq, inArray, ne, not } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AnyRule, type Group, group } from '../../core/access.ts'
import { type PolicyKey, roleDefaults } from '../../core/policies.ts'
import { fullName } from '../../core/text.ts'
import { type Author, createRecord, type Database, logSecurityEvent, prepareOnce, updateRecord, whereIn } from '../../database/index.ts'
import { type ChangedFields, policies, userPolicies, users } from '../../database/schema/index.ts'
import { endSessionsOf } from '../../web/access/session.ts'
import type { Acting } from '../../web/acting.ts'
import type { Card } from '../../web/card/card.ts'
import type { Field, Form, FormPage } from '../../web/form/form.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import { type FindRecord, type FormInput, flash, notFound, url } from '../../web/http.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { queueAccountNotice } from '../notifications/queue.ts'
import { revokeInvitation } from './invitations/invitation.ts'

export type User = typeof users.$inferSelect

export type UserForm = Form<{
  lastname: Field<string | null, true>
  name: Field<string | null, true>
  middlename: Field<string | null>
  email: Field<string | null, true>
  password: Field<string | null, true>
  invite: Field<boolean>
  permission_set?: Field<number | null>
  active?: Field<boolean>
  superadmin?: Field<boolean>
}>

export type NewUser = Omit<typeof users.$inferInsert, 'id' | 'group_id' | 'search'>
export type UserChanges = Partial<NewUser>

export const findUser: FindRecord<User> = (db, id) => byId(db).get({ id })

const byId = prepareOnce((db, given) => db.select().from(users).where(eq(users.id, given.id)).prepare())

export function findUserInGroup(group: Group): FindRecord<User> {
  return (db, id) => {
    const user = findUser(db, id)
    return user?.group_id === group ? user : undefined
  }
}

export function findSelf({ server, actor }: Acting, id = actor.id): User {
  const self = findUser(server.db, id)
  if (!self) throw notFound()
  return self
}

export const noPassword = ''

/** Creates a user with the rights of their role. Call it inside `write`, the password hashed. */
export function createAccount(
  db: Database,
  group_id: Group,
  values: NewUser,
  author: Author,
  mayGrant: (key: PolicyKey) => boolean = () => true,
): number {
  assertEmailAvailable(db, values.email)
  const user = { ...values, group_id }
  return createRecord(db, users, user, userLabel(values), author, (id) =>
    grantRoleDefaults(db, id, roleDefaults[group_id].filter(mayGrant)),
  )
}

/** Updates a user. Call it inside `write`, the password hashed. A new password or deactivation ends their sessions. */
export function updateAccount(app: FastifyInstance, before: User, values: UserChanges, author: Author): void {
  const { db, rules } = app
  const unique = before.group_id !== group.administrator || rules.administratorEmailUnique
  if (unique && values.email !== undefined) assertEmailAvailable(db, values.email, before.id)
  if (before.superadmin && (values.superadmin === false || values.active === false)) ensureSuperadministratorRemains(db, [before.id])
  const after = { ...before, ...values }
  updateRecord(db, users, before, values, userLabel(after), author)
  logAccountChanges(db, before, after, author)
  if (after.password !== before.password) queueAccountNotice(app, before, 'password-changed', author)
  if (after.email !== before.email) queueAccountNotice(app, before, 'email-changed', author)
  if (values.password || values.active === false) endSessionsOf(db, before.id)
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

export function redirectToTab(request: FastifyRequest, reply: FastifyReply, user: User, tab: string, message: string): FastifyReply {
  const { userTypes } = request.server
  flash(request, message, { name: userLabel(user) })
  return reply.redirect(url(request.server, `/${userTypes.get(user.group_id)?.name}/edit/${user.id}?tab=${tab}`), 303)
}

export function userLabel(row: object): string {
  return fullName(row as { lastname: string; name: string; middlename: string | null })
}

function grantRoleDefaults(db: Database, userId: number, keys: PolicyKey[]): ChangedFields {
  const granted = db.select().from(policies).where(inArray(policies.key, keys)).all()
  for (const policy of granted) db.insert(userPolicies).values({ user_id: userId, policy_id: policy.id, value: true }).run()
  return Object.fromEntries(granted.map(({ key }) => [`rights.${key}`, [false, true]]))
}

function assertEmailAvailable(db: Database, email: string, exceptId = 0): void {
  if (isEmailTaken(db, email, exceptId)) throw new ValidationFailed({ email: 'This email is already in use.' })
}

/** Compares trimmed and without case. Imported data may hold duplicates, which rules out a unique index. */
export function isEmailTaken(db: Database, email: string, exceptId = 0): boolean {
  return byEmail(db).get({ email, id: exceptId }) !== undefined
}

const byEmail = prepareOnce((db, given) => {
  const other = and(eq(users.email, given.email), ne(users.id, given.id))
  return db.select({ id: users.id }).from(users).where(other).limit(1).prepare()
})

export interface UserType
  extends Pick<Card<User, UserForm>, 'form' | 'newTitle' | 'created' | 'find' | 'menuOf' | 'tabs' | 'related' | 'keyFacts'>,
    Pick<Deletion<User>, 'question' | 'done' | 'factsOf'> {
  name: 'admins' | 'dealers' | 'managers' | 'productions'
  group: Group
  icon: string
  title: string
  roleLabel: string
  addLabel: string
  may: Record<'list' | 'view' | 'add' | 'edit' | 'switch' | 'delete', AnyRule> & { rowEdit?: AnyRule }
  choices?: (acting: Acting, user: User | undefined, input: FormInput) => FormPage['choices']
  list: (
    db: Database,
  ) => Pick<
    List<UserRow>,
    'columns' | 'rowTemplate' | 'bulkActions' | 'filters' | 'searched' | 'sort' | 'find' | 'countQuery' | 'rows' | 'exports'
  >
  deletion?: Partial<Pick<Deletion<User>, 'asks' | 'before' | 'consequences'>>
  askFirst?: (acting: Acting, user: User) => string | undefined
  single?: boolean
  initialValues?: (acting: Acting) => Pick<NewUser, 'manager_id'>
  rightsPolicy?: PolicyKey
}

declare module 'fastify' {
  interface FastifyInstance {
    userTypes: Map<number, UserType>
  }
}

export type UserRow = Pick<User, 'id' | 'group_id' | 'superadmin' | 'active' | 'lastname' | 'name'>
