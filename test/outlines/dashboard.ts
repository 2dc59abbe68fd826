import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderItems, orderMessages, orders } from '../../src/database/schema/index.ts'
import { formatCalendarDate } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { insertOrder, setOrder } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'
import { dayIn } from '../support/products.ts'

const { shows } = recordedOutlines('dashboard')
/** What a dashboard says of orders, with one of its two lines. */
const orderParts = [
  '.page-header',
  '.figures h2, .tile-number, .tile-comparison, .chart-heads, .chart[aria-label="Amounts by week"]',
  ...['pipeline', 'waiting', 'in-progress', 'finished', 'delayed'].map((name) => `[aria-labelledby=${name}-title]`),
].join()
const day = 24 * 3600_000
const at = new Date(2020, 2, 1, 12, 30).getTime()

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, of.company_id)).run()
  return { ...cabinet, of }
}

t.test('dashboards', async (t) => {
  const cabinet = await start(t)
  const { cast, db, as, of } = cabinet
  /** Days are those of this month and of these weeks. */
  const home = async (name: Name) =>
    (await (await as(name)).get('/')).body
      .replace(/Good \w+/, 'Greeting')
      .replace(/\d{4}-\d\d-\d\d|\d\d\.\d\d\.\d{4}(?! \d\d:)/g, 'DAY')
      .replace(/DAY \d\d:\d\d|\d\d\.\d\d\.\d{4} \d\d:\d\d/g, 'MOMENT')
  db.delete(orders).run()
  shows(t, 'a manager without orders', await home('maria'), orderParts)
  shows(t, 'a dealer without orders', await home('denis'), orderParts)
  shows(t, 'an administrator without orders', await home('root'), orderParts)
  const asked = insertOrder(cabinet, 'new', { ...of, receiver: 'Anna', cost: 1_234_50 })
  db.insert(orderItems).values({ order_id: asked, name: 'Gate', quantity: 1, price: 1, discount: 0 }).run()
  const made = insertOrder(cabinet, 'production', { ...of, date_make: dayIn(-3), cost: 500_00 })
  db.update(orders)
    .set({ status_since: daysAgo(3) })
    .where(eq(orders.id, made))
    .run()
  insertOrder(cabinet, 'apply', { ...of, company_id: null, dealer_id: null, cost: 0 })
  grant(db, cast.maria, 'payment_can_confirm')
  shows(t, 'the dashboard of an administrator', await home('root'), orderParts)
  shows(t, 'the dashboard of production', await home('pavel'), orderParts)
  shows(t, 'the dashboard of a dealer', await home('denis'), orderParts)
})

t.test('the list of orders', async (t) => {
  const cabinet = await start(t)
  const { cast, db, as } = cabinet
  setOrder(cabinet, 'production', { date_make: dayIn(-3), created_at: at, receiver: 'Anna', phone: '+7(999) 123 45 67', cost: 1_234_50 })
  db.update(orders)
    .set({ specification_number: 77, date_payment: '2020-12-30', status_since: daysAgo(3) })
    .where(eq(orders.id, cast.order))
    .run()
  db.insert(orderItems).values({ order_id: cast.order, name: 'Gate', quantity: 1, price: 120_00, discount: 0, vat: '20' }).run()
  const said = { order_id: cast.order, author_id: cast.denis, author_name: 'Denisov Denis', author_group: 2 }
  db.insert(orderMessages)
    .values({ ...said, at, text: 'When?' })
    .run()
  const bare = insertOrder(cabinet, 'new', { created_at: at + day })
  db.update(orders).set({ status_id: null, specification_number: null, status_since: Date.now() }).where(eq(orders.id, bare)).run()
  const all = 'cols=date_make,date_delivery,date_payment,receiver,phone,since,vat,last_message'
  const list = async (name: Name, query: string) =>
    (await (await as(name)).get(`/orders?${query}`)).body
      .replace(/title="\d\d\.\d\d\.20(?!20)\d\d \d\d:\d\d"/g, 'title="MOMENT"')
      .replaceAll(formatCalendarDate(dayIn(-3)), 'THREE DAYS AGO')
  shows(t, 'every column', await list('root', all), '#orders-table')
  await (await as('denis')).post(`/orders/${cast.order}/messages`, { text: 'When?' })
  shows(
    t,
    'what a manager reads by production date',
    await list('maria', 'cols=date_make,date_delivery&sort=date_make&dir=asc&q=Anna'),
    '#orders-table tbody',
  )
})
