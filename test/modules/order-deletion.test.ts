import { eq } from 'drizzle-orm'
import t from 'tap'
import { manufactures, orderItems, orders, statuses } from '../../src/database/schema/index.ts'
import type { Cabinet } from '../support/cabinet.ts'
import { textOf } from '../support/html.ts'
import { allOrders, line, linesOf, orderOf, placeOrder, startWithDiscounts } from '../support/orders.ts'

t.test('orders are deleted by those who may, after a confirmation that names what will be lost', async (t) => {
  const { as, db, cast, windows } = await startWithDiscounts(t)
  const denis = await as('denis')
  const ids = [await placeOrder(denis, { items: '', ...line(0, windows, 'Window', 1, 1) }), await placeOrder(denis)]
  const query = ids.map((id) => `id=${id}`).join('&')
  const question = textOf((await denis.get(`/orders/delete?${query}`)).body)
  t.match(question, /Delete 2 orders\?/)
  t.match(question, /1 order line will also be deleted/)
  t.match(question, /2 status history entries/)
  t.notMatch(textOf((await denis.get(`/orders/delete?id=${ids[1]}`)).body), /order lines/, 'what there is none of is not named')
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

t.test('deleting dealers, companies, statuses, categories and production sites never deletes an order', async (t) => {
  const cabinet = await startWithDiscounts(t)
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
  const id = await placeOrder(await as('daria'))
  t.match(orderOf(db, id), { id, status_id: null }, 'an order is placed even where there are no statuses')
})

const countManufactures = async ({ db }: Cabinet) => db.select().from(manufactures).all().length
