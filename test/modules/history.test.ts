import { and, eq, getTableColumns, getTableName } from 'drizzle-orm'
import t from 'tap'
import { excerptDifference } from '../../src/core/difference-excerpt.ts'
import { write } from '../../src/database/open.ts'
import { createRecord } from '../../src/database/records.ts'
import { rulesOf, tableByName } from '../../src/database/references.ts'
import { categories, categoryCompany, changes, companies, stocks, uploads, users } from '../../src/database/schema/index.ts'
import { createNews, findNews, updateNews } from '../../src/modules/news/news.ts'
import { historyFields } from '../../src/records/history/entries.ts'
import { cardsOf, deletionsOf } from '../../src/records/kind/registry.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, isDocument, parseHtml, rowsOf, tagsOf, textOf, totalOf } from '../support/html.ts'
import { placeOrder, transitionBetween } from '../support/orders.ts'

const author = { id: null, name: 'The test' }

/** The entries of a table of changes: what was done, and each field in words. */
function entriesOf(answer: Answer, list: string) {
  return rowsOf(answer, list).map(({ cells, html }) => ({
    who: cells.actor,
    record: cells.record,
    action: cells.action,
    fields: elementsOf(html, 'dt').map((label, at) => `${textOf(label)} ${textOf(elementsOf(html, 'dd')[at] ?? '')}`.trim()),
  }))
}

const first = (answer: Answer, list: string) => entriesOf(answer, list)[0]

t.test('the history tab of a card describes each change in words', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const root = await as('root')
  const { alpha } = cast.companies
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const key = 'a'.repeat(64)
  db.insert(uploads).values({ key, name: 'scan.pdf', type: 'application/pdf', size: 1, user_id: cast.root, at: Date.now() }).run()
  const path = `/company/edit/${alpha}`
  const saved = await root.post(path, {
    org: 'Alpha Doors',
    contract_date: '2026-03-01',
    manager_id: cast.mikhail,
    discounts: '',
    'discounts[0][category_id]': doors,
    'discounts[0][discount]': 7,
    files: '',
    'files[0][name]': 'Contract',
    'files[0][stored]': key,
  })
  t.equal(saved.statusCode, 303)
  const told = first(await root.get(`${path}?tab=history`), 'history')
  t.same(told, {
    who: 'Root Olga 127.0.0.1',
    record: 'Alpha Doors Companies',
    action: 'Updated',
    fields: [
      'Organization: Alpha Windows → Alpha Doors',
      'Manager: Petrova Maria Ivanovna → Sidorov Mikhail',
      'Contract date: — → 01.03.2026',
      'Category discounts: — → Doors: 7',
      'Files: — → Contract: scan.pdf',
    ],
  })
  db.delete(uploads).run()
  const swept = await root.get(`${path}?tab=history`)
  t.same(first(swept, 'history')?.fields.at(-1), 'Files: — → Contract', 'a file that was swept keeps the name people gave it')
  t.equal(
    tagsOf(swept.body, 'a').some(({ href }) => href?.includes('/files/')),
    false,
    'and no dead link',
  )
  db.delete(users).where(eq(users.id, cast.mikhail)).run()
  t.match(first(await root.get(`${path}?tab=history`), 'history')?.fields[1], /→ Sidorov Mikhail/, 'who is gone keeps their name')
  t.notOk(isDocument(await root.get(`${path}?tab=history&q=x`, htmx)))
  t.equal(totalOf(await root.get(`${path}?tab=history&q=nothing+has+this`), 'history'), 0)
})

t.test('rows that did not change are not repeated in the history', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const { alpha } = cast.companies
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  for (const category_id of [cast.category, doors]) db.insert(categoryCompany).values({ company_id: alpha, category_id, discount: 5 }).run()
  const ids = db.select().from(categoryCompany).all()
  await root.post(`/company/edit/${alpha}`, { 'discounts[0][id]': ids[1]?.id as number, 'discounts[0][discount]': 9 })
  t.same(first(await root.get(`/company/edit/${alpha}?tab=history`), 'history')?.fields, ['Category discounts: Doors: 5 → Doors: 9'])
})

t.test('what is empty before and after is not told as a change', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const order = await placeOrder(await as('denis'))
  const created = entriesOf(await root.get(`/orders/edit/${order}?tab=history`), 'history').at(-1)
  t.same(created?.fields, ['Company: Alpha Windows', 'Specification No.: 2', 'Cost: 0,00 ₽', 'Dealer: Denisov Denis'], 'no lines')
})

t.test('changed permissions and switches are described in the history, secrets never are', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const root = await as('root')
  const tab = `/managers/edit/${cast.plain}?tab=history`
  await root.post(`/managers/edit/${cast.plain}/rights/dealer_can_add`, { value: 1 })
  t.same(first(await root.get(tab), 'history')?.fields, ['Add dealers: No → Yes'])
  await root.post(`/managers/${cast.plain}/active`, { value: 0 })
  t.same(first(await root.get(tab), 'history')?.fields, ['Active: Yes → No'])
  await root.post(`/managers/edit/${cast.plain}`, { password: 'another good password' })
  const answer = await root.get(tab)
  t.same(first(answer, 'history')?.fields, ['Password: changed'])
  t.notMatch(answer.body, /argon2/)
  t.notMatch(JSON.stringify(db.select().from(changes).all()), /argon2|good password/, 'nor does the database hold it')
  await root.post('/status/edit/1/policies/order_dealer_can_edit', { value: 0 })
  t.same(first(await root.get('/status/edit/1?tab=history'), 'history')?.fields, ['Dealer can edit the order: Yes → No'])
  const fields = { 'transitions[0][child_status_id]': 9, 'transitions[0][managers_can]': 1, 'transitions[0][dealers_can]': 0 }
  await root.post('/status/edit/8', { transitions: '', ...fields })
  t.match(
    first(await root.get('/status/edit/8?tab=history'), 'history')?.fields.join(),
    /→ Canceled: Any manager$/,
    'a switch of a row that is on by its name, one that is off not at all',
  )
  const created = entriesOf(answer, 'history').at(-1)
  t.equal(created?.action, 'Created')
  t.match(created?.fields.join(), /Group: Managers/)
  t.match(created?.fields.join(), /View news: Yes/, 'with the rights of the role')
})

t.test('the history names the impersonator behind a change', async (t) => {
  const { cast, as } = await startCabinet(t)
  const root = await as('root')
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha Two' })
  await root.post('/impersonate/leave')
  const entry = first(await root.get('/activity'), 'activity')
  t.equal(entry?.who, 'Petrova Maria impersonated by Root Olga 127.0.0.1')
  t.equal(first(await root.get(`/activity?actor=${cast.root}`), 'activity')?.who, entry?.who, 'found by who really did it')
  t.equal(first(await root.get('/activity?q=root+alpha'), 'activity')?.who, entry?.who)
  const lastChange = async () =>
    textOf(elementsOf((await root.get(`/company/edit/${cast.companies.alpha}`)).body, '.record-line p:last-child')[0] ?? '')
  t.match(await lastChange(), /^Last updated by Petrova Maria on [\d. :]+ \(impersonated by Root Olga\)$/, 'the card says so, too')
  await (await as('maria')).post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha Three' })
  t.match(await lastChange(), /^Last updated by Petrova Maria on [\d. :]+$/, 'a change of their own was made for nobody')
})

t.test('what loses a deleted record has that in its history, too, with the impersonator', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const { alpha } = cast.companies
  const root = await as('root')
  await root.post(`/company/edit/${alpha}`, { stock_id: cast.stock })
  grant(db, cast.admin, 'stock_can_view', 'stock_can_edit')
  await root.get(`/impersonate/${cast.admin}`)
  t.equal((await root.post('/stocks/delete', { id: cast.stock })).statusCode, 303)
  await root.post('/impersonate/leave')
  const entry = first(await root.get(`/company/edit/${alpha}?tab=history`), 'history')
  t.match(entry, { who: 'Adminov Anton impersonated by Root Olga 127.0.0.1', fields: ['Warehouse: North stock → —'] })
  t.match(first(await root.get('/activity?q=root+alpha'), 'activity')?.who, entry?.who, 'and is found by them')
  const { version } = db.select().from(companies).where(eq(companies.id, alpha)).get() ?? {}
  t.equal(version, 3, 'a form that is open notices')
})

t.test('the dashboard tells of what was done last, by whom and how long ago', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const root = await as('root')
  db.delete(changes).run()
  t.notMatch((await root.get('/')).body, 'activity-title', 'before anything was done, nothing is said')
  await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha Two' })
  const at = Date.now() - 3 * 60_000
  await (await as('admin')).post(`/company/edit/${cast.companies.beta}`, { org: 'Beta Two' })
  db.update(changes).set({ at }).where(eq(changes.record_id, cast.companies.alpha)).run()
  const page = parseHtml((await root.get('/')).body)
  const entries = page('.activity li')
    .toArray()
    .map((entry) => ({
      text: page(entry).text().replace(/\s+/g, ' ').trim(),
      at: page(entry).find('time').attr('datetime'),
      href: page(entry).find('a').attr('href'),
    }))
  t.match(entries, [
    {
      text: 'Adminov Anton updated · Beta Two Companies Organization: ООО «Бета Ёлка» → Beta Two now',
      href: `/company/edit/${cast.companies.beta}?tab=history`,
    },
    {
      text: /^Root Olga updated · Alpha Two Companies Organization: Alpha Windows → Alpha Two 3/,
      at: new Date(at).toISOString(),
      href: `/company/edit/${cast.companies.alpha}?tab=history`,
    },
  ])
  t.equal(entries.length, 2)
  const given = { action: 'update', entity: 'users', record_id: cast.maria, record_version: 9, label: 'Maria', actor_name: 'Root' } as const
  db.insert(changes)
    .values({ ...given, id: 999, at: Date.now(), fields: { 'rights.order_can_view': [false, true] } })
    .run()
  t.equal(elementsOf((await root.get('/')).body, '.activity li').length, 2, 'rights are looked at where they are given')
  db.delete(changes).where(eq(changes.id, 999)).run()
  await root.post(`/company/${cast.companies.alpha}/ledger`, { amount: '10', direction: 'credit', note: 'Opening', once: '' })
  t.equal(db.select().from(changes).all().length, 3)
  t.equal(elementsOf((await root.get('/')).body, '.activity li').length, 2, 'what belongs to a company has no entry of its own')
})

t.test('what somebody changed in a record bit by bit is told once, with what was changed', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const [root, admin] = [await as('root'), await as('admin')]
  const { alpha, beta } = cast.companies
  db.delete(changes).run()
  for (const bank of ['First Bank', 'Second Bank']) await root.post(`/company/edit/${alpha}`, { bank })
  await root.post(`/company/edit/${alpha}`, { org: 'Alpha Two' })
  await admin.post(`/company/edit/${alpha}`, { org: 'Alpha Three', bank: 'Third Bank', address: 'Here', legal_address: 'There' })
  await root.post(`/company/edit/${beta}`, { org: 'Beta Two' })
  await root.post(`/company/edit/${alpha}`, { org: 'Alpha Four' })
  const entries = elementsOf((await root.get('/')).body, '.activity li').map((entry) => textOf(entry).replace(/ now$/, ''))
  t.same(entries, [
    'Root Olga updated · Alpha Four Companies Organization: Alpha Three → Alpha Four',
    'Root Olga updated · Beta Two Companies Organization: ООО «Бета Ёлка» → Beta Two',
    'Adminov Anton updated · Alpha Three Companies Organization: Alpha Two → Alpha Three Business address: Here and 2 more',
    'Root Olga updated · Alpha Two Companies Organization: Alpha Windows → Alpha Two Bank: Second Bank',
  ])
  const password = 'quite another password'
  await root.post(`/dealers/edit/${cast.denis}`, { password })
  const secret = textOf(elementsOf((await root.get('/')).body, '.activity li')[0] ?? '')
  t.match(secret, /^Root Olga updated · Denisov Denis.* Dealers Password now/, 'a secret is named, not told')
  await root.post(`/stocks/delete`, { id: String(cast.stock) })
  t.match(textOf(elementsOf((await root.get('/')).body, '.activity li')[0] ?? ''), /^Root Olga deleted · North stock Warehouses/)
  for (let count = 0; count < 9; count++) await (count % 2 ? root : admin).post(`/company/edit/${alpha}`, { org: `Alpha ${count}` })
  t.equal(elementsOf((await root.get('/')).body, '.activity li').length, 6)
})

t.test(
  'the dashboard tells of an order who did what with it, whose it is and what it costs, each step alone, and leads to it',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, db } = cabinet
    const [denis, root] = [await as('denis'), await as('root')]
    db.delete(changes).run()
    const id = await placeOrder(denis)
    const told = async (path = '/') =>
      elementsOf((await root.get(path)).body, '.activity li').map((entry) => [
        textOf(entry).replace(/ now$/, ''),
        parseHtml(entry)('a').attr('href'),
      ])
    const [whose, page] = [`#${id} Alpha Windows 0,00 ₽`, `/orders/${id}`]
    const placed = [`Denisov Denis placed the order · ${whose}`, page]
    t.same(await told(), [placed])
    await denis.post(`/orders/${id}/transition`, { transition_id: transitionBetween(cabinet, 'new', 'apply').id })
    await root.post(`/orders/edit/${id}`, { receiver: 'Ann' })
    await root.post(`/orders/edit/${id}`, { phone: '+79001112233' })
    t.same(await told(), [
      [`Root Olga updated · ${whose} Phone: +79001112233 Customer full name: Ann`, page],
      [`Denisov Denis sent the order for signing · ${whose}`, page],
      placed,
    ])
  },
)

t.test('what was created and changed within a minute is told as created, later and by others as two things', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const [root, admin] = [await as('root'), await as('admin')]
  db.delete(changes).run()
  const told = async () =>
    elementsOf((await root.get('/')).body, '.activity li').map((entry) => textOf(entry).replace(/ (now|1 minute ago)$/, ''))
  const { location } = (await root.post('/stocks/add', { name: 'East' })).headers
  await root.post(String(location), { name: 'Far East' })
  t.same(await told(), ['Root Olga created · East Warehouses'])
  const created = eq(changes.action, 'create')
  db.update(changes)
    .set({ at: Date.now() - 61_000 })
    .where(created)
    .run()
  t.same(await told(), ['Root Olga updated · Far East Warehouses Warehouse name: East → Far East', 'Root Olga created · East Warehouses'])
  db.update(changes).set({ at: Date.now() }).where(created).run()
  db.delete(changes).where(eq(changes.action, 'update')).run()
  grant(db, cast.admin, 'stock_can_view', 'stock_can_edit')
  await admin.post(String(location), { name: 'East' })
  const done = async () => (await told()).map((text) => /created|updated|deleted/.exec(text)?.[0])
  t.same(await done(), ['updated', 'created'])
  db.delete(changes).run()
  await root.post('/stocks/add', { name: 'West' })
  await root.post('/stocks/delete', { id: String(db.select().from(stocks).all().at(-1)?.id) })
  t.same(await done(), ['deleted', 'created'])
})

t.test('an administrator is told of the six records that were changed last, however often each was', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const root = await as('root')
  db.delete(changes).run()
  const names = ['North', 'South', 'West', 'East', 'Centre']
  for (const name of ['Port', ...names]) await root.post('/stocks/add', { name })
  for (const bank of ['1', '2', '3']) await root.post(`/company/edit/${cast.companies.alpha}`, { bank })
  const told = elementsOf((await root.get('/')).body, '.activity li').map(
    (entry) => /Alpha|Port|North|South|West|East|Centre/.exec(textOf(entry))?.[0],
  )
  t.same(told, ['Alpha', ...names.reverse()])
})

t.test('what was changed and changed back is not told as a change', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const root = await as('root')
  const { alpha } = cast.companies
  db.delete(changes).run()
  for (const bank of ['First Bank', '']) await root.post(`/company/edit/${alpha}`, { bank, org: `Alpha ${bank}` })
  const latest = async () => textOf(elementsOf((await root.get('/')).body, '.activity li')[0] ?? '')
  t.match(await latest(), /^Root Olga updated · Alpha Companies Organization: Alpha Windows → Alpha now/)
  await root.post(`/company/edit/${alpha}`, { org: 'Alpha Windows' })
  t.match(await latest(), /^Root Olga updated · Alpha Windows Companies now/)
  for (const password of ['quite another password', 'still another password']) await root.post(`/dealers/edit/${cast.denis}`, { password })
  t.match(await latest(), /^Root Olga updated · Denisov Denis.* Dealers Password now/, 'of a secret nobody knows whether it is the same')
})

t.test('of a change in the history more than six fields are folded, and so is what was added', async (t) => {
  const { cast, as } = await startCabinet(t)
  const root = await as('root')
  const fields = ['org', 'address', 'legal_address', 'bank', 'cs', 'director_name_full', 'director_name_short']
  const { alpha, beta } = cast.companies
  const change = (id: number, names: string[]) =>
    root.post(`/company/edit/${id}`, Object.fromEntries(names.map((name) => [name, name === 'cs' ? '30101810400000000225' : 'Changed'])))
  t.equal((await change(alpha, fields.slice(0, 6))).statusCode, 303)
  t.equal((await change(beta, fields)).statusCode, 303)
  await root.post('/categories/add', { name: 'Doors' })
  const summaries = rowsOf(await root.get('/activity'), 'activity').map(({ html }) => elementsOf(html, 'summary').map(textOf))
  t.same(summaries.slice(0, 3), [['1 field'], ['7 fields'], []], 'six are read at once')
  const own = parseHtml((await root.get(`/company/edit/${beta}?tab=history`)).body)
  t.equal(own('details.changed-fields dt').length, 7, 'all of them are in there')
  t.equal(own('details.changed-fields[open]').length, 0)
})

t.test('administrators see the history of records that they may view, and nobody else does (403)', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [maria, denis, admin] = await Promise.all((['maria', 'denis', 'admin'] as const).map(as))
  const tab = `/company/edit/${cast.companies.alpha}?tab=history`
  t.equal((await maria?.get('/activity'))?.statusCode, 403)
  t.equal((await maria?.get(tab))?.statusCode, 403)
  t.notMatch((await maria?.get(tab.split('?')[0] as string))?.body, /tab=history/, 'no tab where it may not be opened')
  grant(db, cast.maria, 'activity_can_view')
  t.equal((await maria?.get(tab))?.statusCode, 200)
  t.notMatch((await maria?.get('/'))?.body, 'activity-title', 'dashboards tell administrators only of what was done last')
  t.equal((await maria?.get(`/company/edit/${cast.companies.beta}?tab=history`))?.statusCode, 403, "a colleague's card stays closed")
  t.match((await maria?.get(tab.split('?')[0] as string))?.body, /tab=history/)
  t.equal((await admin?.get(tab))?.statusCode, 403, 'seeing the card is not enough')
  grant(db, cast.denis, 'activity_can_view', 'company_can_view')
  db.update(companies).set({ files: [] }).where(eq(companies.id, cast.companies.alpha)).run()
  const fields = { files: [[], [{ name: 'Secret contract', file: 'b'.repeat(64) }]], phone: ['1', '2'] } as const
  const change = {
    at: Date.now(),
    actor_name: 'X',
    action: 'update',
    entity: 'companies',
    record_id: cast.companies.alpha,
    record_version: 2,
  } as const
  db.insert(changes)
    .values({ ...change, label: 'Alpha', fields: fields as never })
    .run()
  for (const path of ['/activity', tab]) {
    const answer = await denis?.get(path)
    t.equal(answer?.statusCode, 200)
    t.match(answer?.body, /Phone/)
    t.notMatch(answer?.body, /Secret contract/, `${path}: files of companies are never for dealers`)
  }
})

const at = (day: number) => new Date(2026, 4, day, 12).getTime()

/** Plants a history of its own. */
function plantChanges({ db, cast }: Cabinet): void {
  const planted = [
    {
      at: at(1),
      action: 'create',
      entity: 'companies',
      record_id: cast.companies.alpha,
      label: 'Alpha Windows',
      actor_id: cast.maria,
      actor_name: 'Petrova Maria',
    },
    {
      at: at(2),
      action: 'update',
      entity: 'stocks',
      record_id: 999,
      label: 'Ёлочный склад',
      actor_id: cast.maria,
      actor_name: 'Petrova Maria',
    },
    { at: at(3), action: 'delete', entity: 'stocks', record_id: 999, label: 'Ёлочный склад', actor_id: 12345, actor_name: 'Gone Person' },
  ] as const
  db.delete(changes).run()
  for (const one of planted)
    db.insert(changes)
      .values({ ...one, record_version: 1, fields: {}, search: `${one.label}\n${one.actor_name}`.toLowerCase().replace('ё', 'е') })
      .run()
}

t.test('the change history is read by days', async (t) => {
  const cabinet = await startCabinet(t)
  plantChanges(cabinet)
  cabinet.db
    .update(changes)
    .set({ at: at(2) + 3_600_000 })
    .where(eq(changes.action, 'delete'))
    .run()
  const root = await cabinet.as('root')
  const rows = async (query: string) =>
    elementsOf((await root.get(`/activity${query}`)).body, '#activity-rows > tr').map(
      (row) => tagsOf(row, 'tr')[0]?.id ?? textOf(row).slice(0, 5),
    )
  const [created, changed, deleted] = cabinet.db
    .select()
    .from(changes)
    .orderBy(changes.at)
    .all()
    .map(({ id }) => `activity-${id}`)
  t.same(await rows(''), ['2 May', deleted, changed, '1 May', created])
  t.same(await rows('?dir=asc'), ['1 May', created, '2 May', changed, deleted])
})

t.test('the change history is searched and filtered', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const root = await as('root')
  plantChanges(cabinet)
  const found = async (query: string) =>
    entriesOf(await root.get(`/activity${query}`), 'activity').map(({ record, action }) => `${record} ${action}`)
  const [created, changed, deleted] = [
    'Alpha Windows Companies Created',
    'Ёлочный склад Warehouses Updated',
    'Ёлочный склад Warehouses Deleted',
  ]
  t.same(await found(''), [deleted, changed, created], 'the newest first')
  t.same(await found('?dir=asc'), [created, changed, deleted])
  t.same(await found('?q=елочный'), [deleted, changed])
  t.same(await found('?q=petrova+склад'), [changed], 'by who did it and what it was')
  t.same(await found('?q=go'), [deleted], 'two letters, and somebody who is gone')
  t.same(await found('?q=%25'), [])
  t.same(await found('?kind=companies'), [created])
  t.same(await found('?kind=sessions%27'), [deleted, changed, created], 'an unknown kind is none')
  t.same(await found('?action=delete'), [deleted])
  t.same(await found(`?actor=${cast.maria}`), [changed, created])
  t.same(await found('?actor=12345'), [deleted])
  t.same(await found('?actor=x'), [deleted, changed, created])
  t.same(await found('?from=2026-05-02'), [deleted, changed])
  t.same(await found('?from=2026-05-02&until=2026-05-02'), [changed], 'the last day counts')
  t.same(await found('?from=2026-13-45&until=never'), [deleted, changed, created])
  t.same(await found('?kind=stocks&action=update&q=склад&from=2026-05-01'), [changed])
  const answer = await root.get('/activity')
  const links = tagsOf(answer.body, 'a').map(({ href }) => href)
  t.ok(links.includes(`/company/edit/${cast.companies.alpha}?tab=history`), 'an entry leads to the history of its record')
  t.notOk(
    links.some((href) => href?.includes('/stocks/edit/')),
    'unless that is gone',
  )
  t.match((await root.get('/activity?actor=12345')).body, /Who: Gone Person/)
  const gone = { at: at(4), action: 'delete', entity: 'users', record_id: 999, record_version: 1, label: 'Nemo', actor_name: 'X' } as const
  db.insert(changes)
    .values({ ...gone, fields: {}, search: 'nemo' })
    .run()
  t.same(await found('?q=nemo'), ['Nemo People Deleted'], 'of somebody who is gone nobody knows any more in which list they were')
  const renamed = { actor_name: 'Petrova-Ilyina Maria', at: at(5) }
  db.update(changes)
    .set(renamed)
    .where(and(eq(changes.actor_id, cast.maria), eq(changes.action, 'create')))
    .run()
  t.match((await root.get(`/activity?actor=${cast.maria}`)).body, /Who: Petrova-Ilyina Maria/, 'by the name they had last')
})

t.test('every column of every record is described in the history or left out on purpose', async (t) => {
  const { app } = await startCabinet(t)
  for (const entity of new Set(
    [...cardsOf(app).map(({ form }) => form), ...app.registry.subordinates].map(({ table }) => getTableName(table)),
  )) {
    const [told, { derived, secret }] = [historyFields(app, entity), rulesOf(tableByName(entity))]
    const isLeftOut = (column: string) => told.has(column) || derived.has(column) || (secret.has(column) && column !== 'password')
    const untold = Object.keys(getTableColumns(tableByName(entity))).filter((column) => !isLeftOut(column))
    t.same(untold, [], `${entity}: name them in a form, or in the rules below the table`)
  }
  for (const list of deletionsOf(app).map((deletion) => deletion.list.name))
    t.ok(
      cardsOf(app).some((card) => card.list === list),
      `${list} has a card that tells its history`,
    )
})

t.test('a changed long text is shown with only the part that differs', async (t) => {
  const { db, as } = await startCabinet(t)
  const long = `<p>${'The same words again. '.repeat(40)}`
  const id = createNews(db, { name: 'Long', description: `${long}old</p>`, published: true }, author)
  updateNews(db, findNews(db, id) as never, { description: `${long}new</p>` }, author)
  const answer = await (await as('root')).get(`/news/edit/${id}?tab=history`)
  t.match(first(answer, 'history')?.fields[0], /^Text: ….{30,50}old<\/p> → ….{30,50}new<\/p>$/)
  t.same(excerptDifference('a', 'b'), ['a', 'b'])
  const [most, other] = ['a', 'b'].map((letter) => letter.padStart(200, 'x')) as [string, string]
  t.same(excerptDifference(most, other), [most, other], 'two hundred characters are shown whole')
  t.same(excerptDifference('', 'x'.repeat(300)), ['', `${'x'.repeat(200)}…`])
})

t.test('the change history is readable in Russian and ignores invalid query parameters', async (t) => {
  const cabinet = await startCabinet(t)
  plantChanges(cabinet)
  const root = await cabinet.as('root')
  const answer = await root.get('/activity', { 'accept-language': 'ru' })
  t.same(first(answer, 'activity')?.action, 'Удалено')
  t.match(textOf(answer.body), /История изменений/)
  for (const query of [
    '?page=-1',
    '?page=99999999999999999999',
    '?size=7',
    '?sort=label',
    '?actor=-1',
    '?from=',
    '?q=%00',
    `?q=${'x'.repeat(5000)}`,
  ])
    t.equal((await root.get(`/activity${query}`)).statusCode, 200, query)
  for (const name of ['kind', 'action'])
    t.equal(
      totalOf(await root.get(`/activity?${name}=toString`), 'activity'),
      totalOf(await root.get('/activity'), 'activity'),
      `no ${name} is called toString`,
    )
})

t.test('a history entry is rolled back together with its change', async (t) => {
  const { db } = await startCabinet(t)
  const count = () => db.select().from(changes).all().length
  const before = count()
  const fail = () =>
    write(db, () => {
      createRecord(db, categories, { name: 'X', search: 'x' }, 'X', author)
      throw new Error('no')
    })
  t.throws(fail, /no/)
  t.equal(count(), before)
})
