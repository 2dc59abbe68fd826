import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { write } from '../../src/database/open.ts'
import { companies, orders, payments, statuses, statusTransitions, trash, users } from '../../src/database/schema/index.ts'
import { bookCorrection } from '../../src/modules/ledger/book.ts'
import { bookRefund } from '../../src/modules/ledger/refund.ts'
import type { Cabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { fieldOf, textOf, textsByRole } from '../support/html.ts'
import { amountsOf, balanceOf, entriesOf, ledgerProblems, payOrder } from '../support/ledger.ts'
import {
  historyOf,
  line,
  linesOf,
  orderOf,
  placeOrder,
  requestTransition,
  setOrder,
  startWithDiscounts,
  statusId,
  transitionBetween,
} from '../support/orders.ts'

const author = { id: null, name: 'The test' }

/** Nothing is required for any transition. */
async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  cabinet.db.update(statusTransitions).set({ required_fields: [], forced_fields: [], issues: [] }).run()
  return cabinet
}

type Started = Awaited<ReturnType<typeof start>>

const amount = 100_00

/** An order of Denis over 85 rubles: windows have 15 % off. */
const place = async ({ as, windows }: Started) => placeOrder(await as('denis'), { items: '', ...line(0, windows, 'Window', 1, 100) })

async function move(cabinet: Started, order: number, to: string) {
  const from = cabinet.db
    .select()
    .from(statuses)
    .where(eq(statuses.id, orderOf(cabinet.db, order).status_id ?? 0))
    .get()
  const transition = transitionBetween(cabinet, from?.status_key ?? '', to)
  const answer = await requestTransition(await cabinet.as('root'), order, transition.id)
  if (answer.statusCode !== 303) throw new Error(`${to}: ${answer.statusCode} ${textOf(answer.body)}`)
}

const pay = ({ db }: Pick<Cabinet, 'db'>, order: number, amount: number) => payOrder(db, order, amount)

t.test('an order is charged what it costs when it enters a status that makes it due, and no sooner', async (t) => {
  const cabinet = await start(t)
  const { db, alpha, as } = cabinet
  const order = await place(cabinet)
  await move(cabinet, order, 'apply')
  t.same(amountsOf(db, order), [])
  await move(cabinet, order, 'payment')
  t.same(amountsOf(db, order), [['charge', -8500]])
  t.match(entriesOf(db, order), [{ company_id: alpha, order_id: order, actor_name: 'Root Olga', payment_id: null }])
  t.equal(balanceOf(db, alpha), -8500)
  t.equal(entriesOf(db, order)[0]?.date, orderOf(db, order).due_since, 'on the day from which it is due')
  await move(cabinet, order, 'paid')
  t.equal(entriesOf(db, order).length, 1, 'it stays due')
  const [window] = linesOf(db, order)
  const answer = await (await as('root')).post(`/orders/edit/${order}`, {
    items: '',
    ...line(0, cabinet.windows, 'Window', 2, 100, window?.id),
  })
  t.equal(answer.statusCode, 303)
  t.same(amountsOf(db, order).slice(1), [['charge', -8500]], 'what it costs more')
  t.equal(balanceOf(db, alpha), -17_000)
})

t.test('an order that is canceled, deleted or moved back by an undo is no longer charged; restored it is again', async (t) => {
  const cabinet = await start(t)
  const { db, alpha, as } = cabinet
  const root = await as('root')
  const [canceled, deleted, undone] = [await place(cabinet), await place(cabinet), await place(cabinet)]
  for (const order of [canceled, deleted, undone]) {
    await move(cabinet, order, 'apply')
    await move(cabinet, order, 'payment')
  }
  await move(cabinet, canceled, 'canceled')
  t.same(amountsOf(db, canceled), [
    ['charge', -8500],
    ['charge', 8500],
  ])
  t.equal(orderOf(db, canceled).due_since, null)
  t.equal((await root.post(`/orders/${undone}/undo`, { step: historyOf(cabinet, undone)[0]?.id as number, once: 'one' })).statusCode, 303)
  t.same(amountsOf(db, undone).slice(1), [['charge', 8500]])
  t.equal((await root.post('/orders/delete', { id: deleted })).statusCode, 303)
  t.same(amountsOf(db, deleted).slice(1), [['charge', 8500]])
  t.equal(balanceOf(db, alpha), 0)
  const { id } = db.select().from(trash).get() as { id: number }
  t.equal((await root.post(`/bin/${id}/restore`)).statusCode, 303)
  t.same(amountsOf(db, deleted).slice(2), [['charge', -8500]])
  t.equal(balanceOf(db, alpha), -8500)
})

t.test('an order whose transition is refused, or only tried, books nothing', async (t) => {
  const cabinet = await start(t)
  const { db, as } = cabinet
  const order = await place(cabinet)
  await move(cabinet, order, 'apply')
  const { id } = transitionBetween(cabinet, 'apply', 'payment')
  db.update(statusTransitions)
    .set({ required_fields: ['receiver'] })
    .where(eq(statusTransitions.id, id))
    .run()
  t.equal((await requestTransition(await as('root'), order, id)).statusCode, 422)
  t.equal((await (await as('root')).get(`/orders/try?order=${order}&transition=${id}&receiver=Anna`)).statusCode, 200)
  t.same(amountsOf(db, order), [])
})

t.test('all entries of an order belong to the company of its first, whoever its dealer belongs to later', async (t) => {
  const cabinet = await start(t)
  const { db, cast, alpha, as } = cabinet
  const order = await place(cabinet)
  await move(cabinet, order, 'apply')
  await move(cabinet, order, 'payment')
  db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.denis)).run()
  const [window] = linesOf(db, order)
  await (await as('root')).post(`/orders/edit/${order}`, { items: '', ...line(0, cabinet.windows, 'Window', 1, 200, window?.id) })
  pay(cabinet, order, 5000)
  t.equal(entriesOf(db, order).at(-1)?.date, '2026-01-15', 'a payment is booked on the day it was paid')
  t.equal(orderOf(db, order).owner_company_id, cast.companies.beta)
  t.same([balanceOf(db, alpha), balanceOf(db, cast.companies.beta)], [-12_000, 0])
})

t.test('what is paid too much is a credit; a refund takes from it, and a correction adds what it says', async (t) => {
  const cabinet = await start(t)
  const { db, alpha } = cabinet
  const order = await place(cabinet)
  pay(cabinet, order, amount)
  await move(cabinet, order, 'apply')
  await move(cabinet, order, 'payment')
  t.equal(balanceOf(db, alpha), 1500)
  const by = { company_id: alpha, order_id: order, date: '2026-01-20', note: 'Paid back' }
  write(db, () => bookRefund(db, { ...by, kind: 'transfer', amount: 1000 }, author))
  write(db, () => bookCorrection(db, { ...by, amount: -700 }, author))
  t.equal(balanceOf(db, alpha), -200)
  t.same(amountsOf(db, order), [
    ['payment', amount],
    ['charge', -8500],
    ['refund', -1000],
    ['correction', -700],
  ])
})

t.test('an entry is neither changed nor deleted, by whatever opens the file', async (t) => {
  const cabinet = await start(t)
  const { db } = cabinet
  pay(cabinet, await place(cabinet), amount)
  t.throws(() => db.$client.exec('update ledger_entries set amount = 1'), /append-only/)
  t.throws(() => db.$client.exec('delete from ledger_entries'), /append-only/)
})

t.test('a sum that a number does not hold exactly is refused with a message, and nothing is saved', async (t) => {
  const cabinet = await start(t)
  const { db, as, alpha } = cabinet
  const order = await place(cabinet)
  await move(cabinet, order, 'apply')
  const huge = { company_id: alpha, order_id: null, date: '2026-01-20', note: null }
  write(db, () => bookCorrection(db, { ...huge, amount: -Number.MAX_SAFE_INTEGER + 8000 }, author))
  const answer = await requestTransition(await as('root'), order, transitionBetween(cabinet, 'apply', 'payment').id)
  t.equal(answer.statusCode, 422)
  t.match(textsByRole(answer, 'alert').join(), /The amount is too large/)
  t.match(orderOf(db, order), { status_id: statusId('apply'), due_since: null })
})

t.test('an order with payments is not deleted, nor a company with entries: 422 with the reason', async (t) => {
  const cabinet = await start(t)
  const { db, as, cast, alpha } = cabinet
  const [paid, other] = [await place(cabinet), await place(cabinet)]
  pay(cabinet, paid, amount)
  db.update(payments).set({ state: 'rejected' }).run()
  const root = await as('root')
  for (const id of [[paid], [other, paid]]) {
    const answer = await root.post('/orders/delete', { id })
    t.equal(answer.statusCode, 422)
    t.match(textOf(answer.body), new RegExp(`Orders with payments cannot be deleted: #${paid}\\.`))
  }
  t.ok(orderOf(db, other), 'all or none')
  const answer = await root.post('/companies/delete', { id: [alpha, cast.companies.nobodys] })
  t.equal(answer.statusCode, 422)
  t.match(textOf(answer.body), /Companies with entries in their ledger cannot be deleted: Alpha Windows\./)
  t.equal(db.select().from(companies).all().length, 3)
  t.equal((await root.post('/companies/delete', { id: cast.companies.nobodys })).statusCode, 303, 'another one is')
  t.equal((await root.post('/orders/delete', { id: other })).statusCode, 303)
  grant(db, cast.admin, 'order_can_view', 'order_can_delete')
  revoke(db, cast.admin, 'order_can_view_prices')
  const admin = await as('admin')
  for (const [path, id, name] of [
    ['/orders/delete', paid, `#${paid}`],
    ['/companies/delete', alpha, 'Alpha Windows'],
  ] as const) {
    const blind = textOf((await admin.post(path, { id })).body)
    t.ok(blind.includes(`These cannot be deleted: ${name}.`), blind)
    t.notMatch(blind, /payment|ledger/i, 'without prices no reason is named')
  }
})

t.test('a status says whether its orders become due, cease to be, or stay as they are', async (t) => {
  const cabinet = await start(t)
  const { db, as, cast } = cabinet
  const root = await as('root')
  const due = (key: string) => db.select().from(statuses).where(eq(statuses.status_key, key)).get()?.due
  t.same([due('new'), due('payment'), due('canceled')], [null, 'starts', 'ends'])
  const offered = fieldOf(await root.get('/status/edit/payment'), 'due')?.options ?? []
  t.same(
    offered.slice(1).map(({ value, text }) => [value, text]),
    [
      ['starts', 'Becomes due'],
      ['ends', 'Ceases to be due'],
    ],
  )
  t.equal((await root.post('/status/edit/payment', { due: '' })).statusCode, 303)
  t.equal((await root.post('/status/edit/apply', { due: 'starts' })).statusCode, 303)
  t.equal((await root.post('/status/edit/new', { due: 'always' })).statusCode, 422)
  t.same([due('new'), due('apply'), due('payment')], [null, 'starts', null])
  setOrder(cabinet, 'new', { cost: 700 })
  await move(cabinet, cast.order, 'apply')
  t.same(amountsOf(db, cast.order), [['charge', -700]])
})

/** What may happen to orders, in any order; numbers choose among the orders and transitions there are. */
const act = fc.oneof(
  fc.record({ kind: fc.constant('place'), who: fc.constantFrom('denis', 'daria'), price: fc.integer({ min: 0, max: 900 }) }),
  fc.record({ kind: fc.constantFrom('edit', 'pay'), order: fc.nat(20), price: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ kind: fc.constantFrom('move', 'bulk'), order: fc.nat(20), way: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('undo', 'delete', 'dealer'), order: fc.nat(20) }),
  fc.record({ kind: fc.constant('restore'), batch: fc.nat(5) }),
  fc.record({ kind: fc.constant('company'), who: fc.constantFrom('denis', 'daria'), to: fc.constantFrom('alpha', 'beta', 'nobodys') }),
)

type Act = { kind: string; who?: string; price?: number; order?: number; way?: number; batch?: number; to?: string }

t.test('balances are the sums of their entries and due orders are charged what they cost, whatever happens to them', async (t) => {
  const cabinet = await start(t)
  const { db, cast, as, windows } = cabinet
  const root = await as('root')
  const moves = transitionsByStatus(cabinet)
  /** Whether an order is due after each of its steps. */
  const steps = new Map<number, boolean[]>()
  const enter = (order: number, status: number) => {
    const before = steps.get(order)?.at(-1) ?? false
    const due = status === statusId('payment') || (before && status !== statusId('canceled'))
    steps.set(order, [...(steps.get(order) ?? []), due])
  }
  const done: Record<string, number> = {}
  let moved: number | undefined
  const perform = async ({ kind, who, price = 0, order: number = 0, way = 0, batch = 0, to }: Act): Promise<number> => {
    const present = db.select().from(orders).orderBy(orders.id).all()
    const order = present[number % present.length]
    const lines = (id?: number) => ({ items: '', ...line(0, windows, 'Window', 1, price, id) })
    if (kind === 'place') return (await (await as(who as 'denis')).post('/orders/add', lines())).statusCode
    if (kind === 'company')
      return (await root.post(`/dealers/edit/${cast[who as 'denis']}`, { company_id: cast.companies[to as 'alpha'], orders: 'move' }))
        .statusCode
    if (kind === 'restore') {
      const rows = db.select().from(trash).all()
      const row = rows[batch % rows.length]
      return row ? (await root.post(`/bin/${row.id}/restore`)).statusCode : 0
    }
    if (!order) return 0
    if (kind === 'edit') return (await root.post(`/orders/edit/${order.id}`, lines(linesOf(db, order.id)[0]?.id))).statusCode
    if (kind === 'pay') {
      pay(cabinet, order.id, price)
      return 303
    }
    if (kind === 'delete') return (await root.post('/orders/delete', { id: order.id })).statusCode
    if (kind === 'dealer') {
      const dealer_id = order.dealer_id === cast.denis ? cast.daria : cast.denis
      return (await root.post(`/orders/edit/${order.id}`, { dealer_id })).statusCode
    }
    if (kind === 'undo') {
      if (!moved) return 0
      const step = historyOf(cabinet, moved).find(({ undone_at, undoes_id }) => undone_at === null && undoes_id === null)
      const { statusCode } = await root.post(`/orders/${moved}/undo`, { step: step?.id ?? 0, once: crypto.randomUUID() })
      if (statusCode === 303) steps.get(moved)?.pop()
      return statusCode
    }
    const outgoing = moves.get(order.status_id ?? 0) ?? []
    const transition = outgoing[way % outgoing.length]
    if (!transition) return 0
    const { statusCode } =
      kind === 'move'
        ? await requestTransition(root, order.id, transition.id)
        : await root.post('/orders/transitions', { transition_id: transition.id, id: order.id })
    if (statusCode >= 400) return statusCode
    if (kind === 'move') moved = order.id
    enter(order.id, transition.child_status_id)
    return statusCode
  }
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 15, maxLength: 40 }), async (acts) => {
      for (const one of acts) {
        const code = await perform(one)
        if (code >= 500) throw new Error(`${JSON.stringify(one)}: ${code}`)
        if (code > 0 && code < 400) done[one.kind] = (done[one.kind] ?? 0) + 1
        const problems = ledgerProblems(db, (order) => steps.get(order)?.at(-1) ?? false)
        if (problems.length > 0) throw new Error(`after ${JSON.stringify(one)}: ${problems.join('; ')}`)
      }
    }),
    { numRuns: 10, endOnFailure: true },
  )
  t.comment(JSON.stringify(done))
  for (const kind of ['place', 'edit', 'pay', 'move', 'bulk', 'undo', 'delete', 'dealer', 'restore', 'company'])
    t.ok(done[kind], `${kind} has happened`)
})

function transitionsByStatus({ db }: Cabinet) {
  return Map.groupBy(db.select().from(statusTransitions).all(), ({ parent_status_id }) => parent_status_id)
}
