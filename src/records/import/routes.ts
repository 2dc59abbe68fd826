import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { either } from '../../core/access.ts'
import { imports, type RowResult, type SheetRow } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { FindRecord } from '../../http/request/app-types.ts'
import { HttpError, type Problem } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import type { Translate } from '../../i18n/translate.ts'
import { isDated, isRepeater, parseSwitch } from '../form/form.ts'
import { findOpenJob } from '../jobs/job.ts'
import { columnLetters } from './columns.ts'
import { findResults, outcomeLabels, sendReport, sendTemplate } from './download.ts'
import {
  findImport,
  type Import,
  type ImportKind,
  importedFields,
  importKindOf,
  importKinds,
  isTouched,
  subjectOf,
  type Touched,
} from './import.ts'
import { ImportRejected, importJob, readSavable, saveRows } from './import-sheet.ts'
import { receiveFile } from './receive-file.ts'
import { storeSheet } from './store-sheet.ts'
import { findUndoable, undoImport, undoImportJob } from './undo-import.ts'

const uploadPage = template<{ title: string; list: string; listTitle: string; fields: string[]; error?: string }>('imports/upload.njk')
const importPage = template<ReturnType<typeof viewOfImport>>('imports/import.njk')

const pageSize = 500

export async function importRoutes(app: FastifyInstance): Promise<void> {
  const kinds = importKinds(app)
  const lists = new Set(kinds.map(({ list }) => list))
  // What bank statements store is none of them.
  const record: FindRecord<Import> = (...wanted) => [findImport(...wanted)].find((sheet) => sheet && lists.has(sheet.list))
  const own = { access: either(...kinds.map(({ rule }) => rule)), record }
  for (const kind of kinds) {
    const path = `/${kind.list}/import`
    const access = kind.rule
    const show = showUpload(kind)
    app.get(path, { access }, (request, reply) => show(request, reply))
    app.post(path, receiveFile(access, { store: storeSheet(kind), path: '/imports', show }))
    app.get(`${path}/template`, { access, answers: 'spreadsheet' }, sendTemplate(kind))
  }
  app.jobKinds.set('import', importJob).set('undo-import', undoImportJob)
  app.get('/imports/:id', onRecord(own, showImport))
  app.post('/imports/:id', action(own, saveColumns))
  app.post('/imports/:id/save', action(own, { prepare: readSavable, perform: saveImport, showAgain: showRejected }))
  app.post('/imports/:id/undo', action(own, { prepare: findUndoable, perform: undo, showAgain: showRejected }))
  app.get('/imports/:id/report', onRecord({ ...own, answers: 'spreadsheet' }, sendReport))
}

function showUpload({ card, deletion: { list } }: ImportKind) {
  return ({ t }: FastifyRequest, reply: FastifyReply, error?: HttpError) =>
    reply.page(uploadPage, {
      title: `${t(list.title)}: ${t('Import')}`,
      list: list.name,
      listTitle: t(list.title),
      fields: importedFields(card.form).map(([, { label }]) => t(label)),
      error: error && t(error.message, error.params),
    })
}

async function showImport(request: FastifyRequest, reply: FastifyReply, sheet: Import, problems: Problem[] = []) {
  const { server } = request
  const job = findOpenJob(server.db, subjectOf(sheet))
  if (job) return reply.redirect(url(server, `/jobs/${job.id}`), 303)
  const results = await findResults(request, sheet)
  return reply.page(importPage, viewOfImport(request, importKindOf(server, sheet), sheet, results, problems))
}

function showRejected(request: FastifyRequest, reply: FastifyReply, sheet: Import, problem: HttpError) {
  if (!(problem instanceof ImportRejected)) throw problem
  return showImport(request, reply, sheet, [problem, ...problem.problems])
}

function rejectedFirst(results: RowResult[]): RowResult[] {
  const isRejected = ({ outcome }: RowResult) => outcome === 'refused'
  return [...results.filter(isRejected), ...results.filter((result) => !isRejected(result))]
}

function viewOfImport({ t, url: address }: FastifyRequest, kind: ImportKind, sheet: Import, results: RowResult[], problems: Problem[]) {
  const query = queryOf({ url: address })
  const outcome = query.get('outcome') ?? ''
  const shown = outcome ? results.filter((result) => result.outcome === outcome) : rejectedFirst(results)
  const pages = Math.max(1, Math.ceil(shown.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), pages)
  const fieldOptions = [['id', 'ID'], ...importedFields(kind.card.form).map(([name, { label }]) => [name, t(label)])]
  const counts = Object.entries(outcomeLabels).map(([name, label]) => ({
    name,
    label,
    count: results.filter((result) => result.outcome === name).length,
  }))
  return {
    title: `${t(kind.deletion.list.title)}: ${t('Import')}`,
    listTitle: t(kind.deletion.list.title),
    sheet,
    columns: columnsOf(sheet),
    unread: describeColumns(
      t,
      columnsOf(sheet).filter(({ field }) => !field),
    ),
    hasPrices: importedFields(kind.card.form).some(([name, field]) => isRepeater(field) && isDated(field) && sheet.fields.includes(name)),
    fieldOptions,
    keys: fieldOptions.filter(([name]) => name === 'id' || kind.keys.includes(name as string)),
    counts,
    outcome,
    refused: results.some((result) => result.outcome === 'refused'),
    writes: results.filter(isTouched).length,
    rows: shown.slice((number - 1) * pageSize, number * pageSize).map((result) => ({
      ...result,
      outcomeLabel: outcomeLabels[result.outcome],
      address: result.id && `${kind.card.path}/edit/${result.id}`,
    })),
    pages,
    number,
    problems: problems.slice(0, 20),
  }
}

const columnsOf = ({ headers, fields }: Import) =>
  headers.flatMap((header, at) => (header === null ? [] : [{ at, letters: columnLetters(at), header, field: fields[at] }]))

function describeColumns(t: Translate, columns: ReturnType<typeof columnsOf>): string {
  const describe = ({ letters, header }: { letters: string; header: string }) =>
    header ? t('{letters} “{header}”', { letters, header }) : t('{letters} (no heading)', { letters })
  return columns.map(describe).join(', ')
}

/** Other fields for the columns, or another key. */
function saveColumns(request: FastifyRequest, sheet: Import): Done {
  const { db } = request.server
  const { card, keys } = importKindOf(request.server, sheet)
  const body = bodyOf(request)
  const known = ['id', ...importedFields(card.form).map(([name]) => name)]
  const fields = sheet.fields.map((field, at) => (body.has(`columns[${at}]`) ? body.get(`columns[${at}]`) || null : field))
  const key_field = body.get('key') ?? sheet.key_field
  const replaces_prices = body.has('replace') ? parseSwitch(body.getAll('replace').at(-1) as string) : sheet.replaces_prices
  const named = fields.filter((name) => name !== null)
  if (named.some((name) => !known.includes(name)) || !['id', ...keys].includes(key_field)) throw new HttpError(422, 'Invalid value')
  if (new Set(named).size < named.length) throw new HttpError(422, 'Two columns cannot have the same field.')
  if (sheet.saved_at || findOpenJob(db, subjectOf(sheet))) throw new HttpError(409, 'This import was already saved.')
  db.update(imports).set({ fields, key_field, replaces_prices }).where(eq(imports.id, sheet.id)).run()
  return { location: addressOf(request.server, sheet) }
}

function saveImport(request: FastifyRequest, sheet: Import, rows: SheetRow[]): Done {
  const location = addressOf(request.server, sheet)
  if (sheet.saved_at) return { location }
  const saved = saveRows(request, sheet, rows)
  if (typeof saved === 'string') return { location: saved }
  const undo = saved > 0 ? { action: `${location}/undo` } : undefined
  return { location, message: ['{count} records imported', { count: saved }, undo] }
}

function undo(request: FastifyRequest, sheet: Import, touched: Touched[]): Done {
  const job = sheet.undone_at ? undefined : undoImport(request, sheet, touched)
  return job ? { location: job } : { location: addressOf(request.server, sheet), message: ['Import undone'] }
}

const addressOf = (app: FastifyInstance, { id }: Import) => url(app, `/imports/${id}`)
