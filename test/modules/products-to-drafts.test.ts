import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import t from 'tap'
import { orderDrafts, productPrices, products, settings } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { controlsOf, elementsOf, errorsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { linesOf, newOrderId } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

async function startWithCatalog(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, as } = cabinet
  await (await as('root')).post('/settings', { catalog: 1 })
  const [door, window, gate] = ['D', 'W', 'G'].map((article) => insertProduct(db, { article })) as [number, number, number]
  return { ...cabinet, door, window, gate, denis: await as('denis') }
}

const draftOf = ({ db }: Pick<Cabinet, 'db'>, id: number) => db.select().from(orderDrafts).where(eq(orderDrafts.id, id)).get()

const hrefsOf = ({ body }: Answer) =>
  elementsOf(body, 'main a').flatMap((link) => /href="(\/products[^"]*)"/.exec(link)?.[1]?.replaceAll('&amp;', '&') ?? [])

const idIn = (location: unknown) => Number(/\/orders\/add\?draft=(\d+)$/.exec(String(location))?.[1])

t.test('a dealer adds products to a new order, and more of them to its draft', async (t) => {
  const cabinet = await startWithCatalog(t)
  const { door, window, gate, denis } = cabinet
  t.match((await denis.get('/products')).body, 'formaction="/orders/drafts/products"')
  const asked = await denis.get(`/orders/drafts/products?id=${door}&id=${window}`)
  t.match(textOf(elementsOf(asked.body, '#dialog-title')[0] ?? ''), 'Add 2 products to an order')
  t.same(elementsOf(asked.body, '[type=radio]'), [], 'there is no draft to choose')
  t.same(hiddenOf(asked, 'id'), [String(door), String(window)])
  const filtered = await denis.get(`/orders/drafts/products?id=${door}&q=product&sort=name&dir=desc`)
  t.match(hrefsOf(filtered), ['/products?q=product&sort=name&dir=desc'], 'and back to the list as it was')
  const body = { id: [door, window], once: 'once-of-products' }
  const added = await denis.post('/orders/drafts/products', body)
  t.equal(added.statusCode, 303)
  const draft = idIn(added.headers.location)
  t.same(draftOf(cabinet, draft)?.fields, [
    ['items', ''],
    ['items[0][product_id]', String(door)],
    ['items[0][quantity]', '1'],
    ['items[1][product_id]', String(window)],
    ['items[1][quantity]', '1'],
  ])
  t.match(textsByRole(await denis.get('/orders/drafts'), 'status'), ['2 products added'])
  t.equal(idIn((await denis.post('/orders/drafts/products', body)).headers.location), draft, 'sent twice, added once')
  await denis.post('/orders/drafts', {
    ...{ draft, receiver: 'Ivanova', items: '', 'items[1][product_id]': window, 'items[1][quantity]': 3 },
    ...{ 'items[4][product_id]': '', 'items[4][quantity]': 1 },
  })
  const again = await denis.get(`/orders/drafts/products?id=${gate}`)
  t.same(
    parseHtml(again.body)('[type=radio]')
      .toArray()
      .map(({ attribs }) => attribs.value),
    ['', String(draft)],
  )
  t.match(textOf(again.body), 'Ivanova · W Product W')
  t.equal(idIn((await denis.post('/orders/drafts/products', { id: gate, draft })).headers.location), draft)
  t.same(
    draftOf(cabinet, draft)?.fields.map(([name, value]) => `${name}=${value}`),
    [
      'items=',
      'receiver=Ivanova',
      `items[1][product_id]=${window}`,
      'items[1][quantity]=3',
      `items[2][product_id]=${gate}`,
      'items[2][quantity]=1',
    ],
    'after what is there; a line that says nothing makes room',
  )
  t.not(idIn((await denis.post('/orders/drafts/products', { id: gate, draft: '' })).headers.location), draft)
  const form = await denis.get(`/orders/add?draft=${draft}`)
  t.equal(fieldOf(form, 'items[2][product_id]')?.value, String(gate))
  t.equal(fieldOf(form, 'seen_total')?.value, '4000,00', 'priced as of today')
  const sent = Object.fromEntries(controlsOf(form.body).flatMap(({ name, value }) => (/^items\[|^seen/.test(name) ? [[name, value]] : [])))
  const placed = await denis.post('/orders/add', { ...sent, items: '', draft })
  t.equal(placed.statusCode, 303, JSON.stringify(errorsOf(placed)))
  t.match(linesOf(cabinet.db, newOrderId(placed)), [
    { product_id: window, quantity: 3, piece_price: 100_000 },
    { product_id: gate, quantity: 1 },
  ])
  t.match(draftOf(cabinet, draft), { order_id: newOrderId(placed), deleted_at: Number }, 'it has become this order')
})

t.test('a draft goes on with the prices of the day on which it is opened', async (t) => {
  const { db, door, denis } = await startWithCatalog(t)
  const answer = await denis.post('/orders/drafts/products', { id: door })
  const draft = idIn(answer.headers.location)
  await denis.post('/orders/drafts', { draft, items: '', 'items[0][product_id]': door, 'items[0][quantity]': 2, seen_total: '2000' })
  db.update(productPrices).set({ price: 150_000 }).where(eq(productPrices.product_id, door)).run()
  const form = await denis.get(`/orders/add?draft=${draft}`)
  t.equal(fieldOf(form, 'seen_total')?.value, '3000,00')
  t.equal(fieldOf(form, 'items[0][quantity]')?.value, '2')
})

t.test('products are added to one’s own drafts, and only those that one sees', async (t) => {
  const cabinet = await startWithCatalog(t)
  const { db, as, cast, door, window, denis } = cabinet
  const of = { user_id: cast.roman, fields: [], created_at: Date.now(), opened_at: Date.now() }
  const draft = Number(db.insert(orderDrafts).values(of).run().lastInsertRowid)
  db.update(products).set({ active: false }).where(eq(products.id, window)).run()
  const status = async (fields: Parameters<typeof denis.post>[1], browser = denis) =>
    (await browser.post('/orders/drafts/products', fields)).statusCode
  t.equal(await status({ id: door, draft }), 404, 'a colleague’s draft')
  t.equal(await status({ id: window }), 403, 'what is not for sale')
  t.equal(await status({ id: [door, window] }), 403)
  t.equal(await status({ id: 999_999 }), 404)
  t.equal(await status({}), 422, 'nothing selected')
  t.equal(await status({ id: door }, await as('pavel')), 403)
  revoke(db, cast.daria, 'product_can_view')
  t.equal(await status({ id: door }, await as('daria')), 403)
  t.equal((await (await as('daria')).get(`/orders/drafts/products?id=${door}`)).statusCode, 403)
  const many = Array.from({ length: 199 }, (_, at) => insertProduct(db, { article: `M${at}` }))
  t.equal(await status({ all: 1 }), 422, 'more than an order has lines')
  const full = idIn((await denis.post('/orders/drafts/products', { id: many })).headers.location)
  t.equal(await status({ id: [door, insertProduct(db, { article: 'Z' })], draft: full }), 422)
  t.equal(draftOf(cabinet, full)?.fields.length, 1 + 2 * 199)
  t.equal(await status({ id: door, draft: full }), 303)
  t.same(draftOf(cabinet, draft)?.fields, [])
})

t.test('the question which order products are added to names the first ten, and counts the others', async (t) => {
  const { db, denis } = await startWithCatalog(t)
  const many = Array.from({ length: 11 }, (_, at) => insertProduct(db, { article: `M${10 + at}` }))
  const asked = async (ids: number[]) => {
    const { body } = await denis.get(`/orders/drafts/products?${ids.map((id) => `id=${id}`).join('&')}`)
    return elementsOf(body, '.confirm-names li').map((item) => textOf(item))
  }
  const all = await asked(many)
  t.match(all[0], 'Product M10')
  t.same([all.length, all.at(-1)], [11, 'and 1 more'])
  const ten = await asked(many.slice(0, 10))
  t.same([ten.length, ten.at(-1)?.includes('Product M19')], [10, true], 'of ten none is left out')
})

t.test('without the catalog there is nothing to add (422)', async (t) => {
  const { db, as, door, denis } = await startWithCatalog(t)
  db.update(settings).set({ catalog: false }).run()
  await (await as('root')).post('/settings', { catalog: 0 })
  t.notMatch((await denis.get('/products')).body, 'drafts/products')
  t.equal((await denis.post('/orders/drafts/products', { id: door })).statusCode, 422)
  t.equal(db.select().from(orderDrafts).all().length, 0)
})

t.test('dealers search, filter and export products with pictures and their own prices', async (t) => {
  const { db, as, cast, door, gate, denis } = await startWithCatalog(t)
  db.update(products).set({ category_id: cast.category }).where(eq(products.id, door)).run()
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer()
  const root = await as('root')
  const saved = await submitForm(root, `/products/edit/${gate}`, [['image', new File([picture as never], 'a.png')]])
  t.equal(saved.statusCode, 303)
  const key = String(db.select().from(products).where(eq(products.id, gate)).get()?.image)
  const rows = async (query: string) =>
    elementsOf((await denis.get(`/products?${query}`)).body, 'tr[id^=products-]').map((row) => textOf(row).match(/Product \w/)?.[0])
  t.same(await rows('q=product+g'), ['Product G'])
  t.same(await rows(`category=${cast.category}`), ['Product D'])
  t.match((await denis.get('/products')).body, `/products/images/${key}`)
  const small = await denis.get(`/products/images/${key}`)
  t.match(small.headers['cache-control'], /^private,/, 'no cache of a network keeps it')
  t.match(await sharp(small.rawPayload).metadata(), { format: 'webp', width: 480 })
  t.match(
    (await denis.get('/products/export?format=csv&q=product+g')).body,
    /^\uFEFF?ID,Article.*Your price\r\n\d+,G,Product G,[^\r]*1000\r\n$/,
  )
  t.equal((await denis.get(`/products/images/${'0'.repeat(64)}`)).statusCode, 404)
  db.update(products).set({ active: false }).where(eq(products.id, gate)).run()
  t.equal((await denis.get(`/products/images/${key}`)).statusCode, 403)
  t.equal((await (await as('pavel')).get(`/products/images/${key}`)).statusCode, 403)
})
