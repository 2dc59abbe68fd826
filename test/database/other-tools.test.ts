import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { refreshSearchTexts } from '../../src/database/search-index.ts'
import { runChecks } from '../../src/doctor/checks.ts'
import { startCabinet } from '../support/cabinet.ts'
import { idsOf } from '../support/html.ts'
import { searchIndexDifferences } from '../support/search-index.ts'
import { temporaryFolder } from '../support/service.ts'

/** The shell of SQLite that the system has: 3.40 on Debian 12, which is the oldest that the file is for. */
const shell = (file: string, sql: string) => execFileSync('sqlite3', ['-bail', file], { input: sql, encoding: 'utf8' })
const quote = (text: string | number) => `'${String(text).replaceAll("'", "''")}'`

t.comment(`sqlite3 ${execFileSync('sqlite3', ['--version'], { encoding: 'utf8' })}`)

async function startWithShell(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const file = join(cabinet.app.config.dataDir, 'cabinet.sqlite')
  const admin = await cabinet.as('root')
  return {
    ...cabinet,
    file,
    run: (sql: string) => shell(file, sql),
    correct: (table: string, column: string, id: number, value: string | number) =>
      shell(file, `update ${table} set ${column} = ${quote(value)} where id = ${id}`),
    found: async (list: string, q: string) => idsOf(await admin.get(`/${list}?${new URLSearchParams({ q })}`), list).map(Number),
  }
}

t.test('whatever a record is found by can be corrected with sqlite3, and its new text finds it', async (t) => {
  const { db, cast, run, correct, found } = await startWithShell(t)
  const { alpha } = cast.companies
  run(`insert into order_items (id, order_id, name, quantity, price, discount) values (1, ${cast.order}, 'Door', 1, 1, 0)`)
  const dealer = { dealers: cast.denis, orders: cast.order }
  const manager = { dealers: cast.denis, companies: alpha }
  const corrections: [table: string, column: string, id: number, lists: Record<string, number>][] = [
    ['users', 'lastname', cast.denis, dealer],
    ['users', 'name', cast.denis, dealer],
    ['users', 'tg_id', cast.denis, { dealers: cast.denis }],
    ['users', 'email', cast.denis, { dealers: cast.denis }],
    ['users', 'phone', cast.denis, { dealers: cast.denis }],
    ['users', 'lastname', cast.maria, manager],
    ['users', 'name', cast.maria, manager],
    ['users', 'middlename', cast.maria, manager],
    ['companies', 'org', alpha, { companies: alpha, ...dealer }],
    ['companies', 'inn', alpha, { companies: alpha }],
    ['companies', 'email', alpha, { companies: alpha }],
    ['companies', 'phone', alpha, { companies: alpha }],
    ['orders', 'receiver', cast.order, { orders: cast.order }],
    ['orders', 'sn', cast.order, { orders: cast.order }],
    ['orders', 'address', cast.order, { orders: cast.order }],
    ['orders', 'phone', cast.order, { orders: cast.order }],
    ['order_items', 'name', 1, { orders: cast.order }],
  ]
  const check = async (when: string, [table, column, , lists]: (typeof corrections)[number], number: number) => {
    for (const [list, id] of Object.entries(lists)) {
      const what = `${table}.${column} in ${list}, ${when}`
      for (const q of [`ёлка-${number}`, `ЕЛКА-${number} Щука`, `ъы`]) t.ok((await found(list, q)).includes(id), `${what}: ${q}`)
      t.notOk((await found(list, `прежний-${number}`)).includes(id), `${what}: not the former text`)
    }
  }
  for (const [number, [table, column, id, lists]] of corrections.entries()) {
    correct(table, column, id, `Прежний-${number} ЩУКА`)
    for (const [list, found_id] of Object.entries(lists))
      t.ok((await found(list, `прежний-${number}`)).includes(found_id), `${table}.${column} in ${list}`)
    if (number % 2 > 0) refreshSearchTexts(db, 100)
    correct(table, column, id, `ЁЛКА-${number} щукаЪЫ`)
    await check('at once', corrections[number] as (typeof corrections)[number], number)
  }
  refreshSearchTexts(db, 100)
  for (const [number, correction] of corrections.entries()) await check('refreshed', correction, number)
  t.equal(searchIndexDifferences(db), 0)
})

t.test('numbers, references and deletions corrected with sqlite3 are searched as they are then', async (t) => {
  const { db, cast, run, correct, found } = await startWithShell(t)
  const { alpha, beta, nobodys } = cast.companies
  const { denis, daria, mikhail, order } = cast
  for (const [table, list, id] of [
    ['users', 'dealers', denis],
    ['companies', 'companies', alpha],
    ['orders', 'orders', order],
  ] as const) {
    correct(table, 'phone', id, '+7(912) 345 67 89')
    for (const q of ['9123456789', '(912)', '8 912 345-67-89']) t.ok((await found(list, q)).includes(id), `${list} ${q}`)
  }
  correct('orders', 'specification_number', order, 91827)
  for (const q of ['#91827', '№91827', `#${order}`, `№${order}`]) t.ok((await found('orders', q)).includes(order), q)

  correct('users', 'company_id', denis, beta)
  t.ok((await found('dealers', 'бета елка')).includes(denis))
  t.notOk((await found('dealers', 'alpha')).includes(denis))
  t.ok((await found('orders', 'бета елка')).includes(order), 'the order goes with its dealer')
  correct('users', 'manager_id', denis, mikhail)
  t.ok((await found('dealers', 'sidorov')).includes(denis))
  correct('companies', 'manager_id', nobodys, mikhail)
  t.ok((await found('companies', 'sidorov')).includes(nobodys))
  correct('orders', 'dealer_id', order, daria)
  t.ok((await found('orders', 'королева')).includes(order))
  t.notOk((await found('orders', 'denisov')).includes(order))
  run(`insert into orders (id, dealer_id) values (900, ${daria});
    insert into order_items (id, order_id, name, quantity, price, discount) values (7, ${order}, 'Ставня', 1, 1, 0)`)
  // What is stale already would hide what a change of it forgets.
  refreshSearchTexts(db, 100)
  correct('order_items', 'order_id', 7, 900)
  t.same(await found('orders', 'ставня'), [900])
  refreshSearchTexts(db, 100)
  run('delete from order_items where id = 7')
  t.same(await found('orders', 'ставня'), [])
  correct('users', 'group_id', denis, 3)
  t.same(await found('dealers', 'denisov'), [], 'no dealer any longer')
  run(`insert into users (group_id, email, password, name, lastname) values (2, 'new@example.com', '', 'Семён', 'Новосёлов')`)
  t.equal((await found('dealers', 'СЕМЕН новоселов')).length, 1)
  run(`delete from users where lastname = 'Новосёлов'; delete from orders where id = 900`)
  t.same([...(await found('dealers', 'новоселов')), ...(await found('orders', '#900'))], [])
  t.equal(searchIndexDifferences(db), 0)
})

t.test('lists are sorted by names as they were corrected with sqlite3', async (t) => {
  const { db, cast, correct } = await startWithShell(t)
  const sortedAs = (table: string, id: number) => db.$client.prepare(`select search from ${table} where id = ?`).pluck().get(id)
  correct('users', 'lastname', cast.maria, 'ЁЛКИНА')
  correct('users', 'middlename', cast.maria, 'Ильинична')
  t.equal(sortedAs('users', cast.maria), 'елкина maria ильинична')
  for (const [table, column, id] of [
    ['companies', 'org', cast.companies.alpha],
    ['stocks', 'name', cast.stock],
    ['manufactures', 'name', cast.site],
    ['categories', 'name', cast.category],
  ] as const) {
    correct(table, column, id, 'ЩЁТКА')
    t.equal(sortedAs(table, id), 'щетка', table)
  }
})

t.test('sqlite3 reads and writes every table and view, and leaves the file sound', async (t) => {
  const { db } = await startWithShell(t)
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  db.$client.exec(`vacuum into ${quote(file)}`)
  const copy = new Sqlite(file)
  const names = (type: string) =>
    copy
      .prepare(`select name from pragma_table_list where schema = 'main' and type = ? and name not like 'sqlite%'`)
      .pluck()
      .all(type) as string[]
  const texts = ['dealer_texts', 'order_texts', 'company_texts']
  const sums = ['order_tallies', 'company_balances', 'ledger_tallies', 'order_balances']
  const kept = new Set([...texts, ...sums, 'security_events', 'ledger_entries', 'allocations'])
  const tables = names('table').filter((name) => !kept.has(name) && !name.startsWith('__'))
  interface Column {
    name: string
    type: string
    notnull: number
    dflt_value: string | null
    pk: number
  }
  const valueFor = ({ type }: Column) => (type.toLowerCase() === 'integer' ? '987654' : quote('{"rows":[],"references":[]}'))
  const statements = tables.flatMap((table) => {
    const columns = copy.pragma(`table_info(${table})`) as Column[]
    const needed = columns.filter(({ notnull, dflt_value, pk }) => pk || (notnull && dflt_value === null))
    const added = `insert into "${table}" (${needed.map(({ name }) => `"${name}"`)}) values (${needed.map(valueFor)})`
    const same = columns.map(({ name }) => `"${name}" = "${name}"`)
    return [added, `update "${table}" set ${same}`, `delete from "${table}" where rowid = (select max(rowid) from "${table}")`]
  })
  const views = names('view')
  t.ok(views.length >= 8)
  const before = tables.map((table) => copy.prepare(`select count(*) from "${table}"`).pluck().get())
  copy.close()
  t.ok(tables.length > 30)
  shell(file, `pragma recursive_triggers = on; ${statements.join(';\n')};`)
  for (const view of views) t.doesNotThrow(() => shell(file, `select count(*) from ${view}`), view)
  t.match(shell(file, 'pragma integrity_check'), /^ok/)
  const after = new Sqlite(file)
  t.teardown(() => after.close())
  t.same(
    tables.map((table) => after.prepare(`select count(*) from "${table}"`).pluck().get()),
    before,
  )
  for (const table of ['dealer_texts_fts', 'order_texts_fts', 'company_texts_fts', 'changes_fts'])
    t.doesNotThrow(() => after.exec(`insert into ${table}(${table}, rank) values ('integrity-check', 1)`), table)
})

t.test('the doctor names texts of the search indexes that differ from their records', async (t) => {
  const { app, db, cast } = await startWithShell(t)
  const search = async () => (await runChecks({ DATA_DIR: app.config.dataDir })).find(({ name }) => name === 'search indexes')?.problem
  t.equal(await search(), undefined)
  for (const [table, id] of [
    ['dealer_texts', cast.denis],
    ['order_texts', cast.order],
    ['company_texts', cast.companies.alpha],
  ] as const) {
    db.$client.exec(`update ${table} set text = text || 'x' where id = ${id}`)
    t.match(await search(), /^1 records/, table)
    db.$client.exec(`update ${table} set stale = 1 where id = ${id}`)
    t.equal(await search(), undefined, 'what is stale is known')
    db.$client.exec(`insert into ${table} (id, text) values (999999, 'gone')`)
    t.match(await search(), /^1 records/, `${table}: a record that is gone`)
    db.$client.exec(`delete from ${table} where id = 999999`)
  }
})
