import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import type { AnyRule } from '../../../core/access.ts'
import { findSettings, type SheetRow } from '../../../database/index.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { subjectOf } from '../../../records/import/import.ts'
import { receiveFile, type SentFile, sheetFileLimit } from '../../../records/import/receive-file.ts'
import { layoutOfSheet, storeRows } from '../../../records/import/store-sheet.ts'
import { findOpenJob } from '../../../records/jobs/job.ts'
import type { Sheet } from '../../../records/spreadsheet/read.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { type Booking, bookJob, bookRows } from './book.ts'
import { checkColumns, isForeign, type LinedRow, type Own, statementColumns } from './columns.ts'
import { type Match, matcher } from './match.ts'
import { readBookings } from './read-bookings.ts'
import { StatementRejected } from './rejected.ts'
import { findStatement, type Statement, statementList, statementRows } from './statement.ts'
import { viewOfStatement } from './view.ts'

const uploadPage = template<{ title: string; fileLimit: number; error?: string }>('payments/statement-upload.njk')
const statementPage = template<ReturnType<typeof viewOfStatement>>('payments/statement.njk')

export async function statementRoutes(app: FastifyInstance): Promise<void> {
  app.registry.jobKinds.set('book', bookJob)
  const access: AnyRule = paymentAccess.add
  const own = { access, record: findStatement }
  app.registry.commands.push({
    path: '/payments/import',
    label: ['Import', 'Bank statement'],
    says: ['Payments', 'upload, load, Excel, spreadsheet', 'money, bank, transfers'],
    rule: access,
    imports: true,
  })
  app.get('/payments/import', { access }, (request, reply) => showUpload(request, reply))
  app.post('/payments/import', receiveFile(access, { store: storeStatement, path: '/payments/import', show: showUpload }))
  app.get('/payments/import/:id', onRecord(own, showStatement))
  app.post('/payments/import/:id', action(own, { prepare: readBookings, perform: bookStatement, showAgain: showRejected }))
}

function showUpload({ t }: FastifyRequest, reply: FastifyReply, error?: string) {
  return reply.page(uploadPage, { title: t('Bank statement'), fileLimit: sheetFileLimit, error })
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

/** What would become of each row now; others are served in between. */
async function matchRows(context: Context, rows: LinedRow[]): Promise<Match[]> {
  const match = matcher(context)
  const matches: Match[] = []
  await eachInTurn(rows, (row) => void matches.push(match(row)))
  return matches
}
