import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, deliveries, orders, payments, statusTransitions } from '../../src/database/schema/index.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, textOf } from '../support/html.ts'
import { at } from '../support/later.ts'
import { amountsOf, insertPayment } from '../support/ledger.ts'
import { historyOf, insertOrder, orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { exchange } from '../support/statements.ts'

/** In a new installation an order that awaits payment moves once it is paid. Those of Alpha, of Denis, cost 1000 rubles; Klara books. */
async function start(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, cast, as } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const change = (values: Partial<typeof statusTransitions.$inferInsert>) =>
    db.update(statusTransitions).set(values).where(eq(statusTransitions.id, step)).run()
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  const place = (status = 'payment', values: Partial<typeof orders.$inferInsert> = {}) =>
    insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 100_000, ...values })
  const isIn = (id: number, status: string) => orderOf(db, id).status_id === statusId(status)
  return { ...cabinet, step, change, order, place, isIn, clerk: await as('clerk') }
}

const pay = (browser: Browser, order: number, amount: string, kind = 'transfer') =>
  browser.post(`/orders/${order}/payments`, { amount, kind })

t.test('booking the rest of what an order costs moves it, as the person who booked, and no other order', async (t) => {
  const cabinet = await start(t)
  const { db, cast, change, clerk, order, place, isIn } = cabinet
  const [other, elsewhere] = [place(), place('apply')]
  change({ dealer_can: false, manager_can: false })
  t.equal((await pay(clerk, order, '999,99')).statusCode, 303)
  t.ok(isIn(order, 'payment'), 'a kopeck is lacking')
  t.equal(historyOf(cabinet, order).length, 0)
  t.equal((await pay(clerk, order, '0,01', 'cash')).statusCode, 303)
  t.ok(isIn(order, 'paid'), 'although only administrators may make this step by hand')
  t.ok(isIn(other, 'payment'))
  const [entry, ...none] = historyOf(cabinet, order)
  t.same(none, [])
  t.match(entry, {
    actor_id: cast.clerk,
    transition_id: cabinet.step,
    when_paid: true,
    from_name: 'Awaiting payment',
    to_name: 'Under review',
  })
  t.same([entry?.filled, orderOf(db, order).payment], [{ payment: 'cash' }, 'cash'], 'the way of payment is that of the newest')
  const said = elementsOf((await clerk.get(`/orders/${order}`)).body, '.timeline-change').map(textOf)
  t.match(said.join(), 'Clerkova Klara booked the money that moved the order to "Under review"')
  t.equal((await pay(clerk, elsewhere, '1000')).statusCode, 303)
  t.ok(isIn(elsewhere, 'apply'), 'paid before it is asked for, it stays where it is')
  t.equal((await pay(clerk, order, '10')).statusCode, 303)
  t.ok(isIn(order, 'paid'), 'more money moves it no further')
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('a reported payment moves the order when it is confirmed, once, and a rejected one never', async (t) => {
  const cabinet = await start(t)
  const { as, db, clerk, order, isIn } = cabinet
  const denis = await as('denis')
  await pay(denis, order, '1000')
  await pay(denis, order, '1000')
  t.ok(isIn(order, 'payment'), 'what is reported does not count')
  const [first, second] = db.select().from(payments).all()
  await clerk.post(`/payments/${first?.id}/reject`, { reason: 'Not there' })
  t.ok(isIn(order, 'payment'))
  for (const _ of ['once', 'again']) t.equal((await clerk.post(`/payments/${second?.id}/confirm`)).statusCode, 303)
  t.ok(isIn(order, 'paid'))
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('what the transition asks for else keeps the order where it is, with the money booked', async (t) => {
  const cabinet = await start(t)
  const { db, cast, change, clerk, place, isIn } = cabinet
  const paid = async (values: Partial<typeof statusTransitions.$inferInsert>, order: number) => {
    change({ required_fields: [], min_paid: null, within_limit: false, ...values })
    t.equal((await pay(clerk, order, '300')).statusCode, 303)
    t.same(amountsOf(db, order), [['payment', 300_00]])
    return isIn(order, 'paid')
  }
  t.equal(await paid({ min_paid: 30 }, place()), true)
  t.equal(await paid({ min_paid: 31 }, place()), false)
  t.equal(await paid({ min_paid: 30, required_fields: ['receiver'] }, place()), false)
  t.equal(
    await paid({ min_paid: 30, required_fields: ['receiver', 'payment_order', 'payment'] }, place('payment', { receiver: 'Anna' })),
    true,
  )
  t.equal(await paid({ min_paid: 30, when_paid: false }, place()), false)
  db.update(companies).set({ credit_limit: 0 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.equal(
    await paid({ min_paid: 30, when_paid: true, within_limit: true }, place('payment', { cost: 1_000_000_00, due_since: null })),
    false,
  )
  const stuck = place('payment', { receiver: null })
  t.equal(await paid({ min_paid: 30, required_fields: ['receiver'] }, stuck), false)
  db.update(orders).set({ receiver: 'Anna' }).where(eq(orders.id, stuck)).run()
  t.ok(isIn(stuck, 'payment'), 'it is made by booking only')
  await pay(clerk, stuck, '1')
  t.ok(isIn(stuck, 'paid'), 'with the next payment')
})

t.test('a paid order goes on through statuses that it is paid for, and a circle of them ends', async (t) => {
  const cabinet = await start(t)
  const { db, change, clerk, place, isIn } = cabinet
  const mark = (from: string, to: string) => {
    const { id } = transitionBetween(cabinet, from, to)
    db.update(statusTransitions).set({ when_paid: true, required_fields: [] }).where(eq(statusTransitions.id, id)).run()
  }
  mark('paid', 'production')
  const order = place()
  await pay(clerk, order, '1000')
  t.ok(isIn(order, 'production'))
  t.same(
    historyOf(cabinet, order).map(({ to_name, when_paid }) => [to_name, when_paid]),
    [
      ['In production', true],
      ['Under review', true],
    ],
  )
  const back = { parent_status_id: statusId('production'), child_status_id: statusId('payment'), when_paid: true }
  db.insert(statusTransitions).values(back).run()
  change({ min_paid: 50 })
  const circling = place()
  await pay(clerk, circling, '1000')
  t.ok(isIn(circling, 'payment'), 'once around')
  t.equal(historyOf(cabinet, circling).length, 3)
})

t.test('whoever booked can undo the step: the order goes back, the money stays, and only another payment moves it again', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await start(t, { SMTP_URL: office.url })
  const { as, db, clerk, order, isIn } = cabinet
  await pay(clerk, order, '1000', 'card')
  const step = historyOf(cabinet, order)[0]
  t.equal(elementsOf((await clerk.get(`/orders/${order}`)).body, 'form:has([name=step])').length, 1)
  const undo = (browser: Browser) => browser.post(`/orders/${order}/undo`, { step: Number(step?.id), once: crypto.randomUUID() })
  t.equal((await undo(await as('maria'))).statusCode, 403)
  t.equal((await at(Number(step?.undo_until) - 1, () => undo(clerk))).statusCode, 303)
  t.ok(isIn(order, 'payment'))
  t.equal(orderOf(db, order).payment, null)
  t.same(amountsOf(db, order), [['payment', 1000_00]])
  t.match(db.select().from(payments).all(), [{ state: 'confirmed' }])
  t.same(
    db
      .select()
      .from(deliveries)
      .all()
      .filter(({ state }) => state === 'sent'),
    [],
    'nobody was told of the step',
  )
  t.equal((await clerk.post(`/payments/${db.select().from(payments).get()?.id}/confirm`)).statusCode, 303)
  t.ok(isIn(order, 'payment'), 'the same payment confirmed again moves nothing')
  await pay(clerk, order, '0,01')
  t.ok(isIn(order, 'paid'))
})

t.test('of payments confirmed together each moves its order', async (t) => {
  const { db, clerk, place, isIn } = await start(t)
  const placed = [place(), place(), place()] as const
  const ids = placed.map((id, index) => insertPayment(db, id, { amount: index === 1 ? 99_999 : 100_000 }))
  t.equal((await clerk.post('/payments/confirm', { id: ids })).statusCode, 200)
  t.same(
    placed.map((id) => isIn(id, 'paid')),
    [true, false, true],
  )
})

t.test('a bank statement moves the orders that it pays', async (t) => {
  const { clerk, place, isIn } = await start(t)
  const [whole, part] = [place(), place()]
  const content = exchange([
    { number: '1', purpose: `Оплата по заказу № ${whole}`, amount: '1000.00' },
    { number: '2', purpose: `Оплата по заказу № ${part}`, amount: '500.00' },
  ])
  const accepted = await submitForm(clerk, '/payments/import', [['file', new File([content as never], 'statement.txt')]])
  const address = String(accepted.headers.location)
  t.equal((await clerk.post(address, { book: [`1:${whole}`, `2:${part}`] })).statusCode, 303)
  t.same([isIn(whole, 'paid'), isIn(part, 'paid')], [true, false])
})

t.test('in a new installation only the step from awaiting payment on is made when an order is paid', async (t) => {
  const { db, step } = await start(t)
  const marked = db.select().from(statusTransitions).where(eq(statusTransitions.when_paid, true)).all()
  t.same(
    marked.map(({ id }) => id),
    [step],
  )
})
