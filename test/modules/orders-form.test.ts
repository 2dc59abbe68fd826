import { and, eq } from 'drizzle-orm'
import t from 'tap'
import type { StatusPolicyKey } from '../../src/core/default-workflow.ts'
import type { Database } from '../../src/database/open.ts'
import {
  categories,
  categoryCompany,
  changes,
  companies,
  manufactures,
  notifications,
  orderHistory,
  orderItems,
  orders,
  policyStatus,
  statuses,
  statusPolicies,
  users,
} from '../../src/database/schema/index.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Answer, type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names, revoke } from '../support/cast.ts'
import { controlsOf, elementById, errorsOf, fieldOf, tagsOf, textOf, textsByRole } from '../support/html.ts'

const orderOf = (db: Database, id: number) => db.select().from(orders).where(eq(orders.id, id)).get() as typeof orders.$inferSelect
const linesOf = (db: Database, id: number) => db.select().from(orderItems).where(eq(orderItems.order_id, id)).orderBy(orderItems.id).all()
const allOrders = (db: Database) => db.select().from(orders).orderBy(orders.id).all()
const everything = (db: Database) => JSON.stringify([allOrders(db), db.select().from(orderItems).all(), db.select().from(companies).all()])

const line = (index: number, category: number | string, name: string, quantity: number | string, price: number | string, id?: number) => ({
  ...(id && { [`items[${index}][id]`]: id }),
  [`items[${index}][category_id]`]: category,
  [`items[${index}][name]`]: name,
  [`items[${index}][quantity]`]: quantity,
  [`items[${index}][price]`]: price,
})

/** Alpha gets 10 % off, 15 % off windows; there are doors too. Pavel's site makes what Alpha orders. */
async function openShop(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, cast } = cabinet
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const alpha = cast.companies.alpha
  db.update(companies).set({ discount: 10, manufacture_id: cast.site }).where(eq(companies.id, alpha)).run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 15 }).run()
  return { ...cabinet, doors, windows: cast.category, alpha, address: `/orders/edit/${cast.order}` }
}

const idOf = (answer: Answer) => Number(/\/orders\/edit\/(\d+)/.exec(String(answer.headers.location))?.[1])

async function place(browser: Browser, fields: Fields = {}): Promise<number> {
  const answer = await browser.post('/orders/add', fields)
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode} ${JSON.stringify(errorsOf(answer))} ${textsByRole(answer, 'alert')}`)
  return idOf(answer)
}

function setPolicies(db: Database, status: number, on: StatusPolicyKey[]): void {
  for (const { id, key } of db.select().from(statusPolicies).all())
    db.update(policyStatus)
      .set({ value: on.includes(key as StatusPolicyKey) })
      .where(and(eq(policyStatus.status_id, status), eq(policyStatus.status_policy_id, id)))
      .run()
}

async function sendFiles(browser: Browser, path: string, fields: Record<string, string | File>): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const body = new Response(form)
  const type = body.headers.get('content-type') as string
  return browser.send('POST', path, { 'content-type': type }, await body.text())
}

t.test('a dealer orders for themselves: number, company, discounts, cost, first status, notification', async (t) => {
  const { as, db, cast, windows, doors, alpha } = await openShop(t)
  db.update(companies).set({ specification_start_number: 1500 }).where(eq(companies.id, alpha)).run()
  const denis = await as('denis')
  const contact = { receiver: 'Клиентов Пётр', phone: '+7(900) 000 00 00', email: 'client@example.com', address: 'Street 1' }
  const chosen = { delivery: 'address', payment: 'transfer', comment: 'Two\r\nlines' }
  const items = { items: '', ...line(0, windows, 'Window', 3, '1000,99'), ...line(1, doors, 'Door', 1, '0.05') }
  const answer = await denis.post('/orders/add', { ...contact, ...chosen, ...items })
  t.match(answer, { statusCode: 303, headers: { location: /^\/orders\/edit\/\d+$/ } })
  const id = idOf(answer)
  const order = orderOf(db, id)
  t.match(order, {
    ...contact,
    ...chosen,
    comment: 'Two\nlines',
    dealer_id: cast.denis,
    company_id: alpha,
    status_id: 1,
    specification_number: 1502,
  })
  t.match(order, { owner_company_id: alpha, owner_manager_id: cast.maria, cost: 255_252 + 5 })
  t.match(order.search, /клиентов петр/)
  t.match(linesOf(db, id), [
    { category_id: windows, name: 'Window', quantity: 3, price: 100_099, discount: 15 },
    { category_id: doors, name: 'Door', quantity: 1, price: 5, discount: 10 },
  ])
  t.match(db.select().from(orderHistory).where(eq(orderHistory.order_id, id)).all(), [
    { from_status_id: null, to_status_id: 1, actor_id: cast.denis },
  ])
  t.same(
    db
      .select()
      .from(notifications)
      .where(eq(notifications.order_id, id))
      .all()
      .map(({ user_id }) => user_id),
    [cast.maria],
  )
  t.equal(db.select().from(companies).where(eq(companies.id, alpha)).get()?.last_specification_number, 1502)
  const created = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, id), eq(changes.action, 'create')))
    .get()
  t.match(created, { label: `#${id} (1502)`, fields: { items: [[], [{ name: 'Window' }, { name: 'Door' }]] } })
  const card = await denis.get(`/orders/edit/${id}`)
  t.match(textOf(elementById(card, 'cost') ?? ''), /2.552,57.₽/)
  t.equal(tagsOf(elementById(card, 'cost') ?? '', 'strong')[0]?.['data-kopecks'], '255257')
  t.equal(tagsOf(elementById(card, 'items.0.sum') ?? '', 'p')[0]?.['data-kopecks'], '255252')
})

t.test('the dealer is no field for dealers; naming another one is refused, oneself is nothing', async (t) => {
  const { as, db, cast } = await openShop(t)
  const denis = await as('denis')
  t.equal(fieldOf(await denis.get('/orders/add'), 'dealer_id'), undefined)
  t.equal(fieldOf(await denis.get('/orders/add'), 'date_make'), undefined, 'what is not theirs to fill in is not shown')
  const before = everything(db)
  const foreign: Fields[] = [
    { dealer_id: cast.roman },
    { dealer_id: cast.daria },
    { dealer_id: 'x' },
    { date_make: '2026-11-21' },
    { sn: '7' },
  ]
  for (const fields of foreign) t.equal((await denis.post('/orders/add', fields)).statusCode, 403, JSON.stringify(fields))
  t.equal(everything(db), before)
  t.equal(orderOf(db, await place(denis, { dealer_id: cast.denis })).dealer_id, cast.denis)
})

t.test('whom each person may order for', async (t) => {
  const { as, db, cast } = await openShop(t)
  const { id: nobodys } = db
    .insert(users)
    .values({ group_id: 2, email: 'n@example.com', password: '-', name: 'N', lastname: 'Nobodys', company_id: cast.companies.nobodys })
    .returning()
    .get()
  const { id: alone } = db
    .insert(users)
    .values({ group_id: 2, email: 'a@example.com', password: '-', name: 'A', lastname: 'Alone' })
    .returning()
    .get()
  const asks: [Name, number, number][] = [
    ['maria', cast.denis, 303],
    ['maria', cast.roman, 303],
    ['maria', cast.vera, 422],
    ['maria', cast.daria, 422],
    ['maria', nobodys, 422],
    ['maria', cast.mikhail, 422],
    ['mikhail', cast.vera, 303],
    ['mikhail', cast.denis, 422],
    ['plain', cast.denis, 422],
    ['pavel', cast.denis, 403],
    ['clerk', cast.daria, 303],
    ['clerk', nobodys, 303],
    ['clerk', alone, 422],
    ['clerk', cast.maria, 422],
    ['clerk', 999_999, 422],
    ['root', cast.daria, 303],
  ]
  for (const [name, dealer_id, status] of asks) {
    const answer = await (await as(name)).post('/orders/add', { dealer_id })
    t.equal(answer.statusCode, status, `${name} for ${dealer_id}`)
    if (status === 422) t.ok(errorsOf(answer).dealer_id, 'the message stands at the dealer')
  }
  for (const name of ['maria', 'clerk'] as const) t.match(errorsOf(await (await as(name)).post('/orders/add')), { dealer_id: /Required/ })
  revoke(db, cast.clerk, 'order_can_add')
  t.equal((await (await as('clerk')).post('/orders/add', { dealer_id: cast.daria })).statusCode, 403)
  grant(db, cast.maria, 'order_can_add')
  const foreign = await (await as('maria')).post('/orders/add', { dealer_id: cast.daria })
  t.match(foreign, { statusCode: 303, headers: { location: '/orders' } }, 'an order that one may not view leads to the list')
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.denis)).run()
  const denis = await as('denis')
  t.match(await denis.get('/orders/add'), { statusCode: 403, body: /cannot place orders without a company/ })
  t.match(await denis.post('/orders/add', {}), { statusCode: 403, body: /cannot place orders without a company/ })
})

t.test('the choice of a dealer asks the server, and works without scripts', async (t) => {
  const { as, db, cast } = await openShop(t)
  const maria = await as('maria')
  const found = async (browser: Browser, q: string) => {
    const answer = await browser.get(`/orders/dealers?mode=create&q=${encodeURIComponent(q)}`, htmx)
    return [answer.statusCode, [...answer.body.matchAll(/value="(\d+)"/g)].map(([, id]) => Number(id)).sort()]
  }
  const theirs = [cast.denis, cast.roman, cast.ivan].sort()
  t.same(await found(maria, ''), [200, theirs])
  t.same(await found(maria, 'alpha DENIS'), [200, [cast.denis]], 'name and company, case ignored')
  t.same(await found(maria, 'королева'), [200, []], 'not their company')
  t.same(await found(await as('clerk'), 'королева'), [200, [cast.daria]], 'ё is е')
  t.same(await found(await as('clerk'), '%'), [200, []])
  t.equal((await (await as('denis')).get('/orders/dealers')).statusCode, 403)
  const searched = await maria.post('/orders/add', {
    dealer_id: '',
    dealer_id_search: 'roman',
    receiver: 'Typed',
    items: '',
    _find: 'dealer_id',
  })
  t.equal(searched.statusCode, 200)
  const choice = fieldOf(searched, 'dealer_id')
  t.same(
    choice?.options.map(({ value }) => value),
    ['', String(cast.roman)],
  )
  t.match([fieldOf(searched, 'receiver')?.value, fieldOf(searched, 'dealer_id_search')?.value], ['Typed', 'roman'])
  t.equal(allOrders(db).length, 1, 'nothing was saved')
  const kept = await maria.post('/orders/add', { dealer_id: cast.denis, dealer_id_search: 'roman', email: 'no address' })
  t.match([kept.statusCode, fieldOf(kept, 'dealer_id')?.value], [422, String(cast.denis)], 'the chosen one stays chosen')
  const discounts = await maria.get(`/orders/discounts?dealer_id=${cast.denis}`, htmx)
  t.match(discounts.body, new RegExp(`data-base="10" data-rows="${cast.category}:15 "`))
  t.equal((await maria.get(`/orders/discounts?dealer_id=${cast.daria}`, htmx)).statusCode, 404)
  t.match((await maria.get('/orders/discounts?dealer_id=', htmx)).body, /data-base="0" data-rows=""/)
})

t.test('numbers as specified can repeat, strictly they never do', async (t) => {
  for (const [RULES, expected] of [
    ['as-specified', [2, 3, 3, 3]],
    ['strict', [1, 2, 3, 4]],
  ] as const) {
    const { as, db, cast } = await openShop(t, { RULES })
    const denis = await as('denis')
    const ids = [await place(denis), await place(denis)]
    await denis.post('/orders/delete', { id: ids[1] as number })
    ids.push(await place(denis))
    db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.roman)).run()
    db.update(orders)
      .set({ dealer_id: cast.roman })
      .where(eq(orders.id, ids[0] as number))
      .run()
    ids.push(await place(denis))
    const given = [expected[0], expected[1], ...ids.slice(2).map((id) => orderOf(db, id).specification_number)]
    t.same(given, expected, RULES)
  }
})

t.test('twenty dealers at once, each number once', async (t) => {
  for (const RULES of ['as-specified', 'strict']) {
    const cabinet = await openShop(t, { RULES })
    const { db, cast } = cabinet
    db.update(users).set({ company_id: cabinet.alpha }).where(eq(users.group_id, 2)).run()
    const dealers = await Promise.all((['denis', 'daria', 'vera', 'roman'] as const).map((name) => cabinet.as(name)))
    const sent = Array.from({ length: 20 }, (_, at) => (dealers[at % 4] as Browser).post('/orders/add', { receiver: `Number ${at}` }))
    t.same(new Set((await Promise.all(sent)).map(({ statusCode }) => statusCode)), new Set([303]))
    const numbers = allOrders(db).flatMap(({ id, specification_number }) => (id === cast.order ? [] : [specification_number as number]))
    const first = RULES === 'strict' ? 1 : 2
    t.same(
      numbers.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => first + at),
    )
  }
})

t.test('a form that comes twice places one order', async (t) => {
  const { as, db } = await openShop(t)
  const denis = await as('denis')
  const answers = await Promise.all([1, 2].map(() => denis.post('/orders/add', { once: 'the same' })))
  t.same(new Set(answers.map(({ headers }) => headers.location)).size, 1)
  t.equal(allOrders(db).length, 2)
})

t.test('bad input is refused at its field, nothing saved, nothing typed lost', async (t) => {
  const { as, db, windows, cast, address } = await openShop(t)
  const denis = await as('denis')
  const clerk = await as('clerk')
  const before = everything(db)
  const row = (fields: object) => ({ items: '', ...line(3, windows, 'Window', 1, 1), ...fields })
  const bad: [string, Fields, string][] = [
    ['no pieces', row({ 'items[3][quantity]': 0 }), 'items.3.quantity'],
    ['fewer than none', row({ 'items[3][quantity]': -1 }), 'items.3.quantity'],
    ['a piece and a half', row({ 'items[3][quantity]': '1.5' }), 'items.3.quantity'],
    ['very many', row({ 'items[3][quantity]': 10_001 }), 'items.3.quantity'],
    ['beyond any number', row({ 'items[3][quantity]': '9'.repeat(40) }), 'items.3.quantity'],
    ['an exponent', row({ 'items[3][quantity]': '1e3' }), 'items.3.quantity'],
    ['a negative price', row({ 'items[3][price]': '-1' }), 'items.3.price'],
    ['a price with letters', row({ 'items[3][price]': '12 rubles' }), 'items.3.price'],
    ['a price in tenths of a kopeck', row({ 'items[3][price]': '1,001' }), 'items.3.price'],
    ['a price beyond reason', row({ 'items[3][price]': '10000000,01' }), 'items.3.price'],
    ['no price', row({ 'items[3][price]': '' }), 'items.3.price'],
    ['blanks for a name', row({ 'items[3][name]': '   ' }), 'items.3.name'],
    ['a name too long', row({ 'items[3][name]': 'я'.repeat(256) }), 'items.3.name'],
    ['no category', row({ 'items[3][category_id]': '' }), 'items.3.category_id'],
    ['an unknown category', row({ 'items[3][category_id]': 999 }), 'items.3.category_id'],
    ['a category in words', row({ 'items[3][category_id]': 'Windows' }), 'items.3.category_id'],
    ['a line of another order', row({ 'items[3][id]': 999 }), 'items.3.category_id'],
    ['no email address', { email: 'client' }, 'email'],
    ['an unknown payment', { payment: 'barter' }, 'payment'],
    ['an unknown delivery', { delivery: '__proto__' }, 'delivery'],
    ['a very long address', { address: 'x'.repeat(501) }, 'address'],
    ['control characters', { comment: 'a\u0000b' }, 'comment'],
    ["a stranger's file", { 'payment_order[stored]': 'a'.repeat(64) }, 'payment_order'],
  ]
  const onlyClerk: typeof bad = [
    ['a date that is none', { date_make: '2026-02-30' }, 'date_make'],
    ['a date in words', { date_delivery: 'tomorrow' }, 'date_delivery'],
    ['a dealer in words', { dealer_id: 'Denis' }, 'dealer_id'],
    ['half on', { deferred_payment: '2' }, 'deferred_payment'],
  ]
  for (const [what, fields, field] of bad)
    for (const path of ['/orders/add', address]) {
      const answer = await denis.post(path, { receiver: 'typed all the same', ...fields })
      t.equal(answer.statusCode, 422, `${what} at ${path}`)
      t.ok(errorsOf(answer)[field], `${what}: the message stands at ${field}, not ${Object.keys(errorsOf(answer))}`)
      t.match(fieldOf(answer, 'receiver')?.value, 'typed all the same')
    }
  for (const [what, fields, field] of onlyClerk)
    for (const path of ['/orders/add', address]) {
      const answer = await clerk.post(path, { dealer_id: cast.denis, ...fields })
      t.match([answer.statusCode, Object.keys(errorsOf(answer))], [422, [field]], `${what} at ${path}`)
    }
  t.equal(everything(db), before)
})

t.test('malformed bodies', async (t) => {
  const { as, db } = await openShop(t)
  testBadBodies(t, { browser: () => as('denis'), path: '/orders/add', required: 'items[0][name]', unchanged: () => everything(db) })
})

t.test('lines keep who they are and their discount, unless their category changes', async (t) => {
  const { as, db, windows, doors, alpha } = await openShop(t)
  const denis = await as('denis')
  const id = await place(denis, { items: '', ...line(0, windows, 'Window', 2, 100), ...line(1, doors, 'Door', 1, 50) })
  const [window, door] = linesOf(db, id)
  db.update(categoryCompany).set({ discount: 40 }).run()
  db.update(companies).set({ discount: 30 }).where(eq(companies.id, alpha)).run()
  const address = `/orders/edit/${id}`
  t.match((await denis.get(address)).body, new RegExp(`data-stored-discount="${windows}:15"`))
  const edited = { items: '', ...line(0, windows, 'Window', 5, 100, window?.id), ...line(1, windows, 'Door', 1, 50, door?.id) }
  t.equal(
    (await denis.post(address, { ...edited, ...line(2, doors, 'New', 1, 10), 'items[0][discount]': 99, 'items[0][sum]': 1 })).statusCode,
    303,
  )
  t.match(
    linesOf(db, id).map((one) => [one.id, one.quantity, one.discount]),
    [
      [window?.id, 5, 15],
      [door?.id, 1, 40],
      [Number, 1, 30],
    ],
  )
  t.equal(orderOf(db, id).cost, 42_500 + 3000 + 700)
  const { version } = orderOf(db, id)
  const history = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, id), eq(changes.record_version, version)))
    .get()
  t.match(history?.fields, { items: [[{ name: 'Window', quantity: 2 }], [{ name: 'Window', quantity: 5 }]], cost: [21_500, 46_200] })
  await denis.post(address, { receiver: 'Somebody' })
  t.equal(linesOf(db, id).length, 3, 'unnamed, the lines stay')
  t.match(orderOf(db, id).search, /somebody/)
  await denis.post(address, { items: '' })
  t.match([linesOf(db, id), orderOf(db, id).cost], [[], 0])
})

t.test('without scripts a row more shows the numbers of the server, unsaved', async (t) => {
  const { as, db, windows } = await openShop(t)
  const denis = await as('denis')
  const answer = await denis.post('/orders/add', { items: '', ...line(0, windows, 'Window', 3, '1000,99'), _add: 'items' })
  t.equal(answer.statusCode, 200)
  t.equal(textOf(elementById(answer, 'items.0.discount') ?? ''), '15 %')
  t.equal(tagsOf(elementById(answer, 'items.0.sum') ?? '', 'p')[0]?.['data-kopecks'], '255252')
  t.equal(tagsOf(elementById(answer, 'total') ?? '', 'strong')[0]?.['data-kopecks'], '255252')
  t.ok(fieldOf(answer, 'items[1][name]'))
  t.equal(allOrders(db).length, 1)
  const row = await denis.get('/orders/add/items/row?index=7', htmx)
  t.match(
    [row.statusCode, controlsOf(row.body).map(({ name }) => name)],
    [200, ['items[7][category_id]', 'items[7][name]', 'items[7][quantity]', 'items[7][price]', '_remove']],
  )
})

/** What each of these people sees of the order of Denis at Alpha, and may send of it while the status says so. */
t.test('fields open and close with the status, by group', async (t) => {
  const { as, db, cast, address } = await openShop(t)
  const statusOf = (lets: StatusPolicyKey[]) => setPolicies(db, 1, lets)
  const openFields = async (name: Name) => {
    const answer = await (await as(name)).get(address)
    t.equal(answer.statusCode, 200, `${name} sees the order`)
    const shown = ['receiver', 'sn', 'date_make', 'specification', 'payment_order', 'deferred_payment', '_add'].filter((field) => {
      const control = fieldOf(answer, field)
      return control && !control.disabled
    })
    return shown.join(' ')
  }
  const table: [StatusPolicyKey, Name, string][] = [
    ['order_dealer_can_edit', 'denis', 'receiver'],
    ['order_dealer_can_edit', 'roman', 'receiver'],
    ['order_dealer_can_edit_items', 'denis', '_add'],
    ['order_dealer_can_attach', 'denis', 'payment_order'],
    ['order_manager_can_edit', 'maria', 'receiver sn date_make deferred_payment'],
    ['order_manager_can_edit_items', 'maria', '_add'],
    ['order_manager_can_attach', 'maria', 'specification'],
    ['order_production_can_edit', 'pavel', 'receiver sn'],
    ['order_production_can_schedule', 'pavel', 'date_make'],
  ]
  for (const [policy, name, fields] of table) {
    statusOf([policy])
    t.equal(await openFields(name), fields, `${policy} for ${name}`)
  }
  statusOf([])
  for (const name of ['denis', 'roman', 'maria', 'pavel'] as const) {
    t.equal(await openFields(name), '', `${name} only looks`)
    t.equal((await (await as(name)).post(address, { receiver: 'X' })).statusCode, 403)
  }
  t.equal(await openFields('clerk'), 'receiver sn date_make specification payment_order deferred_payment _add', 'order_can_edit, always')
  revoke(db, cast.clerk, 'order_can_edit')
  t.equal(await openFields('clerk'), '')
  for (const name of ['daria', 'vera', 'mikhail', 'plain'] as const) {
    t.equal((await (await as(name)).get(address)).statusCode, 403, `${name} is a stranger`)
    t.equal((await (await as(name)).post(address, { receiver: 'X' })).statusCode, 403)
  }
  db.update(users).set({ manufacture_id: null, stock_id: null }).where(eq(users.id, cast.pavel)).run()
  t.equal((await (await as('pavel')).get(address)).statusCode, 403, 'production without a place owns nothing')
  db.update(users).set({ stock_id: cast.stock }).where(eq(users.id, cast.pavel)).run()
  db.update(companies).set({ stock_id: cast.stock, manufacture_id: null }).run()
  t.equal((await (await as('pavel')).get(address)).statusCode, 200, 'production of the stock')
})

t.test('a locked field may be named as it is, not otherwise; nothing else is saved then', async (t) => {
  const { as, db, cast, windows, address } = await openShop(t)
  db.insert(orderItems).values({ order_id: cast.order, category_id: windows, name: 'Window', quantity: 1, price: 100, discount: 5 }).run()
  const [item] = linesOf(db, cast.order)
  db.update(orders).set({ sn: 'S-1', date_make: '2026-11-21' }).where(eq(orders.id, cast.order)).run()
  setPolicies(db, 1, ['order_dealer_can_edit'])
  const denis = await as('denis')
  const before = everything(db)
  const foreign: Fields[] = [
    { sn: 'S-2' },
    { sn: '' },
    { date_make: '2026-11-22' },
    { date_make: 'nonsense' },
    { deferred_payment: '1' },
    { dealer_id: cast.roman },
    { 'specification[stored]': 'f'.repeat(64) },
    { items: '' },
    { items: '', ...line(0, windows, 'Window', 2, 1, item?.id) },
    { items: '', ...line(0, windows, 'Window', 'x', 1, item?.id) },
    line(0, windows, 'Another', 1, 1),
  ]
  for (const fields of foreign) t.equal((await denis.post(address, { receiver: 'New', ...fields })).statusCode, 403, JSON.stringify(fields))
  t.equal(everything(db), before)
  const same = { sn: 'S-1', date_make: '2026-11-21', deferred_payment: '0', dealer_id: cast.denis, 'specification[stored]': '' }
  const answer = await denis.post(address, {
    receiver: 'New',
    ...same,
    items: '',
    ...line(0, windows, 'Window', 1, '1,00', item?.id),
    cost: 5,
    status_id: 8,
  })
  t.equal(answer.statusCode, 303)
  t.match(orderOf(db, cast.order), { receiver: 'New', sn: 'S-1', status_id: 1, cost: 0 })
})

t.test('two people edit: disjoint changes merge, the same one asks', async (t) => {
  const { as, db, cast, windows, doors, address } = await openShop(t)
  const [denis, maria] = [await as('denis'), await as('maria')]
  await denis.post(address, { items: '', ...line(0, windows, 'Window', 1, 100), ...line(1, doors, 'Door', 1, 100) })
  const [window, door] = linesOf(db, cast.order).map(({ id }) => id)
  const { version } = orderOf(db, cast.order)
  await maria.post(address, {
    version,
    receiver: 'From Maria',
    sn: '5',
    items: '',
    ...line(0, windows, 'Window', 9, 100, window),
    ...line(1, doors, 'Door', 1, 100, door),
  })
  const merged = await denis.post(address, {
    version,
    address: 'From Denis',
    items: '',
    ...line(0, windows, 'Window', 1, 100, window),
    ...line(1, doors, 'Door', 4, 100, door),
    ...line(2, doors, 'More', 1, 1),
  })
  t.equal(merged.statusCode, 303)
  t.match(orderOf(db, cast.order), { receiver: 'From Maria', address: 'From Denis' })
  t.same(
    linesOf(db, cast.order).map(({ quantity }) => quantity),
    [9, 4, 1],
  )
  const before = everything(db)
  const clash = await denis.post(address, {
    version,
    receiver: 'From Denis',
    items: '',
    ...line(0, windows, 'Window', 2, 100, window),
    ...line(4, doors, 'Unsaved', 1, 1),
  })
  t.match([clash.statusCode, fieldOf(clash, 'receiver')?.value], [409, 'From Denis'])
  t.match(textOf(clash.body), /Windows: Window: 2/)
  t.equal(everything(db), before)
  const fields = controlsOf(clash.body).filter(
    ({ name, disabled, type }) => name && !disabled && type !== 'submit' && !name.startsWith('_') && type !== 'file',
  )
  const again = await denis.post(address, Object.fromEntries(fields.map(({ name, value }) => [name, value])))
  t.equal(again.statusCode, 303, JSON.stringify(errorsOf(again)))
  t.match(orderOf(db, cast.order).receiver, 'From Denis')
  t.ok(
    linesOf(db, cast.order).some(({ name }) => name === 'Unsaved'),
    'what was typed is there',
  )
})

t.test('an administrator gives an order to another dealer', async (t) => {
  const { as, db, cast, windows, address } = await openShop(t)
  const clerk = await as('clerk')
  t.equal((await clerk.post(address, { dealer_id: cast.daria, items: '', ...line(0, windows, 'Window', 1, 100) })).statusCode, 303)
  t.match(orderOf(db, cast.order), {
    dealer_id: cast.daria,
    company_id: cast.companies.beta,
    owner_company_id: cast.companies.beta,
    cost: 10_000,
  })
  t.match(errorsOf(await clerk.post(address, { dealer_id: '' })), { dealer_id: /Required/ })
  t.equal((await (await as('denis')).get(address)).statusCode, 403)
  const card = await (await as('root')).get(address)
  t.match(card.body, new RegExp(`href="/company/edit/${cast.companies.beta}"`))
  t.match(card.body, new RegExp(`href="/dealers/edit/${cast.daria}"`))
  t.notMatch((await (await as('daria')).get(address)).body, /href="\/(company|dealers)\//)
})

t.test('three files: kept, replaced, removed, read by whoever sees the order', async (t) => {
  const { as, db, cast, address } = await openShop(t)
  const [denis, maria] = [await as('denis'), await as('maria')]
  const sent = await sendFiles(denis, address, { receiver: 'With a file', payment_order: new File(['paid'], 'Platezh.pdf') })
  t.equal(sent.statusCode, 303)
  const key = orderOf(db, cast.order).payment_order as string
  const card = await maria.get(address)
  t.match(card.body, new RegExp(`href="/files/${key}"[^>]*>.*Platezh.pdf`))
  for (const name of names) {
    if (name === 'ivan') continue
    const { statusCode, headers } = await (await as(name)).get(`/files/${key}`)
    const sees = ['denis', 'roman', 'maria', 'root', 'clerk', 'admin', 'pavel'].includes(name)
    t.equal(statusCode, sees ? 200 : 403, name)
    if (sees) t.match(headers['content-disposition'], /Platezh.pdf/)
  }
  const other = await sendFiles(denis, address, {
    'payment_order[stored]': key,
    email: 'wrong',
    payment_order: new File(['again'], 'Second.pdf'),
  })
  t.match([other.statusCode, Object.keys(errorsOf(other))], [422, ['email']])
  const second = controlsOf(other.body).find(({ name }) => name === 'payment_order[stored]')?.value as string
  t.not(second, key, 'the file that was sent is not lost')
  t.match(other.body, 'Second.pdf')
  t.equal((await denis.post(address, { 'payment_order[stored]': second })).statusCode, 303)
  t.equal(orderOf(db, cast.order).payment_order, second)
  t.equal((await denis.post(address, { 'payment_order[stored]': ['', ''].slice(1) })).statusCode, 303)
  t.equal(orderOf(db, cast.order).payment_order, null)
  const attached = await sendFiles(maria, address, { specification: new File(['s'], 's.txt'), invoice: new File(['i'], 'i.txt') })
  t.equal(attached.statusCode, 303)
  t.ok(orderOf(db, cast.order).specification && orderOf(db, cast.order).invoice)
  t.equal((await sendFiles(denis, address, { invoice: new File(['mine'], 'i.txt') })).statusCode, 403, "not the dealer's to attach")
  const large = new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'large.bin')
  t.equal((await sendFiles(maria, address, { specification: large })).statusCode, 413)
  t.equal((await sendFiles(maria, address, { specification: new File([''], 'empty.txt') })).statusCode, 422)
})

t.test('what others call a file changes no name in an order or a company', async (t) => {
  const { as, db, cast, address, alpha } = await openShop(t)
  const [denis, daria] = [await as('denis'), await as('daria')]
  const [maria, mikhail, root] = [await as('maria'), await as('mikhail'), await as('root')]
  const content = (name: string) => new File(['the same bytes'], name)
  const nameFor = async (browser: Browser, key: string) => String((await browser.get(`/files/${key}`)).headers['content-disposition'])
  t.equal((await sendFiles(denis, address, { payment_order: content('Platezh.pdf') })).statusCode, 303)
  const key = orderOf(db, cast.order).payment_order as string

  const others = `/orders/edit/${await place(daria)}`
  t.equal((await sendFiles(daria, others, { payment_order: content('Secret.exe') })).statusCode, 303)
  await sendFiles(mikhail, others, { email: 'wrong', payment_order: content('Never saved.exe') })
  for (const reader of [denis, maria, root]) {
    t.match((await reader.get(address)).body, /href="\/files\/\w+"[^>]*>.*Platezh\.pdf/)
    t.notMatch((await reader.get(`${address}?tab=history`)).body, /Secret|Never saved/)
  }
  t.match((await root.get(`${address}?tab=history`)).body, 'Platezh.pdf')
  t.match((await daria.get(others)).body, 'Secret.exe')
  for (const reader of [denis, maria]) t.match(await nameFor(reader, key), 'filename="Platezh.pdf"')
  t.match(await nameFor(daria, key), 'filename="Secret.exe"')

  const company = { files: '', 'files[0][name]': 'Contract', 'files[0][file]': content('Scan.PDF') }
  t.equal((await sendFiles(maria, `/company/edit/${alpha}`, company)).statusCode, 303)
  await sendFiles(daria, others, { payment_order: content('Once more.exe') })
  for (const reader of [maria, root]) t.match(await nameFor(reader, key), 'filename="Contract.PDF"', 'a company names its files itself')
  t.match(await nameFor(denis, key), 'filename="Platezh.pdf"')
  t.match((await maria.get(address)).body, 'Platezh.pdf')

  t.equal((await denis.post(address, { 'payment_order[stored]': '' })).statusCode, 303)
  t.equal((await sendFiles(denis, address, { payment_order: content('Renamed.pdf') })).statusCode, 303)
  t.match((await maria.get(address)).body, 'Renamed.pdf', 'whoever saves the order may')
  t.match(await nameFor(denis, key), 'filename="Renamed.pdf"')
})

t.test('a file that waits for its order goes by the name its sender gave it', async (t) => {
  const { as, address } = await openShop(t)
  const [denis, roman] = [await as('denis'), await as('roman')]
  const send = (browser: Browser, name: string) =>
    sendFiles(browser, address, { email: 'wrong', payment_order: new File(['the same bytes'], name) })
  const key = controlsOf((await send(denis, 'Mine.pdf')).body).find(({ name }) => name === 'payment_order[stored]')?.value
  const again = await send(roman, 'Theirs.exe')
  t.match(again.body, 'Theirs.exe')
  t.match((await denis.post(address, { email: 'wrong', 'payment_order[stored]': String(key) })).body, 'Mine.pdf')
  t.match((await denis.get(`/files/${key}`)).headers['content-disposition'], 'filename="Mine.pdf"')
})

t.test('who deletes orders, and what the confirmation says', async (t) => {
  const { as, db, cast, windows } = await openShop(t)
  const denis = await as('denis')
  const ids = [await place(denis, { items: '', ...line(0, windows, 'Window', 1, 1) }), await place(denis)]
  const query = ids.map((id) => `id=${id}`).join('&')
  const question = textOf((await denis.get(`/orders/delete?${query}`)).body)
  t.match(question, /Delete 2 orders\?/)
  t.match(question, /1 order line will also be deleted/)
  t.match(question, /2 status history entries/)
  for (const name of ['daria', 'maria', 'pavel', 'plain'] as const)
    t.equal((await (await as(name)).post('/orders/delete', { id: ids })).statusCode, 403, name)
  db.update(orders)
    .set({ status_id: 2 })
    .where(eq(orders.id, ids[1] as number))
    .run()
  t.equal((await denis.post('/orders/delete', { id: ids })).statusCode, 403, 'one that may not be deleted refuses all')
  t.equal((await denis.post('/orders/delete', { id: [ids[0] as number, 999_999] })).statusCode, 404)
  t.equal(allOrders(db).length, 3)
  t.equal((await (await as('roman')).post('/orders/delete', { id: ids[0] as number })).statusCode, 303, 'a colleague of the company')
  t.equal((await (await as('clerk')).post('/orders/delete', { id: [ids[1] as number, cast.order] })).statusCode, 303)
  t.same([allOrders(db), db.select().from(orderItems).all()], [[], []])
})

t.test('deleting dealers, companies, statuses, categories and sites never loses an order', async (t) => {
  const cabinet = await openShop(t)
  const { as, db, cast, windows, alpha, address } = cabinet
  const root = await as('root')
  db.insert(orderItems).values({ order_id: cast.order, category_id: windows, name: 'Window', quantity: 1, price: 100, discount: 5 }).run()
  const [item] = linesOf(db, cast.order)
  const remove = async (list: string, id: number) => t.equal((await root.post(`/${list}/delete`, { id })).statusCode, 303, list)
  await remove('categories', windows)
  t.equal(
    (await root.post(address, { receiver: 'A', items: '', ...line(0, '', 'Window', 2, 1, item?.id) })).statusCode,
    303,
    'a line may stay without its category',
  )
  t.match(linesOf(db, cast.order), [{ id: item?.id, category_id: null, quantity: 2, discount: 5 }])
  await remove('dealers', cast.denis)
  t.match(orderOf(db, cast.order), { dealer_id: null, company_id: alpha, owner_company_id: alpha, owner_manager_id: cast.maria })
  t.equal((await (await as('roman')).get(address)).statusCode, 200, 'it belongs to the company it was made for')
  t.equal((await root.post(address, { dealer_id: '', receiver: 'B' })).statusCode, 303, 'and can be edited without a dealer')
  await remove('manufactures', cast.site)
  await remove('statuses', 1)
  await remove('companies', alpha)
  t.match(orderOf(db, cast.order), { status_id: null, dealer_id: null, company_id: null, owner_company_id: null, receiver: 'B' })
  t.equal((await root.get(address)).statusCode, 200)
  t.equal(await countManufactures(cabinet), 0)
  db.delete(statuses).run()
  const id = await place(await as('daria'))
  t.match(orderOf(db, id), { status_id: null, search: new RegExp(String(id)) }, 'an order is placed even where there are no statuses')
})

const countManufactures = async ({ db }: Cabinet) => db.select().from(manufactures).all().length

t.test('the form tells nobody the discounts of a dealer whom it does not offer', async (t) => {
  const { as, db, cast, windows } = await openShop(t)
  db.update(companies).set({ discount: 37 }).where(eq(companies.id, cast.companies.beta)).run()
  const maria = await as('maria')
  const drawn = (dealer: number) =>
    maria.post('/orders/add', { dealer_id: dealer, items: '', ...line(0, windows, 'W', 1, 100), _add: 'items' })
  t.match((await drawn(cast.denis)).body, 'data-base="10"')
  const answer = await drawn(cast.daria)
  t.match(answer.body, 'data-base="0"')
  t.notMatch(answer.body, /\b37\b/)
})

t.test('a line that a body names twice is refused, and nothing saved', async (t) => {
  const { as, db, cast, windows, address } = await openShop(t)
  const maria = await as('maria')
  await maria.post(address, { items: '', ...line(0, windows, 'W', 1, 100) })
  const [{ id } = { id: 0 }] = linesOf(db, cast.order)
  const before = everything(db)
  const answer = await maria.post(address, { items: '', ...line(0, windows, 'W', 2, 100, id), ...line(1, windows, 'V', 3, 100, id) })
  t.equal(answer.statusCode, 422)
  t.ok(errorsOf(answer)['items.1.category_id'])
  t.equal(everything(db), before)
})
