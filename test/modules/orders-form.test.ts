import { and, eq } from 'drizzle-orm'
import t from 'tap'
import type { StatusPolicyKey } from '../../src/core/default-workflow.ts'
import type { Database } from '../../src/database/open.ts'
import {
  categoryCompany,
  changes,
  companies,
  orderItems,
  orders,
  policyStatus,
  statusPolicies,
  users,
} from '../../src/database/schema/index.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Fields, htmx } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { controlsOf, elementById, elementsOf, errorsOf, fieldOf, tagsOf, textOf } from '../support/html.ts'
import { allOrders, line, linesOf, orderOf, placeOrder, snapshotOrders, startWithDiscounts } from '../support/orders.ts'

function setPolicies(db: Database, status: number, on: StatusPolicyKey[]): void {
  for (const { id, key } of db.select().from(statusPolicies).all())
    db.update(policyStatus)
      .set({ value: on.includes(key as StatusPolicyKey) })
      .where(and(eq(policyStatus.status_id, status), eq(policyStatus.status_policy_id, id)))
      .run()
}

t.test('invalid order fields are marked, typed values stay and nothing is saved (422)', async (t) => {
  const { as, db, windows, cast, address } = await startWithDiscounts(t)
  const denis = await as('denis')
  const clerk = await as('clerk')
  const before = snapshotOrders(db)
  const row = (fields: object) => ({ items: '', ...line(3, windows, 'Window', 1, 1), ...fields })
  const bad: [string, Fields, string][] = [
    ['an empty number of pieces', row({ 'items[3][quantity]': '' }), 'items.3.quantity'],
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
  t.equal(snapshotOrders(db), before)
})

t.test('a malformed order form is refused with a client error and saves nothing', async (t) => {
  const { as, db } = await startWithDiscounts(t)
  testBadBodies(t, { browser: () => as('denis'), path: '/orders/add', required: 'items[0][name]', unchanged: () => snapshotOrders(db) })
})

t.test('order lines keep their ids and discounts unless their category changes', async (t) => {
  const { as, db, windows, doors, alpha } = await startWithDiscounts(t)
  const denis = await as('denis')
  const id = await placeOrder(denis, { items: '', ...line(0, windows, 'Window', 2, 100), ...line(1, doors, 'Door', 1, 50) })
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
  t.equal(orderOf(db, id).receiver, 'Somebody')
  await denis.post(address, { items: '' })
  t.match([linesOf(db, id), orderOf(db, id).cost], [[], 0])
})

t.test('without JavaScript, adding a line shows the totals calculated by the server and saves nothing', async (t) => {
  const { as, db, windows } = await startWithDiscounts(t)
  const denis = await as('denis')
  const answer = await denis.post('/orders/add', { items: '', ...line(0, windows, 'Window', 3, '1000,99'), _add: 'items' })
  t.equal(answer.statusCode, 200)
  t.equal(textOf(elementById(answer, 'items.0.discount') ?? ''), '15%')
  t.equal(tagsOf(elementById(answer, 'items.0.sum') ?? '', 'p')[0]?.['data-kopecks'], '255252')
  t.equal(tagsOf(elementById(answer, 'total') ?? '', 'strong')[0]?.['data-kopecks'], '255252')
  t.ok(fieldOf(answer, 'items[1][name]'))
  t.equal(allOrders(db).length, 1)
  const row = await denis.get('/orders/add/items/row?index=7', htmx)
  t.match(
    [row.statusCode, controlsOf(row.body).map(({ name }) => name)],
    [
      200,
      [
        'items[7][category_id]',
        'items[7][name]',
        'items[7][quantity]',
        'items[7][price]',
        'items[7][remark]',
        'items[7][files][stored]',
        'items[7][files]',
        '_remove',
      ],
    ],
  )
})

/** What each of these people sees of the order of Denis at Alpha, and may send of it while the status says so. */
t.test('each user group edits exactly the order fields that the status opens for them', async (t) => {
  const { as, db, cast, address } = await startWithDiscounts(t)
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

t.test('a locked order field may be sent unchanged; a changed one is refused and nothing is saved (403)', async (t) => {
  const { as, db, cast, windows, address } = await startWithDiscounts(t)
  db.insert(orderItems).values({ order_id: cast.order, category_id: windows, name: 'Window', quantity: 1, price: 100, discount: 5 }).run()
  const [item] = linesOf(db, cast.order)
  db.update(orders).set({ sn: 'S-1', date_make: '2026-11-21' }).where(eq(orders.id, cast.order)).run()
  setPolicies(db, 1, ['order_dealer_can_edit'])
  const denis = await as('denis')
  const before = snapshotOrders(db)
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
  t.equal(snapshotOrders(db), before)
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
  const long = 'x'.repeat(300)
  db.update(orders).set({ sn: long }).where(eq(orders.id, cast.order)).run()
  t.equal((await denis.post(address, { receiver: 'Newer', sn: long })).statusCode, 303, 'even where it could not be typed any more')
  t.match(orderOf(db, cast.order), { receiver: 'Newer', sn: long })
  t.equal((await denis.post(address, { receiver: 'Newest', sn: `${long}y` })).statusCode, 403)
})

t.test('two users edit an order: different fields are merged, the same field is a conflict (409)', async (t) => {
  const { as, db, cast, windows, doors, address } = await startWithDiscounts(t)
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
    ...line(1, doors, 'Door', 1, 100, door),
  })
  t.equal(merged.statusCode, 303)
  t.match(orderOf(db, cast.order), { receiver: 'From Maria', address: 'From Denis' })
  t.same(
    linesOf(db, cast.order).map(({ quantity }) => quantity),
    [9, 1],
  )
  const before = snapshotOrders(db)
  const clash = await denis.post(address, {
    version,
    receiver: 'From Denis',
    items: '',
    ...line(0, windows, 'Window', 2, 100, window),
    ...line(4, doors, 'Unsaved', 1, 1),
  })
  t.match([clash.statusCode, fieldOf(clash, 'receiver')?.value], [409, 'From Denis'])
  t.match(textOf(clash.body), /Windows: Product Window, Quantity 2/)
  t.equal(snapshotOrders(db), before)
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

t.test('an administrator reassigns an order to another dealer', async (t) => {
  const { as, db, cast, windows, address } = await startWithDiscounts(t)
  const clerk = await as('clerk')
  t.equal((await clerk.post(address, { dealer_id: cast.daria, items: '', ...line(0, windows, 'Window', 1, 100) })).statusCode, 303)
  t.match(orderOf(db, cast.order), {
    dealer_id: cast.daria,
    company_id: cast.companies.beta,
    owner_company_id: cast.companies.beta,
    cost: 10_000,
  })
  t.match(errorsOf(await clerk.post(address, { dealer_id: '' })), { dealer_id: /Choose a dealer/ })
  t.equal((await (await as('denis')).get(address)).statusCode, 403)
  const card = await (await as('root')).get(address)
  t.match(card.body, new RegExp(`href="/company/edit/${cast.companies.beta}\\?tab=overview"`))
  t.same(elementsOf((await (await as('daria')).get(address)).body, '[href^="/company/edit/"], [href^="/dealers/"]'), [])
})

t.test('an order line sent twice is refused and nothing is saved (422)', async (t) => {
  const { as, db, cast, windows, address } = await startWithDiscounts(t)
  const maria = await as('maria')
  await maria.post(address, { items: '', ...line(0, windows, 'W', 1, 100) })
  const [{ id } = { id: 0 }] = linesOf(db, cast.order)
  const before = snapshotOrders(db)
  const answer = await maria.post(address, { items: '', ...line(0, windows, 'W', 2, 100, id), ...line(1, windows, 'V', 3, 100, id) })
  t.equal(answer.statusCode, 422)
  t.ok(errorsOf(answer)['items.1.category_id'])
  t.equal(snapshotOrders(db), before)
})
