import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import argon2 from 'argon2'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { desc, eq, getTableName } from 'drizzle-orm'
import t from 'tap'
import { type Database, migrateDatabase, openDatabase } from '../../src/database/open.ts'
import { tables } from '../../src/database/references.ts'
import { loadSample } from '../../src/database/sample/load.ts'
import * as schema from '../../src/database/schema/index.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { contentOf, countedTallies, definitions, plantRows, searchTables, tablesOf, tallies } from '../support/contents.ts'
import { idsOf } from '../support/html.ts'
import { temporaryFolder } from '../support/service.ts'

const { changes, companies, orders, trash, users } = schema
const snapshot = await generateSQLiteDrizzleJson(schema)
const password = 'a good password'

/** A copy of the migrations to which more are added, as `drizzle-kit generate` would write them. */
function migrationsFolder() {
  const folder = join(temporaryFolder(t), 'drizzle')
  cpSync(fileURLToPath(new URL('../../drizzle', import.meta.url)), folder, { recursive: true })
  const file = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8'))
  const add = (tag: string, statements: string[]) => {
    const last = journal.entries.at(-1)
    journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag })
    writeFileSync(join(folder, `${tag}.sql`), statements.join('\n--> statement-breakpoint\n'))
    writeFileSync(file, JSON.stringify(journal))
  }
  return { folder, add }
}

interface SnapshotColumn {
  primaryKey: boolean
  type: string
  default?: unknown
}

/** What drizzle-kit writes when the default of a column changes: the whole table is made anew. */
async function rebuilding(table: string): Promise<string[]> {
  const changed = structuredClone(snapshot)
  const columns: SnapshotColumn[] = Object.values(changed.tables[table]?.columns ?? {})
  const column = columns.findLast(({ primaryKey, type }) => !primaryKey && type !== 'blob')
  if (!column) throw new Error(`${table} has no column to change`)
  column.default = column.type === 'integer' ? 41 : "'another'"
  const statements = await generateSQLiteMigration(snapshot, changed)
  if (!statements.some((statement) => statement.includes(`DROP TABLE \`${table}\``))) throw new Error(`${table} is not rebuilt`)
  return statements
}

const sequences = ({ $client: client }: Database) => client.prepare('select name, seq from sqlite_sequence order by name').all() as object[]

/** Everything that must be the same after a table was made anew, by name. */
function stateOf(db: Database): Map<string, string> {
  const { $client: client } = db
  const state = { ...contentOf(client), definitions: definitions(client), sequences: sequences(db), ...tallies(db) }
  // Columns that were added later stand elsewhere now.
  const sorted = (rows: object[]) => rows.map((row) => Object.entries(row).sort())
  return new Map(Object.entries(state).map(([name, rows]) => [name, JSON.stringify(sorted(rows))]))
}

const changedSince = (before: Map<string, string>, db: Database) =>
  [...stateOf(db)].flatMap(([name, rows]) => (before.get(name) === rows ? [] : [name]))

/** Sample data, records that were edited and deleted, and rows in every table. */
async function populatedCabinet() {
  const { db, newBrowser } = await startCabinet(t, { empty: true })
  loadSample(db, await argon2.hash(password, { memoryCost: 1024, timeCost: 2, parallelism: 1 }))
  const admin = newBrowser()
  await admin.post('/login', { email: 'admin@example.com', password })
  const company = db.select().from(companies).get() as typeof companies.$inferSelect
  t.equal((await admin.post(`/company/edit/${company.id}`, { org: 'Rebuilt Windows', version: company.version })).statusCode, 303)
  t.equal((await admin.post('/categories/add', { name: 'Shutters' })).statusCode, 303)
  for (const [list, id] of Object.entries({
    categories: newestId(db, 'categories'),
    dealers: newestId(db, 'users'),
    orders: newestId(db, 'orders'),
  }))
    t.match((await admin.post(`/${list}/delete`, { id })).statusCode, 303, `${list} ${id} is deleted`)
  const empty = tablesOf(db.$client).filter((table) => !db.$client.prepare(`select 1 from "${table}"`).get())
  plantRows(db.$client, empty)
  return { db, admin, company: company.id }
}

const newestId = ({ $client: client }: Database, table: string) => client.prepare(`select max(id) from ${table}`).pluck().get() as number

const searches = {
  dealers: ['/dealers?q=ова', '/dealers?q=an', '/dealers?q=rebuilt'],
  orders: ['/orders?q=иванов', '/orders?q=12'],
  companies: ['/companies?q=rebuilt', '/companies?q=ооо'],
  activity: ['/activity?q=rebuilt', '/activity?q=shutters'],
  bin: ['/bin?q=shutters', '/bin'],
}

async function searchResults(browser: Browser) {
  const asked = Object.entries(searches).flatMap(([list, paths]) => paths.map((path) => ({ list, path })))
  return Promise.all(asked.map(async ({ list, path }) => [path, idsOf(await browser.get(path), list)] as const))
}

t.test('every table may be rebuilt by a migration, and nothing is lost', async (t) => {
  const { db, admin, company } = await populatedCabinet()
  const { folder, add } = migrationsFolder()
  const found = await searchResults(admin)
  for (const [path, ids] of found) t.ok(ids.length > 0, `${path} finds something`)
  const before = stateOf(db)
  for (const [index, table] of tables.map((table) => getTableName(table)).entries()) {
    add(`${1000 + index}_${table}`, await rebuilding(table))
    migrateDatabase(db, folder)
    t.match(
      db.$client.prepare('select sql from sqlite_master where name = ?').pluck().get(table),
      /DEFAULT (41|'another')/,
      `${table} is new`,
    )
    t.same(changedSince(before, db), [], `everything is there when ${table} was rebuilt`)
  }
  t.same(tallies(db), countedTallies(db))
  t.same(db.$client.pragma('foreign_key_check'), [])
  t.equal(db.$client.pragma('integrity_check', { simple: true }), 'ok')
  for (const table of searchTables(db.$client))
    t.doesNotThrow(() => db.$client.exec(`insert into "${table}"("${table}") values ('integrity-check')`), table)
  t.same(await searchResults(admin), found, 'searches find what they found')

  await t.test('and the triggers go on with what is written afterwards', async (t) => {
    t.equal((await admin.post('/categories/add', { name: 'Awnings' })).statusCode, 303)
    t.ok(newestId(db, 'categories') > deleted(db, 'categories'), 'the id of a deleted record is not given again')
    t.equal(idsOf(await admin.get('/activity?q=awnings'), 'activity').length, 1, 'a new entry of the history is found')
    const undone = db.select().from(trash).where(eq(trash.entity, 'users')).get() as typeof trash.$inferSelect
    t.equal((await admin.post(`/bin/${undone.id}/restore`)).statusCode, 303)
    t.ok(db.select().from(users).where(eq(users.id, undone.record_id)).get(), 'a deleted dealer comes back')
    const dealer = db.select().from(users).where(eq(users.company_id, company)).get() as typeof users.$inferSelect
    const order = Number(db.insert(orders).values({ dealer_id: dealer.id, status_id: 1, search: 'zzyzx' }).run().lastInsertRowid)
    t.match(db.select().from(orders).where(eq(orders.id, order)).get(), { owner_company_id: company }, 'an order belongs to its company')
    t.same(idsOf(await admin.get('/orders?q=zzyzx'), 'orders'), [order], 'and is found')
    t.same(tallies(db), countedTallies(db), 'and counted')
    t.equal(db.select().from(changes).orderBy(desc(changes.id)).get()?.action, 'restore')
  })
})

const deleted = (db: Database, entity: string) => db.select().from(trash).where(eq(trash.entity, entity)).get()?.record_id as number

t.test('a new installation may run the same migrations in one go', async (t) => {
  const { folder, add } = migrationsFolder()
  for (const [index, table] of tables.map((table) => getTableName(table)).entries())
    add(`${1000 + index}_${table}`, await rebuilding(table))
  const db = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
  t.teardown(() => db.$client.close())
  migrateDatabase(db, folder)
  t.same(db.$client.pragma('foreign_key_check'), [])
})

t.test('a migration that fails leaves the next start everything it needs', async (t) => {
  const db = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  db.$client.exec(
    `insert into users (group_id, email, password, name, lastname) values (2, 'a@example.com', '', 'A', 'B'); delete from users`,
  )
  const before = stateOf(db)
  const { folder, add } = migrationsFolder()
  add('1000_users', [...(await rebuilding('users')), 'select nonsense'])
  t.throws(() => migrateDatabase(db, folder))
  t.equal(db.$client.pragma('foreign_keys', { simple: true }), 1)
  migrateDatabase(db)
  t.same(changedSince(before, db), [])
})
