import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { lineAmount, lineCost } from '../../src/core/pricing.ts'
import {
  categories,
  categoryCompany,
  changes,
  companies,
  contractPrices,
  orderItems,
  orders,
  productPrices,
  products,
  users,
} from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Fields, htmx } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { elementById, elementsOf, errorsOf, fieldOf, parseHtml, rowsOf, tagsOf, textOf, textsByRole } from '../support/html.ts'
import { allOrders, line, linesOf, newOrderId, orderOf, snapshotOrders, startWithDiscounts } from '../support/orders.ts'
import { attributesIn } from '../support/parts.ts'
import { allowCustom, dayIn, insertContractPrice, insertProduct, productLine, useCatalog } from '../support/products.ts'

/** Alpha gets 10 % off, 15 % off windows. A handle costs 1 000 a piece, a window 5 000 a m² of at least half one, a sill 800 a meter. */
async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  const { db, windows, doors } = cabinet
  useCatalog(db, { vat: '20' })
  const handle = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: doors }, [[dayIn(-30), 100_000]])
  const window = insertProduct(
    db,
    {
      article: 'W-1',
      name: 'Window',
      category_id: windows,
      unit: 'm2',
      basis: 'area',
      minimum: 50,
      width_min: 400,
      width_max: 2000,
      height_min: 400,
      height_max: 2400,
    },
    [[dayIn(-30), 500_000]],
  )
  const sill = insertProduct(db, { article: 'S-1', name: 'Sill', category_id: windows, unit: 'm', basis: 'length', width_min: 100 }, [
    [dayIn(-30), 80_000],
  ])
  return { ...cabinet, handle, window, sill }
}

const place = async (browser: Browser, fields: Fields): Promise<number> => {
  const answer = await browser.post('/orders/add', { items: '', ...fields })
  t.equal(answer.statusCode, 303, JSON.stringify(errorsOf(answer)))
  return newOrderId(answer)
}

/** The form as a browser without scripts sends it. */
const formFields = (answer: Answer): Fields =>
  Object.fromEntries(
    parseHtml(answer.body)('.record-form')
      .serializeArray()
      .map(({ name, value }) => [name, value]),
  )

const kopecksOf = (answer: Answer, id: string) => {
  const shown = elementById(answer, id)
  return shown === undefined ? undefined : Number(parseHtml(shown)('[data-kopecks]').attr('data-kopecks'))
}

t.test('a line with a product is written as it is today: product, size, price, discount and where it came from, VAT rate', async (t) => {
  const { as, db, handle, window, sill, windows, doors } = await start(t)
  const id = await place(await as('denis'), {
    ...productLine(0, handle, { quantity: 3 }),
    ...productLine(1, window, { width: 1200, height: 1400, quantity: 2 }),
    ...productLine(2, sill, { width: 1333, height: 77 }),
    ...productLine(3, window, { width: 500, height: 500 }),
  })
  const common = { vat: '20', priced_on: dayIn(0) }
  t.match(linesOf(db, id), [
    { ...common, product_id: handle, article: 'H-1', name: 'Handle', unit: 'pcs', basis: 'each', width: null, category_id: doors },
    { ...common, product_id: window, article: 'W-1', unit: 'm2', basis: 'area', width: 1200, height: 1400, category_id: windows },
    { ...common, product_id: sill, unit: 'm', basis: 'length', width: 1333, height: null },
    { ...common, width: 500, height: 500 },
  ])
  t.match(
    linesOf(db, id).map((one) => [one.quantity, one.price, one.discount, one.price_origin, one.piece_price]),
    [
      [3, 100_000, 10, 'base', 90_000],
      [2, 500_000, 15, 'category', 714_000],
      [1, 80_000, 15, 'category', 90_644],
      [1, 500_000, 15, 'category', 212_500],
    ],
    '1.68 m² at 4 250, 1.333 m at 680, at least half a m²',
  )
  t.equal(orderOf(db, id).cost, 3 * 90_000 + 2 * 714_000 + 90_644 + 212_500)
})

t.test(
  'a product that is searched for says its category and what a unit costs whom the order is for, and nothing to those who see no prices',
  async (t) => {
    const { as, db, cast, handle, alpha } = await start(t)
    insertContractPrice(db, alpha, handle, 77_777)
    const about = async (name: Name, query = '') => {
      const answer = await (await as(name)).get(`/orders/products?q=H-1&${query}`, htmx)
      return attributesIn(answer.body, 'option', 'data-about', 'data-aside')
    }
    const inCategory = db
      .select({ name: categories.name })
      .from(categories)
      .innerJoin(products, eq(products.category_id, categories.id))
      .where(eq(products.id, handle))
      .get()?.name
    t.same(await about('denis'), [[inCategory, '777,77\u00a0₽ per pcs']], 'what their company pays')
    t.same(await about('clerk'), [[inCategory, '1\u00a0000,00\u00a0₽ per pcs']], 'the price of today')
    const order = await place(await as('denis'), productLine(0, handle))
    const asked = { chosen: `dealer_id=${cast.denis}`, other: `dealer_id=${cast.daria}`, edited: `order=${order}` }
    const pays = async (query: string) => (await about('clerk', query))[0]?.[1]?.replaceAll(/\s/g, ' ')
    t.equal(await pays(asked.chosen), '777,77 ₽ per pcs', 'what the company of the chosen dealer pays')
    t.equal(await pays(asked.edited), '777,77 ₽ per pcs', 'what the company of the edited order pays')
    t.equal(await pays(asked.other), '1 000,00 ₽ per pcs', 'what is agreed with one company is no price of another')
    t.equal(await pays(`${asked.edited}&${asked.other}`), '1 000,00 ₽ per pcs', 'another dealer is chosen for an order')
    db.update(orders).set({ company_stays: true }).where(eq(orders.id, order)).run()
    db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.denis)).run()
    t.equal(await pays(`${asked.edited}&${asked.chosen}`), '777,77 ₽ per pcs', 'a dealer who left without an order changes no price of it')
    db.update(users).set({ company_id: alpha }).where(eq(users.id, cast.denis)).run()
    const status = async (name: Name, query: string) => (await (await as(name)).get(`/orders/products?q=H-1&${query}`, htmx)).statusCode
    t.equal(await status('mikhail', asked.chosen), 404, 'whoever may not order for a dealer learns no price of theirs')
    t.equal(await status('mikhail', asked.edited), 403)
    t.same(await about('daria', asked.chosen), [[inCategory, '1\u00a0000,00\u00a0₽ per pcs']], 'dealers are told what they pay themselves')
    revoke(db, cast.denis, 'order_can_view_prices')
    t.equal((await (await as('denis')).get('/orders/products?q=H-1', htmx)).statusCode, 403)
  },
)

t.test('a dealer is offered no product without a price today; a contract price of their company is one', async (t) => {
  const { as, db, alpha, cast } = await start(t)
  const ids = (['none', 'soon', 'ours', 'over'] as const).map((name) =>
    insertProduct(db, { article: `N-${name}` }, name === 'soon' ? [[dayIn(1), 100]] : []),
  )
  const [, , ours, over] = ids as [number, number, number, number]
  insertProduct(db, { article: 'N-today' }, [[dayIn(0), 100]])
  insertContractPrice(db, alpha, ours, 50_000)
  insertContractPrice(db, alpha, over, 50_000)
  db.update(contractPrices)
    .set({ until: dayIn(-1) })
    .where(eq(contractPrices.product_id, over))
    .run()
  const offered = async (name: Name, query: string) => {
    const { body } = await (await as(name)).get(`/orders/products?q=${query}`, htmx)
    return elementsOf(body, 'option').map((option) => textOf(option).split(' ')[0])
  }
  for (const query of ['N-', 'Product']) {
    const found = (name: Name) => offered(name, query).then((all) => all.filter((article) => article?.startsWith('N-')))
    t.same(await found('denis'), ['N-ours', 'N-today'], query)
    t.same(await found('daria'), ['N-today'], 'another company has no such contract')
    t.equal((await found('clerk')).length, 5, 'staff see what they still have to price')
  }
  const form = await (await as('denis')).get('/orders/add')
  t.match(form.body, 'N-today')
  t.notMatch(form.body, 'N-soon')
  t.ok(cast.denis)
})

t.test('a contract price replaces price and discount, for its company only', async (t) => {
  const { as, db, handle, alpha, cast } = await start(t)
  insertContractPrice(db, alpha, handle, 77_777)
  const own = await place(await as('denis'), productLine(0, handle, { quantity: 2 }))
  t.match(linesOf(db, own), [{ price: 77_777, discount: 0, price_origin: 'contract', piece_price: 77_777 }])
  t.match(textOf((await (await as('denis')).get(`/orders/${own}`)).body), '777,77 ₽ by contract', 'which stands in place of a discount')
  const others = await place(await as('clerk'), { dealer_id: cast.daria, ...productLine(0, handle) })
  t.match(linesOf(db, others), [{ price: 100_000, discount: 0, price_origin: 'list' }])
})

t.test('what was written stays whatever happens to product, prices and discounts; size, product and category price anew', async (t) => {
  const { as, db, cast, handle, window, alpha, windows, doors } = await start(t)
  const denis = await as('denis')
  const maria = await as('maria')
  const id = await place(denis, { ...productLine(0, handle), ...productLine(1, window, { width: 1000, height: 1000 }) })
  const [first, second] = linesOf(db, id)
  db.update(productPrices).set({ price: 1 }).run()
  db.update(categoryCompany).set({ discount: 50 }).run()
  db.update(companies).set({ discount: 40 }).where(eq(companies.id, alpha)).run()
  db.update(products).set({ name: 'Renamed', article: 'X', basis: 'each', unit: 'set' }).run()
  insertContractPrice(db, alpha, handle, 5)
  const address = `/orders/edit/${id}`
  const written = (more: Fields = {}, others: Fields = {}): Fields => ({
    items: '',
    ...productLine(0, handle, { id: Number(first?.id), ...more }),
    ...productLine(1, window, { id: Number(second?.id), width: 1000, height: 1000, ...others }),
  })
  for (const browser of [denis, maria]) {
    t.equal((await browser.post(address, written({ quantity: 4 }, { quantity: 2 }))).statusCode, 303)
    t.match(linesOf(db, id), [
      { ...first, quantity: 4 },
      { ...second, quantity: 2 },
    ])
    t.equal(orderOf(db, id).cost, 4 * 90_000 + 2 * 425_000)
  }
  db.update(products).set({ active: false }).run()
  t.equal((await denis.post(address, written({ quantity: 5 }, { quantity: 2 }))).statusCode, 303, 'even if it is no longer sold')
  t.equal(orderOf(db, id).cost, 5 * 90_000 + 2 * 425_000)
  db.update(products).set({ active: true }).run()
  t.equal((await denis.post(address, written({}, { product_id: handle }))).statusCode, 303, 'another product')
  t.match(linesOf(db, id), [{ piece_price: 90_000 }, { product_id: handle, piece_price: 5, price_origin: 'contract', article: 'X' }])
  t.equal(
    (await denis.post(address, { items: '', ...productLine(0, handle, { id: Number(first?.id), category_id: windows }) })).statusCode,
    303,
  )
  t.match(linesOf(db, id), [{ piece_price: 90_000, category_id: doors }], 'a dealer chooses no category')
  db.delete(contractPrices).run()
  const moved = { items: '', ...productLine(0, handle, { id: Number(first?.id), category_id: windows }) }
  db.update(users).set({ discount_limit: 50 }).where(eq(users.id, cast.maria)).run()
  t.equal((await maria.post(address, moved)).statusCode, 303)
  t.match(linesOf(db, id), [{ category_id: windows, price: 1, discount: 50, price_origin: 'category' }], 'another category')
})

t.test('a category that is left empty changes nothing, and dealers choose none for products', async (t) => {
  const { as, db, cast, handle, windows, doors } = await start(t)
  grant(db, cast.maria, 'order_can_edit')
  allowCustom(db, cast.companies.alpha)
  const id = await place(await as('denis'), productLine(0, handle, { category_id: windows }))
  const [written] = linesOf(db, id)
  t.match(written, { category_id: doors, discount: 10, price_origin: 'base' })
  db.update(productPrices).set({ price: 1 }).run()
  const sent = productLine(0, handle, { id: Number(written?.id), category_id: '', quantity: 2 })
  t.equal((await (await as('maria')).post(`/orders/edit/${id}`, { items: '', ...sent })).statusCode, 303)
  t.same(linesOf(db, id), [{ ...written, quantity: 2 }])
})

t.test(
  'another product brings its own category; lines without one keep their VAT rate, and stay when their category is deleted',
  async (t) => {
    const { as, db, cast, handle, window, windows, doors } = await start(t)
    grant(db, cast.maria, 'order_can_edit')
    const maria = await as('maria')
    const gone = insertProduct(db, { article: 'G-1', name: 'Gone', category_id: doors })
    const arches = Number(db.insert(categories).values({ name: 'Arches', search: 'arches' }).run().lastInsertRowid)
    const id = await place(maria, {
      dealer_id: cast.denis,
      ...productLine(0, handle),
      ...line(1, arches, 'Arch', 1, '100'),
      ...productLine(2, gone),
    })
    useCatalog(db, { vat: '10' })
    db.delete(categories).where(eq(categories.id, arches)).run()
    db.delete(products).where(eq(products.id, gone)).run()
    const [first, second, third] = linesOf(db, id).map((one) => one.id) as [number, number, number]
    const save = (more: Fields) =>
      maria.post(`/orders/edit/${id}`, {
        items: '',
        ...productLine(0, window, { id: first, width: 1000, height: 1000, category_id: doors }),
        ...line(1, '', 'Arch', 2, '100', second),
        ...productLine(2, '', { id: third, name: 'Gone', ...more }),
      })
    const refused = await save({ category_id: windows })
    t.equal(refused.statusCode, 422)
    t.match(errorsOf(refused)['items.2.product_id'], /no longer for sale/)
    t.equal((await save({})).statusCode, 303)
    t.match(linesOf(db, id), [
      { product_id: window, category_id: windows, discount: 15, vat: '10' },
      { category_id: null, quantity: 2, vat: '20' },
      { name: 'Gone', product_id: null, piece_price: 90_000, vat: '20' },
    ])
  },
)

t.test('a changed size prices the line anew', async (t) => {
  const { as, db, window } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, productLine(0, window, { width: 1000, height: 1000 }))
  const [written] = linesOf(db, id)
  db.update(productPrices).set({ price: 200_000 }).run()
  const sent = productLine(0, window, { id: Number(written?.id), width: 1000, height: 2000 })
  t.equal((await denis.post(`/orders/edit/${id}`, { items: '', ...sent })).statusCode, 303)
  t.match(linesOf(db, id), [{ id: written?.id, height: 2000, price: 200_000, piece_price: 340_000 }])
})

t.test('what is wrong with a line is said at its field, and nothing is saved (422)', async (t) => {
  const { as, db, cast, handle, window, sill, doors } = await start(t)
  const soon = insertProduct(db, { article: 'N-1', name: 'Novelty', category_id: doors }, [[dayIn(3), 100]])
  const off = insertProduct(db, { article: 'OFF', name: 'Secret plan', category_id: doors, active: false })
  const huge = insertProduct(db, { article: 'BIG', name: 'Big', unit: 'm2', basis: 'area' }, [[dayIn(-1), 1_000_000_000]])
  const denis = await as('denis')
  const clerk = await as('clerk')
  const before = snapshotOrders(db)
  const wrong: [Fields, string, RegExp][] = [
    [productLine(2, window, { width: 399, height: 500 }), 'items.2.width', /From 400 to 2\s?000 mm/],
    [productLine(2, window, { width: 2001, height: 500 }), 'items.2.width', /From 400 to 2\s?000 mm/],
    [productLine(2, window, { width: 500, height: 2401 }), 'items.2.height', /From 400 to 2\s?400 mm/],
    [productLine(2, window, { width: 500 }), 'items.2.height', /^Enter the height\.$/],
    [productLine(2, window, { height: 500 }), 'items.2.width', /^Enter the width\.$/],
    [productLine(2, sill), 'items.2.width', /^Enter the length\.$/],
    [productLine(2, sill, { width: 99 }), 'items.2.width', /At least 100 mm/],
    [productLine(2, sill, { width: '1,5' }), 'items.2.width', /whole number/],
    [productLine(2, handle, { quantity: '1,5' }), 'items.2.quantity', /whole number/],
    [productLine(2, handle, { quantity: 0 }), 'items.2.quantity', /whole number/],
    [productLine(2, handle, { quantity: -1 }), 'items.2.quantity', /whole number/],
    [productLine(2, handle, { quantity: '' }), 'items.2.quantity', /Enter a quantity/],
    [productLine(2, off), 'items.2.product_id', /no longer for sale/],
    [productLine(2, soon), 'items.2.product_id', /has no price yet/],
    [productLine(2, 9999), 'items.2.product_id', /from the list/],
    [productLine(2, 'W-1'), 'items.2.product_id', /from the list/],
    [productLine(2, '', { width: 500 }), 'items.2.product_id', /Choose a product/],
    [productLine(2, huge, { width: 100_000, height: 100_000, quantity: 10_000 }), 'items.2.quantity', /too large/],
    [productLine(2, huge, { width: 100_000, height: 100_000, quantity: 2, ...{} }), 'items', /too large/],
  ]
  const many = (fields: Fields) =>
    Object.fromEntries(
      Array.from({ length: 190 }, (_, at) =>
        Object.entries(fields).map(([name, value]) => [name.replace('[2]', `[${at}]`), value] as const),
      ).flat(),
    )
  for (const [fields, field, message] of wrong) {
    const sent = field === 'items' ? many({ ...fields, 'items[2][quantity]': 100 }) : fields
    const answer = await denis.post('/orders/add', { items: '', receiver: 'kept', ...sent })
    t.equal(answer.statusCode, 422, JSON.stringify(fields))
    const shown = field === 'items' ? textsByRole(answer, 'alert').join() : errorsOf(answer)[field]
    t.match(shown, message, `${JSON.stringify(fields)}: ${JSON.stringify(errorsOf(answer))}`)
    t.equal(fieldOf(answer, 'receiver')?.value, 'kept')
    t.notMatch(answer.body, 'Secret plan')
  }
  t.match(
    errorsOf(await clerk.post('/orders/add', { items: '', dealer_id: cast.denis, ...productLine(0, '', { width: 1 }) }))[
      'items.0.product_id'
    ],
    /or enter a name/,
  )
  t.equal(snapshotOrders(db), before)
})

t.test('errors stand at the lines that were sent, past the empty ones before them', async (t) => {
  const { as, handle, window } = await start(t)
  const answer = await (await as('denis')).post('/orders/add', {
    items: '',
    ...productLine(0, '', { quantity: 1 }),
    ...productLine(4, handle),
    ...productLine(7, window, { width: 1, height: 1 }),
  })
  t.same(Object.keys(errorsOf(answer)), ['items.7.width', 'items.7.height'])
})

t.test('forms of dealers send no price: one that is not theirs is refused (403), and nothing is saved', async (t) => {
  const { as, db, handle, window } = await start(t)
  const denis = await as('denis')
  const before = snapshotOrders(db)
  const form = await denis.get('/orders/add')
  t.notOk(fieldOf(form, 'items[0][price]'))
  t.equal((await denis.post('/orders/add', { items: '', ...productLine(0, handle, { price: 1 }) })).statusCode, 403)
  t.equal((await denis.post('/orders/add', { items: '', ...productLine(0, handle, { price: '900,01' }) })).statusCode, 403)
  t.equal(snapshotOrders(db), before)
  const id = await place(denis, {
    ...productLine(0, handle, { price: '900,00' }),
    ...productLine(1, window, { width: 1000, height: 1000, price: '5000' }),
  })
  const [first] = linesOf(db, id)
  const sent = (price: string) => ({ items: '', ...productLine(0, handle, { id: Number(first?.id), price }) })
  t.equal((await denis.post(`/orders/edit/${id}`, sent('899'))).statusCode, 403)
  t.equal((await denis.post(`/orders/edit/${id}`, sent('900'))).statusCode, 303)
})

t.test('a company lets its dealers order what is not in the catalog, and no others', async (t) => {
  const { as, db, cast, doors } = await start(t)
  const { alpha } = cast.companies
  const [maria, denis, roman, daria] = [await as('maria'), await as('denis'), await as('roman'), await as('daria')]
  const order = async (browser: Browser) => (await browser.post('/orders/add', { items: '', ...line(0, doors, 'Arch', 1, '') })).statusCode
  t.equal(await order(denis), 422)
  t.equal((await maria.post(`/company/edit/${alpha}`, { custom_lines: 1 })).statusCode, 303)
  t.same([await order(denis), await order(roman), await order(daria)], [303, 303, 422])
  t.equal((await maria.post(`/company/edit/${alpha}`, { org: 'Alpha' })).statusCode, 303)
  t.equal(await order(denis), 303, 'as it was')
  t.equal((await maria.post(`/company/edit/${alpha}`, { custom_lines: 0 })).statusCode, 303)
  t.equal(await order(denis), 422)
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.denis)).run()
  t.not(await order(denis), 303)
})

t.test('a line without a product needs its switch and has no price until a manager sets it', async (t) => {
  const { as, db, cast, doors, windows } = await start(t)
  const denis = await as('denis')
  const custom = line(0, doors, 'Arched door', 2, '')
  const refused = await denis.post('/orders/add', { items: '', ...custom })
  t.match([refused.statusCode, errorsOf(refused)], [422, { 'items.0.product_id': /Choose a product/ }])
  t.notOk(fieldOf(refused, 'items[0][name]'))
  allowCustom(db, cast.companies.alpha)
  t.ok(fieldOf(await denis.get('/orders/add'), 'items[0][name]'))
  t.equal((await denis.post('/orders/add', { items: '', ...line(0, doors, 'Arched door', 2, 100) })).statusCode, 403)
  const id = await place(denis, custom)
  t.match([linesOf(db, id), orderOf(db, id).cost], [[{ name: 'Arched door', price: null, discount: 10, product_id: null, vat: '20' }], 0])
  const [written] = linesOf(db, id)
  const address = `/orders/edit/${id}`
  t.match(textOf((await denis.get(address)).body), 'A manager sets the price.')
  const priced = { items: '', ...line(0, doors, 'Arched door', 2, '1000', written?.id) }
  t.equal((await denis.post(address, priced)).statusCode, 403)
  t.equal((await (await as('maria')).post(address, priced)).statusCode, 303)
  t.match([linesOf(db, id), orderOf(db, id).cost], [[{ price: 100_000 }], 180_000])
  allowCustom(db, cast.companies.alpha, false)
  const shown = await denis.get(address)
  t.notOk(fieldOf(shown, 'items[0][name]'))
  t.match(textOf(shown.body), 'Arched door')
  t.equal((await denis.post(address, { items: '', ...productLine(0, '', { id: Number(written?.id), quantity: 3 }) })).statusCode, 303)
  t.match(
    [linesOf(db, id), orderOf(db, id).cost],
    [[{ name: 'Arched door', price: 100_000, quantity: 3 }], 270_000],
    'it keeps name and price',
  )
  allowCustom(db, cast.companies.alpha)
  t.equal((await denis.post(address, { items: '', ...line(0, doors, 'Golden door', 3, '', written?.id) })).statusCode, 303)
  t.match([linesOf(db, id), orderOf(db, id).cost], [[{ name: 'Golden door', price: null }], 0], 'something else waits again')
  for (const category of [doors, windows]) {
    const price = { items: '', ...line(0, doors, 'Golden door', 3, '900', written?.id) }
    t.equal((await (await as('maria')).post(address, price)).statusCode, 303)
    t.equal((await denis.post(address, { items: '', ...line(0, category, 'Golden door', 3, '', written?.id) })).statusCode, 303)
    t.equal(linesOf(db, id)[0]?.price, category === doors ? 90_000 : null, 'of another category it waits, too')
  }
})

t.test(
  'what is not in the catalog is asked for in a part of the line that opens where something was typed or is wrong there',
  async (t) => {
    const { as, db, cast, handle, windows } = await start(t)
    allowCustom(db, cast.companies.alpha)
    const denis = await as('denis')
    const isOpen = (answer: Answer) => {
      const part = parseHtml(answer.body)('.line-custom').first()
      t.equal(part.find('summary').text().trim(), 'Not in the catalog')
      return part.attr('open') !== undefined
    }
    const find = (fields: Fields) => denis.post('/orders/add', { items: '', 'items[0][quantity]': 1, ...fields, _find: 'items' })
    t.notOk(isOpen(await denis.get('/orders/add')), 'in a new line it is folded')
    t.ok(isOpen(await find({ 'items[0][name]': 'Arched door' })), 'a name that was typed is seen')
    t.notOk(isOpen(await find({ 'items[0][category_id]': windows })), 'a category alone says nothing yet')
    t.notOk(isOpen(await find({ ...productLine(0, handle), 'items[0][name]': 'Arched door' })), 'a product needs no name')
    const wrong = await denis.post('/orders/add', { items: '', 'items[0][quantity]': 1, 'items[0][category_id]': 999_999 })
    t.match(Object.keys(errorsOf(wrong)).join(), 'items.0.category_id')
    t.ok(isOpen(wrong), 'what is wrong with the category is seen')
  },
)

t.test('the total that a form has shown must be what the order costs (409 shows both, and nothing is saved)', async (t) => {
  const { as, db, handle } = await start(t)
  const denis = await as('denis')
  const before = snapshotOrders(db)
  const sent = { items: '', receiver: 'kept', ...productLine(0, handle, { quantity: 2 }) }
  const answer = await denis.post('/orders/add', { ...sent, seen_total: '1700,00' })
  t.equal(answer.statusCode, 409)
  t.match(textsByRole(answer, 'alert').join(), /1\s700,00\s₽.*1\s800,00\s₽/)
  t.equal(fieldOf(answer, 'receiver')?.value, 'kept')
  t.equal(fieldOf(answer, 'seen_total')?.value, '1800,00')
  t.equal(snapshotOrders(db), before)
  t.equal((await denis.post('/orders/add', { ...sent, seen_total: '1800,00' })).statusCode, 303)
  const [first] = linesOf(db, allOrders(db).at(-1)?.id as number)
  const address = `/orders/edit/${first?.order_id}`
  const edited = { items: '', ...productLine(0, handle, { id: Number(first?.id), quantity: 3 }) }
  t.equal((await denis.post(address, { ...edited, seen_total: '1800' })).statusCode, 409)
  t.equal((await denis.post(address, { ...edited, seen_total: '2700' })).statusCode, 303)
  t.equal((await denis.post('/orders/add', { ...sent, seen_total: 'much' })).statusCode, 422)
})

t.test('the form shows the fields that a basis needs, price, where it comes from, amount and total, also without JavaScript', async (t) => {
  const { as, db, handle, window, sill } = await start(t)
  const denis = await as('denis')
  const blank = await denis.get('/orders/add')
  t.notOk(fieldOf(blank, 'items[0][width]'))
  t.equal(fieldOf(blank, 'items[0][quantity]')?.value, '1')
  t.equal(fieldOf(blank, 'seen_total')?.value, '')
  const added = await denis.get('/orders/add/items/row?index=1', htmx)
  const sizeless = await denis.post('/orders/add/price', { items: '', ...productLine(0, window) }, htmx)
  for (const [shown, at] of [
    [blank, 0],
    [added, 1],
    [sizeless, 0],
  ] as const)
    for (const column of ['piece', 'sum'])
      t.equal(textOf(elementById(shown, `items.${at}.${column}`) ?? ''), '—', 'columns stand before there is a price')
  const answer = await denis.post('/orders/add', {
    items: '',
    ...productLine(0, handle, { quantity: 2 }),
    ...productLine(1, window),
    ...productLine(2, sill, { width: 2000 }),
    _find: 'items',
  })
  t.equal(answer.statusCode, 200)
  const sizes = (index: number) => ['width', 'height'].filter((part) => fieldOf(answer, `items[${index}][${part}]`))
  t.same([0, 1, 2].map(sizes), [[], ['width', 'height'], ['width']])
  t.match(textOf(elementById(answer, 'items.1.sizes') ?? ''), /Width, mm.*400 to 2\s?000 mm.*Height, mm.*400 to 2\s?400 mm/)
  t.match(textOf(elementById(answer, 'items.2.sizes') ?? ''), /Length, mm/)
  t.same([kopecksOf(answer, 'items.0.piece'), kopecksOf(answer, 'items.0.sum')], [90_000, 180_000])
  t.match(textOf(elementById(answer, 'items.0.basis') ?? ''), /list 1\s000,00\s₽, base discount 10%/)
  t.match(textOf(elementById(answer, 'items.2.basis') ?? ''), /category Windows 15%/)
  t.equal(kopecksOf(answer, 'order-total'), 180_000 + 136_000)
  t.equal(fieldOf(answer, 'seen_total')?.value, '', 'a line has no price yet')
  t.match(textOf(elementById(answer, 'order-total') ?? ''), /₽ 1 line without a price$/, 'and the total says so')
  t.equal(allOrders(db).length, 1)
  const found = await denis.post('/orders/add', {
    items: '',
    'items[0][product_id]': '',
    'items[0][product_id]_search': 'w-1',
    _find: 'items[0][product_id]',
  })
  t.same(
    fieldOf(found, 'items[0][product_id]')?.options?.map(({ value }) => value),
    ['', String(window)],
  )
})

t.test(
  'of many rows that were searched, the one whose button is pressed and the first ten without a product show what was found',
  async (t) => {
    const { as, handle, window } = await start(t)
    const denis = await as('denis')
    const search = (index: number, fields: Fields = {}) => ({
      [`items[${index}][product_id]`]: '',
      [`items[${index}][product_id]_search`]: 'w-1',
      ...fields,
    })
    const rows = Array.from({ length: 14 }, (_, index) => search(index))
    const searched = async (fields: Fields) => {
      const answer = await denis.post('/orders/add', { items: '', ...Object.assign({}, ...rows), ...fields })
      const offers = (index: number) => fieldOf(answer, `items[${index}][product_id]`)?.options?.map(({ value }) => value)
      return rows.flatMap((_, index) => (offers(index)?.join() === `,${window}` ? [index] : []))
    }
    t.same(await searched({ _find: 'items' }), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    t.same(await searched({ _find: 'items[3][product_id]' }), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    t.same(await searched({ _find: 'items[12][product_id]' }), [0, 1, 2, 3, 4, 5, 6, 7, 8, 12])
    t.same(await searched({ _find: 'items', 'items[3][product_id]': handle }), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10], 'a chosen one is left')
    t.same(
      await searched({ _find: 'items[12][product_id]', 'items[12][product_id]': handle }),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      'one that is chosen and searched again shows both',
    )
  },
)

t.test('prices of lines that are being typed come as a fragment, and nothing is saved', async (t) => {
  const { as, db, handle, window, cast, alpha } = await start(t)
  insertContractPrice(db, alpha, handle, 12_345)
  const before = snapshotOrders(db)
  const sent = {
    ...productLine(3, handle, { quantity: 2 }),
    ...productLine(5, window, { width: 1000, height: 1000 }),
    'items[7][product_id]': '',
  }
  const answer = await (await as('denis')).post('/orders/add/price', sent, htmx)
  t.equal(answer.statusCode, 200)
  t.notMatch(answer.body, '<html')
  t.match(textOf(answer.body), /123,45\s₽.*246,90\s₽.*contract price 123,45\s₽.*4\s250,00\s₽/)
  t.equal(kopecksOf(answer, 'order-total'), 24_690 + 425_000)
  t.notMatch(textOf(elementById(answer, 'order-total') ?? ''), 'without a price', 'nor of a line that nothing is chosen in')
  const lacking = { ...sent, ...productLine(8, window), ...productLine(9, window) }
  const some = await (await as('denis')).post('/orders/add/price', lacking, htmx)
  t.match(textOf(elementById(some, 'order-total') ?? ''), '2 lines without a price')
  t.equal(fieldOf(answer, 'seen_total')?.value, '4496,90')
  t.equal(fieldOf(answer, 'items[5][width]')?.value, '1000')
  const maria = await as('maria')
  t.equal(
    kopecksOf(await maria.post('/orders/add/price', { dealer_id: cast.denis, ...productLine(0, handle) }, htmx), 'items.0.piece'),
    12_345,
  )
  const foreign = await maria.post('/orders/add/price', { dealer_id: cast.daria, ...productLine(0, handle) }, htmx)
  t.equal(kopecksOf(foreign, 'items.0.piece'), 100_000, 'nothing of a company that is not hers')
  for (const [price, status] of [
    ['123,45', 200],
    ['123,44', 403],
  ] as const)
    t.equal((await (await as('denis')).post('/orders/add/price', productLine(0, handle, { price }), htmx)).statusCode, status, price)
  t.equal((await (await as('pavel')).post('/orders/add/price', productLine(0, handle), htmx)).statusCode, 403)
  revoke(db, cast.denis, 'order_can_view_prices')
  t.equal((await (await as('denis')).post('/orders/add/price', productLine(0, handle), htmx)).statusCode, 403)
  t.equal(snapshotOrders(db), before)
})

t.test('lines of an order that is edited keep their prices in the fragment; it takes the right to edit that order', async (t) => {
  const { as, db, handle } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, productLine(0, handle))
  const [first] = linesOf(db, id)
  db.update(productPrices).set({ price: 1 }).run()
  const sent = { ...productLine(0, handle, { id: Number(first?.id), quantity: 2 }), ...productLine(1, handle) }
  const answer = await denis.post(`/orders/add/price?order=${id}`, sent, htmx)
  t.same([kopecksOf(answer, 'items.0.sum'), kopecksOf(answer, 'items.1.sum')], [180_000, 1])
  t.equal((await (await as('daria')).post(`/orders/add/price?order=${id}`, sent, htmx)).statusCode, 403)
  t.equal((await denis.post('/orders/add/price?order=999', sent, htmx)).statusCode, 404)
})

t.test('products are found by article and name; an article that begins with what was typed comes first', async (t) => {
  const { as, db } = await start(t)
  for (let at = 29; at >= 0; at--) insertProduct(db, { article: `A-${100 + at}`, name: `Frame for w-1 no. ${at}` })
  insertProduct(db, { article: 'Д-5', name: 'Дверь' })
  insertProduct(db, { article: 'W-1X', name: 'No longer', active: false })
  const denis = await as('denis')
  const search = async (q: string) =>
    elementsOf((await denis.get(`/orders/products?${new URLSearchParams({ q })}`, htmx)).body, 'option').map(textOf)
  const found = await search('w-1')
  t.equal(found[0], 'W-1 Window')
  t.same(found.slice(1), [...found.slice(1)].sort(), 'the others stand in the order of their articles')
  t.equal(found.length, 20)
  t.notOk(found.includes('W-1X No longer'))
  t.same(await search('handle'), ['H-1 Handle'])
  const offered = await search('')
  t.same(offered.slice(0, 2), ['A-100 Frame for w-1 no. 0', 'A-101 Frame for w-1 no. 1'], 'before anything is typed')
  t.same(
    await search('a-12'),
    Array.from({ length: 10 }, (_, at) => `A-${120 + at} Frame for w-1 no. ${20 + at}`),
  )
  t.same(await search('дверь'), ['Д-5 Дверь'])
  t.same(await search('д-5'), ['Д-5 Дверь'])
  t.same(await search('nothing such'), [])
  t.equal((await (await as('pavel')).get('/orders/products?q=w', htmx)).statusCode, 403)
})

t.test('while the catalog is off, or nothing is for sale, lines are typed as before, and those with products keep theirs', async (t) => {
  const { as, db, handle, window, windows, doors } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, { ...productLine(0, handle), ...productLine(1, window, { width: 1000, height: 1000 }) })
  const [first, second] = linesOf(db, id)
  for (const [catalog, active] of [
    [false, true],
    [true, false],
  ] as const) {
    useCatalog(db, { catalog })
    db.update(products).set({ active }).run()
    const form = await denis.get('/orders/add')
    t.same([fieldOf(form, 'items[0][product_id]'), fieldOf(form, 'seen_total')], [undefined, undefined])
    t.ok(fieldOf(form, 'items[0][price]'))
    const typed = await place(denis, { ...line(0, doors, 'Door', 2, 100), 'items[0][product_id]': handle })
    t.match(linesOf(db, typed), [{ name: 'Door', price: 10_000, discount: 10, product_id: null }])
    const edit = await denis.get(`/orders/edit/${id}`)
    t.equal(fieldOf(edit, 'items[1][price]')?.value, '4250,00')
    t.equal(Number(tagsOf(elementById(edit, 'total') ?? '', 'strong')[0]?.['data-kopecks']), 90_000 + 425_000)
    const sent = { items: '', ...line(0, doors, 'Handle', 2, 900, first?.id), ...line(1, windows, 'Window', 1, 4250, second?.id) }
    t.equal((await denis.post(`/orders/edit/${id}`, sent)).statusCode, 303)
    t.match(linesOf(db, id), [{ ...first, quantity: 2 }, second])
    t.equal((await denis.post(`/orders/edit/${id}`, { ...sent, 'items[0][quantity]': 1 })).statusCode, 303)
  }
})

t.test(
  'managers order for dealers of their companies at the prices of these, with lines outside the catalog; production orders nothing',
  async (t) => {
    const { as, db, handle, doors, cast, window } = await start(t)
    const maria = await as('maria')
    const fields = { dealer_id: cast.denis, ...productLine(0, handle, { price: 1 }), ...line(1, doors, 'Arch', 1, '500') }
    const id = await place(maria, fields)
    t.match(linesOf(db, id), [{ piece_price: 90_000 }, { name: 'Arch', price: 50_000, discount: 10, product_id: null, vat: '20' }])
    t.equal(orderOf(db, id).cost, 90_000 + 45_000)
    t.equal((await (await as('pavel')).post('/orders/add', { items: '', ...productLine(0, window) })).statusCode, 403)
    t.equal((await (await as('daria')).get(`/orders/edit/${id}`)).statusCode, 403)
  },
)

t.test('the history of an order says which product a line has', async (t) => {
  const { as, db, handle, window } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, productLine(0, handle))
  const [first] = linesOf(db, id)
  const sent = { ...productLine(0, handle, { id: Number(first?.id) }), ...productLine(1, window, { width: 1000, height: 1200 }) }
  await denis.post(`/orders/edit/${id}`, { items: '', ...sent })
  const history = textOf((await (await as('root')).get(`/orders/edit/${id}?tab=history`)).body)
  t.match(history, /Window.*W-1 Window.*1000.*1200/)
  const entries = db
    .select()
    .from(changes)
    .where(eq(changes.entity, 'orders'))
    .all()
    .filter(({ record_id }) => record_id === id)
  t.match(entries.at(-1)?.fields, { items: [[{ article: 'H-1' }], [{ article: 'H-1' }, { article: 'W-1', piece_price: 510_000 }]] })
})

t.test('printed price times quantity is the amount of each line, and the cost of an order the sum of its lines', async (t) => {
  const { as, db, handle, window, sill } = await start(t)
  const denis = await as('denis')
  const size = fc.integer({ min: 400, max: 2000 })
  const anyLine = fc.record({
    product: fc.constantFrom(handle, window, sill),
    width: size,
    height: size,
    quantity: fc.integer({ min: 1, max: 50 }),
  })
  const prices = fc.array(fc.integer({ min: 0, max: 99_999_999 }), { minLength: 3, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyLine, { minLength: 1, maxLength: 6 }),
      prices,
      fc.integer({ min: 0, max: 100 }),
      async (lines, costs, discount) => {
        for (const [at, id] of [handle, window, sill].entries())
          db.update(productPrices).set({ price: costs[at] }).where(eq(productPrices.product_id, id)).run()
        db.update(companies).set({ discount }).run()
        const fields = lines.map(({ product, ...more }, at) => productLine(at, product, more))
        const shown = await denis.post('/orders/add/price', Object.assign({}, ...fields), htmx)
        const answer = await denis.post(
          '/orders/add',
          Object.assign({ items: '' }, ...fields, { seen_total: fieldOf(shown, 'seen_total')?.value }),
        )
        if (answer.statusCode === 429) return
        const id = newOrderId(answer)
        const written = linesOf(db, id)
        const amounts = written.map((one, at) => {
          t.equal(kopecksOf(shown, `items.${at}.piece`), one.piece_price)
          const amount = lineAmount(one.piece_price ?? Number.NaN, one.quantity)
          t.equal(kopecksOf(shown, `items.${at}.sum`), amount)
          return amount
        })
        db.update(products).set({ name: 'Later' }).run()
        db.update(categories)
          .set({ name: `Later ${id}` })
          .run()
        t.same(linesOf(db, id), written)
        t.equal(
          orderOf(db, id).cost,
          amounts.reduce((sum, one) => sum + one, 0),
        )
      },
    ),
    { numRuns: 25 },
  )
})

t.test(
  'repeated without the catalog, a line with a product has the price of a piece before its discount, which is given once',
  async (t) => {
    const { as, db, handle, window, sill } = await start(t)
    const id = await place(await as('denis'), {
      ...productLine(0, handle, { quantity: 3 }),
      ...productLine(1, window, { width: 1200, height: 1400, quantity: 2 }),
      ...productLine(2, sill, { width: 1333 }),
      ...productLine(3, window, { width: 500, height: 500 }),
    })
    const { cost } = orderOf(db, id)
    useCatalog(db, { catalog: false })
    const denis = await as('denis')
    const form = await denis.get(`/orders/add?from=${id}`)
    const prices = [0, 1, 2, 3].map((at) => fieldOf(form, `items[${at}][price]`)?.value)
    t.same(prices, ['1000,00', '8400,00', '1066,40', '2500,00'], 'of half a m² where that is the least')
    t.equal(Number(tagsOf(elementById(form, 'total') ?? '', 'strong')[0]?.['data-kopecks']), cost)
    t.notMatch(form.body, 'the discount is now')
    const again = await place(denis, formFields(form))
    t.match(
      linesOf(db, again).map(({ price, discount, piece_price }) => [price, discount, piece_price]),
      [
        [100_000, 10, null],
        [840_000, 15, null],
        [106_640, 15, null],
        [250_000, 15, null],
      ],
    )
    t.equal(orderOf(db, again).cost, cost)
  },
)

t.test('saved without the catalog, an order with products costs what it did, whoever saves it', async (t) => {
  const { as, db, handle, window, sill, alpha, cast } = await start(t)
  grant(db, cast.maria, 'order_can_edit')
  insertContractPrice(db, alpha, sill, 77_777)
  const id = await place(await as('root'), {
    dealer_id: cast.denis,
    agreed_reason: 'A large order',
    ...productLine(0, handle, { quantity: 3, agreed: 7 }),
    agreed_raises: 1,
    ...productLine(1, window, { width: 1203, height: 1407, quantity: 7 }),
    ...productLine(2, sill, { width: 1333, quantity: 9 }),
  })
  const [before, { cost }] = [linesOf(db, id), orderOf(db, id)]
  useCatalog(db, { catalog: false })
  db.update(products).set({ name: 'Renamed' }).run()
  db.update(companies).set({ discount: 40 }).where(eq(companies.id, alpha)).run()
  for (const browser of [await as('denis'), await as('maria'), await as('root')]) {
    const form = await browser.get(`/orders/edit/${id}`)
    t.equal(Number(tagsOf(elementById(form, 'total') ?? '', 'strong')[0]?.['data-kopecks']), cost)
    const saved = await browser.post(`/orders/edit/${id}`, { ...formFields(form), comment: 'Changed' })
    t.equal(saved.statusCode, 303, JSON.stringify(errorsOf(saved)))
    t.same(linesOf(db, id), before)
    t.match(orderOf(db, id), { cost, comment: 'Changed' })
  }
})

t.test('without the catalog, another category of a product line gives no second discount on the price it was sold at', async (t) => {
  const { as, db, handle, window, windows, doors } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, {
    ...productLine(0, handle, { quantity: 3 }),
    ...productLine(1, window, { width: 1200, height: 1400 }),
  })
  const { cost } = orderOf(db, id)
  useCatalog(db, { catalog: false })
  const form = formFields(await denis.get(`/orders/edit/${id}`))
  const changed = { ...form, 'items[0][category_id]': windows }
  t.equal((await denis.post(`/orders/edit/${id}`, changed)).statusCode, 303)
  t.equal(orderOf(db, id).cost, cost)
  t.match(linesOf(db, id), [{ category_id: windows, price: 90_000, discount: 0 }, { piece_price: 714_000 }])
  const other = { ...formFields(await denis.get(`/orders/edit/${id}`)), 'items[0][category_id]': doors, 'items[1][price]': '5000' }
  t.equal((await denis.post(`/orders/edit/${id}`, other)).statusCode, 303)
  t.match(linesOf(db, id), [
    { category_id: doors, discount: 10 },
    { category_id: windows, price: 500_000, discount: 0 },
  ])
})

t.test(
  'order page and sheets show article, size, where the price comes from and VAT; without prices none of that but the sizes',
  async (t) => {
    const { as, db, handle, window, sill, doors, cast } = await start(t)
    const maria = await as('maria')
    const id = await place(maria, {
      dealer_id: cast.denis,
      ...productLine(0, handle, { quantity: 3 }),
      ...productLine(1, window, { width: 1200, height: 1400 }),
      ...productLine(2, sill, { width: 2000 }),
      ...line(3, doors, 'Arch', 2, '500,05'),
    })
    const address = `/orders/${id}`
    const onPage = textOf((await (await as('denis')).get(address)).body)
    t.match(
      onPage,
      /H-1.*3 900,00 ₽ −10% 10% in the price How the price came about Price in the list 1 000,00 ₽ Base discount −10% VAT 20% 450,00 ₽ 2 700,00 ₽/,
    )
    t.match(
      onPage,
      /W-1.*1200 × 1400 mm.*−15% 15% in the price How the price came about Price in the list 5 000,00 ₽ per m² Discount on "Windows" −15% VAT 20% 1 190,00 ₽ 7 140,00 ₽/,
    )
    t.match(onPage, 'Quantity Discounted price Discount Amount')
    t.match(onPage, /S-1.*2000 mm.*per m .*VAT 20% 226,67 ₽ 1 360,00 ₽/)
    t.match(onPage, /Arch.*2 500,05 ₽ 10% How the price came about VAT 20% 150,02 ₽ 900,09 ₽/)
    t.match(onPage, /Total 12 100,09 ₽ Including VAT 2 016,69 ₽/)
    const shown = textOf((await (await as('denis')).get(`${address}/sheet`)).body)
    t.match(shown, /H-1.*list 1 000,00 ₽, base discount 10% · VAT 20%: 450,00 ₽ 3 900,00 ₽ 10% in the price 2 700,00 ₽/)
    t.match(shown, /W-1.*1200 × 1400 mm.*list 5 000,00 ₽, category Windows 15%, per m² · VAT 20%: 1 190,00 ₽ 1 7 140,00 ₽/)
    t.match(shown, /S-1.*2000 mm.*per m · VAT 20%: 226,67 ₽ 1 1 360,00 ₽/)
    t.match(shown, /Arch.*VAT 20%: 150,02 ₽ 2 500,05 ₽ 10% 900,09 ₽/)
    t.match(shown, /Total 12 100,09 ₽ Including VAT 20% 2 016,69 ₽/)
    const work = textOf((await maria.get(`${address}/work-sheet`)).body)
    t.match(work, /W-1, Window, 1200 × 1400 mm Windows 1/)
    t.notMatch(work, '₽')
    const site = textOf((await (await as('pavel')).get(address)).body)
    t.match(site, /W-1 · 1200 × 1400 mm/)
    t.notMatch(site, /₽|VAT/)
    const vats = linesOf(db, id).map((one) => Math.floor((2 * lineCost(one) * 20 + 120) / 240))
    const inList = async (order: number) => rowsOf(await maria.get('/orders?cols=vat'), 'orders').find((row) => row.id === order)?.cells.vat
    t.equal((await inList(id))?.replaceAll(/\s/g, ' '), '2 016,69 ₽')
    const sheet = await maria.get(`/orders/export?format=csv&cols=vat&size=all`)
    t.match(sheet.body, /2016[.,]69/)
    t.equal(
      vats.reduce((sum, one) => sum + one, 0),
      201_669,
    )
    useCatalog(db, { vat: 'none' })
    const without = await place(maria, { dealer_id: cast.denis, ...productLine(0, handle) })
    t.match(textOf((await maria.get(`/orders/${without}`)).body), /Base discount −10% No VAT 900,00 ₽.*Total 900,00 ₽ No VAT —/)
    db.update(companies).set({ discount: 0 }).run()
    const undiscounted = await place(maria, { dealer_id: cast.denis, ...productLine(0, handle) })
    t.match(
      textOf((await maria.get(`/orders/${undiscounted}`)).body),
      /Product Quantity Price Amount .*1 000,00 ₽ 1 000,00 ₽/,
      'nothing to explain',
    )
    db.update(companies).set({ discount: 10 }).run()
    t.equal(await inList(without), '—')
    useCatalog(db, { vat: '0' })
    const zero = await place(maria, { dealer_id: cast.denis, ...productLine(0, handle) })
    t.match(textOf((await maria.get(`/orders/${zero}`)).body), /Total 900,00 ₽ Including VAT 0,00 ₽/)
    t.equal((await inList(zero))?.replaceAll(/\s/g, ' '), '0,00 ₽', 'none is no dash')
    useCatalog(db, { vat: null })
    const silent = await place(maria, { dealer_id: cast.denis, ...productLine(0, handle) })
    t.notMatch(textOf((await maria.get(`/orders/${silent}`)).body), 'VAT')
  },
)

t.test(
  '"Order again" says what changed: price then and now, what is no longer sold, a size out of range, what is not in the catalog',
  async (t) => {
    const { as, db, handle, window, sill, doors, cast } = await start(t)
    const denis = await as('denis')
    const lines = { ...productLine(0, handle, { quantity: 3 }), ...productLine(1, window, { width: 1200, height: 1400 }) }
    const maria = await as('maria')
    const id = await place(maria, {
      dealer_id: cast.denis,
      ...lines,
      ...productLine(2, sill, { width: 500 }),
      ...line(3, doors, 'Arch', 2, '500'),
    })
    const address = `/orders/add?from=${id}`
    const differences = async (browser = denis) => elementsOf((await browser.get(address)).body, '.alert-info li').map(textOf)
    t.same(await differences(), ['Arch: not in the catalog. Choose a product.'])
    t.same(await differences(maria), [], 'whoever may write it is told nothing')
    db.update(productPrices).set({ price: 120_000 }).where(eq(productPrices.product_id, handle)).run()
    db.update(products).set({ width_max: 1000 }).where(eq(products.id, window)).run()
    db.update(products).set({ active: false }).where(eq(products.id, sill)).run()
    t.same(await differences(), [
      'H-1 Handle: the price is now 1 080,00 ₽; it was 900,00 ₽.',
      'W-1 Window: its size is no longer made. From 400 to 1000 mm.',
      'S-1 Sill: no longer sold. Choose another product.',
      'Arch: not in the catalog. Choose a product.',
    ])
    const form = await denis.get(address)
    t.same([fieldOf(form, 'items[0][quantity]')?.value, fieldOf(form, 'items[1][width]')?.value], ['3', '1200'])
    t.equal(kopecksOf(form, 'items.0.sum'), 324_000)
    t.equal(fieldOf(form, 'seen_total')?.value, '', 'not every line has a price')
    allowCustom(db, cast.companies.alpha)
    t.match(await differences(), { 3: 'Arch: a manager sets the price.' })
    db.delete(products).where(eq(products.id, handle)).run()
    t.match(await differences(), { 0: 'H-1 Handle: no longer sold. Choose another product.' })
  },
)

t.test('an order takes 200 lines, and 6,000 fields', async (t) => {
  const { as, db, handle, window } = await start(t)
  const denis = await as('denis')
  const lines = Array.from({ length: 200 }, (_, at) =>
    productLine(at, at % 2 ? window : handle, { width: 1000, height: 1000, quantity: 2 }),
  )
  const fields: Fields = Object.assign({ items: '' }, ...lines)
  const padded = (count: number): Fields => ({
    ...fields,
    ...Object.fromEntries(Array.from({ length: count - Object.keys(fields).length }, (_, at) => [`more${at}`, 1])),
  })
  const priced = await denis.post('/orders/add/price', fields, htmx)
  t.equal(kopecksOf(priced, 'order-total'), 200 * (90_000 + 425_000))
  t.equal((await denis.post('/orders/add', padded(6001))).statusCode, 413)
  const id = await place(denis, padded(6000))
  t.match([linesOf(db, id).length, orderOf(db, id).cost], [200, 200 * (90_000 + 425_000)])
  const more = await denis.post('/orders/add', { ...fields, ...productLine(200, handle) })
  t.equal(more.statusCode, 413)
  t.match(textOf(more.body), 'Up to 200 lines')
  t.notOk(fieldOf(more, 'items[0][quantity]'), 'nothing of it is shown')
  for (const path of ['/orders/add/price', '/orders/drafts'])
    t.equal((await denis.post(path, { ...fields, ...productLine(200, handle) })).statusCode, 413, path)
  const added = await denis.post('/orders/add', { ...fields, _add: 'items' })
  t.equal(added.statusCode, 200)
  t.match(textsByRole(added, 'alert').join(), 'Up to 200 lines.', 'there is no room for one more')
  t.ok(fieldOf(added, 'items[199][quantity]'))
  t.notOk(fieldOf(added, 'items[200][quantity]'))
  for (const [rows, status] of [
    [199, 200],
    [200, 422],
  ])
    t.equal((await denis.get(`/orders/add/items/row?index=200&rows=${rows}`)).statusCode, status)
  const one = await (await as('root')).post(`/orders/edit/${id}`, productLine(300, handle))
  t.equal(one.statusCode, 422, 'those that are stored and that the form leaves out count, too')
  t.match(textsByRole(one, 'alert').join(), 'Up to 200 lines.')
  t.equal(linesOf(db, id).length, 200)
})

t.test(
  'a form says the range of a size as far as there is one, the unit of a price, and what a line without a product costs',
  async (t) => {
    const { as, db, cast, window, sill, doors } = await start(t)
    const most = insertProduct(db, { article: 'M-1', name: 'Rail', unit: 'm', basis: 'length', width_max: 6000 })
    const any = insertProduct(db, { article: 'F-1', name: 'Free', unit: 'm', basis: 'length' }, [[dayIn(-1), 0]])
    const answer = await (await as('maria')).post(
      '/orders/add/price',
      {
        dealer_id: cast.denis,
        ...productLine(0, window, { width: 1000, height: 1000 }),
        ...productLine(1, sill, { width: 1000 }),
        ...productLine(2, most),
        ...productLine(3, any, { width: 1000 }),
        ...line(4, doors, 'Arch', 2, '500'),
      },
      htmx,
    )
    const part = (id: string) => textOf(elementById(answer, id) ?? '').replaceAll(/\s/g, ' ')
    t.equal(part('items.0.priced'), 'Price per piece 4 250,00 ₽ Amount 4 250,00 ₽')
    t.equal(part('items.0.basis'), 'list 5 000,00 ₽, category Windows 15%, per m²')
    t.match(part('items.1.sizes'), /from 100 mm/)
    t.match(part('items.2.sizes'), /^Length, mm .*up to 6 ?000 mm$/)
    t.notMatch(part('items.3.sizes'), /to .* mm$/)
    t.match(part('items.3.priced'), /Amount 0,00 ₽$/, 'what is free costs nothing, which is an amount')
    t.equal(part('items.4.priced'), 'Price 500,00 ₽ Amount 900,00 ₽')
    t.equal(part('items.4.basis'), 'Discount 10%')
    t.equal(fieldOf(answer, 'seen_total')?.value, '', 'a size is missing')
  },
)

t.test('a price per square or running meter says so wherever it stands, whatever the unit of the product', async (t) => {
  const { as, db, cast } = await start(t)
  const pane = insertProduct(db, { article: 'P-1', name: 'Pane', unit: 'pcs', basis: 'area' }, [[dayIn(-1), 10_000]])
  const rail = insertProduct(db, { article: 'R-1', name: 'Rail', unit: 'set', basis: 'length' }, [[dayIn(-1), 10_000]])
  const plain = insertProduct(db, { article: 'E-1', name: 'Each', unit: 'set' }, [[dayIn(-1), 10_000]])
  const maria = await as('maria')
  const found = async (query: string) => attributesIn((await maria.get(`/orders/products?q=${query}`, htmx)).body, 'option', 'data-aside')
  t.same([await found('P-1'), await found('R-1'), await found('E-1')].flat(2), [
    '100,00\u00a0₽ per m²',
    '100,00\u00a0₽ per m',
    '100,00\u00a0₽ per kit',
  ])
  const lines = {
    ...productLine(0, pane, { width: 1000, height: 1000 }),
    ...productLine(1, rail, { width: 1000 }),
    ...productLine(2, plain),
  }
  const typed = await maria.post('/orders/add/price', { dealer_id: cast.denis, ...lines }, htmx)
  const said = [0, 1, 2].map(
    (index) => / per (?!piece)[^ ]+/.exec(textOf(elementById(typed, `items.${index}.basis`) ?? '').replaceAll(/\s/g, ' '))?.[0],
  )
  t.same(said, [' per m²', ' per m', undefined])
  const id = await place(maria, { dealer_id: cast.denis, ...lines })
  t.match(textOf((await maria.get(`/orders/${id}`)).body), /P-1.* per m² .*R-1.* per m .*E-1/)
  const factsOf = async (product: number) => textOf((await maria.get(`/products/edit/${product}`)).body).replaceAll(/\s/g, ' ')
  t.match(await factsOf(pane), /Price today 100,00 ₽ per m²/)
  t.match(await factsOf(plain), /Price today 100,00 ₽ (?!per)/)
})

t.test('a line whose quantity is wrong has a price, though the total cannot count it', async (t) => {
  const { as, handle, window } = await start(t)
  const denis = await as('denis')
  const total = async (lines: Fields) => {
    const answer = await denis.post('/orders/add/price', lines, htmx)
    return [textOf(elementById(answer, 'order-total') ?? '').includes('without a price'), fieldOf(answer, 'seen_total')?.value]
  }
  t.same(await total(productLine(0, handle, { quantity: 0 })), [false, ''])
  t.same(await total({ ...productLine(0, handle, { quantity: 0 }), ...productLine(1, window) }), [true, ''])
})

t.test(
  'an order that is given to a dealer of another company has what is written, and prices of that company for what is new',
  async (t) => {
    const { as, db, cast, handle } = await start(t)
    insertContractPrice(db, cast.companies.beta, handle, 5_000)
    const root = await as('root')
    const id = await place(await as('denis'), productLine(0, handle))
    const [first] = linesOf(db, id)
    const lines = { ...productLine(0, handle, { id: Number(first?.id) }), ...productLine(1, handle) }
    const shown = async (dealer_id: number) => {
      const answer = await root.post(`/orders/add/price?order=${id}`, { dealer_id, ...lines }, htmx)
      return [kopecksOf(answer, 'items.0.piece'), kopecksOf(answer, 'items.1.piece')]
    }
    t.same(await shown(cast.denis), [90_000, 90_000])
    t.same(await shown(cast.daria), [90_000, 5_000])
    t.equal((await root.post(`/orders/edit/${id}`, { items: '', dealer_id: cast.daria, ...lines })).statusCode, 303)
    t.match(linesOf(db, id), [{ piece_price: 90_000 }, { piece_price: 5_000, price_origin: 'contract' }])
    t.equal(orderOf(db, id).cost, 95_000)
  },
)

t.test('a line that is priced anew is written today; a price that fell is told in an order that repeats it', async (t) => {
  const { as, db, handle, window } = await start(t)
  const denis = await as('denis')
  const id = await place(denis, { ...productLine(0, handle), ...productLine(1, window, { width: 1000, height: 1000 }) })
  const [first, second] = linesOf(db, id)
  db.update(orderItems)
    .set({ priced_on: dayIn(-20) })
    .run()
  const own = (height: number) => ({
    items: '',
    ...productLine(0, handle, { id: Number(first?.id), quantity: 2 }),
    ...productLine(1, window, { id: Number(second?.id), width: 1000, height }),
  })
  t.equal((await denis.post(`/orders/edit/${id}`, own(1000))).statusCode, 303)
  t.match(linesOf(db, id), [{ quantity: 2, priced_on: dayIn(-20) }, { priced_on: dayIn(-20) }])
  t.equal((await denis.post(`/orders/edit/${id}`, own(1001))).statusCode, 303)
  t.match(linesOf(db, id), [{ priced_on: dayIn(-20) }, { height: 1001, priced_on: dayIn(0) }])
  db.update(productPrices).set({ price: 50_000 }).where(eq(productPrices.product_id, handle)).run()
  const again = textOf((await denis.get(`/orders/add?from=${id}`)).body).replaceAll(/\s/g, ' ')
  t.match(again, 'H-1 Handle: the price is now 450,00 ₽; it was 900,00 ₽.')
})

t.test('page and sheet of an order say what its discounts come to, and nothing of discounts where there are none', async (t) => {
  const { as, db, cast, doors } = await start(t)
  useCatalog(db, { vat: null })
  const maria = await as('maria')
  const id = await place(maria, { dealer_id: cast.denis, ...line(0, doors, 'Arch', 2, '500,05') })
  const sums = async () =>
    Promise.all(
      [`/orders/${id}`, `/orders/${id}/sheet`].map(async (path) =>
        elementsOf((await maria.get(path)).body, 'tfoot tr').map((row) => textOf(row).replaceAll(/\s/g, ' ')),
      ),
    )
  const discounted = ['Subtotal 1 000,10 ₽', 'Discount −100,01 ₽', 'Total 900,09 ₽']
  t.same(await sums(), [discounted, discounted])
  db.update(orderItems).set({ discount: 0 }).run()
  db.update(orders).set({ cost: 100_010 }).where(eq(orders.id, id)).run()
  t.same(await sums(), [['Total 1 000,10 ₽'], ['Total 1 000,10 ₽']])
})

t.test('the product of a line is marked as required to everybody, but not in a line that was written without one', async (t) => {
  const cabinet = await start(t)
  const { as, alpha, db, doors } = cabinet
  allowCustom(db, alpha)
  for (const name of ['denis', 'maria', 'root'] as const)
    t.equal(fieldOf(await (await as(name)).get('/orders/add'), 'items[0][product_id]')?.required, true, name)
  const root = await as('root')
  const order = newOrderId(await root.post('/orders/add', { dealer_id: cabinet.cast.denis, ...line(0, doors, 'Own', 1, 5) }))
  t.equal(
    fieldOf(await root.get(`/orders/${order}/edit/lines`), 'items[0][product_id]')?.required,
    false,
    'written before there were products',
  )
})
