import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import {
  cachedUntilWrite,
  companies,
  type Database,
  orderBalances,
  orders,
  payments,
  prepareOnce,
  whereIn,
} from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { type Payment, selectPayments } from '../../ledger/payment.ts'
import { orderAccess as mayOrder } from '../../orders/access.ts'
import { findOrder, type Order } from '../../orders/order.ts'
import { amountsOf } from '../../orders/payments/amounts.ts'
import { findByHand } from './by-hand.ts'
import type { LinedRow } from './columns.ts'
import { type Named, namedIn } from './named.ts'

interface Reason {
  message: string
  params?: Record<string, string>
}

export type Match =
  /** `enters` a payment, or `confirms` one that was reported; with a doubt only when somebody ticks it. */
  | { row: LinedRow; outcome: 'enters' | 'confirms'; order: Order; why: Reason[]; doubt?: Reason; byHand?: Payment }
  | { row: LinedRow; outcome: 'open'; why: Reason[]; byHand?: Payment }
  | { row: LinedRow; outcome: 'booked'; payment: Payment }
  | { row: LinedRow; outcome: 'outgoing' | 'unreadable'; why: Reason[] }

/** Finds the order of each row among those of its payer: by what the purpose names, else by the amount. */
export function matcher(context: Context) {
  const { db } = context.server
  const findLacking = lackingFinder(db)
  return (row: LinedRow): Match => {
    if (row.outgoing) return { row, outcome: 'outgoing', why: [] }
    if (row.problem) return { row, outcome: 'unreadable', why: [{ message: row.problem }] }
    const payment = findBooked(db, row)
    if (payment) return { row, outcome: 'booked', payment }
    const payers = payersOf(db, row)
    const named = namedIn(row.purpose)
    return byName(context, row, payers, named) ?? byAmount(context, row, payers, named, findLacking)
  }
}

/** What would become of a row with this order. */
export function matchOrder(context: Context, row: LinedRow, order: Order, why: Reason[] = [], unsure?: Reason): Match {
  const { db } = context.server
  const payers = payersOf(db, row)
  const left = amountsOf(db, order).left
  const reported = findReported(db, order, row)
  const isPayers = payers.includes(order.owner_company_id ?? 0)
  const foreign = !isPayers && (payers.length > 0 || (row.inn !== '' && hasInn(db, order)))
  const doubt = foreign ? { message: "The payer's INN is not that of the company" } : unsure
  const tooMuch = !reported && left < row.kopecks ? { message: 'More than is left to pay' } : undefined
  const reasons = [
    ...why,
    ...(isPayers ? [{ message: "Payer's INN" }] : []),
    ...(reported ? [{ message: 'A reported payment of this amount' }] : []),
    ...(!reported && left === row.kopecks ? [{ message: 'The amount that is left to pay' }] : []),
  ]
  const byHand = findByHand(context, row, payers, order)
  return { row, outcome: reported ? 'confirms' : 'enters', order, why: reasons, doubt: doubt ?? tooMuch, byHand }
}

/** The order that somebody may book payments of, if there is one with this id. */
export function payableOrder({ server, actor }: Context, id: number): Order | undefined {
  const order = findOrder(server.db, id)
  return order && allows(mayOrder.decidePayment, actor, order) ? order : undefined
}

/** The payment that was booked of a row, whatever order it was booked for. */
export function findBooked(db: Database, { line }: LinedRow): Payment | undefined {
  return bookedPayment(db).get({ line })
}

/** The payment of an order that a row confirms: of several the earliest. */
export function findReported(db: Database, order: Order, { kopecks }: LinedRow): Payment | undefined {
  return reportedPayment(db).get({ order: order.id, amount: kopecks })
}

/** The companies with the INN of the payer. */
export function payersOf(db: Database, { inn }: LinedRow): number[] {
  const byInn = cachedUntilWrite(db, 'companies by INN', () => {
    const { id, inn } = companies
    return Map.groupBy(db.select({ id, inn }).from(companies).where(isNotNull(inn)).all(), (company) => company.inn as string)
  })
  return (byInn.get(inn) ?? []).map(idOf)
}

function byName(context: Context, row: LinedRow, payers: number[], named: Named[]): Match | undefined {
  const found = [...new Set(named.flatMap((one) => idsNamed(context.server.db, payers, one)))].flatMap(
    (id) => payableOrder(context, id) ?? [],
  )
  const own = found.filter(({ owner_company_id }) => payers.includes(owner_company_id ?? 0))
  const candidates = own.length > 0 ? own : found
  const [order, second] = candidates
  if (!order) return undefined
  if (second) return open(context, row, payers, severalNamed(candidates.map(idOf)))
  const together = named.find(({ numbers }) => numbers.length > 1)
  const isNumbered = named.some(({ of, numbers }) => of === 'orders' && numbers.includes(order.id))
  return matchOrder(
    context,
    row,
    order,
    [{ message: isNumbered ? 'Order number in the purpose' : 'Specification number in the purpose' }],
    together && severalNamed(together.numbers),
  )
}

/** Specifications are numbered by company: those of the payer are meant. */
function idsNamed(db: Database, payers: number[], { of, numbers }: Named): number[] {
  if (of === 'orders') return numbers
  return ordersBySpecification(db)
    .all({ ids: JSON.stringify(payers), numbers: JSON.stringify(numbers) })
    .map(idOf)
}

function byAmount(context: Context, row: LinedRow, payers: number[], named: Named[], findLacking: ReturnType<typeof lackingFinder>): Match {
  const found = payers.flatMap((id) => findLacking(id, row.kopecks)).flatMap((id) => payableOrder(context, id) ?? [])
  const [order, second] = found
  const unknown = named.find(({ of }) => of === 'specifications')?.numbers
  const missing = unknown && { message: 'The payer has no order with this specification number: {numbers}', params: numbersOf(unknown) }
  if (order && !second) return matchOrder(context, row, order, [], missing)
  if (order)
    return open(context, row, payers, { message: 'Several orders lack this amount: {numbers}', params: numbersOf(found.map(idOf)) })
  const isKnown = payers.length > 0
  return open(
    context,
    row,
    payers,
    missing && isKnown
      ? missing
      : { message: isKnown ? 'No order of this payer lacks this amount' : 'No order number, and the payer is not known' },
  )
}

const open = (context: Context, row: LinedRow, payers: number[], why: Reason): Match => ({
  ...{ row, outcome: 'open', why: [why], byHand: findByHand(context, row, payers) },
})

const severalNamed = (ids: number[]): Reason => ({ message: 'The purpose names several orders: {numbers}', params: numbersOf(ids) })

const idOf = ({ id }: { id: number }) => id

const numbersOf = (ids: number[]) => ({ numbers: ids.map((id) => `№\u00a0${id}`).join(', ') })

function hasInn(db: Database, { owner_company_id }: Order): boolean {
  return owner_company_id !== null && (companyInn(db).get({ id: owner_company_id })?.inn ?? null) !== null
}

const companyInn = prepareOnce((db, params) =>
  db.select({ inn: companies.inn }).from(companies).where(eq(companies.id, params.id)).prepare(),
)

const ordersBySpecification = prepareOnce((db, params) =>
  db
    .select({ id: orders.id })
    .from(orders)
    .where(and(whereIn(orders.specification_number, sql.placeholder('numbers')), whereIn(orders.owner_company_id, params.ids)))
    .orderBy(asc(orders.id))
    .limit(10)
    .prepare(),
)

/** The orders that lack an amount, a few of each company; what a company lacks is read once. */
function lackingFinder(db: Database) {
  const known = new Map<number, Map<number, { id: number }[]>>()
  const read = (company: number) => Map.groupBy(ordersLacking(db).all({ company }), ({ lacking }) => lacking)
  return (company: number, amount: number): number[] => {
    const byAmount = known.get(company) ?? read(company)
    known.set(company, byAmount)
    return (byAmount.get(amount) ?? []).slice(0, 4).map(idOf)
  }
}

const bookedPayment = prepareOnce((db) =>
  selectPayments(db)
    .where(eq(payments.statement_line, sql.placeholder('line')))
    .prepare(),
)

const reportedPayment = prepareOnce((db, params) =>
  selectPayments(db)
    .where(and(eq(payments.order_id, params.order), eq(payments.state, 'reported'), eq(payments.amount, sql.placeholder('amount'))))
    .orderBy(asc(payments.date), asc(payments.id))
    .limit(1)
    .prepare(),
)

const ordersLacking = prepareOnce((db, params) => {
  const lacking = sql<number>`${orders.cost} - coalesce(${orderBalances.paid}, 0)`
  return db
    .select({ id: orders.id, lacking })
    .from(orders)
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .where(and(eq(orders.owner_company_id, params.company), sql`${lacking} > 0`))
    .prepare()
})
