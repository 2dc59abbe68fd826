import t from 'tap'
import { ledgerEntries, payments } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'

t.test('a dealer reports a payment, somebody who may confirm enters one, and only that counts', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [denis, root] = [clientOf(cabinet, 'denis'), clientOf(cabinet, 'root')]
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
  t.equal((await clientOf(cabinet, 'maria').post(path, {})).statusCode, 403, 'a manager reports none')
  revoke(db, cast.denis, 'order_can_view_prices')
  const denis = clientOf(cabinet, 'denis')
  for (const address of [path, '/payments/1']) t.equal((await denis.get(address)).statusCode, 403, address)
  t.notMatch((await denis.get(`/orders/${cast.order}`)).body, /paid|payments/)
})
