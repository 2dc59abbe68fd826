import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderItems, statusTransitions } from '../../src/database/schema/index.ts'
import { contextFor } from '../../src/http/access/context-for.ts'
import { dryRun } from '../../src/modules/orders/transitions/dry-run.ts'

import { type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, textOf, textsByRole } from '../support/html.ts'
import { insertOrder, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'

const papers = { specification: 'a'.repeat(64), invoice: 'b'.repeat(64) }

const addLine = ({ db, cast }: Cabinet, order_id: number, price: number | null) =>
  Number(
    db.insert(orderItems).values({ order_id, category_id: cast.category, name: 'Door', quantity: 1, price, discount: 0 }).run()
      .lastInsertRowid,
  )

t.test('payment is requested once each line has its price (422), by a manager and by an administrator', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const order = setOrder(cabinet, 'apply', papers)
  const step = transitionBetween(cabinet, 'apply', 'payment')
  t.same(step.required_fields, ['specification', 'invoice', 'prices'])
  addLine(cabinet, order, 100)
  const waiting = addLine(cabinet, order, null)
  const maria = await as('maria')
  for (const browser of [maria, await as('root')]) {
    const refused = await requestTransition(browser, order, step.id)
    t.equal(refused.statusCode, 422)
    t.match(refused.body, 'Requires Prices of all lines')
    t.equal(orderOf(db, order).status_id, statusId('apply'))
  }
  t.equal((await requestTransition(maria, order, step.id, { prices: 'keep' })).statusCode, 422, 'nobody says that they are there')
  t.match(textOf(elementsOf((await maria.get(`/orders/${order}?transition_id=${step.id}`)).body, 'main')[0] ?? ''), /Prices of all lines/)
  db.update(orderItems).set({ price: 0 }).where(eq(orderItems.id, waiting)).run()
  t.equal((await requestTransition(maria, order, step.id)).statusCode, 303, 'nothing is a price, too')
  t.equal(orderOf(db, order).status_id, statusId('payment'))
  t.ok(cast.order)
})

t.test('the test of the workflow asks for prices once, and leaves lines without', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const order = setOrder(cabinet, 'apply', papers)
  const line = addLine(cabinet, order, null)
  const ways = [transitionBetween(cabinet, 'apply', 'payment'), transitionBetween(cabinet, 'payment', 'paid')]
  db.update(statusTransitions)
    .set({ required_fields: ['prices'] })
    .run()
  const { steps } = dryRun(contextFor(app, { id: cast.root, name: 'Root Olga' }, Date.now()), {
    orderId: order,
    role: 'administrator',
    transitionIds: ways.map(({ id }) => id),
  })
  t.same(
    steps.map(({ missing }) => missing),
    [['prices'], []],
  )
  t.equal(db.select().from(orderItems).where(eq(orderItems.id, line)).get()?.price, null)
})

t.test('the refusal is the form of the step: what was typed is still there, and other fields are asked for, too', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const order = setOrder(cabinet, 'apply')
  const step = transitionBetween(cabinet, 'apply', 'payment')
  db.update(statusTransitions)
    .set({ required_fields: ['receiver', 'phone', 'prices'] })
    .where(eq(statusTransitions.id, step.id))
    .run()
  addLine(cabinet, order, null)
  const maria = await as('maria')
  for (const address of [`/orders/edit/${order}/transition`, `/orders/${order}/transition`])
    for (const headers of [{}, htmx]) {
      const answer = await maria.post(address, { transition_id: step.id, receiver: 'Anna', note: 'as agreed' }, headers)
      t.equal(answer.statusCode, 422)
      t.match(textsByRole(answer, 'alert').join(), 'Requires Prices of all lines')
      t.same(Object.keys(errorsOf(answer)), ['phone', 'specification', 'invoice'], 'files could come instead of what cannot be issued')
      t.same([fieldOf(answer, 'receiver')?.value, fieldOf(answer, 'note')?.value], ['Anna', 'as agreed'])
    }
  revoke(db, cast.maria, 'order_can_view_prices')
  const blind = await maria.post(`/orders/${order}/transition`, { transition_id: step.id, note: 'as agreed' })
  t.equal(fieldOf(blind, 'note')?.value, 'as agreed')
  t.match(textsByRole(blind, 'alert').join(), 'Requires Prices of all lines')
})

t.test('of many orders those wait whose lines lack prices, and lines of others hold nobody up', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, ...papers }
  const [without, priced, empty] = [0, 1, 2].map(() => insertOrder(cabinet, 'apply', of)) as [number, number, number]
  addLine(cabinet, without, null)
  addLine(cabinet, priced, 100)
  const { id } = transitionBetween(cabinet, 'apply', 'payment')
  const answer = await (await as('maria')).post('/orders/transitions', { transition_id: id, id: [without, priced, empty] })
  t.equal(answer.statusCode, 200)
  t.match(textOf(answer.body), /2 orders moved.*Requires Prices of all lines/)
  t.same(
    [without, priced, empty].map((order) => orderOf(db, order).status_id),
    [statusId('apply'), statusId('payment'), statusId('payment')],
  )
})

t.test('a transition requires prices where the workflow says so, and nowhere else', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const order = setOrder(cabinet, 'new')
  addLine(cabinet, order, null)
  const step = transitionBetween(cabinet, 'new', 'apply')
  const root = await as('root')
  const card = `/status/edit/new?tab=transitions`
  t.match((await root.get(card)).body, 'Prices of all lines')
  db.update(statusTransitions)
    .set({ required_fields: ['prices'] })
    .where(eq(statusTransitions.id, step.id))
    .run()
  t.equal((await requestTransition(await as('denis'), order, step.id)).statusCode, 422)
  db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, step.id)).run()
  const moved = await requestTransition(await as('denis'), order, step.id)
  t.equal(moved.statusCode, 303, String(textsByRole(moved, 'alert')))
})
