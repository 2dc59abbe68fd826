import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRule } from '../../../core/access.ts'
import { onRecord, reloadRecord } from '../../../web/access/record-routes.ts'
import { bodyOf, flash, HttpError, type Problem, page, parseId, queryOf, url } from '../../../web/http.ts'
import { firstSlice, inSlices, keepConnection } from '../../../web/operations/long-writes.ts'
import { fileLimit, receiveFile } from '../../imports/receive-file.ts'
import { storeRows } from '../../imports/store-sheet.ts'
import { may } from '../access.ts'
import { type Booking, bookRows } from './book.ts'
import { statementColumns } from './columns.ts'
import { type LinedRow, type Match, payableOrder } from './match.ts'
import { findStatement, matchRows, type Statement, statementList, statementRows } from './statement.ts'

const uploadPage = page<{ title: string; error?: string }>('payments/statement-upload.njk')
const statementPage = page<ReturnType<typeof presentStatement>>('payments/statement.njk')

const pageSize = 200

export async function statementRoutes(app: FastifyInstance): Promise<void> {
  app.importedLists.add(statementList)
  const access: AnyRule = may.add
  app.get('/payments/import', { access }, (request, reply) => showUpload(request, reply))
  app.post('/payments/import', { access, uploads: /^file$/, fileLimit }, receiveStatement)
  app.get('/payments/import/:id', onRecord({ access, record: findStatement }, showStatement))
  app.post('/payments/import/:id', onRecord({ access, record: findStatement }, bookStatement))
}

function showUpload({ t }: FastifyRequest, reply: FastifyReply, error?: Problem) {
  return reply.page(uploadPage, { title: t('Bank statement'), error: error && t(error.message, error.params) })
}

/** Nothing chooses a key: every row is matched by itself. */
const keys = { look: () => {}, choose: () => '' }

function receiveStatement(request: FastifyRequest, reply: FastifyReply) {
  return receiveFile(request, reply, {
    store: (name, sheet) => {
      const stored = { list: statementList, rule: may.add, fields: statementColumns(sheet.headers), keys }
      return storeRows(request, stored, name, sheet)
    },
    address: (id) => `/payments/import/${id}`,
    refuse: (error) => showUpload(request, reply, error),
  })
}

async function showStatement(request: FastifyRequest, reply: FastifyReply, statement: Statement, rejected?: Rejection) {
  const matches = await matchRows(request, await statementRows(request.server.db, statement))
  return reply.page(statementPage, presentStatement(request, statement, matches, rejected))
}

/** What was ticked and typed, and why nothing was booked. */
interface Rejection {
  ticked: Set<number>
  typed: Map<number, string>
  problems: Map<number, string>
}

/** Books the ticked rows for the orders that were seen beside them, and others for the orders typed; one wrong number refuses all. */
async function bookStatement(request: FastifyRequest, reply: FastifyReply, named: Statement) {
  const { server, t } = request
  const rows = await statementRows(server.db, named)
  const { bookings, ticked, typed, unknown } = await readBookings(request, rows)
  if (unknown.length > 0) {
    const problem = t('There is no order with this number whose payments you may confirm.')
    reply.code(422)
    return showStatement(request, reply, named, { ticked, typed, problems: new Map(unknown.map((row) => [row, problem])) })
  }
  if (bookings.length === 0) throw new HttpError(422, 'Nothing selected.')
  const isLong = bookings.length > firstSlice
  if (isLong) keepConnection(request)
  const count = await server.longWrites.run(isLong, () => {
    reloadRecord(request, named)
    return bookRows(request, bookings)
  })
  flash(request, '{count} payments booked', { count })
  return reply.redirect(url(server, `/payments/import/${named.id}`), 303)
}

async function readBookings(request: FastifyRequest, rows: LinedRow[]) {
  const body = bodyOf(request)
  const bookable = new Map(rows.filter(({ problem, outgoing }) => !problem && !outgoing).map((row) => [row.row, row]))
  const bookings: Booking[] = []
  const unknown: number[] = []
  const add = ([row, orderId]: Named) => {
    const found = bookable.get(row)
    if (found && orderId !== undefined && payableOrder(request, orderId)) bookings.push({ row: found, orderId })
    else unknown.push(row)
  }
  const typed = new Map([...body].flatMap(([name, value]) => typedNumber(name, value)))
  const ticks = body.getAll('book').map(readTick)
  const named = [...ticks, ...[...typed].map(([row, text]): Named => [row, parseId(text.replace(/^[#№]\s*/, ''))])]
  await inSlices(named, (slice) => slice.forEach(add))
  return { bookings, ticked: new Set(ticks.map(([row]) => row)), typed, unknown }
}

/** A row and the id of an order. */
type Named = [row: number, orderId: number | undefined]

function readTick(ticked: string): Named {
  const [row = 0, orderId] = ticked.split(':').map((part) => parseId(part))
  return [row, orderId]
}

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

function presentStatement(request: FastifyRequest, statement: Statement, matches: Match[], rejected?: Rejection) {
  const { t, server } = request
  const sorted = outcomes.flatMap((outcome) => matches.filter((match) => match.outcome === outcome))
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
    rows: sorted.slice((number - 1) * pageSize, number * pageSize).map((match) => presentMatch(request, match, rejected)),
    problem: rejected && t('Nothing was booked. Check the order numbers.'),
    pages,
    number,
  }
}

function presentMatch({ t }: FastifyRequest, match: Match, rejected?: Rejection) {
  const { row, outcome } = match
  const said = (reason: { message: string; params?: Record<string, string> }) => t(reason.message, reason.params)
  return {
    ...row,
    outcome,
    label: t(outcomeLabels[outcome]),
    order: 'order' in match ? match.order.id : 'payment' in match ? match.payment.order_id : undefined,
    why: 'why' in match ? match.why.map(said).join(', ') : '',
    doubt: 'doubt' in match && match.doubt ? said(match.doubt) : undefined,
    ticked: rejected ? rejected.ticked.has(row.row) : !('doubt' in match && match.doubt),
    typed: rejected?.typed.get(row.row),
    error: rejected?.problems.get(row.row),
  }
}
