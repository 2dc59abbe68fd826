import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { companies, type Database, orderBalances, orders, payments, prepareOnce } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import type { Payment } from '../../ledger/payment.ts'
import { may as mayOrder } from '../../orders/access.ts'
import { findOrder, type Order } from '../../orders/order.ts'
import { amountsOf } from '../../orders/payments/section.ts'
import type { StatementRow } from './columns.ts'

/** A row with the line by which what was booked of it is recognized. */
export interface LinedRow extends StatementRow {
  line: string
}

interface Reason {
  message: string
  params?: Record<string, string>
}

export type Match =
  /** `enters` a payment, or `confirms` one that was reported; with a doubt only when somebody ticks it. */
  | { row: LinedRow; outcome: 'enters' | 'confirms'; order: Order; why: Reason[]; doubt?: Reason }
  | { row: LinedRow; outcome: 'booked'; payment: Payment }
  | { row: LinedRow; outcome: 'open' | 'outgoing' | 'unreadable'; why: Reason[] }

/** Finds the order of each row: by its number in the purpose, else by payer and amount. */
export function matcher(acting: Acting) {
  const { db } = acting.server
  const findLacking = lackingFinder(db)
  const companiesByInn = Map.groupBy(
    db.select({ id: companies.id, inn: companies.inn }).from(companies).where(isNotNull(companies.inn)).all(),
    ({ inn }) => inn as string,
  )
  return (row: LinedRow): Match => {
    if (row.outgoing) return { row, outcome: 'outgoing', why: [] }
    if (row.problem) return { row, outcome: 'unreadable', why: [{ message: row.problem }] }
    const payment = findBooked(db, row)
    if (payment) return { row, outcome: 'booked', payment }
    const payers = companiesByInn.get(row.inn) ?? []
    const lacking = () => payers.flatMap(({ id }) => findLacking(id, row.kopecks))
    return byNumber(acting, row) ?? byPayer(acting, row, payers.length > 0, lacking())
  }
}

/** The order that somebody may book payments of, if there is one with this id. */
export function payableOrder({ server, actor }: Acting, id: number): Order | undefined {
  const order = findOrder(server.db, id)
  return order && allows(mayOrder.decidePayment, actor, order) ? order : undefined
}

/** The payment that was booked of a row, whatever order it was booked for. */
export function findBooked(db: Database, { kopecks, line }: LinedRow): Payment | undefined {
  return bookedPayment(db).get({ amount: kopecks, line })
}

/** The payment of an order that a row confirms: of several the earliest. */
export function findReported(db: Database, order: Order, { kopecks }: LinedRow): Payment | undefined {
  return reportedPayment(db).get({ order: order.id, amount: kopecks })
}

function byNumber(acting: Acting, row: LinedRow): Match | undefined {
  const found = orderNumbers(row.purpose).flatMap((id) => payableOrder(acting, id) ?? [])
  const [order, second] = found
  if (!order) return undefined
  if (second) {
    const numbers = found.map(({ id }) => `№\u00a0${id}`).join(', ')
    return { row, outcome: 'open', why: [{ message: 'The purpose names several orders: {numbers}', params: { numbers } }] }
  }
  const inn = innOf(acting.server.db, order)
  const foreign = row.inn !== '' && inn !== null && inn !== row.inn
  return matched(
    acting,
    row,
    order,
    [{ message: 'Order number in the purpose' }],
    foreign ? { message: "The payer's INN is not that of the company" } : undefined,
  )
}

function byPayer(acting: Acting, row: LinedRow, isKnown: boolean, lacking: number[]): Match {
  const found = lacking.flatMap((id) => payableOrder(acting, id) ?? [])
  const [order, second] = found
  if (order && !second) return matched(acting, row, order, [])
  if (!order)
    return {
      row,
      outcome: 'open',
      why: [{ message: isKnown ? 'No order of this payer lacks this amount' : 'No order number, and the payer is not known' }],
    }
  const numbers = found.map(({ id }) => `№\u00a0${id}`).join(', ')
  return { row, outcome: 'open', why: [{ message: 'Several orders lack this amount: {numbers}', params: { numbers } }] }
}

function matched(acting: Acting, row: LinedRow, order: Order, why: Reason[], doubt?: Reason): Match {
  const { db } = acting.server
  const left = amountsOf(db, order).left
  const reported = findReported(db, order, row)
  if (row.inn !== '' && innOf(db, order) === row.inn) why.push({ message: "Payer's INN" })
  if (reported) why.push({ message: 'A reported payment of this amount' })
  else if (left === row.kopecks) why.push({ message: 'The amount that is left to pay' })
  else if (left < row.kopecks) doubt ??= { message: 'More than is left to pay' }
  return { row, outcome: reported ? 'confirms' : 'enters', order, why, doubt }
}

const introduced =
  /(?:№|#|\bN\b|\bNo\b\.?|заказ[а-яё]*|order|сч[её]т[а-яё]*|спецификаци[а-яё]*)[\s:.]*(?:№|#|\bN\b|\bNo\b\.?)?\s*(\d{1,9})(?![\d.,/]*\d)/giu

/** The numbers that a purpose introduces as those of orders, each once. */
export function orderNumbers(purpose: string): number[] {
  return [...new Set([...purpose.matchAll(introduced)].map(([, digits]) => Number(digits)))].filter((id) => id > 0).slice(0, 10)
}

function innOf(db: Database, { owner_company_id }: Order): string | null {
  return owner_company_id === null ? null : (companyInn(db).get({ id: owner_company_id })?.inn ?? null)
}

const companyInn = prepareOnce((db, given) => db.select({ inn: companies.inn }).from(companies).where(eq(companies.id, given.id)).prepare())

/** The orders that lack an amount, a few of each company; what a company lacks is read once. */
function lackingFinder(db: Database) {
  const known = new Map<number, Map<number, { id: number }[]>>()
  const read = (company: number) => Map.groupBy(ordersLacking(db).all({ company }), ({ lacking }) => lacking)
  return (company: number, amount: number): number[] => {
    const byAmount = known.get(company) ?? read(company)
    known.set(company, byAmount)
    return (byAmount.get(amount) ?? []).slice(0, 4).map(({ id }) => id)
  }
}

/** The bank's words are the last line of the note of what was booked by them, as in the index `payments_booked`. */
const lastLine = sql`substr(${payments.note}, length(rtrim(${payments.note}, replace(${payments.note}, char(10), ''))) + 1)`

const bookedPayment = prepareOnce((db) =>
  db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.amount, sql.placeholder('amount')),
        sql`${payments.state} = 'confirmed'`,
        sql`${lastLine} = ${sql.placeholder('line')}`,
      ),
    )
    .limit(1)
    .prepare(),
)

const reportedPayment = prepareOnce((db, given) =>
  db
    .select()
    .from(payments)
    .where(and(eq(payments.order_id, given.order), eq(payments.state, 'reported'), eq(payments.amount, sql.placeholder('amount'))))
    .orderBy(asc(payments.date), asc(payments.id))
    .limit(1)
    .prepare(),
)

const ordersLacking = prepareOnce((db, given) => {
  const lacking = sql<number>`${orders.cost} - coalesce(${orderBalances.paid}, 0)`
  return db
    .select({ id: orders.id, lacking })
    .from(orders)
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .where(and(eq(orders.owner_company_id, given.company), sql`${lacking} > 0`))
    .prepare()
})
