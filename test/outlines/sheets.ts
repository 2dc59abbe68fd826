import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderItems, orders, settings, users } from '../../src/database/schema/index.ts'
import { insertOrder, startWithDiscounts } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'

const { shows } = recordedOutlines('sheets')
const created_at = new Date(2020, 2, 1, 23, 30).getTime()

async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  const { cast, db, as } = cabinet
  const print = async (order: number, sheet: string) => (await (await as('root')).get(`/orders/${order}/${sheet}`)).body
  db.update(companies).set({ stock_id: cast.stock, inn: '7701', kpp: '770101' }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ phone: '+7(495) 111 22 33' }).where(eq(users.id, cast.maria)).run()
  return { ...cabinet, print }
}

t.test('the sheets of an order with products, with one that waits for its price, in a cabinet with a logo', async (t) => {
  const { cast, db, doors, windows, print } = await start(t)
  db.update(settings).set({ name: 'The makers', legal_name: 'Makers LLC', inn: '5001', logo: 'aa', version: 7 }).run()
  const product = { order_id: cast.order, article: 'W-1', unit: 'm2', basis: 'area', width: 1200, height: 1400, vat: '20' } as const
  db.insert(orderItems)
    .values([
      {
        ...product,
        category_id: windows,
        name: 'Window',
        quantity: 2,
        price: 500_000,
        discount: 15,
        piece_price: 714_000,
        price_origin: 'category',
      },
      {
        ...product,
        name: 'Lock',
        quantity: 1,
        price: 300_00,
        discount: 0,
        piece_price: 300_00,
        price_origin: 'contract',
        basis: 'each',
        vat: null,
        width: null,
        height: null,
      },
      { order_id: cast.order, category_id: doors, name: 'Arch', quantity: 3, price: 100_00, discount: 10 },
      { order_id: cast.order, name: 'Gate', quantity: 1, price: null, discount: 0 },
    ])
    .run()
  const terms = {
    receiver: 'Anna Karenina',
    delivery: 'address',
    address: 'Main street 5',
    comment: 'Second floor\nRing twice',
    sn: 'SN-5',
  }
  db.update(orders)
    .set({ ...terms, created_at, cost: 1_485_000, specification_number: 77, date_make: '2020-12-31' })
    .where(eq(orders.id, cast.order))
    .run()
  shows(t, 'the sheet of an order', await print(cast.order, 'sheet'), 'html')
  shows(t, 'its work sheet', await print(cast.order, 'work-sheet'), 'html')
})

t.test('the sheets of an order of which little is known are to be filled in by hand', async (t) => {
  const cabinet = await start(t)
  const { cast, db, print, windows } = cabinet
  const order = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha, created_at })
  db.insert(orderItems)
    .values({ order_id: order, category_id: windows, name: 'Window', quantity: 1, price: 0, discount: 0, vat: 'none' })
    .run()
  db.update(orders).set({ specification_number: null }).where(eq(orders.id, order)).run()
  db.update(settings).set({ name: null }).run()
  db.update(users).set({ phone: null }).where(eq(users.id, cast.maria)).run()
  shows(t, 'the sheet of an order without VAT, for a supplier without a name', await print(order, 'sheet'), 'html')
  const nobodys = insertOrder(cabinet, 'new', { created_at })
  shows(t, 'the work sheet of an order of nobody', await print(nobodys, 'work-sheet'), 'main')
})
