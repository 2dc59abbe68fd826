import { eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { companies, type Database, dueDay, orderBalances, orders, prepareOnce, statuses } from '../../database/index.ts'
import { bodyOf, parseId, queryOf } from '../../http/request/input.ts'
import type { Entry, FormState } from '../../records/form/form.ts'
import type { Allocation } from '../ledger/allocations.ts'
import type { Payer } from '../ledger/payer.ts'
import { type OrderToPay, proposeSplit } from './orders-to-pay.ts'

/** Beside the rows of a form that splits a payment over orders. */
export interface SplitView {
  company: string
  /** What of the company's money pays nothing yet. */
  credit: number
  /** What orders lack, by their numbers. */
  lacks: Record<string, OrderToPay>
  /** Kopecks of the payment, those that rows allocate, and what would be credit: less than nothing where they are more than the payment. */
  amount: number
  allocated: number
  rest: number
}

interface Shown {
  state: FormState
  entry?: Entry
  lacking: OrderToPay[]
}

type Row = { order_id: number | null; amount: number | null }

const blank: Row = { order_id: null, amount: null }

/** Whether the button was pressed that proposes how an amount is split. */
const isAskedFor = (request: FastifyRequest) => request.method === 'POST' && bodyOf(request).get('_find') === 'allocations'

/**
 * The form with the orders that lack money: with what the payment pays of them now, or with what is proposed once that is asked for.
 * @param paid what it pays now
 */
export function withProposal(
  request: FastifyRequest,
  given: FormState,
  entry: Entry | undefined,
  payer: Payer | undefined,
  paid: readonly Allocation[] = [],
): Shown {
  const state: FormState = { ...given, rows: { allocations: { initial: blank, first: 'amount' } } }
  if (!payer) return { state, entry, lacking: [] }
  const lacking = withPaid(ordersToPay(request.server.db, payer.id), paid, parseId(queryOf(request).get('order')))
  if (entry?.rows.allocations?.length && !isAskedFor(request)) return { state, entry, lacking }
  const amount = entry?.values.amount ?? state.stored.amount
  const split = isAskedFor(request) ? proposeSplit(typeof amount === 'number' ? amount : 0, lacking) : paid
  const amounts = new Map(split.map((one) => [one.order_id, one.amount]))
  const rows: Row[] = lacking.map(({ id }) => ({ order_id: id, amount: amounts.get(id) ?? null }))
  const stored = { ...state.stored, allocations: [...rows, blank] }
  return { state: { ...state, stored }, entry: entry && withoutRows(entry), lacking }
}

/** Orders lack without what this payment pays of them; the one that the address names stands first. */
function withPaid(lacking: OrderToPay[], paid: readonly Allocation[], named: number | undefined): OrderToPay[] {
  const amounts = new Map(paid.map(({ order_id, amount }) => [order_id, amount]))
  const others = paid.filter(({ order_id }) => !lacking.some(({ id }) => id === order_id))
  const all = [
    ...others.map(({ order_id: id, amount }) => ({ id, lacks: amount, due_day: null })),
    ...lacking.map((one) => ({ ...one, lacks: one.lacks + (amounts.get(one.id) ?? 0) })),
  ]
  return all.toSorted((one, other) => Number(other.id === named) - Number(one.id === named))
}

function withoutRows({ rows, typed, values, ...entry }: Entry): Entry {
  const { allocations: _rows, ...others } = rows
  const { allocations: _values, ...kept } = values
  const texts = Object.fromEntries(Object.entries(typed).filter(([name]) => !name.startsWith('allocations.')))
  return { ...entry, rows: others, typed: texts, values: kept }
}

export function viewOfSplit({ org }: Payer, { state, entry, lacking }: Shown, credit: number): SplitView {
  const rows = (entry?.values.allocations ?? state.stored.allocations ?? []) as Row[]
  const sum = entry?.values.amount ?? state.stored.amount
  const amount = typeof sum === 'number' ? sum : 0
  const allocated = rows.reduce((all, row) => all + (row.amount ?? 0), 0)
  return {
    company: org,
    credit,
    lacks: Object.fromEntries(lacking.map((one) => [one.id, one])),
    amount,
    allocated,
    rest: amount - allocated,
  }
}

/** So many orders a form lists; others are named by their numbers. */
const most = 50

/** The orders of a company that lack money, those that have been due the longest first. */
function ordersToPay(db: Database, company_id: number): OrderToPay[] {
  return lackingOrders(db).all({ company: company_id })
}

const lackingOrders = prepareOnce((db, params) => {
  const lacks = sql<number>`${orders.cost} - ifnull(${orderBalances.paid}, 0)`
  const ofCompany = sql`${orders.owner_company_id} = ${params.company} and ifnull(${orderBalances.company_id}, ${params.company}) = ${params.company}`
  return db
    .select({ id: orders.id, lacks, due_day: dueDay })
    .from(orders)
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .where(sql`${ofCompany} and ${lacks} > 0 and ${statuses.due} is not 'ends'`)
    .orderBy(sql`${orders.due_since} is null`, orders.due_since, orders.id)
    .limit(most)
    .prepare()
})
