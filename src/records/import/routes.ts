import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { either } from '../../core/access.ts'
import { type Database, imports } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { HttpError, type Problem } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { template } from '../../http/request/template.ts'
import { parseSwitch } from '../fields/index.ts'
import { findOpenJob } from '../jobs/job.ts'
import { countOf } from '../list/count.ts'
import { columnMatcher, columnNames, rememberHeadings, saysWithoutVat } from './columns.ts'
import { sendRefused, sendReport, sendTemplate } from './download.ts'
import {
  findImport,
  type Import,
  type ImportKind,
  importKindOf,
  importKinds,
  piecesOfRows,
  readHead,
  readResults,
  subjectOf,
  type Touched,
} from './import.ts'
import { dryRun, ImportRejected, importJob, readSavable, saveRows, wantsGoodRows } from './import-sheet.ts'
import { findLayout, type Layout } from './layout.ts'
import { readUpload, receiveFile, sheetFileLimit } from './receive-file.ts'
import { findRivals, type Rivals } from './rivals.ts'
import { storeSheet } from './store-sheet.ts'
import { findUndoable, undoImport, undoImportJob } from './undo-import.ts'
import { readAnswers } from './unknown-names.ts'
import { viewOfImport } from './view.ts'

interface UploadPage {
  title: string
  list: string
  listTitle: string
  fields: string[]
  hasRecords: boolean
  fileLimit: number
  error?: string
}

const uploadPage = template<UploadPage>('imports/upload.njk')
const importPage = template<ReturnType<typeof viewOfImport>>('imports/import.njk')

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
  app.registry.jobKinds.set('import', importJob).set('undo-import', undoImportJob)
  app.get('/imports/:id', onRecord(own, showImport))
  app.post('/imports/:id', action(own, { prepare: readChosen, perform: saveColumns }))
  app.post('/imports/:id/save', action(own, { prepare: readSavable, perform: saveImport, showAgain: showRejected }))
  app.post('/imports/:id/undo', action(own, { prepare: findUndoable, perform: undo, showAgain: showRejected }))
  app.get('/imports/:id/report', onRecord({ ...own, answers: 'spreadsheet' }, sendReport))
  app.get('/imports/:id/refused', onRecord({ ...own, answers: 'spreadsheet' }, sendRefused))
}

function showUpload(kind: ImportKind) {
  const { list } = kind.deletion
  return ({ t, actor, server: { db } }: FastifyRequest, reply: FastifyReply, error?: string) =>
    reply.page(uploadPage, {
      title: `${t(list.title)}: ${t('Import')}`,
      list: list.name,
      listTitle: t(list.title),
      fields: columnNames(kind).map(([, label]) => t(label)),
      hasRecords: countOf(db, list, actor, '', 1) > 0,
      fileLimit: sheetFileLimit,
      error,
    })
}

async function showImport(request: FastifyRequest, reply: FastifyReply, sheet: Import, problems: Problem[] = []) {
  const { server } = request
  const job = findOpenJob(server.db, subjectOf(sheet))
  if (job) return reply.redirect(url(server, `/jobs/${job.id}`), 303)
  const check = sheet.saved_at ? { results: readResults(server.db, sheet.id), missing: [] } : await dryRun(request, sheet)
  return reply.page(importPage, viewOfImport(request, importKindOf(server, sheet), sheet, check, problems))
}

function showRejected(request: FastifyRequest, reply: FastifyReply, sheet: Import, problem: HttpError) {
  if (!(problem instanceof ImportRejected)) throw problem
  return showImport(request, reply, sheet, [problem, ...problem.problems])
}

function refuseSaved(db: Database, sheet: Import): void {
  if (sheet.saved_at || findOpenJob(db, subjectOf(sheet))) throw new HttpError(409, 'This import was already saved.')
}

/** The import of another sheet of its file, if one is chosen, or where the headings are, if another row is chosen for them. */
async function readChosen(request: FastifyRequest, sheet: Import): Promise<number | Layout | undefined> {
  const { db } = request.server
  const kind = importKindOf(request.server, sheet)
  const name = bodyOf(request).get('sheet')
  const row = bodyOf(request).get('heading')
  if (name !== null && name !== sheet.sheet) {
    refuseSaved(db, sheet)
    if (!sheet.sheets?.includes(name)) throw new HttpError(422, 'Invalid value')
    return readUpload(request, sheet.upload, storeSheet(kind), name)
  }
  if (row === null || row === String(sheet.heading_first)) return undefined
  return findLayout(piecesOfRows(db, sheet), columnMatcher(db, kind), Number(row))
}

/** Other headings, other fields for the columns, or another key. */
function saveColumns(request: FastifyRequest, sheet: Import, chosenInstead: number | Layout | undefined): Done {
  const { db } = request.server
  if (typeof chosenInstead === 'number') return { location: addressOf(request.server, { id: chosenInstead }) }
  const layout = chosenInstead
  const kind = importKindOf(request.server, sheet)
  refuseSaved(db, sheet)
  const rivals = bodyOf(request).has('list_price') ? findRivals(kind, sheet, readHead(db, sheet)) : undefined
  const choices = layout ?? { fields: chosenFields(request, kind, sheet, rivals) }
  const changed = {
    ...choices,
    ...chosenKey(request, kind, sheet, choices.fields),
    ...chosenOptions(request, { ...sheet, ...choices }, rivals),
  }
  db.update(imports).set(changed).where(eq(imports.id, sheet.id)).run()
  const chosen = sheet.headers.map((header, at) => [header ?? '', choices.fields[at] ?? null] as [string, string | null])
  if (!layout)
    rememberHeadings(
      db,
      kind,
      chosen.filter(([, field], at) => field !== sheet.fields[at] || rivals?.columns.includes(at)),
    )
  return { location: addressOf(request.server, sheet) }
}

function chosenFields(request: FastifyRequest, kind: ImportKind, sheet: Import, rivals?: Rivals): (string | null)[] {
  const body = bodyOf(request)
  const known = ['id', ...columnNames(kind).map(([name]) => name)]
  if (rivals && !rivals.columns.includes(Number(body.get('list_price')))) throw new HttpError(422, 'Invalid value')
  const fields = sheet.fields.map((field, at) => {
    if (rivals?.columns.includes(at)) return at === Number(body.get('list_price')) ? rivals.name : null
    return body.has(`columns[${at}]`) ? body.get(`columns[${at}]`) || null : field
  })
  const named = fields.filter((name) => name !== null)
  if (named.some((name) => !known.includes(name))) throw new HttpError(422, 'Invalid value')
  if (new Set(named).size < named.length) throw new HttpError(422, 'Two columns cannot have the same field.')
  return fields
}

/** With other headings, a key that they have. */
function chosenKey(request: FastifyRequest, kind: ImportKind, sheet: Import, fields: (string | null)[]): { key_field: string } {
  const key_field = bodyOf(request).get('key') ?? sheet.key_field
  if (!['id', ...kind.keys].includes(key_field)) throw new HttpError(422, 'Invalid value')
  const isThere = (key: string) => fields.some((name) => name === key || (name && kind.splits?.[name]?.fields.includes(key)))
  return { key_field: isThere(key_field) ? key_field : (kind.keys.find(isThere) ?? key_field) }
}

function chosenOptions(request: FastifyRequest, sheet: Import, rivals?: Rivals) {
  const body = bodyOf(request)
  const box = (name: string, before: boolean) => (body.has(name) ? parseSwitch(body.getAll(name).at(-1) as string) : before)
  const chosen = (name: string, words: [no: string, yes: string], before: boolean) => {
    const word = body.getAll(name).at(-1)
    if (word !== undefined && !words.includes(word)) throw new HttpError(422, 'Invalid value')
    return word === undefined ? before : word === words[1]
  }
  const day = body.get('prices_from')
  if (day && !isDay(day)) throw new HttpError(422, 'Enter a valid date.')
  return {
    replaces_prices: box('replace', sheet.replaces_prices),
    takes_groups: chosen('groups_as', ['', 'category'], sheet.takes_groups),
    adds_missing: box('add_missing', sheet.adds_missing),
    without_vat: !box('prices_include_vat', !(rivals ? saysWithoutVat(sheet) : sheet.without_vat)),
    switches_off: chosen('missing', ['leave', 'deactivate'], sheet.switches_off),
    answers: readAnswers(sheet, body),
    prices_from: day || sheet.prices_from,
  }
}

const isDay = (text: string) => z.iso.date().safeParse(text).success

function saveImport(request: FastifyRequest, sheet: Import, savable: Awaited<ReturnType<typeof readSavable>>): Done {
  const location = addressOf(request.server, sheet)
  if (sheet.saved_at) return { location }
  const saved = saveRows(request, sheet, savable, { onlyGood: wantsGoodRows(request), invites: wantsInvitations(request) })
  if (typeof saved === 'string') return { location: saved }
  const undo = saved > 0 ? { action: `${location}/undo` } : undefined
  return { location, message: ['{count} records imported', { count: saved }, { undo }] }
}

function undo(request: FastifyRequest, sheet: Import, touched: Touched[]): Done {
  const job = sheet.undone_at ? undefined : undoImport(request, sheet, touched)
  return job ? { location: job } : { location: addressOf(request.server, sheet), message: ['Import undone'] }
}

const addressOf = (app: FastifyInstance, { id }: Pick<Import, 'id'>) => url(app, `/imports/${id}`)

/** Whether whom it adds is invited. */
const wantsInvitations = (request: FastifyRequest): boolean => bodyOf(request).get('invite') === '1'
