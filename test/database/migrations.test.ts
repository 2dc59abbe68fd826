import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { drizzle as drizzleOrm } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import t from 'tap'
import { policyKeys } from '../../src/core/policies.ts'
import { seedDefaults } from '../../src/database/defaults.ts'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { orderDrafts } from '../../src/database/schema/index.ts'
import { temporaryFolder } from '../support/service.ts'

const drizzle = fileURLToPath(new URL('../../drizzle', import.meta.url))
const journal = JSON.parse(readFileSync(join(drizzle, 'meta/_journal.json'), 'utf8')) as { entries: { tag: string; when: number }[] }

/** Migrations as they were when triggers and full-text tables were among them; later versions drop those before they migrate. */
const earlier = fileURLToPath(new URL('earlier', import.meta.url))
const triggersAmongThem = 16

/** A migrations folder as it was when only the first so many had been written. */
function earlierMigrations(count: number): string {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'meta'))
  const entries = journal.entries.slice(0, count)
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
  for (const { tag } of entries) {
    const original = join(earlier, `${tag}.sql`)
    copyFileSync(count <= triggersAmongThem && existsSync(original) ? original : join(drizzle, `${tag}.sql`), join(folder, `${tag}.sql`))
  }
  return folder
}

/** A database as an earlier version made it, with the SQL functions that its triggers called. */
function openEarlier(file: string) {
  const client = new Sqlite(file)
  for (const name of ['fold', 'letter_pairs', 'search_terms']) client.function(name, { deterministic: true }, (text) => String(text ?? ''))
  return { client, db: drizzleOrm(client) }
}

type Row = Record<string, unknown>
type Content = Record<string, Row[]>

/** The tables that hold people's data: not what SQLite keeps for itself, and not what is kept by triggers. */
function tablesOf(client: Sqlite.Database): string[] {
  const sql = `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\' and name not like '%_tallies' and name not like '%_balances'`
  return client.prepare(sql).pluck().all() as string[]
}

function contentOf(client: Sqlite.Database): Content {
  return Object.fromEntries(
    tablesOf(client).map((table) => [table, client.prepare(`select * from "${table}" order by 1, 2`).all() as Row[]]),
  )
}

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
  hidden: number
}

/** A deleted company, with a row of another table that went with it. */
function removed(table: string): string {
  const row = { id: 8, note: `"table":"${table}"` }
  return JSON.stringify({
    rows: [
      { table: 'companies', row: { id: 7, org: 'Gone' } },
      { table, row },
    ],
    references: [],
  })
}

/** What only one kind of text fits. */
const documents: Record<string, string> = {
  'bin.removed': removed('right_requests'),
  'trash.removed': removed('access_requests'),
  'changes.fields': '{"org":["Before","After"]}',
}
const known: Record<string, string> = { ...documents, 'planted.name': 'statuses', 'seeded.name': 'statuses' }

/** Two rows in every table: one with everything that can be there, one with nothing that need not. */
function plant(client: Sqlite.Database): void {
  client.pragma('foreign_keys = OFF')
  for (const table of tablesOf(client)) {
    const columns = (client.pragma(`table_xinfo("${table}")`) as Column[]).filter((column) => !column.hidden)
    const references = (client.pragma(`foreign_key_list("${table}")`) as { from: string }[]).map(({ from }) => from)
    insert(client, table, columns, (column) => known[`${table}.${column.name}`] ?? valueFor(column, 1, references))
    const needed = columns.filter((column) => column.pk || (column.notnull && column.dflt_value === null))
    insert(client, table, needed, (column) => documents[`${table}.${column.name}`] ?? valueFor(column, 2, references))
  }
  client.pragma('foreign_keys = ON')
}

function insert(client: Sqlite.Database, table: string, columns: Column[], choose: (column: Column) => unknown): void {
  const names = columns.map(({ name }) => `"${name}"`)
  // Triggers may have written it already.
  client.prepare(`insert or replace into "${table}" (${names}) values (${names.map(() => '?')})`).run(...columns.map(choose))
}

/** References point at the row of the same number, wherever it is. */
function valueFor({ name, type, dflt_value }: Column, number: number, references: string[]): unknown {
  if (references.includes(name)) return number
  if (/^'[[{]/.test(dflt_value ?? '')) return (dflt_value as string).slice(1, -1)
  if (type.toLowerCase() === 'text') return `${name} ${number}`
  return /^(true|false|0|1)$/.test(dflt_value ?? '') ? 1 : number
}

/** Worked out from other columns: a migration may do it anew. */
const derived = new Set([
  ...['users', 'companies', 'stocks', 'manufactures', 'categories', 'products'].map((table) => `${table}.search`),
  'products.article_search',
  'orders.status_since',
  'companies.balance',
  'payments.allocated',
  'changes.search',
  'order_drafts.files',
  'trash.list',
  'trash.facts',
  'trash.search',
  'trash.size',
])

/** Tables that have another name now. */
const renamed: Record<string, string> = {
  right_requests: 'access_requests',
  planted: 'seeded',
  kept_forms: 'pending_submissions',
  bin: 'trash',
  kept_rows: 'trashed_credentials',
}

/** Tables of which nothing is left. */
const droppedTables = ['unfinished_batches']

/** A row as it is called now: deleted rows say which table they belong to. */
const withPresentNames = (row: Row): Row =>
  'removed' in row ? { ...row, removed: String(row.removed).replace('{"table":"right_requests"', '{"table":"access_requests"') } : row

/** Old values that are gone: every column that is still there holds what it held. */
function losses(before: Content, after: Content): string[] {
  return Object.entries(before).flatMap(([earlier, rows]) => {
    const table = renamed[earlier] ?? earlier
    if (droppedTables.includes(table)) return []
    return rows.map(withPresentNames).flatMap((row, index) => {
      const now = after[table]?.[index]
      if (!now) return [`${table}: row ${index} of ${rows.length} is gone`]
      const changed = Object.keys(row).filter(
        (column) => column in now && now[column] !== row[column] && !derived.has(`${table}.${column}`),
      )
      return changed.map((column) => `${table}.${column}: ${JSON.stringify(row[column])} became ${JSON.stringify(now[column])}`)
    })
  })
}

const searchTables = (client: Sqlite.Database) =>
  client.prepare(`select name from sqlite_master where sql like 'create virtual table%using fts5%'`).pluck().all() as string[]

const highestId = 1000

const sequencesOf = (client: Sqlite.Database) =>
  new Map(client.prepare<[], [string, number]>('select name, seq from sqlite_sequence').raw().all())

/** Tables that would give an id again which a deleted record had. */
function forgottenIds(before: Map<string, number>, after: Map<string, number>): string[] {
  return [...before.keys()].map((table) => renamed[table] ?? table).filter((table) => (after.get(table) ?? 0) < highestId)
}

/** Everything but tables: their columns may stand in another order. */
const definitions = (client: Sqlite.Database) =>
  client
    .prepare(`select type, name, tbl_name, sql from sqlite_master where type <> 'table' or sql like 'create virtual%' order by name`)
    .all()

const tallies = ({ $client: client }: Database) => ({
  orders: client.prepare('select status_id, month, count from order_tallies where count > 0 order by 1, 2').all(),
})

const countedTallies = ({ $client: client }: Database) => ({
  orders: client
    .prepare(
      `select ifnull(status_id, 0) as status_id, strftime('%Y-%m', created_at / 1000, 'unixepoch') as month, count(*) as count from orders group by 1, 2 order by 1, 2`,
    )
    .all(),
})

const fresh = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
t.teardown(() => fresh.$client.close())
migrateDatabase(fresh)

/** The short run begins at the first version, on both sides of the change of triggers and at the last two. */
const beginnings = [0, triggersAmongThem - 1, triggersAmongThem, -2, -1]

for (const index of beginnings) {
  const { tag } = journal.entries.at(index) as { tag: string }
  t.test(`a database of migration ${tag} is migrated with all its data`, async (t) => {
    const file = join(temporaryFolder(t), 'cabinet.sqlite')
    const earlier = openEarlier(file)
    migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex((entry) => entry.tag === tag) + 1) })
    // What Litestream leaves in a database that it replicates.
    earlier.client.exec('create table _litestream_seq (id integer primary key, seq integer)')
    plant(earlier.client)
    t.same(earlier.client.pragma('foreign_key_check'), [], 'what was planted is sound')
    // Records that are gone had ids, too.
    earlier.client.prepare('update sqlite_sequence set seq = ?').run(highestId)
    const counted = sequencesOf(earlier.client)
    const before = contentOf(earlier.client)
    t.ok(Object.values(before).every((rows) => rows.length >= 2))
    earlier.client.close()

    const db = openDatabase(file)
    t.teardown(() => db.$client.close())
    migrateDatabase(db)
    t.same(losses(before, contentOf(db.$client)), [])
    t.same(definitions(db.$client), definitions(fresh.$client), 'it has what a new database has')
    t.same(forgottenIds(counted, sequencesOf(db.$client)), [], 'no id is given twice')
    t.same(tallies(db), countedTallies(db))
    seedDefaults(db, 'en')
    t.same(db.$client.pragma('foreign_key_check'), [])
    t.equal(db.$client.pragma('integrity_check', { simple: true }), 'ok')
    for (const table of searchTables(db.$client))
      t.doesNotThrow(() => db.$client.exec(`insert into "${table}"("${table}") values ('integrity-check')`), `${table} finds what is there`)
  })
}

t.test('an upgrade keeps the files of drafts', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_files_held'))) })
  earlier.client.exec(`insert into users (id, group_id, email, password, name, lastname) values (1, 2, 'd', '', '', '');
    insert into order_drafts (id, user_id, fields, files, created_at, opened_at) values
      (1, 1, '[]', 'a b', 1, 1), (2, 1, '[]', 'c', 1, 1), (3, 1, '[]', null, 1, 1)`)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  const files = db.select({ files: orderDrafts.files }).from(orderDrafts).orderBy(orderDrafts.id).all()
  t.same(files, [{ files: ['a', 'b'] }, { files: ['c'] }, { files: null }])
})

t.test('companies whose dealers could order lines without a product still let them, and nobody else', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_order_rules'))) })
  earlier.client.exec(`insert into companies (id, org, created_at, updated_at) values (1, 'Held', 0, 0), (2, 'Taken back', 0, 0), (3, 'Of staff', 0, 0);
    insert into users (id, group_id, company_id, email, password, name, lastname) values
      (1, 2, 1, 'a', '', '', ''), (2, 2, 1, 'b', '', '', ''), (3, 2, 2, 'c', '', '', ''), (4, 1, 3, 'd', '', '', '');
    insert into policies (id, key, name, category) values (1, 'order_can_add_custom', '', ''), (2, 'news_can_view', '', '');
    insert into user_policies (user_id, policy_id, value) values (1, 1, 1), (3, 1, 0), (4, 1, 1), (1, 2, 1);
    insert into seeded (name, at) values ('policy of prices', 1);
    insert into permission_sets (name, keys) values ('Both', '["order_can_add_custom","news_can_view"]'), ('Other', '["news_can_view"]')`)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  const all = (query: string) => db.$client.prepare(query).raw().all()
  t.same(all('select id, custom_lines from companies order by id'), [
    [1, 1],
    [2, 0],
    [3, 0],
  ])
  t.same(all('select user_id, policy_id from user_policies'), [[1, 2]])
  t.same(all('select key from policies'), [['news_can_view']])
  t.same(all('select keys from permission_sets order by name'), [['["news_can_view"]'], ['["news_can_view"]']])
})

t.test('an upgrade leaves the catalog off and old lines without a product, and gives new policies by role', async (t) => {
  const later = [
    'product_can_view',
    'product_can_edit',
    'order_can_view_prices',
    'payment_can_confirm',
    'company_can_edit_limit',
    'order_can_exceed_limit',
    'period_can_close',
    'document_can_issue',
  ]
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag === '0041_products')) })
  earlier.client.exec(`insert into users (id, group_id, email, password, name, lastname) values
      (1, 1, 'a', '', '', ''), (2, 2, 'd', '', '', ''), (3, 3, 'm', '', '', ''), (4, 4, 'p', '', '', '');
    insert into settings (id) values (1);
    insert into policies (key, name, category) values ${policyKeys.filter((key) => !later.includes(key)).map((key) => `('${key}', '', '')`)};
    insert into permission_sets (name, keys) values ('Made before', '["news_can_view"]');
    insert into orders (id) values (1);
    insert into order_items (order_id, name, quantity, price, discount) values (1, 'Door', 2, 100, 5)`)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  seedDefaults(db, 'en')
  t.match(db.$client.prepare('select catalog, vat, price_days from settings').get(), { catalog: 0, vat: null, price_days: 14 })
  const [line] = contentOf(db.$client).order_items as Row[]
  t.match(line, { name: 'Door', quantity: 2, price: 100, discount: 5, product_id: null, piece_price: null, basis: null, vat: null })
  const granted = db.$client.prepare(`select user_id || ' ' || key from user_policies join policies on policies.id = policy_id
    where value order by user_id, key`)
  const expected = [
    '1 company_can_edit_limit',
    '1 document_can_issue',
    '1 order_can_exceed_limit',
    '1 order_can_view_prices',
    '1 payment_can_confirm',
    '1 period_can_close',
    '1 product_can_edit',
    '1 product_can_view',
    '2 order_can_view_prices',
    '2 product_can_view',
    '3 document_can_issue',
    '3 order_can_view_prices',
    '3 product_can_view',
  ]
  t.same(granted.pluck().all(), expected)
  const keysOf = db.$client.prepare("select keys from permission_sets where name = 'Made before'").pluck()
  t.equal(keysOf.get(), '["news_can_view","order_can_view_prices"]', 'whoever gets a set made then goes on to see prices')
  db.$client.exec(`update user_policies set value = 0; update permission_sets set keys = '[]'`)
  seedDefaults(db, 'en')
  t.same(granted.pluck().all(), [], 'what was taken away later stays away')
  t.equal(keysOf.get(), '[]')
})

t.test('an upgrade gives what is new to those whose group has it by default, and nothing again that was known', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, {
    migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_defaults_known_by_the_catalog'))),
  })
  const news = ['news_can_view', 'payment_can_confirm', 'product_can_view']
  earlier.client.exec(`insert into users (id, group_id, email, password, name, lastname) values
      (1, 1, 'a', '', '', ''), (2, 2, 'd', '', '', ''), (3, 3, 'm', '', '', ''), (4, 4, 'p', '', '', '');
    insert into policies (key, name, category) values ${policyKeys.filter((key) => !news.includes(key)).map((key) => `('${key}', 'Old name', '')`)};
    insert into permission_sets (name, keys) values ('Made before', '["news_can_view"]');
    insert into seeded (name, at) values ('policy of prices', 1), ('policies of products', 1), ('policies of payments', 1)`)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  seedDefaults(db, 'en')
  const granted = db.$client.prepare(`select group_concat(key, ' ' order by key) from user_policies join policies on policies.id = policy_id
    where value group by user_id order by user_id`)
  const expected = [news.join(' '), 'news_can_view product_can_view', 'news_can_view product_can_view', 'news_can_view']
  t.same(granted.pluck().all(), expected)
  t.same(
    db.$client.prepare(`select key from policies where name = 'Old name' or not instr(key, '_can_')`).all(),
    [],
    'texts are those of the catalog',
  )
  t.equal(db.$client.prepare("select keys from permission_sets where name = 'Made before'").pluck().get(), '["news_can_view"]')
  t.same(db.$client.prepare("select name from seeded where name like 'polic%'").all(), [])
  db.$client.exec('delete from user_policies where user_id > 1')
  seedDefaults(db, 'en')
  t.same(granted.all(), [news.join(' ')], 'what was taken away later stays away')
})

t.test('an upgrade takes password hashes out of records deleted by versions that kept them', async (t) => {
  const removed = (password: string) => ({
    rows: [
      { table: 'companies', row: { id: 1, org: 'password "users"' } },
      { table: 'users', row: { id: 2, email: 'a', password, phone: null, active: 1 } },
      { table: 'users', row: { id: 3, email: 'b', password, phone: '7', active: 0 } },
    ],
    references: [{ table: 'orders', column: 'user_id', value: 2, ids: [4] }],
  })
  for (const done of [false, true]) {
    const file = join(temporaryFolder(t), 'cabinet.sqlite')
    const earlier = openEarlier(file)
    migrate(earlier.db, {
      migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_defaults_known_by_the_catalog'))),
    })
    const insert = earlier.client.prepare(
      `insert into trash (batch, at, actor_name, entity, record_id, label, removed) values ('', 1, '', 'users', 2, '', ?)`,
    )
    insert.run(JSON.stringify(removed('$argon2id$v=19$old')))
    if (done) earlier.client.exec(`insert into seeded (name, at) values ('trash without secrets', 1)`)
    earlier.client.close()
    const db = openDatabase(file)
    t.teardown(() => db.$client.close())
    migrateDatabase(db)
    // What is done is not done again, however many records the trash holds.
    t.same(JSON.parse(db.$client.prepare('select removed from trash').pluck().get() as string), removed(done ? '$argon2id$v=19$old' : ''))
    t.same(db.$client.prepare("select name from seeded where name like 'trash%'").all(), [])
  }
})

t.test('an upgrade knows default statuses, transitions and permission sets by the texts that nobody has changed', async (t) => {
  for (const named of [false, true]) {
    const file = join(temporaryFolder(t), 'cabinet.sqlite')
    const earlier = openEarlier(file)
    migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_seed_keys'))) })
    earlier.client.exec(`insert into statuses (id, status_key, name) values (1, 'new', 'Новый'), (2, 'apply', 'Mine'), (3, 'own', 'Awaiting signing'), (4, 'canceled', 'Canceled');
      insert into status_transitions (id, parent_status_id, child_status_id, action_name) values
        (1, 1, 2, null), (2, 2, 4, null), (3, 4, 1, null), (4, 3, 4, 'Cancel order'), (5, 1, 4, 'Mine'), (6, 3, 2, 'Готов к выдаче');
      insert into permission_sets (name, keys) values ('Viewer', '[]'), ('Старший менеджер', '[]'), ('Mine', '[]');
      ${named ? "insert into seeded (name, at) values ('transition names', 1)" : ''}`)
    earlier.client.close()
    const db = openDatabase(file)
    t.teardown(() => db.$client.close())
    migrateDatabase(db)
    const all = (query: string) => db.$client.prepare(query).raw().all()
    t.same(all('select name, seed_key from statuses order by id'), [
      ['Новый', 'new'],
      ['Mine', null],
      ['Awaiting signing', 'apply'],
      ['Canceled', 'canceled'],
    ])
    t.same(all('select action_name, seed_key from status_transitions order by id'), [
      ...(named
        ? [
            [null, null],
            [null, null],
          ]
        : [
            ['Send for signing', 'apply'],
            ['Cancel order', 'canceled'],
          ]),
      [null, null],
      ['Cancel order', 'canceled'],
      ['Mine', null],
      ['Готов к выдаче', 'pickup'],
    ])
    t.same(all('select name, seed_key from permission_sets order by name'), [
      ['Mine', null],
      ['Viewer', 'viewer'],
      ['Старший менеджер', 'senior-manager'],
    ])
    t.same(all("select name from seeded where name = 'transition names'"), [])
  }
})

t.test('what was booked of bank statements is known by its line afterwards, and a note that looks like one is none', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_statement_lines'))) })
  const words = '№ 17, 02.02.2026, ООО «Альфа», 7701234567, Заказ 1'
  const insert =
    earlier.client.prepare(`insert into payments (id, order_id, state, amount, date, kind, file, note, reporter_id, reporter_name, decider_id, decider_name, version)
    values (@id, 1, @state, 500, @date, @kind, @file, @note, @reporter, 'Name', 2, @decider, @version)`)
  const booked = {
    state: 'confirmed',
    date: '2026-02-02',
    kind: 'transfer',
    file: null,
    note: words,
    reporter: 2,
    decider: 'Name',
    version: 2,
  }
  const others = [
    { version: 3, reporter: 9, date: '2026-01-15', kind: 'cash', note: `By hand\n${words} (2)` },
    { note: '02.02.2026, Заказ 2' },
    { reporter: 9, note: words },
    { decider: 'Name (Other)', note: `${words} a` },
    { date: '2026-02-03', note: `${words} b` },
    { kind: 'card', note: `${words} c` },
    { file: 'key', note: `${words} d` },
    { note: `First\n${words} e` },
    { state: 'reported', version: 3, note: `First\n${words} f` },
    { note: `Заказ 1 ${words}` },
    { note: '', version: 3 },
    { note: null, version: 3 },
    { note: words, version: 3 },
  ]
  earlier.client.exec('insert into orders (id) values (1)')
  for (const [at, values] of [{}, ...others].entries()) insert.run({ ...booked, ...values, id: at + 1 })
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  const lines = db.$client.prepare('select id, statement_line from payments where statement_line is not null order by id').raw().all()
  t.same(lines, [
    [1, `500 ${words}`],
    [2, `500 ${words} (2)`],
    [3, '500 02.02.2026, Заказ 2'],
  ])
})

t.test('entries of a ledger get the days of their payments and orders, others that on which they were written', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_ledger_dates'))) })
  const evening = new Date(2026, 10, 26, 23, 50).getTime()
  earlier.client.exec(`insert into companies (id, org) values (1, 'Doors');
    insert into orders (id, due_since) values (1, '2026-09-15'), (2, null);
    insert into payments (id, order_id, state, amount, date, kind, reporter_name) values (1, 1, 'confirmed', 5, '2026-09-20', 'cash', '');
    insert into ledger_entries (id, company_id, order_id, payment_id, kind, amount, at, actor_name) values
      (1, 1, 1, null, 'charge', -7, 1000000000000, ''), (2, 1, 1, null, 'charge', 7, 1100000000000, ''), (3, 1, 1, null, 'charge', -7, ${evening}, ''),
      (4, 1, 1, null, 'charge', -2, ${evening}, ''), (5, 1, 1, 1, 'payment', 5, ${evening}, ''), (6, 1, 2, null, 'charge', -7, ${evening}, ''),
      (7, 1, 1, null, 'refund', -1, ${evening}, ''), (8, 1, 1, 9, 'payment', 5, ${evening}, '')`)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  const days = db.$client.prepare('select date from ledger_entries order by id').pluck().all()
  const written = '2026-11-26'
  t.same(days, ['2001-09-09', '2004-11-09', '2026-09-15', written, '2026-09-20', written, written, written])
  t.equal(db.$client.prepare('select balance from company_balances').pluck().get(), -7 + 7 - 7 - 2 + 5 - 7 - 1 + 5)
})

/** A database of before payments and what they pay were two things. */
function startBeforeAllocations(rows: string) {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  const earlier = openEarlier(file)
  migrate(earlier.db, { migrationsFolder: earlierMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith('_allocations'))) })
  earlier.client.exec(rows)
  earlier.client.close()
  const db = openDatabase(file)
  t.teardown(() => db.$client.close())
  return db
}

const beforeAllocations = `insert into companies (id, org) values (1, 'Doors'), (2, 'Windows');
  insert into statuses (id, status_key, name, color, "index", due) values (1, 'open', 'Open', '#000000', 1, null), (2, 'off', 'Called off', '#000000', 2, 'ends');
  insert into orders (id, company_id, owner_company_id, status_id, cost, due_since) values
    (1, 1, 1, 1, 100, '2026-01-01'), (2, 1, 1, 2, 70, null), (3, 2, 2, 1, 50, '2026-01-01'), (4, 1, 1, 1, 30, null);
  insert into payments (id, order_id, state, amount, date, kind, reporter_name, decider_name, decided_at) values
    (1, 1, 'confirmed', 60, '2026-01-02', 'cash', 'Ann', 'Bob', 5), (2, 1, 'confirmed', 60, '2026-01-03', 'cash', 'Ann', 'Bob', 6),
    (3, 2, 'confirmed', 70, '2026-01-04', 'card', 'Ann', 'Bob', 7), (4, 3, 'confirmed', 20, '2026-01-05', 'card', 'Ann', 'Bob', 8),
    (5, 4, 'reported', 30, '2026-01-06', 'card', 'Ann', null, null), (6, 3, 'rejected', 30, '2026-01-06', 'card', 'Ann', 'Bob', 9);
  insert into ledger_entries (company_id, order_id, payment_id, kind, amount, date, at, actor_name, note) values
    (1, 1, null, 'charge', -100, '2026-01-01', 1, 'Ann', null), (1, 1, 1, 'payment', 60, '2026-01-02', 5, 'Bob', null), (1, 1, 2, 'payment', 60, '2026-01-03', 6, 'Bob', null),
    (1, 2, 3, 'payment', 70, '2026-01-04', 7, 'Bob', null), (1, 2, null, 'refund', -45, '2026-01-05', 8, 'Bob', 'Back'), (2, 3, null, 'charge', -50, '2026-01-01', 1, 'Ann', null),
    (2, 3, 4, 'payment', 20, '2026-01-05', 8, 'Bob', null), (2, 3, null, 'correction', 5, '2026-01-06', 9, 'Bob', null);`

t.test('payments become money of companies that pays their orders; what is over is credit, and refunds come from it', async (t) => {
  const db = startBeforeAllocations(beforeAllocations)
  migrateDatabase(db)
  const all = (sql: string) => db.$client.prepare(sql).raw().all()
  t.same(all('select id, company_id, direction, order_id, state, amount, allocated from payments order by id'), [
    [1, 1, 'incoming', 1, 'confirmed', 60, 60],
    [2, 1, 'incoming', 1, 'confirmed', 60, 60],
    [3, 1, 'incoming', 2, 'confirmed', 70, 25],
    [4, 2, 'incoming', 3, 'confirmed', 20, 20],
    [5, 1, 'incoming', 4, 'reported', 30, 0],
    [6, 2, 'incoming', 3, 'rejected', 30, 0],
    [7, 1, 'refund', 2, 'confirmed', 45, 0],
  ])
  t.same(all('select payment_id, order_id, refund_id, amount from allocations order by id'), [
    [1, 1, null, 60],
    [2, 1, null, 40],
    [4, 3, null, 20],
    [2, null, 7, 20],
    [3, null, 7, 25],
  ])
  t.same(all('select order_id, charged, paid from order_balances order by 1'), [
    [1, 100, 100],
    [2, 0, 0],
    [3, 50, 25],
  ])
  t.same(all('select company_id, balance, credit from company_balances order by 1'), [
    [1, 45, 45],
    [2, -25, 0],
  ])
  t.equal(wrongBalances(db.$client), 0)
  t.same(all("select payment_id from ledger_entries where kind = 'refund'"), [[7]])
})

t.test('payments whose sums differ from the ledger stop the migration, and nothing of it stays', async (t) => {
  const db = startBeforeAllocations(`${beforeAllocations} update payments set amount = 61 where id = 2;`)
  t.throws(() => migrateDatabase(db), /sums_of_payments_differ/)
  t.throws(() => db.$client.prepare('select * from allocations'), /no such table/)
  t.equal(db.$client.prepare('select count(*) from payments').pluck().get(), 6)
})

t.test('migrating an up-to-date database changes nothing', async (t) => {
  const version = () => [fresh.$client.pragma('schema_version'), fresh.$client.prepare('select total_changes()').pluck().get()]
  const before = version()
  migrateDatabase(fresh)
  t.same(version(), before)
})

t.test('a trigger that is missing, changed or left over is repaired at the next start', async (t) => {
  const db = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  db.$client.exec(`drop trigger order_tallies_insert; drop trigger order_tallies_delete; drop table changes_fts; drop index orders_serial;
    create trigger order_tallies_delete after delete on orders begin select 1; end;
    create trigger left_over after delete on users begin select 1; end;
    insert into users (group_id, email, password, name, lastname) values (2, 'a@example.com', '', 'A', 'B')`)
  migrateDatabase(db)
  t.same(definitions(db.$client), definitions(fresh.$client))
  t.same(tallies(db), countedTallies(db))
})

t.test(
  'sums of the ledger and the times of orders in their status, left by a program without triggers, are counted at the next start',
  async (t) => {
    const db = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
    t.teardown(() => db.$client.close())
    migrateDatabase(db)
    db.$client.exec(`drop trigger ledger_entries_balances; drop trigger ledger_entries_tallies; drop trigger orders_since_insert; drop trigger orders_since_step; drop trigger orders_since_undo;
    insert into companies (id, org) values (1, 'Doors');
    insert into orders (id, company_id, created_at) values (1, 1, 1000), (2, 1, 1000), (3, 1, 1000);
    insert into order_history (id, order_id, at, actor_name, undone_at, undoes_id) values
      (1, 1, 2000, '', null, null), (2, 1, 3000, '', 4000, null), (3, 1, 4000, '', null, 2), (4, 2, 500, '', null, null);
    insert into ledger_entries (company_id, order_id, kind, amount, date, at, actor_name) values
      (1, 1, 'charge', -700, '2026-01-15', 1, ''), (1, 1, 'charge', 100, '2026-01-15', 2, ''), (1, 1, 'payment', 250, '2026-01-15', 3, ''), (1, 1, 'refund', -50, '2026-01-15', 4, ''),
      (1, null, 'correction', 9, '2026-02-15', 5, '');
    drop trigger allocations_balances;
    insert into payments (id, company_id, state, amount, date, kind, reporter_name) values (1, 1, 'confirmed', 250, '2026-01-15', 'cash', '');
    insert into allocations (company_id, payment_id, order_id, amount, date, at, actor_name) values (1, 1, 1, 200, '2026-01-15', 3, '')`)
    migrateDatabase(db)
    t.same(db.$client.prepare('select * from company_balances').all(), [{ company_id: 1, balance: -391, credit: 50 }])
    t.equal(db.$client.prepare('select allocated from payments').pluck().get(), 200)
    t.same(db.$client.prepare('select month, charges, payments, corrections from ledger_tallies').all(), [
      { month: '2026-01', charges: -600, payments: 200, corrections: 0 },
      { month: '2026-02', charges: 0, payments: 0, corrections: 9 },
    ])
    t.same(db.$client.prepare('select order_id, charged, paid from order_balances').all(), [{ order_id: 1, charged: 600, paid: 200 }])
    const since = db.$client.prepare('select status_since from orders order by id').pluck().all()
    t.same(since, [2000, 1000, 1000], 'not since a step that was taken back, or one before the order')
  },
)

t.test('migrations are listed in the order in which they were written', async (t) => {
  const times = journal.entries.map(({ when }) => when)
  t.same(times, [...times].sort(), 'one that is older than its predecessor would be left out on installations that have that one')
})

t.test('a migration that leaves a reference to a missing row stops, and nothing of it stays', async (t) => {
  const db = openDatabase(join(temporaryFolder(t), 'cabinet.sqlite'))
  t.teardown(() => db.$client.close())
  migrateDatabase(db)
  db.$client.exec(`insert into stocks (id, name) values (1, 'Kazan'), (2, 'Perm');
    insert into companies (org, stock_id) values ('Doors', 1), ('Windows', 2), ('Gates', 2)`)
  const before = contentOf(db.$client)
  const folder = migrationsWith(`delete from stocks where id = 2; update companies set org = upper(org)`)
  t.throws(() => migrateDatabase(db, folder), { message: /nothing changed: row \d of companies names a missing row of stocks, and 1 more/ })
  t.same(contentOf(db.$client), before)
  t.same(definitions(db.$client), definitions(fresh.$client), 'the triggers are back, too')
  t.equal(db.$client.pragma('foreign_keys', { simple: true }), 1)
})

/** All migrations and one more that nobody has written yet. */
function migrationsWith(sql: string): string {
  const folder = earlierMigrations(journal.entries.length)
  const next = { idx: journal.entries.length, version: '6', when: Date.now(), tag: '9999_next', breakpoints: true }
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries: [...journal.entries, next] }))
  writeFileSync(join(folder, '9999_next.sql'), sql)
  return folder
}
