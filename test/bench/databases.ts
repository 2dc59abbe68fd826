import { createHash } from 'node:crypto'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seedDefaults } from '../../src/database/defaults.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { createTriggers, dropTriggers } from '../../src/database/triggers.ts'
import { hashPassword } from '../../src/http/access/password-hashing.ts'
import { makeRandom, type Random } from '../support/random.ts'
import { companyNames, foreignName, russianName, transliterate } from './names.ts'

export const person = { email: 'bench@example.com', password: 'bench-password' }
export const managerOfSome = { email: 'manager1@example.com', password: person.password }
export const oneDealer = { email: 'dealer1@example.com', password: person.password }

const [companies, managers] = [1000, 300]
const firstDay = Date.UTC(2016, 0, 1)
const years = 10 * 365 * 86_400_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/dealer-cabinet-bench')

/** A data folder of its own for one run, with as many dealers and orders as asked; they are the same on every machine. */
export async function dataFolder(size: number): Promise<string> {
  const made = join(cache, `${size}-${cacheKey()}.sqlite`)
  if (!existsSync(made)) await createDatabase(made, size)
  const folder = join(cache, `run-${process.pid}-${size}`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(made, join(folder, 'cabinet.sqlite'), constants.COPYFILE_FICLONE)
  return folder
}

/** Changes whenever a database would come out differently. */
function cacheKey(): string {
  const migrations = readdirSync(join(root, 'drizzle')).filter((name) => name.endsWith('.sql'))
  const files = [
    fileURLToPath(import.meta.url),
    ...['searched.ts', 'search-schema.ts', 'name-sorting.ts', 'folded-view.ts'].map((name) => join(root, 'src/database', name)),
    ...readdirSync(join(root, 'src/database/kept')).map((name) => join(root, 'src/database/kept', name)),
    join(root, 'src/http/access/password-hashing.ts'),
    ...migrations.map((name) => join(root, 'drizzle', name)),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}

async function createDatabase(file: string, size: number): Promise<void> {
  const began = Date.now()
  mkdirSync(cache, { recursive: true })
  for (const old of readdirSync(cache)) if (old.startsWith(`${size}-`)) rmSync(join(cache, old))
  const db = openDatabase(`${file}.part`)
  migrateDatabase(db)
  seedDefaults(db, 'en')
  const password = await hashPassword(person.password)
  db.$client.pragma('synchronous = OFF')
  db.$client.pragma('foreign_keys = OFF')
  db.transaction(() => withoutIndexes(db, () => fill(db, size, password)))
  db.$client.pragma('journal_mode = DELETE')
  db.$client.close()
  renameSync(`${file}.part`, file)
  console.log(`made a database of ${size} dealers and orders in ${((Date.now() - began) / 1000).toFixed(1)} s`)
}

const tables = ['users', 'orders', 'order_items', 'order_history', 'companies']

/** Rows go in bare; indexes and what triggers keep are made afterwards, in one go each. */
function withoutIndexes({ $client: client }: Database, work: () => void): void {
  dropTriggers(client)
  const named = tables.map((name) => `'${name}'`).join()
  const indexes = client
    .prepare(`select name, sql from sqlite_master where type = 'index' and tbl_name in (${named}) and sql is not null`)
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) client.exec(`drop index "${name}"`)
  work()
  for (const { sql } of indexes) client.exec(sql)
  createTriggers(client)
}

function fill(db: Database, size: number, password: string): void {
  const random = makeRandom(size)
  const insertUser = prepareInsert(db, 'users', [
    'group_id',
    'email',
    'password',
    'lastname',
    'name',
    'middlename',
    'tg_id',
    'active',
    'company_id',
    'manager_id',
    'created_at',
    'updated_at',
  ])
  const staff = { password, tg_id: null, active: 1, company_id: null, manager_id: null, created_at: firstDay, updated_at: firstDay }
  const admin = { ...staff, group_id: 1, email: person.email, lastname: 'Bench', name: 'Anna', middlename: null }
  const adminId = insertUser(admin)
  const managerIds = Array.from({ length: managers }, (_, index) => {
    const named = nameOf(random)
    const email = `manager${index + 1}@example.com`
    return insertUser({ ...staff, ...named, group_id: 3, email })
  })
  grant(db, adminId, '%')
  grant(db, managerIds[0] as number, '%manager_can%')
  fillCompanies(db, random, managerIds)
  for (let index = 0; index < size; index++) insertUser(dealer(random, index, size, password, managerIds))
  fillOrders(db, random, size, managerIds.length + 2)
}

function prepareInsert({ $client: client }: Database, table: string, columns: string[]) {
  const statement = client.prepare(`insert into ${table} (${columns.join()}) values (${columns.map((name) => `@${name}`).join()})`)
  return (row: Record<string, unknown>) => Number(statement.run(row).lastInsertRowid)
}

function nameOf(random: Random) {
  return random.chance(0.3) ? foreignName(random) : russianName(random)
}

function grant({ $client: client }: Database, userId: number, keys: string): void {
  client.prepare('insert into user_policies (user_id, policy_id, value) select ?, id, 1 from policies where key like ?').run(userId, keys)
}

function fillCompanies(db: Database, random: Random, managerIds: number[]): void {
  const insert = prepareInsert(db, 'companies', ['org', 'inn', 'email', 'discount', 'manager_id', 'created_at', 'updated_at'])
  for (let index = 0; index < companies; index++) {
    const [name, mailbox] = companyNames[index % companyNames.length] as [string, string]
    const org = index < companyNames.length ? name : `${name} ${index}`
    const [inn, email, at] = [random.digits(10), mailbox.replace('.example', `${index}.example`), firstDay + index * 1000]
    insert({
      org,
      inn,
      email,
      discount: random.integer(0, 20),
      manager_id: managerIds[index % managers],
      created_at: at,
      updated_at: at,
    })
  }
}

function dealer(random: Random, index: number, size: number, password: string, managerIds: number[]) {
  const { lastname, name, middlename } = nameOf(random)
  const company = random.integer(1, companies)
  const tg_id = random.chance(0.35) ? `@${transliterate(lastname)}${index}` : null
  const created_at = firstDay + Math.floor((index / size) * years) + random.integer(0, 60_000)
  return {
    ...{ group_id: 2, email: `dealer${index + 1}@example.com`, password, lastname, name, middlename, tg_id },
    ...{ active: random.chance(0.9) ? 1 : 0, company_id: company, manager_id: managerIds[company % managers] },
    ...{ created_at, updated_at: created_at },
  }
}

function fillOrders(db: Database, random: Random, size: number, firstDealer: number): void {
  const order = prepareInsert(db, 'orders', [
    'status_id',
    'dealer_id',
    'company_id',
    'owner_company_id',
    'owner_manager_id',
    'specification_number',
    'receiver',
    'phone',
    'date_make',
    'date_delivery',
    'cost',
    'created_at',
    'updated_at',
  ])
  const item = prepareInsert(db, 'order_items', ['order_id', 'name', 'quantity', 'price', 'discount'])
  const history = prepareInsert(db, 'order_history', ['order_id', 'at', 'to_status_id', 'to_name', 'actor_name'])
  const owners = db.$client.prepare('select company_id, manager_id from users where id = ?')
  const statusOf = db.$client.prepare('select id, name from statuses order by "index"').all() as { id: number; name: string }[]
  const dates = makeRandom(size + 1)
  for (let id = 1; id <= size; id++) {
    const dealerId = firstDealer + random.integer(0, size - 1)
    const { company_id, manager_id } = owners.get(dealerId) as { company_id: number; manager_id: number }
    const status = (random.chance(0.2) ? statusOf[0] : random.pick(statusOf)) as { id: number; name: string }
    const [quantity, price] = [random.integer(1, 20), random.integer(1000, 5_000_000)]
    const created_at = firstDay + Math.floor((id / size) * years) + random.integer(0, 60_000)
    const { lastname, name } = nameOf(random)
    const number = Math.ceil(id / companies)
    // Few orders are late.
    const dayOf = () => new Date(Date.UTC(dates.chance(0.03) ? 2025 : 2090, 0, dates.integer(1, 365))).toISOString().slice(0, 10)
    order({
      ...{ status_id: status.id, dealer_id: dealerId, company_id, owner_company_id: company_id, owner_manager_id: manager_id },
      ...{ specification_number: number, receiver: `${lastname} ${name}`, phone: phoneOf(dates), cost: quantity * price },
      ...{ date_make: dates.chance(0.7) ? dayOf() : null, date_delivery: dates.chance(0.3) ? dayOf() : null },
      ...{ created_at, updated_at: created_at },
    })
    item({ order_id: id, name: 'Window', quantity, price, discount: 0 })
    history({ order_id: id, at: created_at, to_status_id: status.id, to_name: status.name, actor_name: `${lastname} ${name}` })
  }
}

/** One in a hundred is the one that is looked for. */
function phoneOf(random: Random): string {
  const number = random.chance(0.01) ? '9991234567' : `9${random.digits(9)}`
  return number.replace(/^(...)(...)(..)(..)$/, '+7($1) $2 $3 $4')
}
