import { eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { orderItems, orders, productPrices, products, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Browser, type Fields, htmx } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementById, errorsOf, fieldOf, parseHtml, textOf } from '../support/html.ts'
import {
  line,
  linesOf,
  newOrderId,
  orderOf,
  requestTransition,
  snapshotOrders,
  startWithDiscounts,
  statusId,
  transitionBetween,
} from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct, productLine, useCatalog } from '../support/products.ts'

/** Maria may give 10 %, Mikhail 5 %, Peter nothing. Alpha gets 10 % off, 15 % off windows. A handle costs 1 000, a window 999.99 a m². */
async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  const { db, cast, windows, doors } = cabinet
  useCatalog(db)
  const limit = (id: number, discount_limit: number | null) => db.update(users).set({ discount_limit }).where(eq(users.id, id)).run()
  limit(cast.maria, 10)
  limit(cast.mikhail, 5)
  for (const id of [cast.maria, cast.mikhail, cast.plain]) grant(db, id, 'order_can_add', 'order_can_edit', 'order_can_view')
  const handle = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: doors })
  const window = insertProduct(db, { article: 'W-1', name: 'Window', category_id: windows, unit: 'm2', basis: 'area' }, [
    [dayIn(-30), 99_999],
  ])
  return { ...cabinet, limit, handle, window }
}

/** Most of these discounts are lower than Alpha's. */
const raises = { agreed_raises: 1 }

const reason = { agreed_reason: 'A large order', ...raises }

const send = (browser: Browser, fields: Fields, address = '/orders/add') => browser.post(address, { items: '', ...fields })

async function place(browser: Browser, fields: Fields): Promise<number> {
  const answer = await send(browser, fields)
  t.equal(answer.statusCode, 303, JSON.stringify(errorsOf(answer)))
  return newOrderId(answer)
}

function refused(t: Tap, answer: Answer, field: string, message: RegExp): void {
  t.equal(answer.statusCode, 422)
  t.match(errorsOf(answer)[field], message)
}

const wordsOf = (answer: Answer) => textOf(answer.body)

const agreedInputs = (answer: Answer) => parseHtml(answer.body)('[name*="agreed"]').length

const limitOf = (db: Database, id: number) => db.select().from(users).where(eq(users.id, id)).get()?.discount_limit

type Tap = Pick<typeof t, 'equal' | 'match'>

t.test('an agreed discount replaces that of the company on its line, rounded half up to a kopeck', async (t) => {
  const { as, cast, db, handle, window, doors } = await start(t)
  const id = await place(await as('maria'), {
    dealer_id: cast.denis,
    ...reason,
    ...productLine(0, window, { width: 1500, height: 1000, quantity: 3, agreed: 3 }),
    ...productLine(1, handle),
    ...line(2, doors, 'Custom work', 1, '100'),
  })
  t.match(linesOf(db, id), [
    { price: 99_999, discount: 3, price_origin: 'agreed', piece_price: 145_499, agreed_reason: 'A large order' },
    { price: 100_000, discount: 10, price_origin: 'base', piece_price: 90_000, agreed_reason: null },
    { price: 10_000, discount: 10, price_origin: null, agreed_reason: null },
  ])
  t.equal(orderOf(db, id).cost, 3 * 145_499 + 90_000 + 9_000)
  t.match(wordsOf(await (await as('maria')).get(`/orders/${id}`)), /Agreed discount −3%/)
})

t.test('one for the whole order is for all products that have none of their own, contract prices included', async (t) => {
  const { as, alpha, cast, db, handle, window, doors } = await start(t)
  insertContractPrice(db, alpha, handle, 99_000)
  const id = await place(await as('maria'), {
    dealer_id: cast.denis,
    ...reason,
    agreed: 8,
    ...productLine(0, handle),
    ...productLine(1, window, { width: 1000, height: 1000, agreed: 0 }),
    ...line(2, doors, 'Custom work', 1, '100'),
  })
  t.match(
    linesOf(db, id).map(({ discount, price_origin, piece_price }) => [discount, price_origin, piece_price]),
    [
      [8, 'agreed', 91_080],
      [0, 'agreed', 99_999],
      [10, null, null],
    ],
  )
})

t.test('it is at most the limit of whoever gives it', async (t) => {
  const { as, cast, db, handle, limit } = await start(t)
  const lines = (agreed: number | string): Fields => ({ dealer_id: cast.denis, ...reason, ...productLine(0, handle, { agreed }) })
  const whole = (agreed: number | string): Fields => ({ dealer_id: cast.denis, ...reason, agreed, ...productLine(0, handle) })
  const maria = await as('maria')
  const given = await place(maria, lines(10))
  await place(maria, whole(10))
  const before = snapshotOrders(db)
  const changed = await maria.post(`/orders/edit/${given}`, { ...reason, agreed: 11 })
  refused(t, changed, 'agreed', /up to 10%/)
  refused(t, await send(maria, lines(11)), 'items.0.agreed', /up to 10%/)
  refused(t, await send(maria, whole(11)), 'agreed', /up to 10%/)
  for (const wrong of ['10.01', '-1', '101', 'ten']) {
    refused(t, await send(maria, lines(wrong)), 'items.0.agreed', /whole number from 0 to 100/)
    refused(t, await send(maria, whole(wrong)), 'agreed', /whole number from 0 to 100/)
  }
  const plain = await as('plain')
  refused(t, await send(plain, lines(1)), 'items.0.agreed', /may not give/)
  refused(t, await send(plain, whole(0)), 'agreed', /may not give/)
  limit(cast.plain, 0)
  refused(t, await send(plain, lines(1)), 'items.0.agreed', /up to 0%/)
  t.equal(snapshotOrders(db), before)
  const root = await as('root')
  t.match(linesOf(db, await place(root, lines(100))), [{ discount: 100, piece_price: 0 }], 'superadministrators have none')
  t.match(linesOf(db, await place(root, whole(99))), [{ discount: 99, piece_price: 1000 }])
})

t.test('it needs a reason, and a product', async (t) => {
  const { as, cast, db, handle, doors } = await start(t)
  const maria = await as('maria')
  const before = snapshotOrders(db)
  const order = { dealer_id: cast.denis }
  refused(t, await send(maria, { ...order, ...productLine(0, handle, { agreed: 10 }) }), 'agreed_reason', /Give a reason/)
  const blank = await send(maria, { ...order, agreed: 10, agreed_reason: '  ', ...productLine(0, handle) })
  refused(t, blank, 'agreed_reason', /Give a reason/)
  t.equal(fieldOf(blank, 'agreed')?.value, '10', 'what was typed is kept')
  const custom = { ...line(0, doors, 'Custom work', 1, '100'), 'items[0][agreed]': 5 }
  refused(t, await send(maria, { ...order, ...reason, ...custom }), 'items.0.agreed', /Only products/)
  t.equal(snapshotOrders(db), before)
})

t.test('dealers are not offered it, and may not send it', async (t) => {
  const { as, db, handle } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, productLine(0, handle))
  for (const address of ['/orders/add', `/orders/edit/${id}`]) t.equal(agreedInputs(await denis.get(address)), 0, address)
  const own = productLine(0, handle, { id: Number(linesOf(db, id)[0]?.id) })
  const before = snapshotOrders(db)
  const attempts: Fields[] = [{ 'items[0][agreed]': 5 }, { agreed: 5 }, { agreed_reason: 'Please' }, raises]
  for (const more of attempts) {
    t.equal((await send(denis, { ...productLine(0, handle), ...more })).statusCode, 403, JSON.stringify(more))
    t.equal((await send(denis, { ...own, ...more }, `/orders/edit/${id}`)).statusCode, 403, JSON.stringify(more))
  }
  t.equal((await send(denis, { ...productLine(0, handle), 'items[0][agreed]': 10 })).statusCode, 403, 'not even what they get anyway')
  for (const address of ['/orders/add/price', `/orders/add/price?order=${id}`])
    for (const more of attempts)
      t.equal(
        (await denis.post(address, { ...productLine(0, handle), ...more }, htmx)).statusCode,
        403,
        `${address} ${JSON.stringify(more)}`,
      )
  const priced = await denis.post('/orders/add/price', productLine(0, handle, { agreed: '' }), htmx)
  t.match(priced.body, /id="items.0.piece" data-kopecks="90000"/, 'an empty field says nothing')
  t.equal(agreedInputs(await (await as('maria')).get('/orders/add')) > 2, true)
  t.equal(snapshotOrders(db), before)
})

t.test('an untouched line stays as written, whoever saves the order; a changed one is given anew', async (t) => {
  const { as, cast, db, window } = await start(t)
  const maria = await as('maria')
  const fields = { width: 1000, height: 1000, agreed: 10, quantity: 4 }
  const id = await place(maria, { dealer_id: cast.denis, ...reason, ...productLine(0, window, fields) })
  const [written] = linesOf(db, id)
  const own = (more: Fields) => productLine(0, window, { id: Number(written?.id), width: 1000, height: 1000, ...more })
  const address = `/orders/edit/${id}`
  let quantity = 4
  for (const [name, more] of [
    ['mikhail', { agreed: 10 }],
    ['plain', { agreed: 10 }],
    ['plain', {}],
  ] as const) {
    const browser = await as(name)
    quantity--
    t.equal((await send(browser, own({ ...more, quantity }), address)).statusCode, 303, name)
    t.match(linesOf(db, id), [{ ...written, quantity }], name)
  }
  const mikhail = await as('mikhail')
  refused(t, await send(mikhail, own({ agreed: 10, width: 1200 }), address), 'items.0.agreed', /up to 5%/)
  refused(t, await send(mikhail, { ...own({ agreed: 4 }), ...raises }, address), 'agreed_reason', /Give a reason/)
  t.equal(
    (await send(maria, { ...own({ agreed: 10, width: 1200 }), ...raises }, address)).statusCode,
    303,
    'the reason stays with the discount',
  )
  t.match(linesOf(db, id), [{ width: 1200, discount: 10, piece_price: 107_999, agreed_reason: 'A large order' }])
  t.equal((await send(maria, { ...own({ agreed: 10, width: 1300 }), ...raises, agreed_reason: 'Another one' }, address)).statusCode, 303)
  t.match(linesOf(db, id), [{ width: 1300, discount: 10, agreed_reason: 'Another one' }], 'unless another is given')
  t.equal((await send(mikhail, own({ agreed: '', width: 1200 }), address)).statusCode, 303)
  t.match(linesOf(db, id), [{ discount: 15, price_origin: 'category', agreed_reason: null }], 'taken back: the discount of the company')
})

t.test('managers add pieces only to a discount that they may give themselves', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle, limit } = cabinet
  const id = await place(await as('maria'), { dealer_id: cast.denis, ...reason, ...productLine(0, handle, { quantity: 3, agreed: 8 }) })
  const own = (quantity: number) => productLine(0, handle, { id: Number(linesOf(db, id)[0]?.id), quantity })
  const [mikhail, address] = [await as('mikhail'), `/orders/edit/${id}`]
  refused(t, await send(mikhail, own(4), address), 'items.0.quantity', /up to 5%/)
  limit(cast.mikhail, null)
  refused(t, await send(mikhail, own(4), address), 'items.0.quantity', /may not give agreed discounts/)
  t.equal((await send(mikhail, own(2), address)).statusCode, 303, 'fewer')
  limit(cast.mikhail, 8)
  t.equal((await send(mikhail, own(5), address)).statusCode, 303, 'as much as they may give')
  t.match(linesOf(db, id), [{ quantity: 5, discount: 8 }])
})

t.test('dealers order no more pieces at a discount that was agreed on than it was agreed on for', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle, window } = cabinet
  const maria = await as('maria')
  const size = { width: 1000, height: 1000 }
  const id = await place(maria, {
    dealer_id: cast.denis,
    ...reason,
    ...productLine(0, handle, { quantity: 3, agreed: 4 }),
    ...productLine(1, window, { ...size, agreed: 4 }),
    ...productLine(2, handle),
  })
  const written = linesOf(db, id)
  const address = `/orders/edit/${id}`
  const own = (quantities: number[], more: Fields = {}) => ({
    ...productLine(0, handle, { id: Number(written[0]?.id), quantity: quantities[0] as number }),
    ...productLine(1, window, { id: Number(written[1]?.id), quantity: quantities[1] as number, ...size, ...more }),
    ...productLine(2, handle, { id: Number(written[2]?.id), quantity: quantities[2] as number }),
  })
  const denis = await as('denis')
  const before = snapshotOrders(db)
  const answer = await send(denis, own([4, 2, 500]), address)
  refused(t, answer, 'items.0.quantity', /agreed for 3 pieces\. Ask your manager for more\./)
  t.match(errorsOf(answer)['items.1.quantity'], /agreed for 1 piece\./)
  t.same(Object.keys(errorsOf(answer)), ['items.0.quantity', 'items.1.quantity'])
  t.equal(fieldOf(answer, 'items[0][quantity]')?.value, '4', 'what was typed is kept')
  const priced = await denis.post(`/orders/add/price?order=${id}`, own([3, 2, 1]), htmx)
  t.match(elementById(priced, 'items.1.priced'), /agreed for 1 piece\./)
  t.notMatch(elementById(priced, 'items.0.priced'), /agreed for/)
  const api = clientOf(cabinet, 'denis')
  const { version } = (await api.get(`/orders/${id}`)).json()
  const items = written.map((one, at) => ({ id: one.id, product_id: one.product_id, quantity: at === 0 ? 4 : 1, ...(at === 1 && size) }))
  t.match((await api.patch(`/orders/${id}`, { version, items })).json(), { errors: { 'items.0.quantity': /agreed for 3 pieces/ } })
  t.equal(snapshotOrders(db), before)
  t.equal((await send(denis, own([2, 1, 500]), address)).statusCode, 303, 'fewer, and any of what nobody agreed on')
  t.match(linesOf(db, id), [{ quantity: 2, discount: 4 }, { quantity: 1 }, { quantity: 500, price_origin: 'base' }])
  refused(t, await send(denis, own([3, 1, 500]), address), 'items.0.quantity', /agreed for 2 pieces/)
  t.equal((await send(denis, own([2, 5, 500], { width: 1100 }), address)).statusCode, 303, 'another size is without it')
  t.match(linesOf(db, id)[1], { quantity: 5, price_origin: 'category' })
  t.equal((await send(maria, own([9, 5, 500], { width: 1100 }), address)).statusCode, 303, 'a manager decides on more')
  t.match(linesOf(db, id)[0], { quantity: 9, discount: 4 })
})

t.test('one for the whole order leaves lines as written whose product is not sold like that any more', async (t) => {
  const { as, cast, db, handle, window, doors } = await start(t)
  const maria = await as('maria')
  const gone = insertProduct(db, { article: 'G-1', name: 'Gone', category_id: doors })
  const deleted = insertProduct(db, { article: 'D-1', name: 'Deleted', category_id: doors })
  const size = { width: 1000, height: 1000 }
  const sold = [gone, deleted, handle]
  const id = await place(maria, {
    dealer_id: cast.denis,
    ...Object.assign({}, ...sold.map((product, at) => productLine(at, product))),
    ...productLine(3, window, size),
  })
  const written = linesOf(db, id)
  db.update(products).set({ active: false }).where(eq(products.id, gone)).run()
  db.delete(products).where(eq(products.id, deleted)).run()
  db.update(products).set({ width_max: 900 }).where(eq(products.id, window)).run()
  const own = (at: number, more: Fields = {}) => ({ id: Number(written[at]?.id), agreed: '', ...more })
  const lines = {
    ...productLine(0, gone, own(0)),
    ...productLine(1, '', own(1)),
    ...productLine(2, handle, own(2)),
    ...productLine(3, window, own(3, size)),
  }
  const address = `/orders/edit/${id}`
  const fields = { dealer_id: cast.denis, ...reason, ...lines, agreed: 5 }
  const priced = await maria.post(`/orders/add/price?order=${id}`, fields, htmx)
  t.same(
    [0, 1, 2, 3].map((at) => /data-kopecks="(\d+)"/.exec(elementById(priced, `items.${at}.sum`) ?? '')?.[1]),
    ['90000', '90000', '95000', '84999'],
  )
  t.equal((await send(maria, fields, address)).statusCode, 303)
  const kept = linesOf(db, id)
  t.match(kept, [
    { ...written[0] },
    { ...written[1], product_id: null },
    { discount: 5, price_origin: 'agreed', piece_price: 95_000 },
    { ...written[3] },
  ])
  t.equal(orderOf(db, id).cost, 90_000 + 90_000 + 95_000 + 84_999)
  const onLine = { dealer_id: cast.denis, ...reason, ...lines, 'items[0][agreed]': 5 }
  refused(t, await send(maria, onLine, address), 'items.0.product_id', /no longer for sale/)
  t.same(linesOf(db, id), kept)
})

t.test('whoever may not edit the lines is shown what they were written with', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle } = cabinet
  const id = await place(await as('maria'), { dealer_id: cast.denis, ...reason, ...productLine(0, handle, { agreed: 4 }) })
  db.update(orders)
    .set({ status_id: statusId('production') })
    .where(eq(orders.id, id))
    .run()
  revoke(db, cast.maria, 'order_can_edit')
  const form = await (await as('maria')).get(`/orders/edit/${id}`)
  t.equal(agreedInputs(form), 0)
  t.match(form.body, 'data-kopecks="96000"')
  t.notMatch(form.body, 'data-kopecks="90000"')
})

t.test('the history says who has given how much, and why', async (t) => {
  const { as, db, handle } = await start(t)
  const maria = await as('maria')
  const id = await place(await as('denis'), productLine(0, handle))
  const own = productLine(0, handle, { id: Number(linesOf(db, id)[0]?.id), agreed: 7 })
  t.equal((await send(maria, { ...own, ...reason }, `/orders/edit/${id}`)).statusCode, 303)
  const history = wordsOf(await (await as('root')).get(`/orders/edit/${id}?tab=history`))
  t.match(history, /Petrova/)
  t.match(history, /Discount 7.*Reason of the agreed discount A large order/)
})

t.test('the prices of a form that is being filled in follow it', async (t) => {
  const { as, cast, handle } = await start(t)
  const maria = await as('maria')
  const piece = async (fields: Fields) => {
    const answer = await maria.post('/orders/add/price', { dealer_id: cast.denis, ...fields }, htmx)
    t.equal(answer.statusCode, 200)
    return { answer, kopecks: /id="items.0.piece" data-kopecks="(\d+)"/.exec(answer.body)?.[1] }
  }
  t.match(await piece(productLine(0, handle)), { kopecks: '90000' })
  t.match(await piece(productLine(0, handle, { agreed: 4 })), { kopecks: '96000' })
  t.match(await piece({ ...productLine(0, handle), agreed: 3 }), { kopecks: '97000' })
  const { answer, kopecks } = await piece({ ...productLine(0, handle), agreed: 30 })
  t.equal(kopecks, undefined)
  t.match(elementById(answer, 'items.0.priced'), /up to 10%/)
})

t.test('without the catalog there is none', async (t) => {
  const { as, cast, db, doors } = await start(t)
  useCatalog(db, { catalog: false })
  const maria = await as('maria')
  t.equal(agreedInputs(await maria.get('/orders/add')), 0)
  const id = await place(maria, {
    dealer_id: cast.denis,
    agreed: 50,
    ...reason,
    ...line(0, doors, 'Door', 1, '100'),
    'items[0][agreed]': 50,
  })
  t.match(linesOf(db, id), [{ discount: 10, price_origin: null, agreed_reason: null }])
})

t.test('only superadministrators set the limit on the card of a manager', async (t) => {
  const { as, cast, db } = await start(t)
  grant(db, cast.admin, 'manager_can_view', 'manager_can_edit', 'manager_can_add')
  const [root, admin] = [await as('root'), await as('admin')]
  const address = `/managers/edit/${cast.plain}`
  t.equal((await root.post(address, { discount_limit: 12 })).statusCode, 303)
  t.equal(limitOf(db, cast.plain), 12)
  t.equal((await admin.post(address, { discount_limit: 50 })).statusCode, 403)
  t.equal((await admin.post(address, { discount_limit: '' })).statusCode, 403)
  const manager = { lastname: 'New', name: 'Nina', email: 'nina@example.com', password: 'a good password', active: 1 }
  t.equal((await admin.post('/managers/add', { ...manager, discount_limit: 50 })).statusCode, 403)
  t.equal((await admin.post(address, { position: 'Sales' })).statusCode, 303)
  t.equal(limitOf(db, cast.plain), 12)
  refused(t, await root.post(address, { discount_limit: 101 }), 'discount_limit', /whole number from 0 to 100/)
  t.equal((await root.post(address, { discount_limit: '' })).statusCode, 303)
  t.equal(limitOf(db, cast.plain), null)
})

t.test('prices of today keep the agreed discount', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle } = cabinet
  const id = await place(await as('maria'), { dealer_id: cast.denis, ...reason, ...productLine(0, handle, { agreed: 4 }) })
  db.update(orderItems)
    .set({ priced_on: dayIn(-20) })
    .run()
  db.update(productPrices).set({ price: 200_000 }).where(eq(productPrices.product_id, handle)).run()
  const step = transitionBetween(cabinet, 'new', 'apply').id
  t.equal((await requestTransition(await as('denis'), id, step, { prices: 'renew' })).statusCode, 303)
  t.match(linesOf(db, id), [{ price: 200_000, discount: 4, price_origin: 'agreed', piece_price: 192_000, agreed_reason: 'A large order' }])
})

t.test('one for the whole order needs a reason wherever it is given: placed, edited, in the API', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle } = cabinet
  const maria = await as('maria')
  const api = clientOf(cabinet, 'maria')
  const id = await place(maria, { dealer_id: cast.denis, ...productLine(0, handle) })
  const before = snapshotOrders(db)
  refused(t, await send(maria, { dealer_id: cast.denis, agreed: 10, ...productLine(0, handle) }), 'agreed_reason', /Give a reason/)
  refused(t, await maria.post(`/orders/edit/${id}`, { agreed: 10 }), 'agreed_reason', /Give a reason/)
  const item = { product_id: handle, quantity: 1 }
  t.match((await api.post('/orders', { dealer_id: cast.denis, agreed: 10, items: [item] })).json(), {
    errors: { agreed_reason: /Give a reason/ },
  })
  const { version } = (await api.get(`/orders/${id}`)).json()
  t.match((await api.patch(`/orders/${id}`, { version, agreed: 10 })).json(), { errors: { agreed_reason: /Give a reason/ } })
  t.equal(snapshotOrders(db), before)
  t.equal((await maria.post(`/orders/edit/${id}`, { agreed: 10, agreed_reason: 'Many' })).statusCode, 303)
  t.match(linesOf(db, id), [{ price_origin: 'agreed', agreed_reason: 'Many' }])
})
