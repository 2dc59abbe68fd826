import { eq } from 'drizzle-orm'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { companies, orderDrafts, orderItems, orders, products, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { line, placeOrder, setOrder, startWithDiscounts } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'
import { allowCustom, insertContractPrice, insertProduct, productLine, useCatalog } from '../support/products.ts'

const { shows } = recordedOutlines('order-form')
const at = new Date(2020, 2, 1, 12, 30).getTime()

t.test('the form of an order made of products', async (t) => {
  const { as, db, cast, doors, windows, alpha } = await startWithDiscounts(t)
  const [maria, denis] = [await as('maria'), await as('denis')]
  useCatalog(db)
  const area = { unit: 'm2', basis: 'area', width_min: 400, width_max: 2000, height_max: 2400 } as const
  const window = insertProduct(db, { article: 'W-1', name: 'Window', category_id: windows, ...area })
  const sill = insertProduct(db, { article: 'S-1', name: 'Sill', category_id: windows, unit: 'm', basis: 'length', width_min: 100 })
  const handle = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: doors }, [['2020-01-01', 150_00]])
  const lock = insertProduct(db, { article: 'L-1', name: 'Lock', category_id: doors })
  insertContractPrice(db, alpha, handle, 150_00)
  const lines = {
    ...productLine(0, window, { width: 1200, height: 1400 }),
    ...productLine(1, sill, { width: 2000, quantity: 2 }),
    ...productLine(2, handle, { agreed: 7, quantity: 3 }),
    ...line(3, doors, 'Arch', 2, '500,05'),
    ...productLine(4, lock),
  }
  db.update(users).set({ discount_limit: 10 }).where(eq(users.id, cast.maria)).run()
  const order = await placeOrder(maria, { dealer_id: cast.denis, ...lines, agreed_reason: 'Asked for', agreed_raises: 1, items: '' })
  db.update(products).set({ active: false }).where(eq(products.id, handle)).run()
  db.delete(products).where(eq(products.id, lock)).run()
  const form = (await maria.get(`/orders/edit/${order}`)).body
  shows(t, 'the form for the manager', form, '.record-form')
  shows(t, 'the form for the dealer', (await denis.get(`/orders/edit/${order}`)).body, '.repeater-row, .save-bar')
  const wrong = { ...productLine(0, sill, { width: 5, quantity: 2 }), ...productLine(1, window), ...line(2, '', 'Arch', 'x', '10') }
  const priced = async (browser: typeof maria) => (await browser.post('/orders/add/price', { dealer_id: cast.denis, ...wrong }, htmx)).body
  shows(t, 'lines as they are typed, priced', await priced(maria), ':root')
  allowCustom(db, alpha)
  const again = (await denis.get(`/orders/add?from=${order}`)).body
  shows(t, 'an order of products again', again, '.alert-info')
  const refused = (await denis.post('/orders/add', { items: '', ...line(0, '', '', 'x', ''), receiver: 'Anna' })).body
  shows(t, 'the form of an order that was refused', refused, '.alert-danger, .repeater-row')
})

t.test('the form of an order made of anything', async (t) => {
  const { as, db, cast, windows, address } = await startWithDiscounts(t)
  const denis = await as('denis')
  db.update(orders).set({ receiver: 'Anna', cost: 900_00 }).run()
  db.insert(orderItems)
    .values([
      { order_id: cast.order, category_id: windows, name: 'Window', quantity: 1, price: 1_000_00, discount: 10 },
      { order_id: cast.order, category_id: null, name: 'Gate', quantity: 2, price: 100, discount: 0 },
    ])
    .run()
  shows(t, 'lines of an order that is edited', (await denis.get(address)).body, '#discounts, .repeater-row, .save-bar')
  shows(t, 'a new order', (await denis.get('/orders/add')).body, '.page-header, .record-form')
  shows(t, 'an order again', (await denis.get(`/orders/add?from=${cast.order}`)).body, '.alert-info')
})

t.test('without dealers there are no orders', async (t) => {
  const { as, db } = await startCabinet(t)
  db.update(users).set({ company_id: null }).where(eq(users.group_id, group.dealer)).run()
  for (const name of ['root', 'clerk'] as const) {
    const answer = await (await as(name)).get('/orders/add')
    if (answer.statusCode === 200) shows(t, `a new order without dealers for ${name}`, answer.body, '.empty')
  }
})

t.test('drafts', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const denis = await as('denis')
  useCatalog(db)
  const opened = Date.now() - 60_000
  const ids = Array.from({ length: 12 }, (_, index) => insertProduct(db, { article: `P-${index}`, name: `Part ${index}` }))
  const draft = (fields: [string, string][]) => ({ user_id: cast.denis, fields, created_at: opened, opened_at: opened })
  db.insert(orderDrafts)
    .values([
      draft([
        ['receiver', ' Anna '],
        ['items[0][product_id]', String(ids[0])],
        ['items[1][name]', 'Arch'],
      ]),
      draft([]),
    ])
    .run()
  shows(
    t,
    'drafts of a dealer',
    (await denis.get('/orders/drafts')).body.replaceAll(formatDateTime(opened), 'WHEN'),
    'main > :not([aria-live])',
  )
  const chosen = `/orders/drafts/products?${ids.map((id) => `id=${id}`).join('&')}`
  shows(t, 'products to add to an order', (await denis.get(chosen)).body, '.confirm')
  const kept = (await denis.get('/orders/add?draft=1')).body
  shows(t, 'an order that goes on', kept, '.save-bar, .repeater-row')
  const gone = (await denis.post('/orders/drafts', { draft: 99, receiver: 'Anna' }, htmx)).body
  shows(t, 'a draft that is gone, told to a script', gone, ':root')
  const saved = (await denis.post('/orders/drafts', { draft: 2, receiver: 'Anna' }, htmx)).body.replace(/\d\d:\d\d/, 'TIME')
  shows(t, 'a draft that was kept, told to a script', saved, ':root')
})

t.test('dates, payments and the history of an order', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const [maria, root, denis] = [await as('maria'), await as('root'), await as('denis')]
  const order = setOrder(cabinet, 'paid', { date_make: '2020-12-31', created_at: at, cost: 100_00 })
  const here = `/orders/${order}`
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  shows(t, 'the dates of an order', (await maria.get(`${here}/dates?back=%3Fq%3D1`)).body, '.confirm')
  shows(
    t,
    'its dates in the dialog over the list',
    (await maria.get(`${here}/dates?back=%3Fq%3D1&return=list&field=date_make`, htmx)).body,
    ':root',
  )
  const dates = { date_make: '2021-01-10', version: 1 }
  await root.post(`${here}/dates`, { date_make: '2021-02-20', reason: 'Late' })
  shows(
    t,
    'dates that somebody else has changed',
    (await maria.post(`${here}/dates`, dates)).body.replace(/(?<=Root Olga, )[\d.: ]+/, 'WHEN '),
    '.confirm',
  )
  shows(
    t,
    'a payment that a dealer reports',
    (await denis.get(`${here}/payments`)).body.replace(/max="[^"]*"|value="20\d\d-[^"]*"/g, ''),
    '.confirm',
  )
  shows(
    t,
    'a payment that is added, in the dialog',
    (await root.get(`${here}/payments?back=%3Fq%3D1`, htmx)).body.replace(/max="[^"]*"|value="20\d\d-[^"]*"/g, ''),
    ':root',
  )
  await denis.post(`${here}/payments`, { amount: '10', date: '2021-01-10', kind: 'cash' })
  shows(t, 'the rejection of a payment', (await root.get('/payments/1/reject?back=%3Fq%3D1')).body, '.confirm')
  shows(t, 'a history without steps', (await root.get(`/orders/edit/${order}?tab=history`)).body, '.card-body')
})
