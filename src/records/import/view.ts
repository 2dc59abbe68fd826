import type { FastifyRequest } from 'fastify'
import { vatPercent } from '../../core/pricing.ts'
import { firstCharacters } from '../../core/text.ts'
import { type Database, findSettings, type RowResult } from '../../database/index.ts'
import type { Problem } from '../../http/request/errors.ts'
import { queryOf } from '../../http/request/input.ts'
import { today } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { isDated, isRepeater } from '../fields/index.ts'
import { columnLetters, columnNames } from './columns.ts'
import { describeProblem, isReason, outcomeLabels } from './download.ts'
import { type Import, type ImportKind, isTouched, readHead } from './import.ts'
import { type dryRun, isRefused } from './import-sheet.ts'
import { addableList } from './named-records.ts'
import { obstaclesOf } from './obstacles.ts'
import { leavesOut } from './read-cells.ts'
import { findRivals } from './rivals.ts'
import { unknownNames } from './unknown-names.ts'

/** Of a preview; the sheet may have very many rows. */
const pageSize = 20

/** What the page of an import shows: before it is saved what would be done with each row, afterwards what was. */
export function viewOfImport(
  request: FastifyRequest,
  kind: ImportKind,
  sheet: Import,
  { results, missing }: Awaited<ReturnType<typeof dryRun>>,
  errors: Problem[],
) {
  const { t, url: address, server } = request
  const query = queryOf({ url: address })
  const outcome = query.get('outcome') ?? ''
  const shown = narrow(results, outcome)
  const pages = Math.max(1, Math.ceil(shown.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), pages)
  const fieldOptions = [['id', 'ID'], ...columnNames(kind).map(([name, label]) => [name, t(label)])]
  const count = (outcome: RowResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const all = Object.entries(tabLabels).map(([name, label]) => ({ name, label, count: count(name as RowResult['outcome']) }))
  const switched = { name: 'missing', label: 'Missing from this file', count: results.filter(isMissing).length }
  const problems = { name: 'problems', label: 'Only problems', count: results.filter(hasProblem).length }
  const rare = [all.filter(({ name }) => name === 'skipped'), switched].flat().filter(({ count }) => count > 0)
  const ofProblems = problems.count > count('refused') ? [problems] : []
  const counts = [...all.filter(({ name }) => name !== 'skipped'), ...rare, ...ofProblems]
  return {
    title: `${t(kind.deletion.list.title)}: ${t('Import')}`,
    listTitle: t(kind.deletion.list.title),
    sheet,
    columns: columnsOf(sheet),
    recognized: sheet.fields.filter(Boolean).length,
    ...choicesOf(kind, sheet, results, request),
    ...obstaclesOf(request, kind, sheet, results),
    names: unknownNames(request, kind, sheet, results),
    rivals: sheet.saved_at ? [] : viewOfRivals(request, kind, sheet),
    missing: viewOfMissing(request, kind, missing),
    unread: describeColumns(
      t,
      columnsOf(sheet).filter(({ field, header }) => !field && !isReason(header)),
    ),
    fieldOptions,
    keys: fieldOptions.filter(([name]) => name === 'id' || kind.keys.includes(name as string)),
    open: query.get('open') ?? '',
    total: results.length,
    counts,
    outcome,
    refused: count('refused'),
    writes: results.filter(isTouched).length,
    invites: kind.invitation !== undefined && count('new') > 0,
    mails: server.sendMail !== undefined,
    links: sheet.saved_at && kind.invitation?.links(request),
    rows: shown.slice((number - 1) * pageSize, number * pageSize).map((result) => ({
      ...result,
      own: ownProblems(t, sheet, result),
      outcomeLabel: outcomeLabels[result.outcome],
      address: result.id && `${kind.card.path}/edit/${result.id}`,
    })),
    pages: nearPages(number, pages),
    number,
    errors: errors.slice(0, 20),
  }
}

const tabLabels = {
  new: 'New, the rows',
  changed: 'Changed, the rows',
  unchanged: 'Unchanged',
  skipped: 'Skipped, the rows',
  refused: 'Rejected, the rows',
}

/** Those of one outcome, those with problems, or all, refused ones first. */
function narrow(results: RowResult[], outcome: string): RowResult[] {
  if (outcome === 'problems') return results.filter(hasProblem)
  if (outcome === 'missing') return results.filter(isMissing)
  if (outcome) return results.filter((result) => result.outcome === outcome)
  return [...results.filter(isRefused), ...results.filter((result) => !isRefused(result))]
}

/** Without what is said of the whole sheet. */
function ownProblems(t: Translate, { saved_at }: Import, { row, problems }: RowResult) {
  const own = saved_at ? problems : problems.filter(({ lacksColumn }) => !lacksColumn)
  return own.map((problem) => describeProblem(t, row, problem))
}

const isMissing = ({ row }: RowResult): boolean => row === 0

const hasProblem = (result: RowResult): boolean => isRefused(result) || leavesOut(result)

/** The first one, those around this one, and the last one. */
function nearPages(number: number, pages: number): number[] {
  const all = [1, number - 2, number - 1, number, number + 1, number + 2, pages]
  return [...new Set(all.filter((page) => page >= 1 && page <= pages))].sort((one, other) => one - other)
}

const columnsOf = ({ headers, fields }: Import) =>
  headers.flatMap((header, at) => (header === null ? [] : [{ at, letters: columnLetters(at), header, field: fields[at] }]))

function describeColumns(t: Translate, columns: ReturnType<typeof columnsOf>): string {
  const describe = ({ letters, header }: { letters: string; header: string }) =>
    header ? t('{letters} “{header}”', { letters, header }) : t('{letters} (no heading)', { letters })
  return columns.map(describe).join(', ')
}

/** Among which somebody chooses. */
function viewOfRivals({ server: { db }, t }: FastifyRequest, kind: ImportKind, sheet: Import) {
  const { name, columns = [] } = findRivals(kind, sheet, readHead(db, sheet)) ?? {}
  return columnsOf(sheet).flatMap((column) =>
    columns.includes(column.at) ? { at: column.at, text: describeColumns(t, [column]), chosen: column.field === name } : [],
  )
}

/** So many of the missing records are named. */
const namesShown = 20

function viewOfMissing({ server: { db }, t, language }: FastifyRequest, { missing, card }: ImportKind, ids: number[]) {
  if (!missing || ids.length === 0) return undefined
  const names = ids.slice(0, namesShown).map((id) => card.titleOf(card.find(db, id), t, language))
  return { ...missing, count: ids.length, names, more: ids.length - names.length }
}

/** What whoever imports can say besides, as far as it concerns this sheet. */
function choicesOf(kind: ImportKind, sheet: Import, results: RowResult[], context: Pick<FastifyRequest, 'server' | 'actor'>) {
  const saysPrices = (name: string | null) => {
    const field = name === null ? undefined : kind.card.form.fields[name]
    return field !== undefined && isRepeater(field) && isDated(field)
  }
  const splits = sheet.fields.flatMap((name) => (name === null ? [] : (kind.splits?.[name] ?? [])))
  const hasDay = splits.some(({ fields }) => fields.some(saysPrices))
  const hasGroups =
    sheet.takes_groups || results.some(({ outcome, notes }) => outcome === 'skipped' && notes?.[0]?.message === 'Group of rows')
  return {
    heads: sheet.saved_at ? [] : headsOf(context.server.db, sheet),
    hasPrices: hasDay || sheet.fields.some(saysPrices),
    pricesFrom: hasDay ? (sheet.prices_from ?? today()) : undefined,
    vat: vatPercent(findSettings(context.server.db).vat),
    hasGroups,
    canAdd: Object.keys(kind.adds ?? {}).some(
      (name) => (sheet.fields.includes(name) || (kind.groups === name && hasGroups)) && addableList(context, kind, name),
    ),
  }
}

/** The rows among which the headings can be chosen. */
function headsOf(db: Database, sheet: Import): { row: number; text: string }[] {
  const rows = readHead(db, sheet).filter(({ row }) => row <= Math.max(20, sheet.heading_first))
  return rows.map(({ row, cells }) => ({ row, text: firstCharacters(cells.filter(Boolean).join(' · '), 80) }))
}
