import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderHistory, orderItems, orders } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { daysAgo } from '../support/days.ts'
import { insertOrder, setOrder, statusId } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'

const { shows } = recordedOutlines('order-steps')
/** Without the drawing of the workflow. */
const onCard = '.order-transitions > :not([role=region])'
const at = new Date(2020, 2, 1, 12, 30).getTime()

t.test('steps of one order', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const order = setOrder(cabinet, 'apply', { cost: 1_234_50, created_at: at })
  const here = `/orders/${order}`
  db.insert(orderItems).values({ order_id: order, name: 'Door', quantity: 2, price: null, discount: 0 }).run()
  shows(t, 'a step in place of the others', (await maria.get(`${here}?transition_id=2&back=%3Fq%3D1`)).body, '.order-next')
  shows(t, 'a step in the dialog', (await maria.get(`${here}?transition_id=2&back=%3Fq%3D1`, htmx)).body, ':root')
  shows(t, 'a final step in the dialog', (await maria.get(`${here}?transition_id=11`, htmx)).body, ':root')
  const refused = await maria.post(`${here}/transition`, { transition_id: 2, note: 'Soon', specification: '' })
  shows(t, 'a step that was refused', refused.body, '.order-next')
  shows(t, 'steps on the card', (await maria.get(`/orders/edit/${order}`)).body, onCard)
  shows(t, 'a step that asks on the card', (await maria.post(`/orders/edit/${order}/transition`, { transition_id: 2 })).body, onCard)

  setOrder(cabinet, 'payment')
  db.insert(orderHistory)
    .values({ order_id: order, at, to_status_id: statusId('payment'), to_name: 'Awaiting payment', actor_name: 'Root Olga' })
    .run()
  const typed = { transition_id: 2, note: 'Typed' }
  shows(t, 'a step that came too late, in the dialog', (await maria.post(`${here}/transition`, typed, htmx)).body, ':root')
  shows(t, 'a step that came too late, on the card', (await maria.post(`/orders/edit/${order}/transition`, typed)).body, onCard)
  const denis = await as('denis')
  db.update(orderItems).set({ price: 100_00 }).run()
  shows(t, 'a step that takes an amount or a file', (await denis.get(`${here}?transition_id=3`, htmx)).body, ':root')

  setOrder(cabinet, 'completed')
  shows(t, 'the page of a finished order', (await maria.get(here)).body, '.order-next')
  shows(t, 'the card of a finished order', (await root.get(`/orders/edit/${order}`)).body, onCard)
  db.update(orders).set({ status_id: null }).where(eq(orders.id, order)).run()
  for (const name of ['root', 'maria'] as const) {
    const browser = await as(name)
    shows(t, `the page of an order without a status for ${name}`, (await browser.get(here)).body, '.order-next')
    shows(t, `the card of an order without a status for ${name}`, (await browser.get(`/orders/edit/${order}`)).body, onCard)
  }
})

t.test('steps of many orders', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const maria = await as('maria')
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, created_at: at }
  setOrder(cabinet, 'production', { cost: 100_00 })
  const file = { specification: 'aa' }
  const fresh = [1, 2].map((cost) => insertOrder(cabinet, 'new', { ...of, cost: cost * 1_000_00 }))
  const others = Array.from({ length: 11 }, () => insertOrder(cabinet, 'completed', of))
  const signing = insertOrder(cabinet, 'apply', { ...of, ...file, cost: 50_00 })
  const paying = insertOrder(cabinet, 'payment', { ...of, cost: 50_00 })
  const ask = async (ids: number[], more = '', headers = {}) =>
    (await maria.get(`/orders/transitions?${ids.map((id) => `id=${id}`).join('&')}${more}`, headers)).body
  shows(t, 'the choice of steps', await ask([...fresh, signing]), '.confirm')
  shows(t, 'the choice of steps in the dialog', await ask([signing], '&board=1', htmx), ':root')
  shows(t, 'no step to choose', await ask(others.slice(0, 1)), '.confirm')
  shows(t, 'a final step of many orders', await ask([...fresh, ...others], '&transition_id=10'), '.confirm')
  shows(t, 'a step that asks for files, in the dialog', await ask([signing, paying], '&transition_id=2', htmx), ':root')
  const denis = await as('denis')
  shows(t, 'a step that asks for amounts', (await denis.get(`/orders/transitions?id=${paying}&transition_id=3`)).body, '.confirm')
  shows(t, 'a final step from the board', await ask([signing], '&transition_id=11&board=1', htmx), ':root')
  const first = insertOrder(cabinet, 'paid', of)
  shows(t, 'a step that asks for a date', await ask([first], '&transition_id=4&board=1', htmx), ':root')
})

t.test('the board', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, created_at: daysAgo(3) }
  setOrder(cabinet, 'apply', { cost: 1_234_50, date_make: '2020-12-31' })
  insertOrder(cabinet, 'production', { ...of, created_at: Date.now() })
  for (let count = 0; count < 11; count++) insertOrder(cabinet, 'delivery', of)
  insertOrder(cabinet, 'completed', { created_at: Date.now() })
  db.update(orders)
    .set({ status_since: daysAgo(1) })
    .where(eq(orders.id, cast.order))
    .run()
  const maria = (await (await as('maria')).get('/orders/board')).body
  shows(t, 'a column with a card whose turn it is', maria, '[data-status="2"]')
  shows(
    t,
    'a column with more cards than it shows',
    maria,
    '[data-status="6"] > h2, [data-status="6"] li:first-child, [data-status="6"] > p',
  )
})
