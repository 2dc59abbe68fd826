import './cheap-hashing.ts'
import argon2 from 'argon2'
import { eq, sql } from 'drizzle-orm'
import { group } from '../../src/core/access.ts'
import type { PolicyKey } from '../../src/core/policies.ts'
import { firstStepsBegun } from '../../src/database/defaults.ts'
import type { Database } from '../../src/database/open.ts'
import { prepareOnce } from '../../src/database/prepare-once.ts'
import { categories, companies, manufactures, orders, policies, seeded, stocks, userPolicies } from '../../src/database/schema/index.ts'
import { createAccount } from '../../src/modules/users/accounts.ts'

export const password = 'a good password'
const hash = await argon2.hash(password)
const author = { id: null, name: 'The test' }

const managerPolicies: PolicyKey[] = [
  'dealer_manager_can_view',
  'dealer_manager_can_edit',
  'dealer_manager_can_delete',
  'company_manager_can_view',
  'company_manager_can_edit',
  'company_manager_can_delete',
  'dealer_can_add',
  'company_can_add',
  'dealer_can_auth',
]

const administratorPolicies: PolicyKey[] = [
  'dealer_can_view',
  'dealer_can_add',
  'dealer_can_edit',
  'dealer_can_delete',
  'dealer_can_auth',
  'company_can_view',
  'company_can_add',
  'company_can_edit',
  'company_can_delete',
]

/**
 * The named people of the tests: every role, each with an owner, a colleague and a stranger.
 * Maria supervises Alpha, Mikhail supervises Beta. Denis is Maria's dealer at Alpha, Daria is Mikhail's at Beta;
 * Vera works at Beta but is assigned to Maria, Roman works at Alpha but is assigned to Mikhail.
 */
/** The cast, of an installation that was at work before it had first steps. */
export function seedCast(db: Database) {
  db.delete(seeded).where(eq(seeded.name, firstStepsBegun)).run()
  const stock = insert(db, stocks, { name: 'North stock' })
  const site = insert(db, manufactures, { name: 'First site' })
  const category = insert(db, categories, { name: 'Windows' })
  const root = person(db, group.administrator, 'Root', 'Olga', { superadmin: true })
  const admin = person(db, group.administrator, 'Adminov', 'Anton', {}, administratorPolicies)
  const clerk = person(db, group.administrator, 'Clerkova', 'Klara')
  const maria = person(db, group.manager, 'Petrova', 'Maria', { middlename: 'Ivanovna' }, managerPolicies)
  const mikhail = person(db, group.manager, 'Sidorov', 'Mikhail', {}, managerPolicies)
  const plain = person(db, group.manager, 'Plainer', 'Peter')
  const pavel = person(db, group.production, 'Masterov', 'Pavel', { stock_id: stock, manufacture_id: site })
  const alpha = company(db, 'Alpha Windows', maria)
  const beta = company(db, 'ООО «Бета Ёлка»', mikhail)
  const nobodys = company(db, 'Nobody Ltd', null)
  const denis = dealer(db, 'Denisov', 'Denis', alpha, maria)
  const daria = dealer(db, 'Королёва', 'Дарья', beta, mikhail)
  const vera = dealer(db, 'Vernaya', 'Vera', beta, maria)
  const roman = dealer(db, 'Romanov', 'Roman', alpha, mikhail)
  const ivan = dealer(db, 'Inactive', 'Ivan', alpha, maria, { active: false })
  const order = insert(db, orders, { status_id: 1, dealer_id: denis, company_id: alpha })
  return {
    stock,
    site,
    category,
    order,
    companies: { alpha, beta, nobodys },
    root,
    admin,
    clerk,
    maria,
    mikhail,
    plain,
    pavel,
    denis,
    daria,
    vera,
    roman,
    ivan,
  }
}

export type Cast = ReturnType<typeof seedCast>
export type Name = 'root' | 'admin' | 'clerk' | 'maria' | 'mikhail' | 'plain' | 'pavel' | 'denis' | 'daria' | 'vera' | 'roman' | 'ivan'

export const names: Name[] = ['root', 'admin', 'clerk', 'maria', 'mikhail', 'plain', 'pavel', 'denis', 'daria', 'vera', 'roman', 'ivan']

export const emailOf = (name: Name) => `${name}@example.com`

export function grant(db: Database, userId: number, ...keys: PolicyKey[]): void {
  for (const key of keys) setPolicy(db, userId, key, true)
}

export function revoke(db: Database, userId: number, ...keys: PolicyKey[]): void {
  for (const key of keys) setPolicy(db, userId, key, false)
}

function setPolicy(db: Database, user_id: number, key: PolicyKey, value: boolean): void {
  const { find, save } = policyStatements(db)
  const policy = find.get({ key })
  if (!policy) throw new Error(`no policy ${key}`)
  save.run({ user_id, policy_id: policy.id, value })
}

const policyStatements = prepareOnce((db) => ({
  find: db
    .select({ id: policies.id })
    .from(policies)
    .where(eq(policies.key, sql.placeholder('key')))
    .prepare(),
  save: db
    .insert(userPolicies)
    .values({ user_id: sql.placeholder('user_id'), policy_id: sql.placeholder('policy_id'), value: sql.placeholder('value') })
    .onConflictDoUpdate({ target: [userPolicies.user_id, userPolicies.policy_id], set: { value: sql`excluded.value` } })
    .prepare(),
}))

function person(db: Database, of: 1 | 3 | 4, lastname: string, name: string, more: object = {}, granted: PolicyKey[] = []): number {
  const shortName = { Olga: 'root', Anton: 'admin', Klara: 'clerk', Peter: 'plain' }[name] ?? name.toLowerCase()
  const id = createAccount(
    db,
    of,
    { lastname, name, email: `${shortName}@example.com`, password: hash, mail_pace: 'at-once', ...more },
    author,
  )
  grant(db, id, ...granted)
  return id
}

const latin: Record<string, string> = { Дарья: 'daria' }

function dealer(db: Database, lastname: string, name: string, company_id: number, manager_id: number, more: object = {}): number {
  const email = `${latin[name] ?? name.toLowerCase()}@example.com`
  return createAccount(
    db,
    group.dealer,
    { lastname, name, email, password: hash, company_id, manager_id, mail_pace: 'at-once', ...more },
    author,
  )
}

function company(db: Database, org: string, manager_id: number | null): number {
  return insert(db, companies, { org, manager_id })
}

// biome-ignore lint/suspicious/noExplicitAny: any table with an id
function insert(db: Database, table: any, values: object): number {
  return Number(db.insert(table).values(values).run().lastInsertRowid)
}
