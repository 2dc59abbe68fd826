import { and, asc, eq, sql } from 'drizzle-orm'
import { type Database, orderBalances, orders, payments, prepareOnce, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import type { Allocation } from '../../ledger/allocations.ts'
import { closedUntil } from '../../ledger/closed-days.ts'
import { type Payment, selectPayments } from '../../ledger/payment.ts'
import { findOrder, type Order } from '../../orders/order.ts'
import { findByHand } from './by-hand.ts'
import type { LinedRow } from './columns.ts'
import { orderInvoiced } from './invoices.ts'
import { type Named, namedIn } from './named.ts'
import { type Payers, payableCompany, payersOf } from './payers.ts'
import { type Found, foundOf, payableOrder, type Reason, splitOver } from './target.ts'

/** What a row would be booked to, and what it would pay. */
export interface Proposal extends Found {
  company?: string
  split: Allocation[]
  /** What of it pays nothing: credit of the company. */
  rest: number
  /** Ticked only by somebody, for whatever reason. */
  doubt?: Reason
}

export interface Match {
  row: LinedRow
  /** `enters` a payment, or `confirms` one that was reported; an `open` one is proposed as an advance, an outgoing one as a refund. */
  outcome: 'open' | 'enters' | 'confirms' | 'booked' | 'unreadable' | 'outgoing'
  why: Reason[]
  proposal?: Proposal
  /** A payment confirmed by hand that it may be. */
  byHand?: Payment
  /** The payment that was booked of it. */
  payment?: Payment
}

/** Finds what each row pays among the orders of its payer: what the purpose names, else by the amount; else it is an advance. */
export function matcher(context: Context) {
  const { db } = context.server
  const findLacking = lackingFinder(db)
  return (row: LinedRow): Match => {
    const payment = findBooked(db, row)
    if (payment) return { row, outcome: 'booked', why: [], payment }
    const problem = problemOf(db, row)
    if (row.outgoing) return problem ? { row, outcome: 'outgoing', why: row.problem ? [] : [problem] } : matchRefund(context, row)
    if (problem) return { row, outcome: 'unreadable', why: [problem] }
    const payers = payersOf(db, row)
    const named = namedIn(row.purpose)
    return byName(context, row, payers, named) ?? byAmount(context, row, payers, named, findLacking)
  }
}

/** Why nothing can be booked of a row. */
export function problemOf(db: Database, { problem, date }: LinedRow): Reason | undefined {
  if (problem) return { message: problem }
  const closed = closedUntil(db, date)
  return closed === undefined ? undefined : { message: 'The books are closed until {date}.', params: { date: formatCalendarDate(closed) } }
}

/** What would become of a row with orders, or as an advance of a company. */
export function matchTarget(context: Context, row: LinedRow, found: Found, why: Reason[] = [], unsure?: Reason): Match {
  const { db } = context.server
  const payers = payersOf(db, row)
  const reported = findReported(db, found, row)
  const { company_id, orders } = found
  const company = company_id === null ? undefined : payableCompany(context, company_id)
  const split = row.outgoing ? [] : splitOver(context, row.kopecks, orders)
  const rest = row.outgoing ? 0 : row.kopecks - split.reduce((sum, { amount }) => sum + amount, 0)
  const of = company_id ?? 0
  const isPayers = payers.byInn.includes(of)
  const wasPayers = payers.before.includes(of)
  const isForeign = !isPayers && !wasPayers && (payers.byInn.length > 0 || (row.inn !== '' && Boolean(company?.inn)))
  const doubt = isForeign ? { message: "The payer's INN is not that of the company" } : unsure
  const nothingLeft = orders.length > 0 && !reported && rest === row.kopecks ? { message: 'More than is left to pay' } : undefined
  const reasons = [
    ...why,
    ...(isPayers ? [{ message: row.outgoing ? "Recipient's INN" : "Payer's INN" }] : []),
    ...(wasPayers ? [{ message: 'Paid for this company before' }] : []),
    ...(reported ? [{ message: 'A reported payment of this amount' }] : []),
    ...(!reported && orders.length === 1 && !row.outgoing && isAllThatLacks(context, row, orders)
      ? [{ message: 'The amount that is left to pay' }]
      : []),
  ]
  return {
    ...{ row, outcome: row.outgoing ? 'outgoing' : reported ? 'confirms' : 'enters', why: reasons },
    proposal: { ...found, company: company?.org, split, rest, doubt: doubt ?? nothingLeft },
    byHand: findByHand(context, row, orders, company_id),
  }
}

/** The payment that was booked of a row, whatever it was booked for. */
export function findBooked(db: Database, { line }: LinedRow): Payment | undefined {
  return bookedPayment(db).get({ line })
}

/** The payment that a row confirms, reported for the order or, without one, for the company: of several the earliest. */
export function findReported(db: Database, { company_id, orders }: Found, { kopecks, outgoing }: LinedRow): Payment | undefined {
  if (outgoing) return undefined
  const [order, second] = orders
  return reportedPayment(db).get({ order: order && !second ? order.id : null, company: company_id, amount: kopecks })
}

/** What is paid back: for the order that the purpose names, if it is one of the recipient's. */
function matchRefund(context: Context, row: LinedRow): Match {
  const { byInn } = payersOf(context.server.db, row)
  const names = namesOf(context, byInn, namedIn(row.purpose))
  const named = payableOrders(context, names).filter(({ owner_company_id }) => byInn.includes(owner_company_id ?? 0))
  const [company, second] = byInn.flatMap((id) => payableCompany(context, id) ?? [])
  const [order] = named
  if (order) return matchTarget(context, row, foundOf(context, [order]), whyOf(names, order))
  if (!company || second) return { row, outcome: 'outgoing', why: [] }
  return matchTarget(context, row, { company_id: company.id, orders: [] })
}

function byName(context: Context, row: LinedRow, payers: Payers, named: Named[]): Match | undefined {
  const names = namesOf(context, [...payers.byInn, ...payers.before], named)
  const found = payableOrders(context, names)
  const isOf = (ids: number[]) => (order: Order) => ids.includes(order.owner_company_id ?? 0)
  const own = [found.filter(isOf(payers.byInn)), found.filter(isOf(payers.before))].find((some) => some.length > 0)
  const [order, second] = own ?? found
  if (!order) return undefined
  const { company_id } = foundOf(context, [order])
  const orders = own?.filter((other) => foundOf(context, [other]).company_id === company_id) ?? [order]
  if (second && (!own || orders.length < own.length)) return open(context, row, payers, severalNamed((own ?? found).map(idOf)))
  const numbers = named.flatMap(({ numbers }) => (numbers.length > 1 ? numbers : []))
  const unsure = new Set(numbers).size > orders.length ? severalNamed(numbers) : undefined
  return matchTarget(context, row, { company_id, orders }, whyOf(names, order), unsure)
}

/** By what orders are named, by their ids. */
type Names = ReadonlyMap<number, string>

function namesOf({ server: { db } }: Context, payers: number[], named: Named[]): Names {
  return new Map(named.flatMap((one) => idsNamed(db, payers, one)).map(({ id, by }) => [id, by]))
}

const payableOrders = (context: Context, names: Names): Order[] => [...names.keys()].flatMap((id) => payableOrder(context, id) ?? [])

const whyOf = (names: Names, { id }: Order): Reason[] => [{ message: names.get(id) ?? '' }]

/** Specifications are numbered by company: those of the payer are meant. */
function idsNamed(db: Database, payers: number[], one: Named): { id: number; by: string }[] {
  if (one.of === 'orders') return one.numbers.map((id) => ({ id, by: 'Order number in the purpose' }))
  if (one.of === 'invoices') return idsInvoiced(db, payers, one)
  return ordersBySpecification(db)
    .all({ ids: JSON.stringify(payers), numbers: JSON.stringify(one.numbers) })
    .map(({ id }) => ({ id, by: 'Specification number in the purpose' }))
}

/** A number that no invoice of the payer has may be that of an order of theirs, and one that none has at all that of any. */
function idsInvoiced(db: Database, payers: number[], { written = [], day }: Named) {
  return written.flatMap((number) => {
    const invoice = orderInvoiced(db, payers, number, day)
    const isOwn = invoice && payers.includes(invoice.company_id ?? 0)
    const order = isOwn || !/^\d{1,9}$/.test(number) ? undefined : findOrder(db, Number(number))
    const isMeant = order && (!invoice || payers.includes(order.owner_company_id ?? 0))
    if (isMeant) return [{ id: order.id, by: 'Order number in the purpose' }]
    return invoice?.order_id ? [{ id: invoice.order_id, by: 'Invoice number in the purpose' }] : []
  })
}

function byAmount(context: Context, row: LinedRow, payers: Payers, named: Named[], findLacking: ReturnType<typeof lackingFinder>): Match {
  const known = [...payers.byInn, ...payers.before]
  const found = known.flatMap((id) => findLacking(id, row.kopecks)).flatMap((id) => payableOrder(context, id) ?? [])
  const [order, second] = found
  const unknown = named.find(({ of }) => of === 'specifications')?.numbers
  const missing = unknown && { message: 'The payer has no order with this specification number: {numbers}', params: numbersOf(unknown) }
  if (order && !second) return matchTarget(context, row, foundOf(context, [order]), [], missing)
  if (order)
    return open(context, row, payers, { message: 'Several orders lack this amount: {numbers}', params: numbersOf(found.map(idOf)) })
  if (known.length === 0) return open(context, row, payers, { message: 'No order number, and the payer is not known' })
  if (named.length === 0 && isAdvance(row.purpose)) return advance(context, row, payers, { message: 'An advance by its purpose' })
  return open(context, row, payers, missing ?? { message: 'No order of this payer lacks this amount' })
}

/** Of a payer who is one company it can be booked as an advance. */
function open(context: Context, row: LinedRow, payers: Payers, why: Reason): Match {
  return { ...advance(context, row, payers, why), outcome: 'open', why: [why] }
}

function advance(context: Context, row: LinedRow, { byInn, before }: Payers, why: Reason): Match {
  const [company, second] = (byInn.length > 0 ? byInn : before).flatMap((id) => payableCompany(context, id) ?? [])
  if (company && !second) return matchTarget(context, row, { company_id: company.id, orders: [] }, [why])
  return { row, outcome: 'open', why: [why], byHand: findByHand(context, row, [], null) }
}

const isAllThatLacks = (context: Context, row: LinedRow, orders: Order[]) =>
  splitOver(context, Number.MAX_SAFE_INTEGER, orders).reduce((sum, { amount }) => sum + amount, 0) === row.kopecks

const severalNamed = (ids: number[]): Reason => ({ message: 'The purpose names several orders: {numbers}', params: numbersOf(ids) })

const idOf = ({ id }: { id: number }) => id

const numbersOf = (ids: number[]) => ({ numbers: ids.map((id) => `№\u00a0${id}`).join(', ') })

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
    .where(
      and(
        sql`${payments.order_id} is ${params.order} and (${params.order} is not null or ${payments.company_id} = ${params.company})`,
        eq(payments.state, 'reported'),
        eq(payments.amount, sql.placeholder('amount')),
      ),
    )
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

/** Whether a purpose says that money comes before what it is for. */
const isAdvance = (purpose: string) => /(?<!\p{L})(?:аванс|предоплат|advance|prepay)/iu.test(purpose)
