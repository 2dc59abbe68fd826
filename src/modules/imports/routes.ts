import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { either } from '../../core/access.ts'
import { imports, type RowResult } from '../../database/index.ts'
import type { Translate } from '../../i18n/translate.ts'
import { onRecord, writeRecord } from '../../web/access/record-routes.ts'
import { url } from '../../web/addresses.ts'
import type { Context } from '../../web/context.ts'
import { HttpError, notFound, type Problem } from '../../web/errors.ts'
import { flash } from '../../web/flash.ts'
import { isDated, isRepeater, parseSwitch } from '../../web/form/form.ts'
import { bodyOf, queryOf } from '../../web/input.ts'
import { findOpenJob } from '../../web/jobs/job.ts'
import { template } from '../../web/view/template.ts'
import { columnLetters } from './columns.ts'
import { findResults, outcomeLabels, sendReport, sendTemplate } from './download.ts'
import { findImport, type Import, type ImportKind, importedFields, importTargets, isLong, readRows, subjectOf } from './import.ts'
import { dryRun, ImportRejected, importJob, isRefused, saveRows } from './import-sheet.ts'
import { fileLimit, receiveFile } from './receive-file.ts'
import { storeSheet } from './store-sheet.ts'
import { findObstacles, isTouched, touchedBy, undoImport, undoImportJob } from './undo-import.ts'

const uploadPage = template<{ title: string; list: string; listTitle: string; fields: string[]; error?: string }>('imports/upload.njk')
const importPage = template<ReturnType<typeof viewOfImport>>('imports/import.njk')

const pageSize = 500

export async function importRoutes(app: FastifyInstance): Promise<void> {
  const targets = importTargets(app)
  const access = either(...targets.map(({ rule }) => rule))
  const targetOf = ({ list }: Import) => targets.find(({ card }) => card.list === list) as ImportKind
  for (const target of targets) {
    const path = `/${target.list}/import`
    app.importedLists.add(target.list)
    app.get(path, { access: target.rule }, (request, reply) => showUpload(request, reply, target))
    app.post(path, { access: target.rule, uploads: /^file$/, fileLimit }, (request, reply) => receiveSheet(request, reply, target))
    app.get(`${path}/template`, { access: target.rule, answers: 'spreadsheet' }, sendTemplate(target))
  }
  app.jobKinds.set('import', importJob(targets)).set('undo-import', undoImportJob(targets))
  const onImport = (handle: (request: FastifyRequest, reply: FastifyReply, sheet: Import, target: ImportKind) => unknown) =>
    onRecord({ access, record: findImport }, (request, reply, sheet) => handle(request, reply, sheet, targetOf(sheet)))
  app.get('/imports/:id', onImport(showImport))
  app.post('/imports/:id', onImport(saveColumns))
  app.post('/imports/:id/save', onImport(saveImport))
  app.post('/imports/:id/undo', onImport(undo))
  app.get('/imports/:id/report', onRecord({ access, record: findImport, answers: 'spreadsheet' }, sendReport(targetOf)))
}

function showUpload({ t }: FastifyRequest, reply: FastifyReply, { card }: ImportKind, error?: Problem) {
  return reply.page(uploadPage, {
    title: `${t(card.listTitle)}: ${t('Import')}`,
    list: card.list,
    listTitle: t(card.listTitle),
    fields: importedFields(card.form).map(([, { label }]) => t(label)),
    error: error && t(error.message, error.params),
  })
}

function receiveSheet(request: FastifyRequest, reply: FastifyReply, target: ImportKind) {
  return receiveFile(request, reply, {
    store: (name, sheet) => storeSheet(request, target, name, sheet),
    address: (id) => `/imports/${id}`,
    refuse: (error) => showUpload(request, reply, target, error),
  })
}

async function showImport(request: FastifyRequest, reply: FastifyReply, { id }: Import, target: ImportKind, problems: Problem[] = []) {
  const sheet = findImport(request.server.db, id, request.actor)
  if (!sheet) throw notFound()
  const job = findOpenJob(request.server.db, subjectOf(sheet))
  if (job) return reply.redirect(url(request.server, `/jobs/${job.id}`), 303)
  const results = await findResults(request, target, sheet)
  return reply.page(importPage, viewOfImport(request, target, sheet, results, problems))
}

function rejectedFirst(results: RowResult[]): RowResult[] {
  const isRejected = ({ outcome }: RowResult) => outcome === 'refused'
  return [...results.filter(isRejected), ...results.filter((result) => !isRejected(result))]
}

function viewOfImport({ t, url: address }: FastifyRequest, target: ImportKind, sheet: Import, results: RowResult[], problems: Problem[]) {
  const query = queryOf({ url: address })
  const outcome = query.get('outcome') ?? ''
  const shown = outcome ? results.filter((result) => result.outcome === outcome) : rejectedFirst(results)
  const pages = Math.max(1, Math.ceil(shown.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), pages)
  const fieldOptions = [['id', 'ID'], ...importedFields(target.card.form).map(([name, { label }]) => [name, t(label)])]
  const counts = Object.entries(outcomeLabels).map(([name, label]) => ({
    name,
    label,
    count: results.filter((result) => result.outcome === name).length,
  }))
  return {
    title: `${t(target.card.listTitle)}: ${t('Import')}`,
    listTitle: t(target.card.listTitle),
    sheet,
    columns: columnsOf(sheet),
    unread: describeColumns(
      t,
      columnsOf(sheet).filter(({ field }) => !field),
    ),
    hasPrices: importedFields(target.card.form).some(([name, field]) => isRepeater(field) && isDated(field) && sheet.fields.includes(name)),
    fieldOptions,
    keys: fieldOptions.filter(([name]) => name === 'id' || target.keys.includes(name as string)),
    counts,
    outcome,
    refused: results.some((result) => result.outcome === 'refused'),
    writes: results.filter(isTouched).length,
    rows: shown.slice((number - 1) * pageSize, number * pageSize).map((result) => ({
      ...result,
      outcomeLabel: outcomeLabels[result.outcome],
      address: result.id && `${target.card.path}/edit/${result.id}`,
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

/** POST of other fields for the columns, or of another key. */
function saveColumns(request: FastifyRequest, reply: FastifyReply, sheet: Import, { card, keys }: ImportKind) {
  const body = bodyOf(request)
  const known = ['id', ...importedFields(card.form).map(([name]) => name)]
  writeRecord(request, sheet, ({ id, fields, key_field, replaces_prices, saved_at }) => {
    const next = fields.map((field, at) => (body.has(`columns[${at}]`) ? body.get(`columns[${at}]`) || null : field))
    const key = body.get('key') ?? key_field
    const replaces = body.has('replace') ? parseSwitch(body.getAll('replace').at(-1) as string) : replaces_prices
    const named = next.filter((name) => name !== null)
    if (named.some((name) => !known.includes(name)) || !['id', ...keys].includes(key)) throw new HttpError(422, 'Invalid value')
    if (new Set(named).size < named.length) throw new HttpError(422, 'Two columns cannot have the same field.')
    if (saved_at || findOpenJob(request.server.db, subjectOf({ id }))) throw new HttpError(409, 'This import was already saved.')
    request.server.db.update(imports).set({ fields: next, key_field: key, replaces_prices: replaces }).where(eq(imports.id, id)).run()
  })
  return reply.redirect(url(request.server, `/imports/${sheet.id}`), 303)
}

async function saveImport(request: FastifyRequest, reply: FastifyReply, named: Import, target: ImportKind) {
  const { server } = request
  const again = () => {
    const message = 'Nothing was saved. Fix the rejected rows and upload the file again.'
    return showImport(request, reply.code(422), named, target, [{ message }])
  }
  const rows = await readRows(server.db, named.id)
  if (isLong(named) && !named.saved_at && (await dryRun(request, target, named)).some(isRefused)) return again()
  try {
    const { results, job } = writeRecord(request, named, (sheet) => (sheet.saved_at ? {} : saveRows(request, target, sheet, rows)))
    if (job) return reply.redirect(job, 303)
    const count = results?.filter(isTouched).length
    const undo = count ? { action: addressOf(request, named, '/undo') } : undefined
    if (count !== undefined) flash(request, '{count} records imported', { count }, undo)
    return reply.redirect(addressOf(request, named), 303)
  } catch (error) {
    if (!(error instanceof ImportRejected)) throw error
    return again()
  }
}

async function undo(request: FastifyRequest, reply: FastifyReply, named: Import, target: ImportKind) {
  const { db } = request.server
  if (!named.saved_at) throw new HttpError(409, 'This import has not been saved.')
  const touched = touchedBy(db, named)
  const problems = named.undone_at || findOpenJob(db, subjectOf(named)) ? [] : await findObstacles(request, target, touched)
  if (problems.length > 0) {
    const message = 'This import can no longer be undone. Nothing was changed.'
    return showImport(request, reply.code(409), named, target, [{ message }, ...problems])
  }
  const job = writeRecord(request, named, (sheet) => (sheet.undone_at ? undefined : undoImport(request, target, sheet, touched)))
  if (job) return reply.redirect(job, 303)
  flash(request, 'Import undone')
  return reply.redirect(addressOf(request, named), 303)
}

const addressOf = ({ server }: Context, { id }: Import, further = '') => url(server, `/imports/${id}${further}`)
