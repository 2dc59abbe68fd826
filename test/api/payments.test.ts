import { eq } from 'drizzle-orm'
import t from 'tap'
import { ledgerEntries, orders, payments } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { insertPayment } from '../support/ledger.ts'

t.test('a dealer reports a payment, somebody who may confirm enters one, and only that counts', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [denis, root] = [clientOf(cabinet, 'denis'), clientOf(cabinet, 'root')]
  db.update(orders).set({ cost: 1_000_000 }).where(eq(orders.id, cast.order)).run()
  const path = `/orders/${cast.order}/payments`
  const body = { amount: 120_050, date: '2026-03-04', kind: 'transfer', note: 'Invoice 7' }
  const reported = await denis.post(path, body, { 'idempotency-key': 'p1' })
  t.equal(reported.statusCode, 201)
  t.match(reported.json(), { ...body, state: 'reported', order_id: cast.order, reporter_id: cast.denis })
  t.equal(reported.headers.location, `/api/v1/payments/${reported.json().id}`)
  t.same((await denis.post(path, body, { 'idempotency-key': 'p1' })).json(), reported.json(), 'once')
  const entered = (await root.post(path, { amount: 100, date: '2026-03-05', kind: 'cash' })).json()
  t.match(entered, { state: 'confirmed', decider_id: cast.root })
  const order = (await denis.get(`/orders/${cast.order}`)).json()
  t.equal(order.paid, 100)
  t.same(
    order.payments.map(({ id }: { id: number }) => id),
    [entered.id, reported.json().id],
  )
  t.same((await denis.get(path)).json().items, order.payments)
  t.same((await denis.get(`/payments/${entered.id}`)).json(), entered)
  t.equal(db.select().from(payments).all().length, 2)
  t.equal(db.select().from(ledgerEntries).all().length, 1)
})

t.test('a payment that the form of the page would not take is refused by name', async (t) => {
  const cabinet = await startCabinet(t)
  const denis = clientOf(cabinet, 'denis')
  const path = `/orders/${cabinet.cast.order}/payments`
  const good = { amount: 100, date: '2026-03-04', kind: 'card' }
  for (const [name, value] of [
    ['amount', 0],
    ['amount', -1],
    ['amount', 1.5],
    ['amount', '100'],
    ['date', '2999-01-01'],
    ['date', 'today'],
    ['kind', 'gold'],
    ['state', 'confirmed'],
  ] as const) {
    const answer = await denis.post(path, { ...good, [name]: value })
    t.equal(answer.statusCode, 422, `${name} ${value}`)
    t.same(Object.keys(answer.json().errors), [name])
  }
  t.equal(cabinet.db.select().from(payments).all().length, 0)
})

t.test('payments are for those who see prices and the order', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const path = `/orders/${cast.order}/payments`
  await clientOf(cabinet, 'root').post(path, { amount: 100, date: '2026-03-05', kind: 'cash' })
  t.equal((await clientOf(cabinet, 'daria').get(path)).statusCode, 403)
  t.equal((await clientOf(cabinet, 'daria').get('/payments/1')).statusCode, 403)
  t.equal((await clientOf(cabinet, 'maria').post(path, {})).statusCode, 422, 'a manager reports what is lacking here')
  revoke(db, cast.denis, 'order_can_view_prices')
  const denis = clientOf(cabinet, 'denis')
  for (const address of [path, '/payments/1']) t.equal((await denis.get(address)).statusCode, 403, address)
  t.notMatch((await denis.get(`/orders/${cast.order}`)).body, /paid|payments/)
})

t.test('a program confirms or rejects a payment by the version that it read, once, where its person may', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [denis, admin, maria] = [clientOf(cabinet, 'denis'), clientOf(cabinet, 'admin'), clientOf(cabinet, 'maria')]
  const booked = () =>
    db
      .select()
      .from(ledgerEntries)
      .all()
      .map(({ amount }) => amount)
  const [first, second] = [insertPayment(db, cast.order, { amount: 500_00 }), insertPayment(db, cast.order)]
  const address = `/payments/${first}`
  for (const other of [denis, maria]) t.equal((await other.patch(address, { version: 1, state: 'confirmed' })).statusCode, 403)
  const wrong = [
    [{ state: 'confirmed' }, 'version'],
    [{ version: 1 }, 'state'],
    [{ version: 1, state: 'reported' }, 'state'],
    [{ version: 1, state: 'rejected' }, 'reason'],
    [{ version: 1, state: 'rejected', reason: ' ' }, 'reason'],
    [{ version: 1, state: 'confirmed', reason: 'Because' }, 'reason'],
    [{ version: 1, state: 'confirmed', amount: 1 }, 'amount'],
  ] as const
  for (const [body, name] of wrong) {
    const answer = await admin.patch(address, body)
    t.equal(answer.statusCode, 422, JSON.stringify(body))
    t.same(Object.keys(answer.json().errors), [name])
  }
  for (const never of [-1, 0, 2, 999_999_999])
    t.match(
      (await admin.patch(address, { version: never, state: 'confirmed' })).json(),
      { status: 422, errors: { version: String } },
      `${never}`,
    )
  t.same(booked(), [], 'nothing was booked')

  const confirmed = await admin.patch(address, { version: 1, state: 'confirmed' })
  t.equal(confirmed.statusCode, 200, confirmed.body)
  t.match(confirmed.json(), { id: first, version: 2, state: 'confirmed', decider: 'Adminov Anton' })
  t.equal((await admin.patch(address, { version: 1, state: 'confirmed' })).statusCode, 200, 'again')
  t.same(booked(), [500_00], 'booked once')
  t.equal((await admin.patch(address, { version: 2, state: 'rejected', reason: 'Late' })).statusCode, 409, 'decided otherwise')

  const rejected = await admin.patch(`/payments/${second}`, { version: 1, state: 'rejected', reason: 'Not on the account' })
  t.match(rejected.json(), { state: 'rejected', reason: 'Not on the account' })
  t.same(booked(), [500_00])
  t.equal((await denis.get(`/payments/${first}`)).json().state, 'confirmed')
  const third = insertPayment(db, cast.order)
  db.update(payments).set({ updated_at: 86_400_000 }).run()
  const { decided_at } = db.select().from(payments).where(eq(payments.id, first)).get() as typeof payments.$inferSelect
  const decidedAt = async (id: number) => (await denis.get(`/payments/${id}`)).json().decided_at
  t.equal(await decidedAt(first), new Date(decided_at as number).toISOString(), 'whatever changes later')
  t.equal(await decidedAt(third), null, 'what was reported only is not decided')
})

t.test('a payment of a company is entered with the orders that it pays, allocated anew and reversed', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [root, denis, mikhail] = [clientOf(cabinet, 'root'), clientOf(cabinet, 'denis'), clientOf(cabinet, 'mikhail')]
  db.update(orders).set({ cost: 100_000 }).where(eq(orders.id, cast.order)).run()
  const company_id = cast.companies.alpha
  const sent = {
    company_id,
    amount: 150_000,
    date: '2026-03-04',
    kind: 'transfer',
    allocations: [{ order_id: cast.order, amount: 60_000 }],
  }
  const entered = await root.post('/payments', sent, { 'idempotency-key': 'a1' })
  t.equal(entered.statusCode, 201, entered.body)
  const { id, ...payment } = entered.json()
  t.match(payment, { company_id, order_id: null, state: 'confirmed', direction: 'incoming', credit: 90_000 })
  t.same(payment.allocations, [{ order_id: cast.order, amount: 60_000 }])
  t.equal((await root.post('/payments', sent, { 'idempotency-key': 'a1' })).json().id, id, 'once')
  const more = { allocations: [{ order_id: cast.order, amount: 120_000 }] }
  t.match((await root.post(`/payments/${id}/allocations`, more)).json(), { allocations: [{ amount: 100_000 }], credit: 50_000 })
  const wrong = await root.post(`/payments/${id}/allocations`, { allocations: [{ order_id: 99_999, amount: 1 }] })
  t.match(wrong.json(), { status: 422, errors: { 'allocations.0.order_id': 'This company has no such order.' } })
  t.equal((await denis.post(`/payments/${id}/reverse`, { reason: 'x', date: '2026-03-05' })).statusCode, 403)
  t.equal((await mikhail.post('/payments', sent)).statusCode, 403, 'who may not confirm')
  const reversed = await root.post(`/payments/${id}/reverse`, { reason: 'Wrong', date: '2026-03-05' })
  t.match(reversed.json(), { state: 'reversed', reversed_on: '2026-03-05', reason: 'Wrong', allocations: [], credit: 0 })
  t.equal((await root.post(`/payments/${id}/reverse`, { reason: 'Wrong', date: '2026-03-05' })).statusCode, 409)
  t.match((await denis.post('/payments', { ...sent, company_id: cast.companies.beta })).json(), {
    company_id,
    state: 'reported',
    allocations: [],
  })
})
