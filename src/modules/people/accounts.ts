import { and, eq, inArray, ne } from 'drizzle-orm'
import type { Group } from '../../core/access.ts'
import { roleDefaults } from '../../core/policies.ts'
import { fullName, searchText } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { type Author, createRecord, updateRecord } from '../../database/records.ts'
import { policies, userPolicies, users } from '../../database/schema/index.ts'
import type { Values } from '../../web/form/form.ts'
import { Invalid } from '../../web/form/submit.ts'
import { endSessionsOf } from '../../web/session.ts'

export type User = typeof users.$inferSelect

/** What the lists of administrators, managers and production find a person by; the full name is the first line. */
export function peopleSearch(user: Values): string {
  return searchText(personLabel(user), user.email as string, user.phone as string | null, user.tg_id as string | null)
}

/**
 * Registers a person of a group with the rights of their role. Call it inside `write`, the password hashed.
 * @param searchOf the folded text that the group's list finds them by
 * @throws Invalid when another user has the email
 */
export function createAccount(db: Database, group: Group, values: Values, searchOf: (user: Values) => string, author: Author): number {
  refuseTakenEmail(db, values.email as string)
  const id = createRecord(db, users, { ...values, group_id: group, search: searchOf(values) }, personLabel(values), author)
  grantRoleDefaults(db, id, group)
  return id
}

/**
 * Saves what a form says about a person. Call it inside `write`, the password hashed. A new password ends their sessions.
 * @throws Invalid when another user has the email
 */
export function updateAccount(db: Database, before: User, values: Values, searchOf: (user: Values) => string, author: Author): void {
  if (typeof values.email === 'string') refuseTakenEmail(db, values.email, before.id)
  const after = { ...before, ...values }
  updateRecord(db, users, before, { ...values, search: searchOf(after) }, personLabel(after), author)
  if (values.password) endSessionsOf(db, before.id)
}

/** Switches a person on or off; off ends their sessions and every impersonation of them. */
export function setActive(db: Database, before: User, active: boolean, author: Author): void {
  updateRecord(db, users, before, { active }, personLabel(before), author)
  if (!active) endSessionsOf(db, before.id)
}

/** How people call a person, from any row that holds their names. */
export function personLabel(row: object): string {
  return fullName(row as { lastname: string; name: string; middlename: string | null })
}

/** Gives a new person the policies of their role as ordinary records. */
export function grantRoleDefaults(db: Database, userId: number, group: Group): void {
  const keys = [...(roleDefaults[group] ?? [])]
  for (const policy of db.select().from(policies).where(inArray(policies.key, keys)).all())
    db.insert(userPolicies).values({ user_id: userId, policy_id: policy.id, value: true }).run()
}

/** Emails compare trimmed and without case; duplicates may exist, so this is no index but a question asked while writing. */
function refuseTakenEmail(db: Database, email: string, exceptId = 0): void {
  const taken = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), ne(users.id, exceptId)))
    .get()
  if (taken) throw new Invalid({ email: 'Another user has this email.' })
}
