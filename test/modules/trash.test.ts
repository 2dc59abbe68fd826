import { and, eq, getTableName } from 'drizzle-orm'
import tap from 'tap'
import { deleteRecords } from '../../src/database/delete-records.ts'
import { type Database, write, writeAndRollBack } from '../../src/database/open.ts'
import { tables } from '../../src/database/references.ts'
import { restoreRecords } from '../../src/database/restore-records.ts'
import {
  accessRequests,
  categories,
  categoryCompany,
  changes,
  companies,
  notifications,
  orderHistory,
  orderItems,
  orders,
  policies,
  statuses,
  stocks,
  trash,
  uploads,
  users,
} from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Answer, type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { attributesOf, elementById, elementsOf, hiddenOf, idsOf, rowsOf, tagsOf, textOf, textsByRole } from '../support/html.ts'
import { searchIndexDifferences } from '../support/search-index.ts'
import { storeUpload } from '../support/uploads.ts'

const author = { id: null, name: 'The test' }

/** What legitimately differs after an undo: the journal itself, and what is nobody's record. */
const passing = new Set([
  'security_events',
  'changes',
  'trash',
  'sessions',
  'submissions',
  'deliveries',
  'sign_in_failures',
  'pending_submissions',
  'password_resets',
])

type Dump = Record<string, Record<string, unknown>>

/** Every row of every table, by table and key; versions apart, and without passwords, which the trash does not keep. */
function dump(db: Database): { rows: Dump; versions: Dump } {
  const rows: Dump = {}
  const versions: Dump = {}
  for (const name of tables.map((table) => getTableName(table)).filter((table) => !passing.has(table)))
    for (const { version, password: _, ...row } of db.$client.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]) {
      // Counters that the database keeps: none is nothing.
      if (row.count === 0) continue
      // Superadministrators are told of administrators who come back.
      if (row.event === 'administrator-added') continue
      const key = String(row.id ?? JSON.stringify(row))
      rows[name] = { ...rows[name], [key]: row }
      versions[name] = { ...versions[name], [key]: version }
    }
  return { rows, versions }
}

/** The search indexes hold what the tables say. */
function checkIndexes(t: Pick<typeof tap, 'doesNotThrow' | 'same'>, db: Database): void {
  t.same(searchIndexDifferences(db), 0)
  t.doesNotThrow(() => db.$client.exec(`insert into changes_fts(changes_fts, rank) values ('integrity-check', 1)`))
  t.same(db.$client.pragma('foreign_key_check'), [])
}

/** Everything that can point at something: rows of their own, references that become empty, references to each other. */
function plantRelations({ db, cast }: Cabinet): void {
  const { companies: company, category, denis, daria, vera, maria, root, admin, order, site, stock } = cast
  const insert = (table: Parameters<Database['insert']>[0], values: object) =>
    Number(
      db
        .insert(table)
        .values(values as never)
        .run().lastInsertRowid,
    )
  const doors = insert(categories, { name: 'Doors', search: 'doors' })
  for (const id of [company.alpha, company.beta])
    for (const [category_id, discount] of [
      [category, 5],
      [doors, 7],
    ])
      insert(categoryCompany, { company_id: id, category_id, discount })
  db.update(companies)
    .set({ manufacture_id: site, stock_id: stock, files: [{ name: 'Contract', file: 'a'.repeat(64) }] })
    .where(eq(companies.id, company.alpha))
    .run()
  insert(orderItems, { order_id: order, category_id: category, name: 'A window', quantity: 2, price: 100, discount: 5 })
  const history_id = insert(orderHistory, { order_id: order, at: 1, actor_name: 'Somebody', filled: { phone: '1' } })
  for (const user_id of [denis, maria, root])
    insert(notifications, { user_id, order_id: order, history_id, status_name: 'New', created_at: 1 })
  insert(orders, { status_id: 2, dealer_id: daria, company_id: company.beta })
  db.update(users).set({ manager_id: denis }).where(eq(users.id, vera)).run()
  db.update(users)
    .set({ image: 'b'.repeat(64) })
    .where(eq(users.id, maria))
    .run()
  const policy = db.select().from(policies).get()?.id as number
  insert(accessRequests, { user_id: maria, policy_id: policy, created_at: 1, state: 'granted', decided_by: admin, decided_at: 2 })
  insert(accessRequests, { user_id: admin, policy_id: policy, created_at: 1, state: 'declined', decided_by: maria, decided_at: 2 })
  createNews(db, { name: 'A message', description: '<p>Text</p>', published: true, images: ['c'.repeat(64)] }, author)
}

/** The way back that a page or a fragment offers. */
function undoOf(answer: Answer): string {
  return tagsOf(answer.body, 'form').find(({ action }) => /\/bin\/\d+\/restore$/.test(action ?? ''))?.action ?? ''
}

/** Deletes without JavaScript and returns where it can be undone, as the next page says. */
async function remove(browser: Browser, list: string, ...ids: number[]): Promise<string> {
  const answer = await browser.post(`/${list}/delete`, { id: ids })
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode} for deleting from ${list}: ${textOf(answer.body)}`)
  return undoOf(await browser.get(String(answer.headers.location)))
}

tap.test('restoring deleted records brings the database back to exactly its earlier contents', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  plantRelations(cabinet)
  const root = await as('root')
  const deletions: [string, ...number[]][] = [
    ['companies', cast.companies.alpha],
    ['companies', cast.companies.alpha, cast.companies.beta, cast.companies.nobodys],
    ['dealers', cast.denis],
    ['dealers', cast.vera, cast.denis, cast.daria, cast.roman],
    ['managers', cast.maria, cast.mikhail],
    ['admins', cast.admin, cast.clerk],
    ['productions', cast.pavel],
    ['news', 1],
    ['stocks', cast.stock],
    ['manufactures', cast.site],
    ['categories', cast.category],
    ['orders', cast.order],
    ['statuses', 1],
    ['statuses', 2, 3, 5],
  ]
  for (const [list, ...ids] of deletions) {
    const before = dump(db)
    const undo = await remove(root, list, ...ids)
    t.match(undo, /^\/bin\/\d+\/restore$/, `${list}: undo is offered`)
    t.notSame(dump(db).rows, before.rows, `${list}: something is gone`)
    const answer = await root.post(undo, {}, { referer: `http://localhost:80/${list}?page=1` })
    t.equal(answer.statusCode, 303, `${list}: restored`)
    t.equal(answer.headers.location, `/${list}?page=1`, 'and back where one was')
    const after = dump(db)
    t.same(after.rows, before.rows, `${list} ${ids}: nothing differs`)
    const table = ['companies', 'news', 'stocks', 'manufactures', 'categories', 'statuses', 'orders'].includes(list) ? list : 'users'
    for (const id of ids) t.equal(after.versions[table]?.[id], before.versions[table]?.[id], 'what was deleted has its version again')
    checkIndexes(t, db)
  }
  t.same(idsOf(await root.get('/bin'), 'bin'), [], 'what was restored is no longer in the bin')
  const entries = db.select().from(changes).where(eq(changes.action, 'restore')).all()
  t.equal(entries.length, deletions.flatMap(([, ...ids]) => ids).length, 'each restoration has its entry in the history')
  t.notMatch(JSON.stringify(entries), /argon2/, 'without passwords')
})

tap.test('restoring never lowers the version of a record', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const versionOf = (id: number) => db.select().from(users).where(eq(users.id, id)).get()?.version
  const before = versionOf(cast.denis) as number
  const undo = await remove(root, 'companies', cast.companies.alpha)
  t.equal(versionOf(cast.denis), before + 1)
  await root.post(undo)
  t.equal(versionOf(cast.denis), before + 2, 'a form opened in between must notice')
  const told = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'users'), eq(changes.record_id, cast.denis)))
    .all()
  t.same(
    told.slice(-2).map(({ fields, label }) => ({ fields, label })),
    [
      { fields: { company_id: [cast.companies.alpha, null] }, label: 'Denisov Denis' },
      { fields: { company_id: [null, cast.companies.alpha] }, label: 'Denisov Denis' },
    ],
  )
})

tap.test('records can be restored in the order of their deletion, although later ones refer to earlier ones', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  plantRelations(cabinet)
  const root = await as('root')
  const before = dump(db)
  const undos: string[] = []
  const steps: [string, number][] = [
    ['stocks', cast.stock],
    ['managers', cast.mikhail],
    ['companies', cast.companies.alpha],
    ['dealers', cast.denis],
  ]
  for (const [list, id] of steps) undos.push(await remove(root, list, id))
  for (const undo of undos) t.equal((await root.post(undo)).statusCode, 303)
  t.same(dump(db).rows, before.rows, 'what pointed at the first is in the bin too, and gets its reference back there')
})

tap.test('a user is restored although an order they were notified of is gone', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  plantRelations(cabinet)
  const root = await as('root')
  const undo = await remove(root, 'managers', cast.maria)
  const order = await remove(root, 'orders', cast.order)
  t.equal((await root.post(undo)).statusCode, 303)
  t.match(db.select().from(notifications).where(eq(notifications.user_id, cast.maria)).all(), [{ order_id: null, history_id: null }])
  const pairs = await remove(root, 'companies', cast.companies.alpha)
  const category = await remove(root, 'categories', cast.category)
  const answer = await root.post(pairs)
  t.equal(answer.statusCode, 409)
  t.match(textsByRole(answer, 'alert').join(), /Alpha Windows: "Windows" no longer exists \(Category\)\./)
  for (const path of [category, pairs, order]) t.equal((await root.post(path)).statusCode, 303)
})

tap.test('a form opened before its record was deleted and restored can be saved', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const card = `/company/edit/${cast.companies.alpha}`
  const version = hiddenOf(await root.get(card), 'version')[0] as string
  await root.post(await remove(root, 'companies', cast.companies.alpha))
  t.equal((await root.post(card, { version, org: 'Alpha Two' })).statusCode, 303)
  t.equal(db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.org, 'Alpha Two')
})

tap.test('deleting and restoring a category or status is in the history of the records that lost it', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  plantRelations(cabinet)
  const root = await as('root')
  const { alpha } = cast.companies
  const versionOf = () => db.select().from(companies).where(eq(companies.id, alpha)).get()?.version as number
  const before = versionOf()
  const undo = await remove(root, 'categories', cast.category)
  t.equal(versionOf(), before + 1)
  await root.post(undo)
  t.equal(versionOf(), before + 2)
  const told = rowsOf(await root.get(`/company/edit/${alpha}?tab=history`), 'history').map(({ cells }) => cells.fields)
  t.same(told, ['Category discounts: — → Windows: 5', 'Category discounts: Windows: 5 → —'])
  const ways = await remove(root, 'statuses', 2)
  await root.post(ways)
  const status = rowsOf(await root.get('/status/edit/1?tab=history'), 'history').map(({ cells }) => cells.fields)
  t.match(status, [/^Transitions: — → Awaiting signing/, /^Transitions: Awaiting signing.* → —$/])
})

tap.test('a restored company gets its files back', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as } = cabinet
  const root = await as('root')
  const place = { db, dataDir: app.config.dataDir }
  const content = async function* () {
    yield Buffer.from('a contract')
  }
  const { key } = await storeUpload(place, content(), { name: 'contract.pdf', type: 'application/pdf', userId: cast.root })
  db.update(companies)
    .set({ files: [{ name: 'Contract', file: key }] })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  db.update(uploads).set({ at: 1 }).run()
  const undo = await remove(root, 'companies', cast.companies.alpha)
  await sweepUploads(app)
  t.equal((await root.get(`/files/${key}`)).statusCode, 403, 'nobody has it meanwhile')
  await root.post(undo)
  t.equal((await root.get(`/files/${key}`)).body, 'a contract')
})

/** What keeps an undo from fitting, and what it says. */
const obstacles: Record<
  string,
  { list: string; ids: (cabinet: Cabinet) => number[]; meanwhile: (cabinet: Cabinet) => unknown; says: RegExp[] }
> = {
  'the company is gone': {
    list: 'dealers',
    ids: ({ cast }) => [cast.denis, cast.daria],
    meanwhile: async ({ as, cast }) => remove(await as('root'), 'companies', cast.companies.alpha),
    says: [/Denisov Denis: "Alpha Windows" no longer exists \(Company\)\./],
  },
  'a dealer was moved to another company': {
    list: 'companies',
    ids: ({ cast }) => [cast.companies.alpha],
    meanwhile: ({ db, cast }) => db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.denis)).run(),
    says: [/Alpha Windows: the value was changed in "Denisov Denis" in the meantime \(Company\)\./],
  },
  'the statuses were reordered': {
    list: 'statuses',
    ids: () => [2],
    meanwhile: ({ db }) => db.update(statuses).set({ index: 2 }).where(eq(statuses.id, 3)).run(),
    says: [/Awaiting signing: another record now has the same value \(Position in the list\)\./],
  },
  'the target of its transition is gone': {
    list: 'statuses',
    ids: () => [2],
    meanwhile: async ({ as }) => remove(await as('root'), 'statuses', 3),
    says: [/Awaiting signing: "Awaiting payment" no longer exists \(Move to\)\./],
  },
  'the email is taken': {
    list: 'dealers',
    ids: ({ cast }) => [cast.denis, cast.roman],
    meanwhile: ({ db, cast }) => db.update(users).set({ email: 'DENIS@example.com' }).where(eq(users.id, cast.clerk)).run(),
    says: [/Denisov Denis: another record now has the same value \(Email\)\./],
  },
}

for (const [name, { list, ids, meanwhile, says }] of Object.entries(obstacles))
  tap.test(`a restore conflict names its reason and nothing is restored: ${name}`, async (t) => {
    const cabinet = await startCabinet(t)
    const root = await cabinet.as('root')
    const undo = await remove(root, list, ...ids(cabinet))
    await meanwhile(cabinet)
    const before = dump(cabinet.db)
    const history = await cabinet.db.$count(changes)
    const answer = await root.post(undo)
    t.equal(answer.statusCode, 409)
    for (const words of says) t.match(textsByRole(answer, 'alert').join(), words)
    t.same(dump(cabinet.db), before, 'nothing changed')
    t.equal(await cabinet.db.$count(changes), history, 'no history either')
    t.ok(
      rowsOf(await root.get('/bin'), 'bin').some(({ html }) => html.includes(undo)),
      'it stays in the bin',
    )
  })

tap.test('of very many conflicts twenty are named, and the rest counted', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const of = { group_id: 2 as const, company_id: cast.companies.nobodys, name: 'Dealer', password: 'x' }
  const dealers = Array.from({ length: 23 }, (_, at) => ({ ...of, email: `d${at}@example.com`, lastname: `Number${at}` }))
  const added = db.insert(users).values(dealers).returning({ id: users.id }).all()
  const undo = await remove(root, 'dealers', ...added.map(({ id }) => id))
  await remove(root, 'companies', cast.companies.nobodys)
  const refused = await root.post(undo)
  t.equal(refused.statusCode, 409)
  t.equal(textOf(refused.body).match(/Number\d+ Dealer: "Nobody Ltd" no longer exists/g)?.length, 20)
  t.match(textOf(refused.body), 'and 3 more')
})

tap.test('conflicts that read alike are named once, and the rest are counted as if they did not', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const of = { group_id: 2 as const, company_id: cast.companies.nobodys, name: 'Dealer', password: 'x' }
  const dealers = Array.from({ length: 24 }, (_, at) => ({ ...of, email: `d${at}@example.com`, lastname: `Number${Math.floor(at / 2)}` }))
  const added = db.insert(users).values(dealers).returning({ id: users.id }).all()
  const undo = await remove(root, 'dealers', ...added.map(({ id }) => id))
  await remove(root, 'companies', cast.companies.nobodys)
  const told = textOf((await root.post(undo)).body).match(/Number\d+ Dealer: "Nobody Ltd" no longer exists/g) ?? []
  t.equal(told.length, 10)
  t.equal(new Set(told).size, 10)
  t.match(textOf((await root.post(undo)).body), 'and 4 more')
})

tap.test('a status cannot be restored while another has its key', async (t) => {
  const { db } = await startCabinet(t)
  write(db, () => deleteRecords(db, { table: statuses, list: 'statuses' }, [2], author))
  const kept = db.select().from(trash).all()
  const key = kept[0]?.removed.rows[0]?.row.status_key as string
  db.insert(statuses).values({ status_key: key, name: 'New one' }).run()
  const conflicts = writeAndRollBack(db, () => restoreRecords(db, kept, [], author))
  t.match(conflicts, [{ reason: 'taken', table: 'statuses', columns: ['status_key'] }])
})

tap.test('a user who may not delete a record can neither see it in the trash nor restore it (403)', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [root, maria, mikhail, denis, admin] = await Promise.all((['root', 'maria', 'mikhail', 'denis', 'admin'] as const).map(as))
  const own = await remove(maria as Browser, 'dealers', cast.denis)
  const foreign = await remove(root as Browser, 'dealers', cast.daria)
  const mixed = await remove(root as Browser, 'dealers', cast.vera, cast.ivan)
  const message = createNews(db, { name: 'Secret plans', published: false }, author)
  const news = await remove(root as Browser, 'news', message)
  const boss = db
    .insert(users)
    .values({ group_id: 1, email: 'boss@example.com', password: 'x', name: 'B', lastname: 'Boss', superadmin: true })
    .run()
  const superadmin = await remove(root as Browser, 'admins', Number(boss.lastInsertRowid))
  const before = dump(db)
  const attempts: [string, Browser | undefined, string, number][] = [
    ['a manager, the dealer of a colleague', maria, foreign, 403],
    ['a colleague, her dealer', mikhail, own, 403],
    ['a colleague, a batch with one of her dealers', mikhail, mixed, 403],
    ['a manager, news', maria, news, 403],
    ['an administrator, a superadministrator', admin, superadmin, 403],
    ['an id that is none', maria, '/bin/999999/restore', 404],
    ['a word', maria, '/bin/abc/restore', 404],
    ['a record inside a batch', root, mixed.replace(/\d+/, (id) => String(Number(id) + 1)), 404],
  ]
  for (const [who, browser, path, status] of attempts) t.equal((await browser?.post(path))?.statusCode, status, `${who}: ${status}`)
  t.same(dump(db), before, 'nothing came back')
  t.same(
    rowsOf(await (maria as Browser).get('/bin'), 'bin').map(({ cells }) => cells.what),
    ['Denisov Denis'],
    'only what she might delete',
  )
  t.same(idsOf(await (mikhail as Browser).get('/bin?q=Denisov'), 'bin'), [])
  const every = rowsOf(await (root as Browser).get('/bin'), 'bin').map(({ cells }) => cells.what)
  t.same(every, ['Boss B', 'Secret plans', 'Vernaya Vera and 1 more', 'Королёва Дарья', 'Denisov Denis'])
  t.equal((await (denis as Browser).get('/bin')).statusCode, 303, 'whoever was deleted is signed out')
  t.equal((await (admin as Browser).post(superadmin)).statusCode, 403)
  grant(db, cast.mikhail, 'dealer_can_delete')
  t.equal((await (mikhail as Browser).post(own)).statusCode, 303, 'with the right to delete any dealer it works')
  revoke(db, cast.mikhail, 'dealer_can_delete')
  t.equal((await (mikhail as Browser).post(foreign)).statusCode, 303, 'and of one of their own companies without it')
  t.same(idsOf(await (await as('roman')).get('/bin'), 'bin'), [], 'dealers delete nothing but orders')
  t.equal((await (await as('pavel')).get('/bin')).statusCode, 403, 'production has no bin')
  t.equal((await (await as('plain')).post('/bin/1/restore')).statusCode, 403, 'nor has who may delete nothing, whether or not it exists')
})

tap.test('a deletion is undone once, and an old undo does not restore a later deletion', async (t) => {
  const { db, cast, as, newBrowser } = await startCabinet(t)
  const root = await as('root')
  const undo = await remove(root, 'dealers', cast.denis, cast.roman)
  t.equal((await newBrowser().post(undo)).statusCode, 303, 'nobody signed in is asked to sign in')
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get(), undefined)
  t.equal((await root.post(undo, {}, { 'sec-fetch-site': 'cross-site' })).statusCode, 403, 'another site restores nothing')
  const [first, second] = await Promise.all([root.post(undo), root.post(undo)])
  t.same([first.statusCode, second.statusCode], [303, 303], 'pressed twice, done once')
  t.equal(db.select().from(changes).where(eq(changes.action, 'restore')).all().length, 2)
  t.match(textsByRole(await root.get('/dealers'), 'status').join(), /2 records restored/)
  const again = await remove(root, 'dealers', cast.denis, cast.roman)
  t.not(again, undo)
  await root.post(undo)
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get(), undefined, 'the old undo restores no later deletion')
  t.equal((await root.post(again)).statusCode, 303)
  t.ok(db.select().from(users).where(eq(users.id, cast.denis)).get())
})

tap.test('a dealer restores an order that they deleted, and no other dealer does', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [denis, daria, maria] = await Promise.all((['denis', 'daria', 'maria'] as const).map(as))
  const undo = await remove(denis as Browser, 'orders', cast.order)
  t.equal((await daria?.post(undo))?.statusCode, 403, 'a dealer of another company')
  t.equal((await maria?.post(undo))?.statusCode, 403, 'their manager, who may not delete orders')
  t.same(idsOf((await daria?.get('/bin')) as Answer, 'bin'), [])
  t.equal((await denis?.post(undo))?.statusCode, 303)
  t.ok(db.select().from(orders).where(eq(orders.id, cast.order)).get())
})

tap.test('a restored status gets its orders back, except those moved to another status meanwhile', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const statusOf = () => db.select().from(orders).where(eq(orders.id, cast.order)).get()?.status_id
  const answer = await root.post('/statuses/delete', { id: 1, move_to: 3 })
  t.equal(answer.statusCode, 303)
  t.equal(statusOf(), 3)
  t.equal((await root.post(undoOf(await root.get('/statuses')))).statusCode, 303)
  t.ok(db.select().from(statuses).where(eq(statuses.id, 1)).get())
  t.equal(statusOf(), 3, 'people were told of that')
})

tap.test('htmx gets an updated table with a message and an undo button', async (t) => {
  const { cast, as } = await startCabinet(t)
  const root = await as('root')
  const answer = await root.post('/dealers/delete', { id: cast.denis } as Fields, htmx)
  t.match(textOf(elementById(answer, 'dealers-table') ?? ''), /Denisov Denis deleted Undo/)
  t.equal((await root.post(undoOf(answer))).headers.location, '/dealers', 'without a page to go back to, the list')
  const again = await root.post(undoOf(answer), {}, { referer: 'http://localhost/bin/1/restore' })
  t.equal(again.headers.location, '/dealers', 'nor to the page that said why it did not fit')
})

tap.test('a restored reference does not replace what a record got meanwhile, also while that record is in the trash', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  plantRelations(cabinet)
  const root = await as('root')
  const south = Number(db.insert(stocks).values({ name: 'South' }).run().lastInsertRowid)
  const { alpha, beta } = cast.companies
  db.update(companies).set({ stock_id: cast.stock }).where(eq(companies.id, beta)).run()
  const stock = await remove(root, 'stocks', cast.stock)
  db.update(companies).set({ stock_id: south }).where(eq(companies.id, alpha)).run()
  const company = await remove(root, 'companies', alpha, beta)
  t.equal((await root.post(stock)).statusCode, 303)
  t.equal((await root.post(company)).statusCode, 303)
  const stockOf = (id: number) => db.select().from(companies).where(eq(companies.id, id)).get()?.stock_id
  t.same([stockOf(alpha), stockOf(beta)], [south, cast.stock])
})

tap.test('a restored category returns to the lines of a deleted order that had it, and to no others', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const line = { order_id: cast.order, quantity: 1, price: 100, discount: 0 }
  const names = { 'A window': cast.category, 'Something else': null }
  for (const [name, category_id] of Object.entries(names))
    db.insert(orderItems)
      .values({ ...line, name, category_id })
      .run()
  const category = await remove(root, 'categories', cast.category)
  const order = await remove(root, 'orders', cast.order)
  for (const undo of [category, order]) t.equal((await root.post(undo)).statusCode, 303)
  const lines = db.select().from(orderItems).where(eq(orderItems.order_id, cast.order)).all()
  t.same(Object.fromEntries(lines.map(({ name, category_id }) => [name, category_id])), names)
})

tap.test('the trash says what of which type was deleted by whom and until when it is kept, and is found by each', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [root, maria] = [await as('root'), await as('maria')]
  await remove(maria, 'dealers', cast.denis)
  await remove(root, 'dealers', cast.roman, cast.daria)
  await remove(root, 'companies', cast.companies.nobodys)
  const day = 24 * 3600_000
  const now = new Date()
  const moment = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 23, 30).getTime()
  const rows = async (query = '') => rowsOf(await root.get(`/bin${query}`), 'bin').map(({ cells }) => cells)
  t.match(await rows(), [
    { what: 'Nobody Ltd', list: 'Companies', actor: 'Root Olga' },
    { what: 'Королёва Дарья and 1 more', list: 'Dealers', actor: 'Root Olga' },
    { what: 'Denisov Denis', list: 'Dealers', actor: 'Petrova Maria' },
  ])
  t.equal((await rows()).length, 3)
  const whatOf = async (query: string) => (await rows(query)).map(({ what }) => what)
  t.same(await whatOf('?kind=companies'), ['Nobody Ltd'])
  t.same(await whatOf('?kind=dealers'), ['Королёва Дарья and 1 more', 'Denisov Denis'])
  t.equal((await rows('?kind=trash')).length, 3, 'no type')
  t.same(await whatOf('?q=petrova'), ['Denisov Denis'], 'by whoever deleted it')
  t.same(await whatOf('?q=Romanov'), ['Королёва Дарья and 1 more'], 'by any record that was deleted together')
  t.same(await whatOf('?q=olga+nobody'), ['Nobody Ltd'])
  t.same(await whatOf('?sort=at&dir=asc'), ['Denisov Denis', 'Королёва Дарья and 1 more', 'Nobody Ltd'])
  db.update(trash).set({ at: moment }).where(eq(trash.list, 'companies')).run()
  const [row] = elementsOf((await root.get('/bin?kind=companies')).body, '#bin-table tbody tr')
  const titles = elementsOf(row as string, 'td[title]').map((cell) => attributesOf(cell).title)
  const format = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'short' })
  const titleOf = (moment: number) => format.format(moment).replace(',', '')
  t.same(titles, [titleOf(moment), titleOf(moment + 30 * day)])
  t.same((await whatOf('?sort=at&dir=asc'))[0], 'Nobody Ltd', 'by when it was deleted')
})

tap.test('deleted records cannot be restored after 30 days', async (t) => {
  const { app, db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const undo = await remove(root, 'dealers', cast.denis)
  const day = 24 * 3600_000
  db.update(trash)
    .set({ at: Date.now() - 29.9 * day })
    .run()
  deleteExpiredRows(app)
  t.equal(idsOf(await root.get('/bin'), 'bin').length, 1)
  db.update(trash)
    .set({ at: Date.now() - 30.1 * day })
    .run()
  t.same(idsOf(await root.get('/bin'), 'bin'), [], 'not even before it is swept')
  t.equal((await root.post(undo)).statusCode, 404)
  deleteExpiredRows(app)
  t.equal(db.select().from(trash).get(), undefined)
})

tap.test('a deleted default status is called in the language of the reader, in the trash and in the history', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  t.equal((await root.post('/statuses/delete', { id: 1, move_to: 3 })).statusCode, 303)
  for (const [language, name] of Object.entries({ en: 'New', ru: 'Новый' })) {
    const trash = await root.get('/bin', { 'accept-language': language })
    t.match(textOf(elementsOf(trash.body, '#bin-table td[data-col=what]')[0] ?? ''), new RegExp(`^${name}`))
    const history = await root.get('/activity?kind=statuses', { 'accept-language': language })
    t.match(textOf(elementsOf(history.body, '#activity-table td[data-col=record]')[0] ?? ''), new RegExp(`^${name}`))
  }
})
