import { is, isNotNull, Placeholder, type Query, type SQL, SQL as Sql, sql } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { maySee } from '../../core/access.ts'
import { pastStatusNamesFor, statusNameFor } from '../../core/default-workflow.ts'
import { type Database, findSettings, statuses, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { type Currency, usualDecimals, usualSymbol } from '../../i18n/money.ts'
import type { ColumnKind } from '../../view/column-kinds.ts'
import type { DescribedSheet } from '../spreadsheet/described-sheet.ts'
import { sendSpreadsheet } from '../spreadsheet/send-spreadsheet.ts'
import type { FurtherSheet, SelectedRows, SheetColumn, SheetFormat } from '../spreadsheet/write.ts'
import { idsFromJson, idsQuery } from './ids.ts'
import type { AnyList, ExportColumn, List, Selection } from './list.ts'
import { shownColumns, stateFor } from './state.ts'

/**
 * Sends all rows of a list as its query finds and orders them, as `format=xlsx` or `csv`, with the columns of the screen or those it exports.
 * Lines of its records are a second sheet of a workbook, or with `lines=1` the rows of a text.
 */
export function exportList<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const columns = exportedColumns(request, list)
    const selection = list.rows.selection ?? selectFromTable(request.server.db, list, columns)
    const records = selectedSheet(request, list, list.title, columns, selection)
    const { lines: rows } = list.sheet ?? {}
    const lines = rows && selectedSheet(request, list, rows.title, rows.columns.filter(maySee(request.actor)), rows.selection)
    const format = sheetFormat(request)
    const ofLines = format === 'csv' && queryOf(request).get('lines') === '1'
    const sheets = format === 'csv' ? { ...((ofLines && lines) || records) } : { ...records, further: lines }
    return sendSpreadsheet(request, reply, list.name, { ...sheets, format, ids: exportedIds(request, list) })
  }
}

function selectedSheet<Row>(
  context: Context,
  { table }: List<Row>,
  title: string,
  columns: readonly ExportColumn[],
  { fields, query }: Selection,
): FurtherSheet {
  const placeOf = placesIn(Object.values(fields).flatMap(partsOf))
  return {
    name: context.t(title),
    columns: columns.map((column) => ({ ...sheetColumn(context, column), fields: partsOf(column.value).map(placeOf) })),
    rows: selectedRows(query, placeOf(table.id)),
  }
}

function selectFromTable<Row>(db: Database, { table }: List<Row>, columns: readonly ExportColumn[]): Selection {
  const fields = { id: table.id, ...Object.fromEntries(columns.map(({ value }, index) => [`column ${index}`, value])) }
  const all = db.select(fields).from(table)
  return { fields, query: all.where(whereIn(table.id, sql.placeholder('ids'))) }
}

/** What is selected for a value; of a name, its parts. */
function partsOf(value: ExportColumn['value']): (SQL | SQLiteColumn)[] {
  return is(value, Sql) || is(value, SQLiteColumn) ? [value] : Object.values(value)
}

function placesIn(selected: (SQL | SQLiteColumn)[]) {
  return (value: SQL | SQLiteColumn): number => {
    const place = selected.indexOf(value)
    if (place < 0) throw new Error('a list does not select what it exports')
    return place
  }
}

/** The ids that the query of a request finds, in their order: only ticked ones where it names some; those that somebody may not see are none. */
function exportedIds<Row>(request: FastifyRequest, list: List<Row>, found?: number[]): SQL {
  const query = queryOf(request)
  const state = stateFor(request, list, query)
  const ids = found ? idsFromJson(JSON.stringify(found)) : idsQuery({ db: request.server.db, list, actor: request.actor, state })
  const ticked = query.get('all') === '1' ? [] : query.getAll('id').map(Number).filter(Number.isSafeInteger)
  return ticked.length > 0 ? sql`select id from (${ids}) where id in (select value from json_each(${JSON.stringify(ticked)}))` : ids
}

export function sheetFormat(request: FastifyRequest): SheetFormat {
  return queryOf(request).get('format') === 'csv' ? 'csv' : 'xlsx'
}

function exportedColumns<Row>(context: FastifyRequest, list: List<Row>): readonly ExportColumn[] {
  const { sheet, table } = list
  if (sheet?.columns) return sheet.columns
  const shown = shownColumns(list, context.actor, stateFor(context, list, queryOf(context))).filter(
    ({ key }) => key !== 'id' && key !== 'image',
  )
  const id: ExportColumn = { label: 'ID', width: 10, value: table.id }
  return [id, ...shown.flatMap(({ value, exported, ...column }) => (value ? { ...column, ...exported, value } : []))]
}

/** Like `exportList`, for rows that no query has as they read; `found` where no query has their ids either. */
export function exportDescribed<Row extends { id: number }, Data>(
  list: AnyList,
  sheet: DescribedSheet<Row, Data>,
  data: Data,
  found?: number[],
) {
  return (request: FastifyRequest, reply: FastifyReply) =>
    sendSpreadsheet(request, reply, list.name, {
      name: request.t(list.title),
      ids: exportedIds(request, list, found),
      ...describedSheet(request, sheet, data),
    })
}

/** What of a described sheet somebody sees, in the format that they ask for. */
export function describedSheet<Row extends { id: number }, Data>(
  request: FastifyRequest,
  { module, columns }: DescribedSheet<Row, Data>,
  data: Data,
) {
  const isSeen = maySee(request.actor)
  const seen = columns.flatMap((column, place) => (isSeen(column) ? [{ column, place }] : []))
  return {
    format: sheetFormat(request),
    columns: seen.map(({ column: { label, width, kind } }) => sheetColumn(request, { label, width, kind })),
    rows: { module, seen: seen.map(({ place }) => place), data },
  }
}

type Texts = [key: string, text: string][]
type Format = (context: Context, texts?: Texts) => Partial<SheetColumn>

const moment: Format = () => ({ kind: 'moment', width: 18 })

/** What columns are in a spreadsheet, where their cells are no texts or plain numbers. */
const formats: Partial<Record<ColumnKind, Format>> = {
  moment,
  recent: moment,
  date: () => ({ kind: 'date', width: 12 }),
  money: ({ server }) => ({ kind: 'money', numFmt: moneyNumberFormat(findSettings(server.db)) }),
  switch: ({ t }) => ({ words: new Map(Object.entries({ 1: t('Yes'), 0: t('No') })) }),
  // Among events are the names of statuses that orders got.
  status: (context, texts) => ({
    words: new Map(texts ? [...texts, ...pastStatusNamesFor(context.language)] : defaultStatusNames(context)),
  }),
}

function sheetColumn(context: Context, { label, kind, words, width = 24 }: Omit<ExportColumn, 'value'>): SheetColumn {
  const { t } = context
  const texts = words && Object.entries(words).map(([key, text]): Texts[number] => [key, t(text)])
  return { header: t(label), width, ...(texts && { words: new Map(texts) }), ...(kind && formats[kind]?.(context, texts)) }
}

/** Cells hold names as they are stored. */
function defaultStatusNames({ server, language }: Context): Texts {
  const { name, seed_key } = statuses
  const rows = server.db.select({ name, seed_key }).from(statuses).where(isNotNull(seed_key)).all()
  return rows.map((status) => [status.name, statusNameFor(language, status)])
}

/** How spreadsheet programs show an amount. */
function moneyNumberFormat({ currency_symbol, decimals }: Currency): string {
  const places = decimals ?? usualDecimals
  return `#,##0${places > 0 ? `.${'0'.repeat(places)}` : ''}\u00a0"${currency_symbol ?? usualSymbol}"`
}

/**
 * @param query has one placeholder: the ids of records, some at a time
 * @param id the place of the id of their record among what is selected
 */
function selectedRows(query: { toSQL: () => Query }, id: number): SelectedRows {
  const { sql, params } = query.toSQL()
  const ids = params.findIndex((param) => is(param, Placeholder))
  return { sql, params: params.with(ids, null), ids, id }
}
