import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderItems } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, errorsOf, fieldOf, textOf } from '../support/html.ts'
import { line, linesOf, newOrderId, placeOrder, setOrder, snapshotOrders } from '../support/orders.ts'
import { insertProduct, productLine, useCatalog } from '../support/products.ts'

const remark = 'Opens left, RAL 7016\nTinted glass'

t.test('a line says what is to be made from the first form on: on page and sheets, not on that of another line', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  useCatalog(db)
  const window = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const denis = await as('denis')
  const id = await placeOrder(denis, { ...productLine(0, window, { remark }), ...productLine(1, window), items: '' })
  t.same(
    linesOf(db, id).map((one) => one.remark),
    [remark, null],
  )
  for (const [who, page] of [
    [denis, ''],
    [denis, '/sheet'],
    [await as('maria'), '/work-sheet'],
  ] as const)
    t.match(
      elementsOf((await who.get(`/orders/${id}${page}`)).body, '.line-remark, .cell-note').map(textOf)[0],
      remark.replace('\n', ' '),
      page,
    )
})

t.test('a remark outlives whatever changes the price of its line, and a form that does not ask for it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  useCatalog(db)
  const [window, door] = ['W-1', 'D-1'].map((article) => insertProduct(db, { article, category_id: cast.category })) as [number, number]
  const maria = await as('maria')
  const id = await placeOrder(maria, { dealer_id: cast.denis, ...productLine(0, window, { remark }), items: '' })
  const [first] = linesOf(db, id)
  const save = (fields: object) => maria.post(`/orders/edit/${id}`, { items: '', 'items[0][id]': first?.id ?? 0, ...fields })
  t.equal((await save(productLine(0, door))).statusCode, 303)
  t.match(linesOf(db, id), [{ id: first?.id, product_id: door, remark }], 'left out')
  t.equal((await save(productLine(0, door, { remark: 'Other' }))).statusCode, 303)
  t.match(linesOf(db, id), [{ remark: 'Other' }], 'changed alone')
  t.equal((await save(productLine(0, door, { remark: '' }))).statusCode, 303)
  t.match(linesOf(db, id), [{ remark: null }], 'emptied')
})

t.test('without the catalog, too; an order that repeats another takes its remarks along', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const denis = await as('denis')
  const id = await placeOrder(denis, { ...line(0, cast.category, 'Window', 1, '10'), 'items[0][remark]': remark, items: '' })
  t.match(linesOf(db, id), [{ remark }])
  t.equal(fieldOf(await denis.get(`/orders/add?from=${id}`), 'items[0][remark]')?.value, remark)
  t.equal(fieldOf(await denis.get(`/orders/edit/${id}`), 'items[0][remark]')?.value, remark)
})

t.test('markup is text, marks of direction are dropped, and more than 500 characters are refused at the field, nothing lost', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const denis = await as('denis')
  const place = (text: string) =>
    denis.post('/orders/add', { ...line(0, cast.category, 'Window', 1, '10'), 'items[0][remark]': text, items: '' })
  const markup = '<script>alert(1)</script> <b>שלום</b>'
  const placed = await place(`\u202e${markup}`)
  const id = newOrderId(placed)
  t.match(linesOf(db, id), [{ remark: markup }])
  const page = (await denis.get(`/orders/${id}`)).body
  t.same(elementsOf(page, '.line-remark, .cell-note').map(textOf), [markup])
  t.match(elementsOf(page, '.line-remark')[0], /dir="auto"/)
  t.equal((await place('a'.repeat(500))).statusCode, 303)
  const before = snapshotOrders(db)
  for (const length of [501, 10_000]) {
    const text = 'a'.repeat(length)
    const refused = await place(text)
    t.equal(refused.statusCode, 422)
    t.same(errorsOf(refused), { 'items.0.remark': 'Up to 500 characters.' })
    t.equal(fieldOf(refused, 'items[0][remark]')?.value, text)
  }
  t.equal(snapshotOrders(db), before)
})

t.test('it is written only while lines may be edited; programs write and read it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const root = clientOf(cabinet, 'root')
  const made = await root.post('/orders', {
    dealer_id: cast.denis,
    items: [{ category_id: cast.category, name: 'Window', quantity: 1, price: 100, remark }],
  })
  t.equal(made.statusCode, 201)
  t.equal(made.json().items[0].remark, remark)
  db.insert(orderItems)
    .values({ order_id: cast.order, category_id: cast.category, name: 'Door', quantity: 1, price: 100, discount: 0 })
    .run()
  setOrder(cabinet, 'payment')
  const maria = await as('maria')
  const [door] = db.select().from(orderItems).where(eq(orderItems.order_id, cast.order)).all()
  const fields = { ...line(0, cast.category, 'Door', 1, '1', door?.id), 'items[0][remark]': remark, items: '' }
  t.equal((await maria.post(`/orders/edit/${cast.order}`, fields)).statusCode, 403)
  t.match(linesOf(db, cast.order), [{ remark: null }])
  db.update(orderItems).set({ remark }).run()
  t.equal((await maria.post(`/orders/edit/${cast.order}`, fields)).statusCode, 303, 'as it is, it may be sent')
})
