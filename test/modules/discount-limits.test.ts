import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, contractPrices, productPrices, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Browser, type Fields, htmx } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { companyOf, discountsOf } from '../support/companies.ts'
import { errorsOf, fieldOf, parseHtml, textOf } from '../support/html.ts'
import { line, linesOf, newOrderId, orderOf, snapshotOrders, startWithDiscounts } from '../support/orders.ts'
import { allowCustom, dayIn, insertContractPrice, insertProduct, productLine, useCatalog } from '../support/products.ts'

/** Maria may give 12 %, Peter and Mikhail have no limit. Alpha gets 10 % off, 15 % off windows. A handle costs 1 000. */
async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  const { db, cast, doors } = cabinet
  useCatalog(db)
  db.update(users).set({ discount_limit: 12 }).where(eq(users.id, cast.maria)).run()
  for (const id of [cast.maria, cast.mikhail, cast.plain]) grant(db, id, 'order_can_add', 'order_can_edit', 'order_can_view')
  const handle = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: doors })
  return { ...cabinet, handle }
}

type Started = Awaited<ReturnType<typeof start>>
type Tap = Pick<typeof t, 'equal' | 'match' | 'same'>

/** An order of Denis of one handle, at 900. */
async function placeHandle({ as, db, handle }: Started, more: Fields = {}): Promise<{ id: number; item: number; address: string }> {
  const id = newOrderId(await (await as('denis')).post('/orders/add', { items: '', ...productLine(0, handle, more) }))
  return { id, item: Number(linesOf(db, id)[0]?.id), address: `/orders/edit/${id}` }
}

const custom = ({ doors }: Started, item: number, price: string | number, category: number = doors): Fields => ({
  ...line(0, category, 'Handle', 1, price, item),
  'items[0][product_id]': '',
})

function refused(t: Tap, answer: Answer, field: string, message: RegExp): void {
  t.equal(answer.statusCode, 422, field)
  t.match(errorsOf(answer)[field], message)
}

t.test('a line that loses its product is no cheaper than the product with the highest discount that one may give', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const { id, item, address } = await placeHandle(cabinet)
  const maria = await as('maria')
  // Doors are 10 % off: 977.77 is 879.99 then.
  const before = snapshotOrders(db)
  refused(t, await maria.post(address, custom(cabinet, item, '977,77')), 'items.0.price', /up to 12%.*880,00/)
  refused(t, await maria.post(address, custom(cabinet, item, '')), 'items.0.price', /up to 12%/)
  t.equal(snapshotOrders(db), before)
  t.equal((await maria.post(address, custom(cabinet, item, '977,78'))).statusCode, 303)
  t.match(linesOf(db, id), [{ product_id: null, piece_price: null, price: 97_778, discount: 10 }])
  t.equal(orderOf(db, id).cost, 88_000)
})

t.test('not in two steps either, nor with a category that gives more', async (t) => {
  const cabinet = await start(t)
  const { as, db, windows } = cabinet
  const { id, item, address } = await placeHandle(cabinet)
  const maria = await as('maria')
  t.equal((await maria.post(address, custom(cabinet, item, 900))).statusCode, 303, 'what the product was sold at')
  t.match(linesOf(db, id), [{ price: 90_000, discount: 0 }])
  const before = snapshotOrders(db)
  refused(t, await maria.post(address, custom(cabinet, item, 879)), 'items.0.price', /up to 12%/)
  refused(t, await maria.post(address, custom(cabinet, item, 1000, windows)), 'items.0.price', /up to 12%/)
  t.equal(snapshotOrders(db), before)
  t.equal((await maria.post(address, { ...custom(cabinet, item, 900), comment: 'Same' })).statusCode, 303)
  const root = await as('root')
  t.equal((await root.post(address, custom(cabinet, item, 1))).statusCode, 303, 'superadministrators have no limit')
  t.equal((await maria.post(address, { ...custom(cabinet, item, 1), comment: 'Kept' })).statusCode, 303, 'what others gave stays')
  refused(t, await maria.post(address, custom(cabinet, item, '0,99')), 'items.0.price', /up to 12%/)
})

t.test('a line that waits for its price keeps what it replaces', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha } = cabinet
  allowCustom(db, alpha)
  const { id, item, address } = await placeHandle(cabinet)
  const waiting = { ...custom(cabinet, item, ''), 'items[0][name]': 'Special handle' }
  t.equal((await (await as('denis')).post(address, waiting)).statusCode, 303)
  t.match(linesOf(db, id), [{ price: null }])
  const maria = await as('maria')
  t.equal((await maria.post(address, { ...waiting, comment: 'Not yet' })).statusCode, 303, 'it may go on to wait')
  refused(t, await maria.post(address, { ...waiting, 'items[0][price]': 977 }), 'items.0.price', /up to 12%/)
  t.equal((await maria.post(address, { ...waiting, 'items[0][price]': 978 })).statusCode, 303)
})

t.test('without a limit of their own managers give on a line what the company gets anyway, in the API alike', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, doors } = cabinet
  const { id, item, address } = await placeHandle(cabinet)
  const plain = await as('plain')
  refused(t, await plain.post(address, custom(cabinet, item, 999)), 'items.0.price', /up to 0%.*900,00/)
  const api = clientOf(cabinet, 'maria')
  const { version } = (await api.get(`/orders/${id}`)).json()
  const row = { id: item, product_id: null, category_id: doors, name: 'Handle', price: 100 }
  const answer = await api.patch(`/orders/${id}`, { version, items: [row] })
  t.equal(answer.statusCode, 422)
  t.match(answer.json().errors, { 'items.0.price': /up to 12%/ })
  t.match(linesOf(db, id), [{ piece_price: 90_000 }])
  t.equal((await plain.post(address, custom(cabinet, item, 1000))).statusCode, 303)
  grant(db, cast.maria, 'company_can_edit_discount')
  const now = (await api.get(`/orders/${id}`)).json().version
  t.equal((await api.patch(`/orders/${id}`, { version: now, items: [row] })).statusCode, 200, 'holders of the policy have none')
})

t.test('another category of a product gives no more than one may', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, windows, doors } = cabinet
  const { id, item, address } = await placeHandle(cabinet)
  const own = (category: number) => productLine(0, cabinet.handle, { id: item, category_id: category })
  const maria = await as('maria')
  refused(t, await maria.post(address, own(windows)), 'items.0.category_id', /up to 12%/)
  db.update(users).set({ discount_limit: 15 }).where(eq(users.id, cast.maria)).run()
  t.equal((await maria.post(address, own(windows))).statusCode, 303)
  db.update(users).set({ discount_limit: 12 }).where(eq(users.id, cast.maria)).run()
  t.equal((await maria.post(address, { ...own(windows), 'items[0][quantity]': 2 })).statusCode, 303, 'as it is written')
  t.match(linesOf(db, id), [{ category_id: windows, discount: 15, quantity: 2 }])
  t.equal((await maria.post(address, own(doors))).statusCode, 303)
  const mikhail = await as('mikhail')
  refused(t, await mikhail.post(address, own(windows)), 'items.0.category_id', /may not give agreed discounts/)
  t.equal((await mikhail.post(address, own(doors))).statusCode, 303)
})

t.test('discounts of a company go up to the limit, and stay where others set more', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, windows, doors, cast } = cabinet
  const address = `/company/edit/${alpha}`
  const [maria, root] = [await as('maria'), await as('root')]
  const row = (index: number, category: number, discount: number | string, id?: number): Fields => ({
    ...(id && { [`discounts[${index}][id]`]: id }),
    [`discounts[${index}][category_id]`]: category,
    [`discounts[${index}][discount]`]: discount,
  })
  const own = Number(discountsOf(cabinet, alpha)[0]?.id)
  refused(t, await maria.post(address, { discount: 13 }), 'discount', /up to 12%/)
  refused(t, await maria.post(address, row(3, doors, 13)), 'discounts.3.discount', /up to 12%/)
  refused(t, await maria.post(address, row(0, windows, 16, own)), 'discounts.0.discount', /up to 12%/)
  t.same([companyOf(cabinet, alpha).discount, discountsOf(cabinet, alpha).length], [10, 1])
  t.equal((await maria.post(address, { discount: 12, ...row(0, doors, 12) })).statusCode, 303)
  t.equal((await maria.post(address, { bank: 'Any', ...row(0, windows, 15, own) })).statusCode, 303, 'what others gave stays')
  t.equal((await root.post(address, { discount: 40, ...row(0, windows, 2, own) })).statusCode, 303)
  const left = await maria.post(address, { discounts: '', ...row(0, doors, 12) })
  t.equal(left.statusCode, 422, 'without its own discount a category has the base discount')
  t.match(textOf(left.body), /up to 12%/)
  t.equal((await maria.post(address, { discount: 30 })).statusCode, 303, 'dearer than it was')
  refused(t, await maria.post(address, { discount: 31 }), 'discount', /up to 12%/)
  t.equal((await maria.post(address, { discount: '' })).statusCode, 303)
  refused(t, await maria.post(address, { discount: 13 }), 'discount', /up to 12%/)
  const api = clientOf(cabinet, 'maria')
  const { version } = (await api.get(`/companies/${alpha}`)).json()
  t.match((await api.patch(`/companies/${alpha}`, { version, discount: 100 })).json(), { errors: { discount: /up to 12%/ } })
  db.update(users).set({ discount_limit: null }).where(eq(users.id, cast.maria)).run()
  t.equal((await maria.post(address, { discount: 100 })).statusCode, 303, 'without a limit as specified: whoever edits the company')
})

t.test('contract prices go down to the list price less the limit', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, handle, cast } = cabinet
  const address = `/company/edit/${alpha}?tab=prices`
  const maria = await as('maria')
  const price = (price: string | number, from: string, until = '', id?: number): Fields => ({
    contract_prices: '',
    ...(id && { 'contract_prices[0][id]': id }),
    'contract_prices[0][product_id]': handle,
    'contract_prices[0][from]': from,
    'contract_prices[0][until]': until,
    'contract_prices[0][price]': price,
  })
  const stored = () => db.select().from(contractPrices).all()
  for (const from of [dayIn(-5), dayIn(0), dayIn(5)])
    refused(t, await maria.post(address, price('879,99', from)), 'contract_prices.0.price', /up to 12%/)
  t.equal(stored().length, 0)
  t.equal((await maria.post(address, price('880', dayIn(-5)))).statusCode, 303)
  db.update(contractPrices)
    .set({ price: 50_000, until: dayIn(3) })
    .run()
  const id = Number(stored()[0]?.id)
  t.equal((await maria.post(address, price(500, dayIn(-5), dayIn(3), id))).statusCode, 303, 'what others gave stays')
  t.equal((await maria.post(address, price(600, dayIn(-5), dayIn(2), id))).statusCode, 303, 'and may become dearer')
  refused(t, await maria.post(address, price(600, dayIn(-5), dayIn(3), id)), 'contract_prices.0.price', /up to 12%/)
  refused(t, await maria.post(address, price(599, dayIn(-5), dayIn(2), id)), 'contract_prices.0.price', /up to 12%/)
  t.equal((await maria.post(address, price(1, dayIn(-9), dayIn(-8), id))).statusCode, 303, 'what is over costs nobody anything')
  db.update(companies).set({ discount: 40 }).where(eq(companies.id, alpha)).run()
  t.equal((await maria.post(address, price(600, dayIn(0), '', id))).statusCode, 303, 'what the company pays anyway')
  refused(t, await maria.post(address, price(599, dayIn(0), '', id)), 'contract_prices.0.price', /up to 12%/)
  db.update(users).set({ discount_limit: 50 }).where(eq(users.id, cast.maria)).run()
  t.equal((await maria.post(address, price(599, dayIn(0), '', id))).statusCode, 303)
})

t.test('managers without a limit are shown no fields for agreed discounts, and change none', async (t) => {
  const cabinet = await start(t)
  const { as, cast, handle, db } = cabinet
  const [maria, plain] = [await as('maria'), await as('plain')]
  const agreed = (answer: Answer) => parseHtml(answer.body)('[name*="agreed"]').length
  t.not(agreed(await maria.get('/orders/add')), 0)
  t.equal(agreed(await plain.get('/orders/add')), 0)
  const reason = { dealer_id: cast.denis, agreed_reason: 'Many', items: '' }
  const id = newOrderId(await maria.post('/orders/add', { ...reason, ...productLine(0, handle, { agreed: 11, quantity: 3 }) }))
  const address = `/orders/edit/${id}`
  t.equal(agreed(await plain.get(address)), 0)
  const own = productLine(0, handle, { id: Number(linesOf(db, id)[0]?.id), quantity: 2 })
  t.equal((await plain.post(address, own)).statusCode, 303)
  t.match(linesOf(db, id), [{ quantity: 2, discount: 11, price_origin: 'agreed', agreed_reason: 'Many' }])
  grant(db, cast.plain, 'company_can_edit_discount')
  t.not(agreed(await plain.get('/orders/add')), 0, 'holders of the policy have no limit')
  t.equal((await plain.post(address, { ...own, 'items[0][agreed]': 100, agreed_reason: 'All' })).statusCode, 303)
  grant(db, cast.denis, 'company_can_edit_discount')
  t.equal(agreed(await (await as('denis')).get('/orders/add')), 0, 'but dealers give none')
})

t.test('an agreed discount lower than the company has is meant, or refused; the form shows the price now and then', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle, alpha } = cabinet
  const maria = await as('maria')
  const order = { dealer_id: cast.denis, agreed_reason: 'Many', items: '' }
  const send = (browser: Browser, fields: Fields) => browser.post('/orders/add', { ...order, ...fields })
  const onLine = (agreed: number) => productLine(0, handle, { agreed })
  const before = snapshotOrders(db)
  const answer = await send(maria, onLine(9))
  refused(t, answer, 'items.0.agreed', /900,00.*910,00/)
  t.match(parseHtml(answer.body)('.line-price, .line-origin').text(), /910,00[\s\S]*Without the agreed discount: 900,00/)
  t.equal(fieldOf(answer, 'items[0][agreed]')?.value, '9')
  refused(t, await send(maria, { ...productLine(0, handle), agreed: 9 }), 'agreed', /900,00.*910,00/)
  refused(t, await send(maria, { ...onLine(9), agreed_raises: 0 }), 'items.0.agreed', /900,00/)
  const api = clientOf(cabinet, 'maria')
  const posted = { dealer_id: cast.denis, agreed_reason: 'Many', items: [{ product_id: handle, quantity: 1, agreed: 9 }] }
  t.match((await api.post('/orders', posted)).json(), { status: 422, errors: { 'items.0.agreed': /910,00/ } })
  t.equal(snapshotOrders(db), before)
  t.equal((await send(maria, onLine(10))).statusCode, 303, 'the same price is no higher one')
  t.equal((await send(maria, { ...onLine(9), agreed_raises: 1 })).statusCode, 303)
  t.equal((await api.post('/orders', { ...posted, agreed_raises: true })).statusCode, 201)
  insertContractPrice(db, alpha, handle, 89_000)
  t.equal((await send(maria, onLine(1))).statusCode, 303, 'less than the contract price')
})

t.test('an agreed discount takes no more than the limit off the list price, be there a contract price or not', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, handle, alpha, doors } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const later = insertProduct(db, { article: 'L-1', name: 'Later', category_id: doors }, [[dayIn(5), 100_000]])
  const panel = insertProduct(db, { article: 'P-1', name: 'Panel', category_id: doors, unit: 'm2', basis: 'area' })
  const unlisted = insertProduct(db, { article: 'U-1', name: 'Unlisted', category_id: doors }, [])
  for (const product of [handle, later, panel, unlisted]) insertContractPrice(db, alpha, product, 97_777)
  const order = { dealer_id: cast.denis, agreed_reason: 'Many', agreed_raises: 1, items: '' }
  const send = (browser: Browser, fields: Fields) => browser.post('/orders/add', { ...order, ...fields })
  const before = snapshotOrders(db)
  for (const product of [handle, later]) {
    refused(t, await send(maria, productLine(0, product, { agreed: 10 })), 'items.0.agreed', /up to 12% off the list price.*880,00/)
    refused(t, await send(maria, { ...productLine(0, product), agreed: 10 }), 'items.0.agreed', /up to 12%/)
  }
  const size = { width: 500, height: 1000 }
  refused(t, await send(maria, productLine(0, panel, { ...size, agreed: 12 })), 'items.0.agreed', /440,00/)
  const api = clientOf(cabinet, 'maria')
  const { items: _, ...posted } = order
  t.match(
    (await api.post('/orders', { ...posted, agreed_raises: true, items: [{ product_id: handle, quantity: 1, agreed: 10 }] })).json(),
    {
      status: 422,
      errors: { 'items.0.agreed': /880,00/ },
    },
  )
  t.equal(snapshotOrders(db), before)
  t.equal((await send(maria, productLine(0, panel, { ...size, agreed: 9 }))).statusCode, 303)
  t.equal(
    (await send(maria, productLine(0, unlisted, { agreed: 12 }))).statusCode,
    303,
    'without a list price it is off the contract price',
  )
  t.equal((await send(root, productLine(0, handle, { agreed: 10 }))).statusCode, 303, 'superadministrators have no limit')
  db.update(contractPrices).set({ price: 97_778 }).run()
  t.equal((await send(maria, productLine(0, handle, { agreed: 10 }))).statusCode, 303, 'just as much as the limit')
  db.update(contractPrices).set({ price: 50_000 }).run()
  t.equal((await send(maria, productLine(0, handle))).statusCode, 303, 'what the company pays anyway')
  t.equal((await send(maria, productLine(0, handle, { agreed: 0 }))).statusCode, 303, 'and no less')
  refused(t, await send(maria, productLine(0, handle, { agreed: 1 })), 'items.0.agreed', /up to 12%/)
})

t.test('contract prices are compared with those of the list on each day on which one of either begins', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, handle, doors } = cabinet
  const maria = await as('maria')
  const later = insertProduct(db, { article: 'L-1', name: 'Later', category_id: doors }, [[dayIn(10), 100_000]])
  const unlisted = insertProduct(db, { article: 'U-1', name: 'Unlisted', category_id: doors }, [])
  db.insert(productPrices)
    .values([
      { product_id: later, from: dayIn(20), price: 50_000 },
      { product_id: handle, from: dayIn(10), price: 120_000 },
      { product_id: handle, from: dayIn(20), price: 130_000 },
    ])
    .run()
  const send = (product: number, price: number | string, from: string, until = '') =>
    maria.post(`/company/edit/${alpha}?tab=prices`, {
      contract_prices: '',
      'contract_prices[0][product_id]': product,
      'contract_prices[0][from]': from,
      'contract_prices[0][until]': until,
      'contract_prices[0][price]': price,
    })
  const place = 'contract_prices.0.price'
  refused(t, await send(handle, 880, dayIn(0)), place, /up to 12%/)
  refused(t, await send(handle, 880, dayIn(0), dayIn(10)), place, /up to 12%/)
  refused(t, await send(handle, 1143, dayIn(0)), place, /up to 12%/)
  for (const from of [dayIn(0), dayIn(10), dayIn(11)]) refused(t, await send(later, '879,99', from), place, /up to 12%/)
  refused(t, await send(later, 500, dayIn(0), dayIn(9)), place, /up to 12%/)
  t.equal(db.select().from(contractPrices).all().length, 0)
  t.equal((await send(handle, 880, dayIn(0), dayIn(9))).statusCode, 303, 'the list price of tomorrow is for tomorrow')
  t.equal((await send(handle, 1056, dayIn(0), dayIn(19))).statusCode, 303)
  t.equal((await send(handle, 1144, dayIn(0))).statusCode, 303)
  t.equal((await send(later, 880, dayIn(0))).statusCode, 303)
  t.equal((await send(unlisted, 1, dayIn(0))).statusCode, 303, 'there is nothing to compare with')
})

t.test('a line without product in place of one with a product of its category, in one saving, is that line', async (t) => {
  const cabinet = await start(t)
  const { as, db, doors, windows, handle } = cabinet
  const { id, item, address } = await placeHandle(cabinet)
  const [maria, plain, root] = [await as('maria'), await as('plain'), await as('root')]
  const free = (price: string | number, at = 0, category = doors): Fields => ({
    items: '',
    ...line(at, category, 'Any handle', 1, price),
    [`items[${at}][product_id]`]: '',
  })
  const before = snapshotOrders(db)
  refused(t, await maria.post(address, free('977,77')), 'items.0.price', /up to 12%.*880,00/)
  refused(t, await plain.post(address, free(999)), 'items.0.price', /up to 0%.*900,00/)
  const priced = await maria.post(`/orders/add/price?order=${id}`, free('977,77'), htmx)
  t.match(textOf(priced.body), /up to 12%/)
  const api = clientOf(cabinet, 'maria')
  const { version } = (await api.get(`/orders/${id}`)).json()
  const row = { product_id: null, category_id: doors, name: 'Any handle', quantity: 1, price: 100 }
  t.match((await api.patch(`/orders/${id}`, { version, items: [row] })).json(), { errors: { 'items.0.price': /up to 12%/ } })
  t.equal(snapshotOrders(db), before)
  const kept = { ...productLine(0, handle, { id: item }), ...free(1, 1) }
  t.equal((await maria.post(address, kept)).statusCode, 303, 'a line of its own beside the product')
  t.equal((await maria.post(address, { ...productLine(0, handle), ...free(1, 1) })).statusCode, 303, 'whichever rows they are')
  t.match(linesOf(db, id), [{ product_id: handle }, { product_id: null, price: 100, replaced_price: null }])
  t.equal((await maria.post(address, { items: '', ...productLine(0, handle) })).statusCode, 303)
  t.equal((await maria.post(address, free(978))).statusCode, 303)
  t.match(linesOf(db, id), [{ product_id: null, price: 97_800, replaced_price: 100_000 }])
  refused(t, await maria.post(address, free(977)), 'items.0.price', /up to 12%/)
  refused(t, await maria.post(address, { ...productLine(0, handle), ...free(977, 1) }), 'items.1.price', /up to 12%/)
  t.equal((await root.post(address, free(1))).statusCode, 303, 'superadministrators have no limit')
  t.match(linesOf(db, id), [{ price: 100, replaced_price: null }])
  const other = await placeHandle(cabinet)
  t.equal((await maria.post(other.address, free(1, 0, windows))).statusCode, 303, 'one of another category is a line of its own')
})

t.test('each line takes the place of one: two of two, and a dealer of none', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, doors, handle } = cabinet
  allowCustom(db, alpha)
  const [maria, denis] = [await as('maria'), await as('denis')]
  const cheap = insertProduct(db, { article: 'H-2', name: 'Cheap', category_id: doors }, [[dayIn(-30), 10_000]])
  const free = (at: number, price: string | number): Fields => ({
    ...line(at, doors, `Any ${at}`, 1, price),
    [`items[${at}][product_id]`]: '',
  })
  const both = { items: '', ...productLine(0, cheap), ...productLine(1, handle) }
  const id = newOrderId(await denis.post('/orders/add', both))
  const address = `/orders/edit/${id}`
  const answer = await maria.post(address, { items: '', ...free(0, 99), ...free(1, 99), ...free(2, 1) })
  refused(t, answer, 'items.1.price', /880,00/)
  t.same(Object.keys(errorsOf(answer)), ['items.1.price'])
  t.equal((await maria.post(address, { items: '', ...free(0, 99), ...free(1, 990), ...free(2, 1) })).statusCode, 303)
  t.same(
    linesOf(db, id).map(({ replaced_price }) => replaced_price),
    [10_000, 100_000, null],
  )
  const own = await placeHandle(cabinet)
  t.equal((await denis.post(own.address, { items: '', ...free(0, '') })).statusCode, 303)
  t.match(linesOf(db, own.id), [{ price: null, replaced_price: null }])
})
