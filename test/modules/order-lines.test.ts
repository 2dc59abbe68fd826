import { eq } from 'drizzle-orm'
import t from 'tap'
import { products } from '../../src/database/schema/index.ts'
import { errorsOf, fieldOf } from '../support/html.ts'
import { linesOf, placeOrder, startWithDiscounts } from '../support/orders.ts'
import { dayIn, insertProduct, productLine, useCatalog } from '../support/products.ts'

t.test('a line whose product was deleted keeps its size: the dealer is told to choose another product (422)', async (t) => {
  const { as, db, windows } = await startWithDiscounts(t)
  useCatalog(db)
  insertProduct(db, { article: 'H-1' })
  const window = insertProduct(db, { article: 'W-1', category_id: windows, basis: 'area' })
  const denis = await as('denis')
  const id = await placeOrder(denis, { items: '', ...productLine(0, window, { width: 1000, height: 1000 }) })
  db.delete(products).where(eq(products.id, window)).run()
  const before = linesOf(db, id)
  const line = { id: before[0]?.id as number, height: 1000 }
  const refused = await denis.post(`/orders/edit/${id}`, { items: '', ...productLine(0, '', { ...line, width: 2000 }) })
  t.equal(refused.statusCode, 422)
  t.same(errorsOf(refused), { 'items.0.product_id': 'This product is no longer for sale. Choose another.' })
  t.same(linesOf(db, id), before)
  t.equal((await denis.post(`/orders/edit/${id}`, { items: '', ...productLine(0, '', { ...line, width: 1000 }) })).statusCode, 303)
})

t.test('a line in which one piece of nothing stands is none: the page asks whether the order is meant to have no lines', async (t) => {
  const { as, db } = await startWithDiscounts(t)
  useCatalog(db)
  insertProduct(db, { article: 'H-1' })
  const denis = await as('denis')
  const asked = await denis.post('/orders/add', { items: '', ...productLine(0, '') })
  t.match([asked.statusCode, fieldOf(asked, 'without_lines')?.type], [422, 'button'])
  t.match(errorsOf(asked), { 'items.0.product_id': 'Choose a product.' })
  const begun = await denis.post('/orders/add', { items: '', ...productLine(0, '', { quantity: 2 }) })
  t.match([begun.statusCode, fieldOf(begun, 'without_lines')], [422, undefined])
  t.match(errorsOf(begun), { 'items.0.product_id': 'Choose a product.' }, 'two pieces are of something')
})

t.test('everything that is wrong with a form is said at once, each at its field: sizes, product, quantity, dealer', async (t) => {
  const { as, db } = await startWithDiscounts(t)
  useCatalog(db)
  const window = insertProduct(db, { article: 'W-1', unit: 'm2', basis: 'area' }, [[dayIn(0), 500_000]])
  const root = await as('root')
  const lines = { items: '', ...productLine(0, window, { quantity: 'two' }), ...productLine(4, '', { quantity: 2 }) }
  const refused = await root.post('/orders/add', { dealer_id: '', email: 'no address', ...lines })
  t.equal(refused.statusCode, 422)
  t.match(errorsOf(refused), {
    dealer_id: 'Choose a dealer.',
    email: String,
    'items.0.quantity': String,
    'items.0.width': 'Enter the width.',
    'items.0.height': 'Enter the height.',
    'items.4.product_id': /^Choose a product/,
  })
  const without = await root.post('/orders/add', { dealer_id: '', items: '', ...productLine(0, '') })
  t.match(errorsOf(without), { dealer_id: 'Choose a dealer.', 'items.0.product_id': 'Choose a product.' })
  const meant = await root.post('/orders/add', { dealer_id: '', items: '', without_lines: 1 })
  t.same(errorsOf(meant), { dealer_id: 'Choose a dealer.' })
})
