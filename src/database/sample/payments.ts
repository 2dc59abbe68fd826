import { asc, eq } from 'drizzle-orm'
import { dueSinceEntering, isCanceled, type PaymentKind, type PaymentState } from '../../core/payments.ts'
import type { Database } from '../open.ts'
import { allocations, ledgerEntries, orderHistory, orders, payments, statuses, users } from '../schema/index.ts'
import { dateOf, now, type SampleFiles } from './content.ts'

type Order = typeof orders.$inferSelect
type Step = Pick<typeof orderHistory.$inferSelect, 'at' | 'actor_id' | 'actor_name'> &
  Pick<typeof statuses.$inferSelect, 'status_key' | 'due'>
type Entry = typeof ledgerEntries.$inferInsert
type Person = { id: number; name: string }

const hour = 3600_000

/** What the orders have become due with, and what was paid for them: confirmed, reported and rejected. What was paid for orders that were canceled is a credit. */
export function addPayments(db: Database, files: SampleFiles): void {
  const accountant = findAccountant(db)
  const entries = db
    .select()
    .from(orders)
    .orderBy(asc(orders.id))
    .all()
    .flatMap((order) => {
      const steps = stepsOf(db, order.id)
      return [...charge(db, order, steps), ...pay(db, order, steps, accountant, files)]
    })
  for (const entry of entries.sort((a, b) => a.at - b.at)) db.insert(ledgerEntries).values(entry).run()
}

function findAccountant(db: Database): Person {
  const { id, lastname, name } = db.select().from(users).where(eq(users.superadmin, true)).get() as typeof users.$inferSelect
  return { id, name: `${lastname} ${name}` }
}

function stepsOf(db: Database, orderId: number): Step[] {
  const { at, actor_id, actor_name } = orderHistory
  const { status_key, due } = statuses
  const steps = db.select({ at, actor_id, actor_name, status_key, due }).from(orderHistory)
  return steps
    .innerJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
    .where(eq(orderHistory.order_id, orderId))
    .orderBy(asc(orderHistory.id))
    .all()
}

function charge(db: Database, { id, company_id, cost }: Order, steps: Step[]): Entry[] {
  const entries: Entry[] = []
  let since: string | null = null
  for (const { due, at, actor_id, actor_name } of steps) {
    const before: string | null = since
    since = dueSinceEntering(due, since, dateOf(at))
    const amount = Number(before !== null) * cost - Number(since !== null) * cost
    if (amount !== 0)
      entries.push({ company_id: company_id as number, order_id: id, kind: 'charge', amount, date: dateOf(at), at, actor_id, actor_name })
  }
  db.update(orders).set({ due_since: since }).where(eq(orders.id, id)).run()
  return entries
}

/** Paid orders were paid in full, the newest of them are still to be confirmed; of those that wait some have paid a part. */
function pay(db: Database, order: Order, steps: Step[], accountant: Person, { documents }: SampleFiles): Entry[] {
  const last = steps.at(-1)
  const paid = steps.find(({ status_key }) => status_key === 'paid')
  const kind = (order.payment ?? 'transfer') as PaymentKind
  const file = order.payment_order === documents.payment_order?.key ? order.payment_order : null
  if (paid)
    return enter(db, order, { ...paid, kind, file, amount: order.cost, state: last === paid ? 'reported' : 'confirmed' }, accountant)
  if (last?.status_key !== 'payment' || order.id % 3 === 0) return []
  const by = dealerOf(db, order)
  const half = Math.round(order.cost / 200) * 100
  const state = order.id % 3 === 1 ? 'confirmed' : 'rejected'
  return enter(db, order, { ...by, at: Math.min(now, last.at + 5 * hour), kind, file: null, amount: half, state }, accountant)
}

function dealerOf(db: Database, { dealer_id }: Order): Pick<Step, 'actor_id' | 'actor_name'> {
  const { id, lastname, name } = db
    .select()
    .from(users)
    .where(eq(users.id, dealer_id as number))
    .get() as typeof users.$inferSelect
  return { actor_id: id, actor_name: `${lastname} ${name}` }
}

interface Entered extends Pick<Step, 'at' | 'actor_id' | 'actor_name'> {
  kind: PaymentKind
  file: string | null
  amount: number
  state: PaymentState
}

function enter(db: Database, order: Order, { at, actor_id, actor_name, state, ...entered }: Entered, { id, name }: Person): Entry[] {
  const decided_at = Math.min(now, at + 3 * hour)
  const decision = state === 'reported' ? {} : { decider_id: id, decider_name: name, decided_at }
  const reason = state === 'rejected' ? 'Деньги на счёт не поступили, проверьте реквизиты.' : null
  const times = { created_at: at, updated_at: state === 'reported' ? at : decided_at }
  const reporter = { reporter_id: actor_id, reporter_name: actor_name }
  const company_id = order.company_id as number
  const payment = { company_id, order_id: order.id, state, date: dateOf(at), ...entered, ...reporter, ...decision, reason, ...times }
  const payment_id = Number(db.insert(payments).values(payment).run().lastInsertRowid)
  if (state !== 'confirmed') return []
  const { amount } = entered
  const booked = { company_id, order_id: order.id, payment_id, date: payment.date, at: decided_at, actor_id: id, actor_name: name }
  if (!isCanceledOrder(db, order))
    db.insert(allocations)
      .values({ ...booked, amount })
      .run()
  return [{ ...booked, kind: 'payment', amount }]
}

/** What was paid for it is credit. */
function isCanceledOrder(db: Database, { status_id }: Order): boolean {
  const status = db
    .select({ due: statuses.due })
    .from(statuses)
    .where(eq(statuses.id, status_id ?? 0))
  return isCanceled(status.get())
}
