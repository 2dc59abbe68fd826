import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import type { AnyRule } from '../../../core/access.ts'
import type { SheetRow } from '../../../database/index.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { subjectOf } from '../../../records/import/import.ts'
import { receiveFile } from '../../../records/import/receive-file.ts'
import { storeRows } from '../../../records/import/store-sheet.ts'
import { findOpenJob } from '../../../records/jobs/job.ts'
import type { Sheet } from '../../../records/spreadsheet/read.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { findPayment } from '../../ledger/payment.ts'
import { type Booking, bookJob, bookRows } from './book.ts'
import { isForeign, statementColumns } from './columns.ts'
import { findBooked, type Match, matchOrder, payableOrder } from './match.ts'
import { findStatement, matchRows, type Statement, statementList, statementRows } from './statement.ts'

const uploadPage = template<{ title: string; error?: string }>('payments/statement-upload.njk')
const statementPage = template<ReturnType<typeof viewOfStatement>>('payments/statement.njk')

const pageSize = 200

export async function statementRoutes(app: FastifyInstance): Promise<void> {
  app.jobKinds.set('book', bookJob)
  const access: AnyRule = paymentAccess.add
  const own = { access, record: findStatement }
  app.get('/payments/import', { access }, (request, reply) => showUpload(request, reply))
  app.post('/payments/import', receiveFile(access, { store: storeStatement, path: '/payments/import', show: showUpload }))
  app.get('/payments/import/:id', onRecord(own, showStatement))
  app.post('/payments/import/:id', action(own, { prepare: readBookings, perform: bookStatement, showAgain: showRejected }))
}

function showUpload({ t }: FastifyRequest, reply: FastifyReply, error?: HttpError) {
  return reply.page(uploadPage, { title: t('Bank statement'), error: error && t(error.message, error.params) })
}

function storeStatement(context: Context, name: string, sheet: Sheet): Promise<number> {
  const fields = statementColumns(sheet.headers)
  const look = (rows: SheetRow[]) => refuseForeign(rows, fields)
  // Nothing chooses a key: every row is matched by itself.
  return storeRows(context, { list: statementList, rule: paymentAccess.add, fields, keys: { look, choose: () => '' } }, name, sheet)
}

const addressOf = (app: FastifyInstance, id: number) => url(app, `/payments/import/${id}`)

function refuseForeign(rows: SheetRow[], fields: (string | null)[]): void {
  if (rows.some((row) => isForeign(row, fields))) throw new HttpError(422, 'This is a statement of an account that is not in rubles.')
}

async function showStatement(request: FastifyRequest, reply: FastifyReply, statement: Statement, rejected?: StatementRejected) {
  const job = findOpenJob(request.server.db, subjectOf(statement))
  if (job) return reply.redirect(url(request.server, `/jobs/${job.id}`), 303)
  const matches = await matchRows(request, await statementRows(request.server.db, statement))
  return reply.page(statementPage, viewOfStatement(request, statement, matches, rejected))
}

/** Nothing was booked: what was ticked and typed, and why. */
class StatementRejected extends HttpError {
  readonly ticked: Set<string>
  readonly typed: Map<number, string>
  readonly problems = new Map<number, string>()
  /** What would become of rows with the orders that were typed. */
  readonly matches = new Map<number, Match>()
  constructor(body: URLSearchParams) {
    super(422, 'Nothing was booked. Check the order numbers.')
    this.ticked = new Set([...body.getAll('book'), ...body.getAll('link')])
    this.typed = new Map([...body].flatMap(([name, value]) => typedNumber(name, value)))
  }
}

function showRejected(request: FastifyRequest, reply: FastifyReply, statement: Statement, problem: HttpError) {
  if (!(problem instanceof StatementRejected)) throw problem
  return showStatement(request, reply, statement, problem)
}

function bookStatement(request: FastifyRequest, { id }: Statement, bookings: Booking[]): Done {
  const booked = bookRows(request, id, bookings)
  if (typeof booked === 'string') return { location: booked }
  return { location: addressOf(request.server, id), message: ['{count} payments booked', { count: booked }] }
}

/**
 * Rows as they were ticked, or for the orders typed; one that is wrong or in doubt refuses all.
 * @throws StatementRejected
 */
async function readBookings(request: FastifyRequest, statement: Statement): Promise<Booking[]> {
  const body = bodyOf(request)
  const rows = await statementRows(request.server.db, statement)
  const rejection = new StatementRejected(body)
  const bookable = new Map(rows.filter(({ problem, outgoing }) => !problem && !outgoing).map((row) => [row.row, row]))
  const linked = new Set<number>()
  const bookings: Booking[] = []
  const read = ([number, wanted]: [number, Wanted]) => {
    const row = bookable.get(number)
    const order = wanted.orderId === undefined ? undefined : payableOrder(request, wanted.orderId)
    if (!row || !order)
      return rejection.problems.set(number, request.t('There is no order with this number whose payments you may confirm.'))
    const match = findBooked(request.server.db, row) ? undefined : matchOrder(request, row, order)
    const byHand = match && 'byHand' in match ? match.byHand : undefined
    const isSettled = wanted.paymentId !== undefined ? !linked.has(wanted.paymentId) : wanted.besides === byHand?.id || !byHand
    if (wanted.paymentId !== undefined) linked.add(wanted.paymentId)
    if (isSettled) return bookings.push({ row, ...wanted, orderId: order.id })
    if (match && wanted.paymentId === undefined) rejection.matches.set(number, match)
    return rejection.problems.set(number, request.t('Choose whether this is the payment that was confirmed by hand, or another one.'))
  }
  await eachInTurn(wantedOf(request, body, rejection.typed), read)
  if (rejection.problems.size > 0) throw rejection
  if (bookings.length === 0) throw new HttpError(422, 'Nothing selected.')
  return bookings
}

type Wanted = Omit<Booking, 'row' | 'orderId'> & { orderId: number | undefined }

/** By row: of what was sent, saying which payment it is goes before the number of an order, and that before the order that was offered. */
function wantedOf({ server }: Context, body: URLSearchParams, typed: Map<number, string>): Map<number, Wanted> {
  const wanted = new Map<number, Wanted>()
  for (const [row = 0, orderId, besides] of body.getAll('book').map(readTick)) wanted.set(row, { orderId, besides })
  for (const [row, text] of typed) {
    const orderId = parseId(text.replace(/^[#№N]\s*/i, ''))
    if (wanted.get(row)?.orderId !== orderId || orderId === undefined) wanted.set(row, { orderId })
  }
  for (const [row = 0, paymentId] of body.getAll('link').map(readTick))
    wanted.set(row, { orderId: findPayment(server.db, paymentId ?? 0)?.order_id ?? undefined, paymentId })
  return wanted
}

const readTick = (ticked: string) => ticked.split(':').map((part) => parseId(part))

function typedNumber(name: string, value: string): [number, string][] {
  const [, row] = /^order\[(\d{1,9})\]$/.exec(name) ?? []
  return row && value.trim() ? [[Number(row), value.trim()]] : []
}

const outcomes = ['open', 'enters', 'confirms', 'booked', 'unreadable', 'outgoing'] as const

const outcomeLabels: Record<Match['outcome'], string> = {
  open: 'Order not found',
  enters: 'New payment',
  confirms: 'Confirms a reported payment',
  booked: 'Booked already',
  unreadable: 'Cannot be booked',
  outgoing: 'Outgoing payment',
}

function viewOfStatement(request: FastifyRequest, statement: Statement, matches: Match[], rejected?: StatementRejected) {
  const { t, server } = request
  const sorted = outcomes.flatMap((outcome) => matches.filter((match) => match.outcome === outcome))
  const pages = Math.max(1, Math.ceil(sorted.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(queryOf(request).get('page'))) || 1), pages)
  return {
    title: t('Bank statement'),
    statement: { id: statement.id, file_name: statement.file_name },
    action: addressOf(server, statement.id),
    counts: outcomes.map((outcome) => ({
      label: outcomeLabels[outcome],
      count: matches.filter((match) => match.outcome === outcome).length,
    })),
    rows: sorted
      .slice((number - 1) * pageSize, number * pageSize)
      .map((match) => viewOfMatch(request, rejected?.matches.get(match.row.row) ?? match, rejected)),
    problem: rejected && t(rejected.message),
    pages,
    number,
  }
}

function viewOfMatch({ t }: Context, match: Match, rejected?: StatementRejected) {
  const { row, outcome } = match
  const said = (reason: { message: string; params?: Record<string, string> }) => t(reason.message, reason.params)
  const order = 'order' in match ? match.order.id : 'payment' in match ? match.payment.order_id : undefined
  const byHand = 'byHand' in match ? match.byHand : undefined
  const doubt = 'doubt' in match ? match.doubt : undefined
  const book = 'order' in match ? [row.row, order, byHand?.id].filter(Boolean).join(':') : undefined
  const link = byHand && `${row.row}:${byHand.id}`
  return {
    ...row,
    ...{ outcome, order, book, link },
    label: t(outcomeLabels[outcome]),
    why: 'why' in match ? match.why.map(said).join(', ') : '',
    doubt: doubt && said(doubt),
    byHand: byHand && { id: byHand.id, order: byHand.order_id, date: byHand.date, by: byHand.decider_name },
    isBookable: outcome === 'open' || book !== undefined,
    ticked: rejected ? rejected.ticked.has(book ?? '') : !doubt && !byHand,
    linked: rejected?.ticked.has(link ?? '') ?? false,
    typed: rejected?.typed.get(row.row),
    error: rejected?.problems.get(row.row),
  }
}
