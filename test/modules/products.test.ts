import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, changes, orderItems, productPrices, products } from '../../src/database/schema/index.ts'
import { formatCalendarDate } from '../../src/i18n/format.ts'
import { clientFor } from '../support/api.ts'
import { type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { columnsOf, elementsOf, errorsOf, fieldOf, idsOf, parseHtml, rowsOf, textOf } from '../support/html.ts'
import { startWithDiscounts } from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct } from '../support/products.ts'

const kopecksOf = (html: string) => Number(/data-col="(?:own_)?price"[^>]*data-kopecks="(\d+)"/.exec(html)?.[1])

t.test('an administrator adds a product with prices from their days, and only the one of today counts', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  const fields = {
    article: 'W-1',
    name: 'Window',
    category_id: cast.category,
    unit: 'm2',
    basis: 'area',
    minimum: '0,5',
    width_min: 400,
    width_max: 2000,
    external_id: '1C-77',
    'prices[0][from]': dayIn(-1),
    'prices[0][price]': '12400',
    'prices[1][from]': dayIn(30),
    'prices[1][price]': '13000,50',
  }
  const added = await admin.post('/products/add', { ...fields, prices: '' })
  t.equal(added.statusCode, 303, JSON.stringify(errorsOf(added)))
  const product = db.select().from(products).get()
  t.match(product, { article: 'W-1', unit: 'm2', basis: 'area', minimum: 50, width_min: 400, active: true, external_id: '1C-77' })
  t.same(added.headers.location, `/products/edit/${product?.id}`)
  const list = await admin.get('/products')
  t.same(columnsOf(list), ['article', 'name', 'category', 'unit', 'price', 'active'])
  t.equal(kopecksOf(rowsOf(list, 'products')[0]?.html ?? ''), 1_240_000)
  t.equal(fieldOf(await admin.get(`/products/edit/${product?.id}`), 'minimum')?.value, '0,5')
  const [created] = db.select().from(changes).where(eq(changes.entity, 'products')).all()
  t.match(created, { action: 'create', label: 'W-1 Window' })
  t.match(created?.fields.prices?.[1], [{ price: 1_240_000 }, { price: 1_300_050 }], 'prices are in the history')
})

t.test('what is wrong with a product is said at its field, and nothing is saved (422)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  insertProduct(db, { article: 'Дверь-1' })
  const fields = { article: 'A', name: 'A', category_id: cast.category }
  const price = (index: number, from: string, amount: string) => ({ [`prices[${index}][from]`]: from, [`prices[${index}][price]`]: amount })
  const wrong: [object, string][] = [
    [{ article: '' }, 'article'],
    [{ article: ' ДВЕРЬ-1 ' }, 'article'],
    [{ name: '' }, 'name'],
    [{ category_id: '' }, 'category_id'],
    [{ unit: 'kg' }, 'unit'],
    [{ basis: 'volume' }, 'basis'],
    [{ minimum: '-1' }, 'minimum'],
    [{ minimum: '0,125' }, 'minimum'],
    [{ minimum: '0' }, 'minimum'],
    [{ minimum: '10000,01' }, 'minimum'],
    [{ width_min: '1,5' }, 'width_min'],
    [{ width_min: 0 }, 'width_min'],
    [{ height_max: 100_001 }, 'height_max'],
    [{ width_min: 500, width_max: 400 }, 'width_max'],
    [{ height_min: 500, height_max: 400 }, 'height_max'],
    [price(0, '', '1'), 'prices.0.from'],
    [price(0, '2026-13-01', '1'), 'prices.0.from'],
    [price(0, '2026-01-01', ''), 'prices.0.price'],
    [price(0, '2026-01-01', '-1'), 'prices.0.price'],
    [price(0, '2026-01-01', '1,005'), 'prices.0.price'],
    [price(0, '2026-01-01', '10000000,01'), 'prices.0.price'],
    [{ ...price(0, '2026-01-01', '1'), ...price(1, '2026-01-01', '2') }, 'prices.1.from'],
  ]
  for (const [more, field] of wrong) {
    const answer = await admin.post('/products/add', { ...fields, ...more } as never)
    t.equal(answer.statusCode, 422, JSON.stringify(more))
    t.ok(errorsOf(answer)[field], `${field}: ${JSON.stringify(errorsOf(answer))}`)
  }
  const other = insertProduct(db, { article: 'B' })
  const taken = await admin.post(`/products/edit/${other}`, { article: 'двёрь-1' })
  t.same([taken.statusCode, errorsOf(taken).article], [422, 'Another product has this article.'])
  t.equal((await admin.post(`/products/edit/${other}`, { article: 'b' })).statusCode, 303, 'its own article may change its case')
  t.equal(db.select().from(products).all().length, 2)
  t.equal(db.select().from(productPrices).all().length, 2)
})

t.test('whoever may not see prices gives a new product none, by form, by row or by API', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  revoke(db, cast.admin, 'order_can_view_prices')
  const admin = await as('admin')
  t.equal(elementsOf((await admin.get('/products/add')).body, '[name^="prices"]').length, 0)
  const fields = { article: 'W-1', name: 'Window', category_id: cast.category, unit: 'pcs', basis: 'each' }
  const price = { prices: '', 'prices[0][from]': dayIn(-1), 'prices[0][price]': '0,01' }
  t.equal((await admin.post('/products/add', { ...fields, ...price })).statusCode, 303)
  const api = clientFor(cabinet, cast.admin)
  await api.post('/products', { ...fields, article: 'W-2', prices: [{ from: dayIn(-1), price: 1 }] })
  t.same(db.select().from(productPrices).all(), [])
  t.ok(db.select().from(products).all().length > 0)
})

t.test('of two people who change the price of one day the second is told (409), different days are merged', async (t) => {
  const { as, db } = await startCabinet(t)
  const id = insertProduct(db, { article: 'A' }, [['2026-01-01', 100]])
  const row = db.select().from(productPrices).get()?.id as number
  const prices = (amount: string, more: object = {}) =>
    ({ version: 1, prices: '', 'prices[0][id]': row, 'prices[0][from]': '2026-01-01', 'prices[0][price]': amount, ...more }) as never
  const [admin, root] = [await as('admin'), await as('root')]
  t.equal((await admin.post(`/products/edit/${id}`, prices('2'))).statusCode, 303)
  const second = await root.post(`/products/edit/${id}`, prices('3'))
  t.equal(second.statusCode, 409)
  t.equal(db.select().from(productPrices).get()?.price, 200)
})

t.test('the form of a new product begins with a price of today, which is required unless its row is taken out', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  const form = await admin.get('/products/add')
  t.equal(fieldOf(form, 'prices[0][from]')?.value, dayIn(0))
  t.equal(fieldOf(form, 'prices[0][price]')?.value, '')
  t.equal(fieldOf(form, 'prices[1][from]'), undefined)
  const marked = parseHtml(form.body)('#prices label:has(.required-mark)').toArray()
  t.same(
    marked.map((label) => label.attribs.for),
    ['prices.0.from', 'prices.0.price'],
    'both are marked',
  )
  const sent = { name: 'Window', category_id: cast.category, unit: 'pcs', basis: 'each', prices: '' }
  const first = { 'prices[0][from]': dayIn(0) }
  const unpriced = await admin.post('/products/add', { article: 'P-0', ...sent, ...first, 'prices[0][price]': '' })
  t.equal(unpriced.statusCode, 422)
  t.same(errorsOf(unpriced), { 'prices.0.price': 'Enter a price.' })
  t.equal(fieldOf(unpriced, 'prices[0][from]')?.value, dayIn(0), 'its day is not lost')
  t.equal((await admin.post('/products/add', { article: 'P-0', ...sent })).statusCode, 303, 'without a row it has no price')
  t.same(db.select().from(productPrices).all(), [])
  t.equal((await admin.post('/products/add', { article: 'P-1', ...sent, ...first, 'prices[0][price]': '150' })).statusCode, 303)
  t.match(db.select().from(productPrices).all(), [{ from: dayIn(0), price: 15_000 }])
  const removed = await admin.post('/products/add', { article: 'P-3', ...sent, ...first, _remove: 'prices.0' })
  t.equal(fieldOf(removed, 'prices[0][from]'), undefined, 'taken out it stays out')
  const [product] = db.select().from(products).all()
  t.equal(fieldOf(await admin.get(`/products/edit/${product?.id}`), 'prices[0][from]'), undefined, 'what is there shows what it has')
})

t.test('each price says by how much it differs from the one before it', async (t) => {
  const { as, db } = await startCabinet(t)
  const id = insertProduct(db, { article: 'W' }, [
    ['2026-01-01', 0],
    ['2026-02-01', 20_000],
    ['2026-03-01', 21_500],
    ['2026-04-01', 21_500],
    ['2026-05-01', 18_060],
  ])
  const $ = parseHtml((await (await as('admin')).get(`/products/edit/${id}?tab=data`)).body)
  const said = [0, 1, 2, 3, 4].map((at) => $(`[id="prices.${at}.price-hint"]`).text().trim())
  t.strictSame(said, ['', '', '+7.5% to the previous price', '', '−16% to the previous price'])
})

t.test('a price that is added on the card begins today, unless one does; without a price or a day it is refused (422)', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const id = insertProduct(db, { article: 'W' }, [[dayIn(-5), 100]])
  const card = `/products/edit/${id}`
  const added = async () => fieldOf(await admin.get(`${card}/prices/row?index=1&rows=1`, htmx), 'prices[1][from]')?.value
  t.equal(await added(), dayIn(0))
  const kept = { prices: '', 'prices[0][id]': 1, 'prices[0][from]': dayIn(-5), 'prices[0][price]': '1' }
  const second = (from: string, price: string) => ({ ...kept, 'prices[1][from]': from, 'prices[1][price]': price })
  const bare = await admin.post(card, second(dayIn(0), ''))
  t.same([bare.statusCode, errorsOf(bare)], [422, { 'prices.1.price': 'Enter a price.' }])
  t.equal(fieldOf(bare, 'prices[1][from]')?.value, dayIn(0))
  const undated = await admin.post(card, second('', '2'))
  t.same(errorsOf(undated), { 'prices.1.from': 'Enter from when it is valid.' })
  t.equal(fieldOf(undated, 'prices[1][price]')?.value, '2')
  t.equal((await admin.post(card, second(dayIn(0), '2'))).statusCode, 303)
  t.equal(await added(), '', 'no two begin on one day')
})

t.test('in the list a price stands beside the unit that it is for, whatever the product is counted in', async (t) => {
  const { as, db } = await startCabinet(t)
  insertProduct(db, { article: 'A', unit: 'pcs', basis: 'area' })
  insertProduct(db, { article: 'B', unit: 'pcs', basis: 'length' })
  insertProduct(db, { article: 'C', unit: 'set', basis: 'each' })
  for (const name of ['admin', 'denis'] as const) {
    const list = await (await as(name)).get('/products?sort=article')
    const units = rowsOf(list, 'products').map(({ cells }) => cells.unit)
    t.same(units, ['m²', 'm', 'kit'], name)
  }
})

t.test('dealers see products for sale with their own price, and no list price', async (t) => {
  const { as, db, windows, doors, cast } = await startWithDiscounts(t)
  const window = insertProduct(db, { article: 'W', category_id: windows }, [[dayIn(-1), 100_000]])
  const door = insertProduct(db, { article: 'D', category_id: doors }, [[dayIn(-1), 100_001]])
  const agreed = insertProduct(db, { article: 'G', category_id: doors })
  const later = insertProduct(db, { article: 'L', category_id: doors }, [[dayIn(1), 77_700]])
  const off = insertProduct(db, { article: 'O', category_id: doors, active: false })
  insertContractPrice(db, cast.companies.alpha, agreed, 55_500)
  insertContractPrice(db, cast.companies.beta, window, 44_400)
  const denis = await as('denis')
  const list = await denis.get('/products?sort=article')
  t.same(columnsOf(list), ['article', 'name', 'category', 'unit', 'own_price'])
  const prices = Object.fromEntries(rowsOf(list, 'products').map(({ id, html }) => [id, kopecksOf(html)]))
  t.same(prices, { [window]: 85_000, [door]: 90_001, [agreed]: 55_500, [later]: Number.NaN })
  t.notOk(idsOf(list, 'products').includes(off))
  t.equal((await denis.get(`/products/edit/${off}`)).statusCode, 403)
  const card = await denis.get(`/products/edit/${window}`)
  t.match(textOf(card.body), /Your price 850,00 ₽/)
  t.match(textOf(card.body), /list 1 000,00 ₽, category Windows 15%/)
  t.notOk(fieldOf(card, 'prices[0][price]'))
  for (const path of ['/products', `/products/edit/${window}`, `/products/edit/${later}`, '/products/export?format=csv', '/find?q=product'])
    t.notMatch((await denis.get(path)).body, /444|777/, `${path} holds neither another company's price nor one of tomorrow`)
  t.match((await denis.get('/products/export?format=csv')).body, /Your price/)
  const daria = await (await as('daria')).get('/products')
  t.equal(kopecksOf(rowsOf(daria, 'products').find(({ id }) => id === window)?.html ?? ''), 44_400)
  t.equal((await denis.post(`/products/edit/${window}`, { name: 'Mine' })).statusCode, 403)
})

t.test('without the permission there are no products (403)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const id = insertProduct(db, { article: 'A' })
  t.equal((await (await as('pavel')).get('/products')).statusCode, 403)
  revoke(db, cast.denis, 'product_can_view')
  for (const path of ['/products', '/products/export', `/products/edit/${id}`])
    t.equal((await (await as('denis')).get(path)).statusCode, 403, path)
  t.equal((await (await as('maria')).get(`/products/edit/${id}`)).statusCode, 200)
  t.equal((await (await as('maria')).post('/products/add', { article: 'B' })).statusCode, 403)
})

t.test('products are found by article, name, category and external ID', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const id = insertProduct(db, { article: 'ABC-100', name: 'Ёлочная дверь', category_id: cast.category, external_id: 'ext-9' })
  insertProduct(db, { article: 'ZZ' })
  const admin = await as('admin')
  for (const q of ['abc-1', 'елочн', 'windows', 'EXT-9'])
    t.same(idsOf(await admin.get(`/products?q=${encodeURIComponent(q)}`), 'products'), [id], q)
  t.match((await admin.get('/find?q=abc-100')).body, new RegExp(`data-found="products-${id}"`))
  t.same(idsOf(await admin.get(`/products?category=${cast.category}`), 'products'), [id])
})

t.test('prices of many are changed from a day, after a preview', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const one = insertProduct(db, { article: 'A' }, [[dayIn(-1), 10_050]])
  const two = insertProduct(db, { article: 'B' }, [
    [dayIn(-1), 10_000],
    [dayIn(9), 20_000],
  ])
  const none = insertProduct(db, { article: 'C' }, [[dayIn(90), 20_000]])
  const admin = await as('admin')
  const pricesOf = (id: number) =>
    db
      .select()
      .from(productPrices)
      .where(eq(productPrices.product_id, id))
      .all()
      .map(({ from, price }) => [from, price])
  const body = { id: [one, two, none], percent: '3,5', from: dayIn(10), once: 'once-0001-prices' }
  const preview = await admin.post('/products/prices', { ...body, _preview: 1 })
  t.equal(preview.statusCode, 200)
  t.match(
    textOf(elementsOf(preview.body, '#price-preview')[0] ?? ''),
    /A Product A 100,50 ₽ 104,02 ₽ B Product B 200,00 ₽ 207,00 ₽ C Product C It has no price/,
  )
  t.equal(pricesOf(one).length, 1, 'nothing is saved')
  const done = await admin.post('/products/prices', body)
  t.match(textOf(done.body), /Prices of 2 products changed/)
  t.same(pricesOf(one), [
    [dayIn(-1), 10_050],
    [dayIn(10), 10_402],
  ])
  t.same(pricesOf(two).at(-1), [dayIn(10), 20_700])
  await admin.post('/products/prices', body)
  t.equal(pricesOf(one).length, 2, 'sent again it changes nothing')
  await admin.post('/products/prices', { id: one, amount: '-4,02', from: dayIn(10) })
  t.same(
    pricesOf(one),
    [
      [dayIn(-1), 10_050],
      [dayIn(10), 10_000],
    ],
    'the price of that day is replaced',
  )
  await admin.post('/products/prices', { id: one, amount: '-100', from: dayIn(10) })
  t.same(pricesOf(one).at(-1), [dayIn(10), 0], 'it may cost nothing')
  const below = await admin.post('/products/prices', { id: one, amount: '-0,01', from: dayIn(10) })
  t.match(textOf(below.body), /1 product was not changed:.*The new price would not be between 0 and/)
  t.same(pricesOf(one).at(-1), [dayIn(10), 0], 'and nothing less')
  for (const wrong of [{}, { percent: 1, amount: 1 }, { percent: 'x' }, { percent: 1, from: '' }])
    t.equal((await admin.post('/products/prices', { id: one, from: dayIn(1), ...wrong } as never)).statusCode, 422, JSON.stringify(wrong))
  t.equal((await (await as('maria')).post('/products/prices', body)).statusCode, 403)

  const offer = '#products-bulk [formaction="/products/prices"]'
  t.equal(elementsOf((await admin.get('/products')).body, offer).length, 1)
  revoke(db, cast.admin, 'order_can_view_prices')
  const before = pricesOf(two)
  const attempts: Fields[] = [body, { ...body, _preview: 1 }, { id: two, amount: '1', from: dayIn(20) }]
  for (const attempt of attempts) {
    const refused = await admin.post('/products/prices', { ...attempt, once: 'once-0002-prices' })
    t.equal(refused.statusCode, 403, 'whoever may not see prices neither reads nor changes them here')
    t.notMatch(refused.body, /data-kopecks|₽/)
  }
  t.equal((await admin.get(`/products/prices?id=${two}`)).statusCode, 403)
  t.equal(elementsOf((await admin.get('/products')).body, offer).length, 0)
  t.same(pricesOf(two), before)
})

t.test('before prices of many are changed ten products are named and the others counted', async (t) => {
  const { as, db } = await startCabinet(t)
  const ids = Array.from({ length: 11 }, (_, at) => insertProduct(db, { article: `A-${10 + at}` }))
  const admin = await as('admin')
  const asked = async (some: number[]) => {
    const { body } = await admin.get(`/products/prices?${some.map((id) => `id=${id}`).join('&')}`)
    return elementsOf(body, '.confirm-names li').map((name) => textOf(name))
  }
  const all = await asked(ids)
  t.same([all.length, all[0], all.at(-1)], [11, 'A-10 Product A-10', 'and 1 more'])
  const ten = await asked(ids.slice(1))
  t.same([ten.length, ten.at(-1)], [10, 'A-20 Product A-20'], 'of ten each is named')
})

t.test('what a product lacks has a dash in the list: category, price of today', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const whole = insertProduct(db, { article: 'A', category_id: cast.category })
  const bare = insertProduct(db, { article: 'B' }, [[dayIn(5), 100]])
  const rows = rowsOf(await (await as('admin')).get('/products'), 'products')
  const cells = (id: number) => rows.find((row) => row.id === id)?.cells
  t.match(cells(whole), { category: 'Windows', price: /^1\s000,00\s₽$/ })
  t.match(cells(bare), { category: '—', price: '—' })
})

t.test('a deleted product leaves its order lines as they are, and comes back with its prices unless its article is taken', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const id = insertProduct(db, { article: 'A' })
  insertContractPrice(db, cast.companies.alpha, id, 500)
  const line = { order_id: cast.order, name: 'A', quantity: 1, price: 100, discount: 0, product_id: id, piece_price: 100 }
  db.insert(orderItems).values(line).run()
  const admin = await as('admin')
  t.match(textOf((await admin.get(`/products/delete?id=${id}`)).body), /1 contract price will also be deleted.*1 order line will lose/)
  t.equal((await admin.post('/products/delete', { id })).statusCode, 303)
  t.match(db.select().from(orderItems).get(), { ...line, product_id: null })
  const other = insertProduct(db, { article: 'a' })
  const restore = async () => {
    const page = await admin.get('/bin')
    const action = /action="([^"]*\/bin\/[^"]*restore[^"]*)"/.exec(page.body)?.[1] as string
    return admin.post(action)
  }
  t.equal((await restore()).statusCode, 409)
  db.delete(products).where(eq(products.id, other)).run()
  t.equal((await restore()).statusCode, 303)
  t.equal(db.select().from(productPrices).all().length, 1)
  t.equal(db.select().from(orderItems).get()?.product_id, id)
})

t.test('what is switched off in the list is no longer for sale', async (t) => {
  const { as, db } = await startCabinet(t)
  const id = insertProduct(db, { article: 'A' })
  t.equal((await (await as('maria')).post(`/products/${id}/active`, { value: 0 })).statusCode, 403)
  t.equal((await (await as('admin')).post(`/products/${id}/active`, { value: 0 })).statusCode, 303)
  t.equal(db.select().from(products).get()?.active, false)
  t.same(idsOf(await (await as('denis')).get('/products'), 'products'), [])
})

const facts = (body: string) => textOf(elementsOf(body, '.record-facts')[0] ?? '').replaceAll(/\s/g, ' ')

t.test('of several prices to come the card names the next one; a price from today is the price of today', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const id = insertProduct(db, { article: 'A' }, [
    [dayIn(-9), 100],
    [dayIn(0), 200],
    [dayIn(3), 300],
    [dayIn(9), 400],
  ])
  const shown = facts((await (await as('admin')).get(`/products/edit/${id}`)).body)
  t.match(shown, `Price today 2,00 ₽ From ${formatCalendarDate(dayIn(3))} 3,00 ₽`)
  t.notMatch(shown, /4,00|1,00/)
  const pricesBeside = async (name: 'admin' | 'maria') => {
    const $ = parseHtml((await (await as(name)).get(`/products/edit/${id}?tab=overview`)).body)
    return $('[aria-labelledby=prices-title] dd')
      .toArray()
      .map(({ attribs }) => attribs['data-kopecks'])
  }
  t.same(await pricesBeside('admin'), ['400', '100'], 'the others stand beside, each price once')
  revoke(db, cast.maria, 'order_can_view_prices')
  t.same(await pricesBeside('maria'), [])
})

t.test('a product may come in one size only', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const size = { width_min: 1, width_max: 1, height_min: 100_000, height_max: 100_000 }
  const fields = { article: 'A', name: 'A', category_id: cast.category, basis: 'area', unit: 'm2', ...size }
  const added = await (await as('admin')).post('/products/add', fields)
  t.equal(added.statusCode, 303, JSON.stringify(errorsOf(added)))
  t.match(db.select().from(products).get(), size)
})

t.test('products stand in the order of their articles, with their units, and are filtered by whether they are for sale', async (t) => {
  const { as, db } = await startCabinet(t)
  const second = insertProduct(db, { article: 'B-1', name: 'Arch', unit: 'm2', basis: 'area' })
  const first = insertProduct(db, { article: 'a-1', name: 'Window', unit: 'set', active: false, external_id: '1C-77' })
  const admin = await as('admin')
  const list = await admin.get('/products')
  t.same(idsOf(list, 'products'), [first, second])
  t.match(
    rowsOf(list, 'products').map(({ cells }) => cells.unit),
    ['kit', 'm²'],
  )
  t.match(
    rowsOf(list, 'products').map(({ html }) => /class="is-off"/.test(html)),
    [true, false],
  )
  t.same(idsOf(await admin.get('/products?sort=name'), 'products'), [second, first])
  t.same(idsOf(await admin.get('/products?active=1'), 'products'), [second])
  t.same(idsOf(await admin.get('/products?active=0'), 'products'), [first])
  const rows = (await admin.get('/products/export?format=csv')).body.split('\n')
  t.match(rows.find((row) => row.includes('a-1'))?.trim(), /,No$/)
  t.match(rows.find((row) => row.includes('B-1'))?.trim(), /,Yes$/)
  t.match(facts((await admin.get(`/products/edit/${first}`)).body) + (await admin.get(`/products/edit/${first}`)).body, 'Not for sale')
})

t.test('a dealer is shown where the price comes from, and neither the ID of other programs nor what staff set', async (t) => {
  const { as, db, windows } = await startWithDiscounts(t)
  const id = insertProduct(db, { article: 'A', category_id: windows, external_id: '1C-77', minimum: 50 })
  const denis = await as('denis')
  const [row] = rowsOf(await denis.get('/products'), 'products')
  t.match(/title="(list[^"]*)"/.exec(row?.html ?? '')?.[1]?.replaceAll(/\s/g, ' '), 'list 1 000,00 ₽, category Windows 15%')
  const card = await denis.get(`/products/edit/${id}`)
  t.notMatch(card.body, '1C-77')
  for (const name of ['external_id', 'active', 'prices[0][price]']) t.notOk(fieldOf(card, name), name)
  t.match(fieldOf(await (await as('admin')).get(`/products/edit/${id}`), 'external_id'), { value: '1C-77' })
})

t.test('a category discount of 0 % replaces the base discount; a contract price may hold for one day, and is gone the next', async (t) => {
  const { as, db, windows, alpha } = await startWithDiscounts(t)
  db.update(categoryCompany).set({ discount: 0 }).run()
  const id = insertProduct(db, { article: 'A', category_id: windows })
  const denis = await as('denis')
  const own = async () => kopecksOf(rowsOf(await denis.get('/products'), 'products')[0]?.html ?? '')
  t.equal(await own(), 100_000)
  const contract = (day: string) => ({
    contract_prices: '',
    'contract_prices[0][product_id]': id,
    'contract_prices[0][from]': day,
    'contract_prices[0][until]': day,
    'contract_prices[0][price]': '7',
  })
  for (const [days, price] of [
    [0, 700],
    [-1, 100_000],
    [1, 100_000],
  ] as const) {
    t.equal((await (await as('maria')).post(`/company/edit/${alpha}?tab=prices`, contract(dayIn(days)))).statusCode, 303)
    t.equal(await own(), price, String(days))
  }
})

t.test('before products are deleted all of their contract prices and order lines are counted', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const ids = ['A', 'B'].map((article) => insertProduct(db, { article }))
  insertProduct(db, { article: 'C' })
  for (const product_id of ids) {
    insertContractPrice(db, cast.companies.alpha, product_id, 1)
    const line = { order_id: cast.order, name: 'A', quantity: 1, price: 100, discount: 0, piece_price: 100 }
    db.insert(orderItems)
      .values({ ...line, product_id })
      .run()
  }
  const question = textOf((await (await as('admin')).get(`/products/delete?id=${ids.join('&id=')}`)).body)
  t.match(question, /Delete 2 products\?.*2 contract prices will also be deleted.*2 order lines will lose/)
})

t.test(
  'a change of many prices begins today unless another day is chosen, shows fifty and says how many more, and is in the history',
  async (t) => {
    const { as, db } = await startCabinet(t)
    const ids = Array.from({ length: 51 }, (_, at) => insertProduct(db, { article: `A-${100 + at}` }, [[dayIn(-1), 100]]))
    const admin = await as('admin')
    const query = ids.map((id) => `id=${id}`).join('&')
    t.equal(fieldOf(await admin.get(`/products/prices?${query}`), 'from')?.value, dayIn(0))
    const preview = await admin.post('/products/prices', { id: ids, percent: '0,5', from: dayIn(0), _preview: 1 })
    t.equal(elementsOf(preview.body, '#price-preview tbody tr').length, 50)
    t.match(textOf(preview.body), 'and 1 more')
    t.match(textOf(elementsOf(preview.body, '#price-preview tbody tr')[0] ?? ''), /1,00 ₽ 1,01 ₽$/, 'half a kopeck is rounded up')
    const fifty = await admin.post('/products/prices', { id: ids.slice(1), percent: 1, from: dayIn(0), _preview: 1 })
    t.notMatch(textOf(fifty.body), /and \S+ more/)
    await admin.post('/products/prices', { id: ids[0] as number, amount: '9999999', from: dayIn(0) })
    const [change] = db.select().from(changes).where(eq(changes.entity, 'products')).all().slice(-1)
    t.match(
      change?.fields.prices,
      [[{ price: 100 }], [{ price: 100 }, { from: dayIn(0), price: 1_000_000_000 }]],
      'to the greatest price there is',
    )
    const over = await admin.post('/products/prices', { id: ids[0] as number, amount: '0,01', from: dayIn(0) })
    t.match(textOf(over.body), /1 product was not changed.*between 0 and/s)
  },
)

t.test('a product does not lose the category that a new one needs; one whose category was deleted is saved without', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  const id = insertProduct(db, { article: 'P-1', name: 'Window', category_id: cast.category })
  const card = `/products/edit/${id}`
  t.equal(fieldOf(await admin.get(card), 'category_id')?.required, true)
  t.same(errorsOf(await admin.post(card, { category_id: '', name: 'Changed' })), { category_id: 'Choose a category.' })
  t.match(db.select().from(products).all(), [{ name: 'Window', category_id: cast.category }])
  db.update(products).set({ category_id: null }).run()
  t.equal(fieldOf(await admin.get(card), 'category_id')?.required, false)
  t.equal((await admin.post(card, { category_id: '', name: 'Changed' })).statusCode, 303)
  t.match(db.select().from(products).all(), [{ name: 'Changed', category_id: null }])
})
