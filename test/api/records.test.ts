import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderHistory, orderItems, orderMessages, orders, statuses, statusTransitions, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, statusId } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

const at = (hour: number) => Date.UTC(2026, 0, 5, hour)
const iso = (hour: number) => `2026-01-05T${String(hour).padStart(2, '0')}:00:00.000Z`

t.test('the API tells of an order, its lines, steps, messages and payments what is stored of each, under its own name', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const { alpha } = cast.companies
  const id = insertOrder(cabinet, 'payment', { id: 245, dealer_id: cast.denis, company_id: alpha, specification_number: 1003 })
  const product_id = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const line = { order_id: id, category_id: cast.category, name: 'Window', quantity: 3, price: 1000, discount: 10 }
  const ofProduct = {
    ...{ product_id, article: 'W-7', unit: 'm2', basis: 'area', width: 1200, height: 800, piece_price: 5000 },
    ...{ price_origin: 'agreed', priced_on: '2026-01-04', agreed_reason: 'Large order', vat: '20', remark: 'Opens left' },
  } as const
  db.insert(orderItems)
    .values([line, { ...line, name: 'Door', ...ofProduct }])
    .run()
  const [plain, full] = db.select().from(orderItems).where(eq(orderItems.order_id, id)).all()
  const step = {
    ...{ order_id: id, at: at(3), transition_id: 11, from_status_id: 21, from_name: 'Before', to_status_id: 31, to_name: 'After' },
    ...{ actor_id: 41, actor_name: 'Somebody', comment: 'Because', undone_at: at(4), undoes_id: 51 },
  }
  const stepId = db.insert(orderHistory).values(step).returning().get().id
  const message = { order_id: id, at: at(5), author_id: 61, author_name: 'Writer', author_group: 1, text: 'Hello', internal: true }
  const messageId = db
    .insert(orderMessages)
    .values({ ...message, edited_at: at(6) })
    .returning()
    .get().id
  const payment = {
    state: 'rejected',
    amount: 123_45,
    date: '2026-01-03',
    kind: 'card',
    note: 'Advance',
    reason: 'Never came',
    reporter_id: 71,
    reporter_name: 'Reporter',
    decider_id: 81,
    decider_name: 'Decider',
    decided_at: at(7),
    created_at: at(8),
    updated_at: at(9),
  } as const
  const paymentId = insertPayment(db, id, payment)
  insertPayment(db, cast.order, { created_at: at(8) })
  db.update(orders)
    .set({ status_since: at(10), created_at: at(1), updated_at: at(11), cost: 17_700, receiver: 'Anna', comment: 'Call first', version: 7 })
    .where(eq(orders.id, id))
    .run()
  const root = clientOf(cabinet, 'root')
  const shown = (await root.get(`/orders/${id}`)).json()
  const own = {
    ...{ id, version: 7, status_id: statusId('payment'), status: 'Awaiting payment', status_since: iso(10) },
    ...{ dealer_id: cast.denis, company_id: alpha, manager_id: cast.maria, specification_number: 1003, cost: 17_700 },
    ...{ receiver: 'Anna', comment: 'Call first', created_at: iso(1), updated_at: iso(11) },
  }
  t.match(shown, own, 'the order')
  const nothing = { product_id: null, article: null, unit: null, basis: null, width: null, height: null, remark: null, files: [] }
  const unpriced = { piece_price: null, price_origin: null, priced_on: null, agreed_reason: null, vat: null }
  const { order_id: _, ...shownLine } = line
  t.same(
    shown.items,
    [
      { id: plain?.id, ...shownLine, ...nothing, ...unpriced, amount: 2700 },
      { id: full?.id, ...shownLine, name: 'Door', ...ofProduct, files: [], amount: 15_000 },
    ],
    'its lines, each with what it costs',
  )
  t.same(
    shown.history,
    [
      {
        ...{ id: stepId, at: iso(3), transition_id: 11, from_status_id: 21, from: 'Before', to_status_id: 31, to: 'After' },
        ...{ actor_id: 41, actor: 'Somebody', comment: 'Because', undone_at: iso(4), undoes_id: 51, filled: {} },
      },
    ],
    'its steps',
  )
  t.same(
    shown.messages,
    [
      {
        ...{ id: messageId, order_id: id, at: iso(5), author_id: 61, author: 'Writer', internal: true, text: 'Hello' },
        ...{ edited_at: iso(6), withdrawn_at: null, files: [] },
      },
    ],
    'its messages',
  )
  const { reporter_name: reporter, decider_name: decider, ...paid } = payment
  const owned = { company_id: cast.companies.alpha, direction: 'incoming', allocations: [], credit: 0, corrects_id: null }
  const unreversed = { reversed_on: null, reverser_id: null, reverser: null, reversed_at: null }
  const told = { id: paymentId, version: 1, order_id: id, ...paid, ...owned, ...unreversed, file: null, reporter, decider, files: [] }
  t.same(shown.payments, [{ ...told, decided_at: iso(7), created_at: iso(8), updated_at: iso(9) }], 'its payments')
  t.equal(shown.paid, 0, 'a rejected one does not count')
  t.same((await root.get(`/payments/${paymentId}`)).json(), shown.payments[0], 'a payment by itself')
  t.same((await root.get(`/orders/${id}/payments`)).json(), { items: shown.payments, next: null }, 'those of the order')
  const [listed] = (await root.get(`/orders?q=${id}`)).json().items
  t.match(listed, own, 'in the list')
  for (const part of ['items', 'history', 'messages', 'payments', 'paid', 'files', 'transitions'])
    t.notOk(part in listed, `${part} are of the order by itself`)
})

t.test('the API offers an order the steps that its person may make, by name, with where each leads and what it requires', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const own = db.insert(statuses).values({ status_key: 'own', name: 'Our own', index: 99 }).returning().get().id
  db.delete(statusTransitions).run()
  const step = { parent_status_id: statusId('new') as number, child_status_id: own, action_name: 'Go on' }
  const [dealers, managers] = db
    .insert(statusTransitions)
    .values([
      { ...step, dealer_can: true, required_fields: ['receiver', 'email'] },
      { ...step, child_status_id: statusId('paid') as number, action_name: null, manager_can: true },
    ])
    .returning()
    .all()
  db.insert(statusTransitions)
    .values({ ...step, parent_status_id: own, child_status_id: statusId('new') as number, dealer_can: true })
    .run()
  const offered = async (name: 'denis' | 'maria') => (await clientOf(cabinet, name).get(`/orders/${cast.order}`)).json().transitions
  t.same(
    await offered('denis'),
    [{ id: dealers?.id, name: 'Go on', to_status_id: own, to: 'Our own', required_fields: ['receiver', 'email'] }],
    'a dealer',
  )
  t.same(
    await offered('maria'),
    [{ id: managers?.id, name: null, to_status_id: statusId('paid'), to: 'Under review', required_fields: [] }],
    'a manager',
  )
})

t.test('the API tells of dealers and statuses what is stored of them', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const times = { created_at: at(1), updated_at: at(2) }
  const dealer = { lastname: 'Denisov', name: 'Denis', middlename: 'Petrovich', phone: '+7 1', tg_id: '42', version: 5 }
  db.update(users)
    .set({ ...dealer, ...times })
    .where(eq(users.id, cast.denis))
    .run()
  const root = clientOf(cabinet, 'root')
  const told = { created_at: iso(1), updated_at: iso(2) }
  const whole = {
    id: cast.denis,
    ...dealer,
    email: 'denis@example.com',
    company_id: cast.companies.alpha,
    manager_id: cast.maria,
    active: true,
  }
  t.match((await root.get(`/dealers/${cast.denis}`)).json(), { ...whole, ...told }, 'a dealer')
  const status = { index: 77, status_key: 'own', name: 'Our own', color: '#112233', description: 'What it means', version: 3 }
  const id = db
    .insert(statuses)
    .values({ ...status, ...times })
    .returning()
    .get().id
  t.same((await root.get(`/statuses/${id}`)).json(), { id, ...status, ...told }, 'a status')
})
