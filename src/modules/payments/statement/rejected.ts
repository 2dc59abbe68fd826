import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { parseId } from '../../../http/request/input.ts'
import { findPayment } from '../../ledger/payment.ts'
import type { Booking } from './book.ts'
import type { Match } from './match.ts'
import { companiesNamed } from './payers.ts'
import { type Reason, type Target, unknownCompany, writeTarget } from './target.ts'

/** What somebody wants of a row; without a target, why there is none. */
export type Wanted = Omit<Booking, 'row' | 'target'> & {
  target?: Target
  problem?: string
  /** It was typed, not ticked beside what would become of it. */
  isUnseen?: boolean
}

/** Nothing was booked: what was ticked and typed, and why. */
export class StatementRejected extends HttpError {
  readonly ticked: Set<string>
  readonly orders: Map<number, string>
  readonly companies: Map<number, string>
  readonly problems = new Map<number, Reason>()
  /** What would become of rows with what was typed. */
  readonly matches = new Map<number, Match>()
  readonly #ticks: string[]
  readonly #links: string[]

  constructor(body: URLSearchParams, { status, message, params }: Pick<HttpError, 'status' | 'message' | 'params'> = nothingBooked) {
    super(status, message, params)
    this.#ticks = body.getAll('book')
    this.#links = body.getAll('link')
    this.ticked = new Set([...this.#ticks, ...this.#links])
    this.orders = typedIn(body, 'order')
    this.companies = typedIn(body, 'company')
  }

  /** By row: of what was sent, saying which payment it is goes before what was typed, and that before what was ticked. */
  wanted(context: Context): Map<number, Wanted> {
    const wanted = new Map<number, Wanted>()
    for (const tick of this.#ticks) {
      const [row, target = '', besides] = tick.split(':')
      wanted.set(parseId(row) ?? 0, { target: readTarget(target), besides: parseId(besides) })
    }
    const type = (row: number, typed: Wanted) => {
      const ticked = wanted.get(row)?.target
      if (!ticked || !typed.target || writeTarget(ticked) !== writeTarget(typed.target)) wanted.set(row, { ...typed, isUnseen: true })
    }
    for (const [row, text] of this.companies) type(row, companyTyped(context, text))
    for (const [row, text] of this.orders) type(row, { target: readTyped(text) })
    for (const [row, paymentId] of this.#links.map((link) => link.split(':').map((part) => parseId(part)))) {
      const payment = findPayment(context.server.db, paymentId ?? 0)
      const company = payment?.company_id ?? undefined
      const target = payment?.order_id ? { orders: [payment.order_id] } : company && { orders: [], company }
      wanted.set(row ?? 0, { ...(target && { target }), paymentId })
    }
    return wanted
  }
}

const nothingBooked = { status: 422, message: 'Nothing was booked. Check the rows that are marked.', params: {} }

function companyTyped(context: Context, text: string): Wanted {
  const [company, second] = companiesNamed(context, text)
  if (second) return { problem: 'Several companies have this name or INN. Type both, or the ID.' }
  return company ? { target: { orders: [], company: company.id } } : { problem: unknownCompany }
}

function typedIn(body: URLSearchParams, field: string): Map<number, string> {
  return new Map(
    [...body].flatMap(([name, value]): [number, string][] => {
      const row = name.startsWith(`${field}[`) ? parseId(name.slice(field.length + 1, -1)) : undefined
      return row && name.endsWith(']') && value.trim() ? [[row, value.trim()]] : []
    }),
  )
}

function readTarget(text: string): Target | undefined {
  if (text.startsWith('c')) return withCompany(parseId(text.slice(1)))
  return readOrders(text.split(','))
}

/** Numbers of orders as people type them, one or several. */
const readTyped = (text: string) => readOrders(text.split(/[\s,;+]+/))

const withCompany = (company: number | undefined): Target | undefined => (company === undefined ? undefined : { orders: [], company })

function readOrders(texts: string[]): Target | undefined {
  const ids = texts.map((text) => text.trim().replace(/^[#№N]/i, '')).flatMap((text) => (text === '' ? [] : [parseId(text)]))
  return ids.length === 0 || ids.includes(undefined) ? undefined : { orders: [...new Set(ids as number[])] }
}
