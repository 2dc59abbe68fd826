import { sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { RowResult, SheetRow } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { noInput } from '../../http/request/input.ts'
import { type Translate, translator } from '../../i18n/translate.ts'
import { describeValue } from '../form/describe-value.ts'
import { unseenFields } from '../form/form.ts'
import { sheetFormat } from '../list/export.ts'
import { idsQuery } from '../list/ids.ts'
import { readState } from '../list/state.ts'
import type { Cell } from '../spreadsheet/csv.ts'
import { sendSpreadsheet } from '../spreadsheet/send-spreadsheet.ts'
import { type Import, type ImportKind, importedFields, importedRows, readResults } from './import.ts'
import { dryRun } from './import-sheet.ts'

/** The list with every field that can be imported. */
export function sendTemplate({ card, deletion: { list } }: ImportKind) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, actor, t } = request
    const hidden = unseenFields(importedFields(card.form), actor)
    const fields = importedFields(card.form).filter(([name]) => !hidden.includes(name))
    const cells = (id: number) => {
      const record = card.find(server.db, id)
      if (!record || !allows(card.may.view, actor, record)) return []
      const { stored, choices } = card.formState(request, record, noInput)
      return [[id, ...fields.map(([name, field]) => cell(describeValue(name, field, stored[name], choices, t)))]]
    }
    return sendSpreadsheet(request, reply, card.list, {
      name: t(list.title),
      format: sheetFormat(request),
      columns: [{ header: 'ID', width: 10 }, ...fields.map(([, { label }]) => ({ header: t(label), width: 24 }))],
      ids: idsQuery({ db: server.db, list, actor, state: readState(list, new URLSearchParams(), actor) }),
      load: (ids) => ids.flatMap(cells),
    })
  }
}

const cell = (text: string) => (text === '—' ? null : text)

/** What was done with each row or, before the import is saved, what would be. */
async function findResults(context: Context, sheet: Import): Promise<RowResult[]> {
  return sheet.saved_at ? readResults(context.server.db, sheet.id) : (await dryRun(context, sheet)).results
}

export const outcomeLabels = { new: 'New record', changed: 'Changed', unchanged: 'Unchanged', skipped: 'Skipped', refused: 'Rejected' }

export async function sendReport(request: FastifyRequest, reply: FastifyReply, sheet: Import) {
  const { t } = request
  const results = await findResults(request, sheet)
  const headers = ['Row', 'Result', 'Record', 'Details']
  return sendSpreadsheet(request, reply, `${sheet.list}_import`, {
    name: t('Import'),
    format: sheetFormat(request),
    columns: headers.map((header) => ({ header: t(header), width: 24 })),
    ...placesOf(results, (result) => [result.row || null, t(outcomeLabels[result.outcome]), result.label, describe(result, t)]),
  })
}

/** The refused rows as they were sent, with the reasons in a column: to be mended and sent again. */
export async function sendRefused(request: FastifyRequest, reply: FastifyReply, sheet: Import) {
  const { t } = request
  const results = new Map((await findResults(request, sheet)).map((result) => [result.row, result]))
  const isRefused = ({ row }: SheetRow) => results.get(row)?.outcome === 'refused'
  const rows = (await importedRows(request.server.db, sheet)).filter(isRefused)
  const places = sheet.headers.flatMap((header, at) => (header === null ? [] : [at]))
  return sendSpreadsheet(request, reply, `${sheet.list}_import`, {
    name: t('Import'),
    format: sheetFormat(request),
    columns: [...places.map((at) => sheet.headers[at] as string), t(reasonHeading)].map((header) => ({ header, width: 24 })),
    ...placesOf(rows, ({ row, cells, shown }) => [
      ...places.map((at) => shown?.[at] ?? cells[at] ?? null),
      describe(results.get(row) as RowResult, t),
    ]),
  })
}

const reasonHeading = 'Reason'

/** Whether a column holds what an earlier import said of its rows. */
export const isReason = (header: string) => [translator('en'), translator('ru')].some((t) => t(reasonHeading) === header)

function placesOf<T>(all: T[], cells: (one: T) => Cell[]) {
  return {
    ids: sql`select value from json_each(${JSON.stringify([...all.keys()])})`,
    load: (places: number[]) => places.map((place) => cells(all[place] as T)),
  }
}

/** Where it is, what stands there, and what is wrong with it. */
export function describeProblem(
  t: Translate,
  row: number,
  { column, header, label = '', cell, ...problem }: RowResult['problems'][number],
) {
  const name = header || (label && t(label))
  const place = column ? `${column}${row}${name && ` (${name})`}` : name
  return [place && `${place}:`, cell && `${t('“{name}”', { name: cell })}.`, t(problem)].filter(Boolean).join(' ')
}

function describe({ row, changes, problems, notes = [] }: RowResult, t: Translate): string {
  const texts = [
    ...changes.map(({ label, from, to }) => `${t(label)}: ${from === undefined ? to : `${from} → ${to}`}`),
    ...problems.map((problem) => describeProblem(t, row, problem)),
    ...notes.map(({ label, ...note }) => `${label ? `${t(label)}: ` : ''}${t(note)}`),
  ]
  return texts.join('; ')
}
