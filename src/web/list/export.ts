import { type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { statusNameFor } from '../../core/default-workflow.ts'
import { fullName } from '../../core/text.ts'
import type { Language } from '../../i18n/translate.ts'
import { queryOf } from '../http.ts'
import type { Cell } from '../spreadsheet/csv.ts'
import { sendSpreadsheet } from '../spreadsheet/send-spreadsheet.ts'
import type { SheetFormat } from '../spreadsheet/write.ts'
import { moneyNumberFormat } from '../view/format.ts'
import { stateFor } from './remembered.ts'
import { idsQuery, sortByIds } from './rows.ts'
import type { Column, ExportColumn, List } from './state.ts'

/** Sends all rows of a list as its query finds and orders them, as `format=xlsx` or `csv`, with the columns of the screen or those it exports. */
export function exportList<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { t, language, server, actor } = request
    const query = queryOf(request)
    const state = stateFor(request, list, query)
    const shown = list.columns.filter(({ key, hidden }) => !hidden || state.cols.includes(key))
    const exported = list.exports ?? [idColumn, ...shown.flatMap((column) => exportColumn(column, list))]
    return sendSpreadsheet(request, reply, list.name, {
      name: t(list.title),
      format: formatOf(query),
      columns: exported.map(({ label, width = 24, moment, money }) => ({
        header: t(label),
        width,
        moment,
        numFmt: money && moneyNumberFormat(),
      })),
      ids: selectedQuery(idsQuery({ db: server.db, list, actor, state }), query),
      load: (ids) => sortByIds(ids, list.rows(ids)).map((row) => exported.map(({ value }) => value(row, t, language))),
    })
  }
}

/** Only the ticked rows, where the query names some; those that somebody may not see are none. */
function selectedQuery(ids: SQL, query: URLSearchParams): SQL {
  const ticked = query.get('all') === '1' ? [] : query.getAll('id').map(Number).filter(Number.isSafeInteger)
  return ticked.length > 0 ? sql`select id from (${ids}) where id in (select value from json_each(${JSON.stringify(ticked)}))` : ids
}

function formatOf(query: URLSearchParams): SheetFormat {
  return query.get('format') === 'csv' ? 'csv' : 'xlsx'
}

const idColumn: ExportColumn<{ id: number }> = { label: 'ID', width: 10, value: ({ id }) => id }

function exportColumn<Row>({ key, label, kind }: Column, { labelOf }: List<Row>): ExportColumn<Row>[] {
  if (key === 'id' || key === 'image') return []
  const cell = (row: Row) => (row as Record<string, unknown>)[key]
  const values: Record<string, ExportColumn<Row>['value']> = {
    name: (row) => labelOf?.(row) ?? plain(cell(row)),
    person: (row) => (cell(row) ? fullName(cell(row) as Parameters<typeof fullName>[0]) : null),
    status: (row, _t, language) => nameOfStatus(cell(row) as { name: string | null } | null, language),
    switch: (row, t) => t(cell(row) ? 'Yes' : 'No'),
    money: (row) => Number(cell(row)) / 100,
  }
  const value = values[kind] ?? ((row) => plain(cell(row)))
  return [{ label, value, ...(kind === 'moment' && { moment: true, width: 18 }), ...(kind === 'money' && { money: true }) }]
}

function nameOfStatus(status: { name: string | null } | null, language: Language): string | null {
  return status?.name ? statusNameFor(language, status.name) : null
}

function plain(value: unknown): Cell {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}
