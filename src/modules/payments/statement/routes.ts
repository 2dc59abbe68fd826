import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import type { AnyRule } from '../../../core/access.ts'
import { findSettings, type SheetRow } from '../../../database/index.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { subjectOf } from '../../../records/import/import.ts'
import { receiveFile, type SentFile } from '../../../records/import/receive-file.ts'
import { layoutOfSheet, storeRows } from '../../../records/import/store-sheet.ts'
import { findOpenJob } from '../../../records/jobs/job.ts'
import type { Sheet } from '../../../records/spreadsheet/read.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { type Booking, bookJob, bookRows } from './book.ts'
import { checkColumns, isForeign, type LinedRow, type Own, statementColumns } from './columns.ts'
import { findBooked, type Match, matcher, matchTarget, type Proposal, problemOf } from './match.ts'
import { offeredCompanies } from './payers.ts'
import { StatementRejected, type Wanted } from './rejected.ts'
import { findStatement, type Statement, statementList, statementRows } from './statement.ts'
import { findTarget, type Reason, writeTarget } from './target.ts'

const uploadPage = template<{ title: string; error?: string }>('payments/statement-upload.njk')
const statementPage = template<ReturnType<typeof viewOfStatement>>('payments/statement.njk')

export async function statementRoutes(app: FastifyInstance): Promise<void> {
  app.registry.jobKinds.set('book', bookJob)
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

async function storeStatement(request: FastifyRequest, file: SentFile, sheet: Sheet): Promise<number> {
  const layout = await layoutOfSheet(sheet, statementColumns)
  checkColumns(layout.fields)
  const own = findSettings(request.server.db)
  const look = (rows: SheetRow[]) => refuseForeign(rows, layout.fields, own)
  // Nothing chooses a key: every row is matched by itself.
  return storeRows(request, { list: statementList, rule: paymentAccess.add, layout, keys: { look, choose: () => '' } }, file, sheet)
}

const addressOf = (app: FastifyInstance, id: number) => url(app, `/payments/import/${id}`)

function refuseForeign(rows: SheetRow[], fields: (string | null)[], own: Own): void {
  if (rows.some((row) => isForeign(row, fields, own))) throw new HttpError(422, 'This is a statement of an account that is not in rubles.')
}

async function showStatement(request: FastifyRequest, reply: FastifyReply, statement: Statement, rejected?: StatementRejected) {
  const job = findOpenJob(request.server.db, subjectOf(statement))
  if (job) return reply.redirect(url(request.server, `/jobs/${job.id}`), 303)
  const matches = await matchRows(request, await statementRows(request.server.db, statement))
  return reply.page(statementPage, viewOfStatement(request, statement, matches, rejected))
}

function showRejected(request: FastifyRequest, reply: FastifyReply, statement: Statement, problem: HttpError) {
  const rejected = problem instanceof StatementRejected ? problem : new StatementRejected(bodyOf(request), problem)
  return showStatement(request, reply, statement, rejected)
}

function bookStatement(request: FastifyRequest, { id }: Statement, bookings: Booking[]): Done {
  const booked = bookRows(request, id, bookings)
  if (typeof booked === 'string') return { location: booked }
  return { location: addressOf(request.server, id), message: ['{count} payments booked', { count: booked }] }
}

/**
 * Rows as they were ticked, or for what was typed; one that is wrong, in doubt or not seen as it would be split refuses all.
 * @throws StatementRejected
 */
async function readBookings(request: FastifyRequest, statement: Statement): Promise<Booking[]> {
  const rows = await statementRows(request.server.db, statement)
  const byNumber = new Map(rows.map((row) => [row.row, row]))
  const rejection = new StatementRejected(bodyOf(request))
  const linked = new Set<number>()
  const bookings: Booking[] = []
  await eachInTurn(rejection.wanted(request), ([number, wanted]) => {
    const read = readBooking(request, byNumber.get(number), wanted, linked)
    if ('target' in read) return bookings.push(read)
    if (read.match) rejection.matches.set(number, read.match)
    return rejection.problems.set(number, read)
  })
  if (rejection.problems.size > 0) throw rejection
  if (bookings.length === 0) throw new StatementRejected(bodyOf(request), new HttpError(422, 'Nothing selected.'))
  // As the bank wrote them, one after another, whatever the page shows first.
  return bookings.sort((a, b) => a.row.row - b.row.row)
}

type Unread = Reason & { match?: Match }

function readBooking(request: Context, row: LinedRow | undefined, wanted: Wanted, linked: Set<number>): Booking | Unread {
  const { db } = request.server
  const { target, paymentId, besides } = wanted
  if (!row || !target) return { message: wanted.problem ?? 'There is no order with this number whose payments you may confirm.' }
  const problem = problemOf(db, row)
  if (problem) return problem
  const found = findTarget(request, row, target)
  if ('message' in found) return found
  const booking = { row, target, paymentId, besides }
  if (findBooked(db, row)) return booking
  if (paymentId !== undefined) {
    if (linked.has(paymentId)) return { message: choose }
    linked.add(paymentId)
    return booking
  }
  const match = matchTarget(request, row, found)
  if (match.byHand && match.byHand.id !== besides) return { message: choose, match }
  if (wanted.isUnseen && target.orders.length > 1) return { message: 'Check how the amount is split, then book it.', match }
  return booking
}

const choose = 'Choose whether this is the payment that was confirmed by hand, or another one.'

const pageSize = 200

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
  const sorted = [...matches].sort((a, b) => placeOf(a) - placeOf(b))
  const pages = Math.max(1, Math.ceil(sorted.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(queryOf(request).get('page'))) || 1), pages)
  return {
    title: t('Bank statement'),
    statement: { id: statement.id, file_name: statement.file_name },
    action: url(server, `/payments/import/${statement.id}`),
    counts: outcomes.map((outcome) => ({
      label: outcomeLabels[outcome],
      count: matches.filter((match) => match.outcome === outcome).length,
    })),
    rows: sorted
      .slice((number - 1) * pageSize, number * pageSize)
      .map((match) => viewOfMatch(request, rejected?.matches.get(match.row.row) ?? match, rejected)),
    companies: offeredCompanies(request),
    problem: rejected && t(rejected.message, rejected.params),
    pages,
    number,
  }
}

/** What can be booked goes before what cannot. */
const placeOf = ({ outcome, proposal }: Match) =>
  outcome === 'outgoing' && proposal ? outcomes.indexOf('booked') - 0.5 : outcomes.indexOf(outcome)

function viewOfMatch({ t }: Context, { row, outcome, why, proposal, byHand, payment }: Match, rejected?: StatementRejected) {
  const said = (reason: Reason) => t(reason.message, reason.params)
  const error = rejected?.problems.get(row.row)
  const book = proposal && [row.row, targetOf(proposal), byHand?.id].filter(Boolean).join(':')
  const link = byHand && `${row.row}:${byHand.id}`
  const isShownAsTyped = Boolean(rejected?.matches.has(row.row)) && !byHand
  const isSure = proposal && !proposal.doubt && !byHand && outcome !== 'open' && outcome !== 'outgoing'
  return {
    ...row,
    ...{ outcome, book, link },
    label: t(proposal && outcome === 'outgoing' ? 'Refund' : outcomeLabels[outcome]),
    why: why.map(said).join(', '),
    doubt: proposal?.doubt && said(proposal.doubt),
    order: payment ? payment.order_id : onlyOrder(proposal),
    payment: payment?.id,
    proposal: proposal && { ...proposal, orders: proposal.orders.map(({ id }) => id) },
    byHand: byHand && { id: byHand.id, order: byHand.order_id, company: byHand.org, date: byHand.date, by: byHand.decider_name },
    isTyped: outcome === 'open' || proposal !== undefined,
    ticked: rejected ? rejected.ticked.has(book ?? '') || isShownAsTyped : isSure,
    linked: rejected?.ticked.has(link ?? '') ?? false,
    typed: rejected?.orders.get(row.row),
    company: rejected?.companies.get(row.row),
    error: error && said(error),
  }
}

const targetOf = ({ orders, company_id }: Proposal) => writeTarget({ orders: orders.map(({ id }) => id), company: company_id ?? undefined })

const onlyOrder = (proposal?: Proposal) => (proposal?.orders.length === 1 ? proposal.orders[0]?.id : undefined)

/** What would become of each row now; others are served in between. */
async function matchRows(context: Context, rows: LinedRow[]): Promise<Match[]> {
  const match = matcher(context)
  const matches: Match[] = []
  await eachInTurn(rows, (row) => void matches.push(match(row)))
  return matches
}
