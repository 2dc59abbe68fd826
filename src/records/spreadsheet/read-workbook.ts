import type { SheetRow } from '../../database/schema/imports.ts'
import { readXml, textReader, type XmlHandlers } from './read-xml.ts'
import { checkColumn, tooLarge, unreadable } from './sheet-problem.ts'
import { readParts, type Workbook, type WorkbookSheet } from './workbook-parts.ts'
import { readZip, unpack, type ZipEntry } from './zip.ts'

export interface OpenSheet {
  /** Of the workbook. */
  sheets: string[]
  sheet: string
  rows: AsyncGenerator<SheetRow>
}

/** The rows of the sheet with this name, or of the first one with a table, as texts. No object is made of what is beside it; formulas are read as their stored results, if they have one. */
export async function openWorkbook(content: Buffer, wanted = ''): Promise<OpenSheet> {
  const zip = readZip(content)
  await checkSizes(content, zip)
  const read = (path: string, handlers: XmlHandlers) => readXml(unpack(content, entryOf(zip, path)), handlers)
  const parse = async (path: string | undefined, handlers: XmlHandlers) => {
    if (path) for await (const _ of read(path, handlers));
  }
  const workbook = await readParts(parse)
  const sheets = workbook.sheets.map(({ name }) => name)
  const sheet = workbook.sheets.find(({ name }) => name === wanted) ?? (await sheetOfTable(workbook, read))
  return { sheets, sheet: sheet.name, rows: readMerged(workbook, sheet, read) }
}

type Read = (path: string, handlers: XmlHandlers) => AsyncGenerator<unknown>

/** Among so many rows are headings, whose merged cells matter. */
const mergedRows = 200

/** What is merged stands behind the rows. */
async function* readMerged(workbook: Workbook, sheet: WorkbookSheet, read: Read): AsyncGenerator<SheetRow> {
  const spans = new Map<number, SheetRow['spans']>()
  const open = (name: string, { ref = '' }: Record<string, string>) => {
    const [, first, row = '', last, end] = /^([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)$/.exec(name === 'mergeCell' ? ref : '') ?? []
    if (!first || !last || Number(row) > mergedRows) return
    const columns = lettersNumber(last) - lettersNumber(first) + 1
    spans.set(Number(row), { ...spans.get(Number(row)), [lettersNumber(first) - 1]: [columns, Number(end) - Number(row) + 1] })
  }
  for await (const _ of read(sheet.path, { open }));
  for await (const row of readSheet(workbook, sheet, read)) yield { ...row, spans: spans.get(row.row) }
}

async function* readSheet(workbook: Workbook, { path }: WorkbookSheet, read: Read): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = []
  const handlers = rowHandlers(workbook, (row) => rows.push(row))
  for await (const _ of read(path, handlers)) yield* rows.splice(0)
}

/** The first sheet in which two rows have two cells; else the first that is not empty. Before it there may be a cover. */
async function sheetOfTable(workbook: Workbook, read: Read): Promise<WorkbookSheet> {
  const [first] = workbook.sheets as [WorkbookSheet]
  if (workbook.sheets.length === 1) return first
  let filled: WorkbookSheet | undefined
  for (const sheet of workbook.sheets) {
    let rows = 0
    for await (const { cells } of readSheet(workbook, sheet, read)) {
      if (cells.length > 0) filled ??= sheet
      if (cells.filter(Boolean).length > 1 && ++rows === 2) return sheet
    }
  }
  return filled ?? first
}

/** Before anything is read: no entry is larger than it says, and all together are small enough. */
async function checkSizes(content: Buffer, zip: Map<string, ZipEntry>): Promise<void> {
  const entries = [...zip.values()]
  if (entries.reduce((sum, { size }) => sum + size, 0) > unpackedLimit) throw tooLarge()
  for (const entry of entries) for await (const _ of unpack(content, entry));
}

function entryOf(zip: Map<string, ZipEntry>, path: string): ZipEntry {
  const entry = zip.get(path)
  if (!entry) throw unreadable()
  return entry
}

const unpackedLimit = 100 * 1024 ** 2

/** Makes rows of texts of the XML of a sheet. */
function rowHandlers(workbook: Workbook, push: (row: SheetRow) => void): XmlHandlers {
  const reader = textReader(['v', 't'])
  let row: SheetRow = { row: 0, cells: [] }
  let column = -1
  let cell: Record<string, string> = {}
  let has = { formula: false, value: false }
  const putCell = () => {
    const stored = reader.take()
    const isUncomputed = has.formula && stored === '' && !(cell.t === 'str' && has.value)
    const text = isUncomputed ? '=' : textOf(workbook, cell, stored).trim()
    if (text === '') return
    checkColumn(column)
    while (row.cells.length < column) row.cells.push('')
    row.cells[column] = text
    if (isUncomputed || cell.t === 'e') row.faulty = [...(row.faulty ?? []), column]
    const shown = shownText(workbook, cell, stored)
    if (shown && shown !== text) row.shown = { ...row.shown, [column]: shown }
  }
  return {
    text: reader.handlers.text,
    open: (name, attributes) => {
      reader.handlers.open(name)
      if (name === 'row') {
        row = { row: attributes.r ? Number(attributes.r) : row.row + 1, cells: [] }
        if (!Number.isSafeInteger(row.row)) throw unreadable()
        column = -1
      }
      if (name === 'f') has.formula = true
      if (name === 'v') has.value = true
      if (name !== 'c') return
      has = { formula: false, value: false }
      column = attributes.r ? columnOf(attributes.r) : column + 1
      cell = attributes
    },
    close: (name) => {
      reader.handlers.close(name)
      if (name === 'c') putCell()
      if (name === 'row') push(row)
    },
  }
}

function columnOf(address: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(address) ?? []
  if (!letters) throw unreadable()
  return lettersNumber(letters) - 1
}

/** A is 1. */
function lettersNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

function textOf({ texts, styles, is1904 }: Workbook, { t: type = 'n', s: style }: Record<string, string>, text: string): string {
  if (type === 's') return texts[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'true' : 'false'
  const value = Number(text)
  if (type !== 'n' || text === '' || !Number.isFinite(value)) return text
  const kind = styles[Number(style ?? 0)]?.kind
  if (kind === 'date') return dateText(value, is1904)
  return numberText(kind === 'percent' ? Number((value * 100).toFixed(6)) : value)
}

/** What the format of a number makes of it. */
function shownText({ styles }: Workbook, { t: type = 'n', s: style }: Record<string, string>, text: string): string | undefined {
  return type === 'n' && text !== '' ? styles[Number(style ?? 0)]?.show?.(Number(text))?.trim() : undefined
}

/** Days since the end of 1899, or of 1903. */
function dateText(days: number, is1904: boolean): string {
  const date = new Date(Math.round((days - 25_569 + (is1904 ? 1462 : 0)) * 24 * 3600_000))
  return Number.isNaN(date.getTime()) ? numberText(days) : date.toISOString().replace(/T00:00:00\.000Z$/, '')
}

/** Beyond 15 digits numbers lose precision; the exponent shows that. */
function numberText(value: number): string {
  return Math.abs(value) < 1e15 ? String(value) : value.toExponential()
}
