import type { SheetRow } from '../../database/schema/imports.ts'
import { numberFormatter } from './number-format.ts'
import { readXml, type XmlHandlers } from './read-xml.ts'
import { checkColumn, textLimit, tooLarge, unpackedLimit, unreadable } from './sheet-problem.ts'
import { readZip, unpack, type ZipEntry } from './zip.ts'

interface Workbook {
  sheets: WorkbookSheet[]
  texts: string[]
  /** What numbers are, by the style of their cell. */
  styles: NumberStyle[]
  is1904: boolean
}

interface WorkbookSheet {
  name: string
  path: string
}

export interface OpenSheet {
  /** Of the workbook. */
  sheets: string[]
  sheet: string
  rows: AsyncGenerator<SheetRow>
}

interface NumberStyle {
  kind: 'date' | 'percent' | 'number'
  show?: (value: number) => string | undefined
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

type Parse = (path: string | undefined, handlers: XmlHandlers) => Promise<void>

async function readParts(parse: Parse): Promise<Workbook> {
  const parts: { id?: string; path: string; kind: string }[] = []
  await parse('xl/_rels/workbook.xml.rels', {
    open: (name, { Id, Target = '', Type = '' }) => {
      if (name !== 'Relationship') return
      parts.push({ id: Id, path: Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`, kind: Type.replace(/^.*\//, '') })
    },
  })
  const named: { name: string; id: string | undefined }[] = []
  let is1904 = false
  await parse('xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (name === 'sheet') named.push({ name: attributes.name ?? '', id })
    },
  })
  const worksheets = parts.filter(({ kind }) => kind === 'worksheet')
  const sheets = named.flatMap(({ name, id }) => worksheets.filter((part) => part.id === id).map(({ path }) => ({ name, path })))
  if (sheets.length === 0) throw unreadable()
  const pathOf = (wanted: string) => parts.find(({ kind }) => kind === wanted)?.path
  return {
    sheets,
    is1904,
    styles: await readStyles(parse, pathOf('styles')),
    texts: await readTexts(parse, pathOf('sharedStrings')),
  }
}

async function readStyles(parse: Parse, path: string | undefined): Promise<NumberStyle[]> {
  const formats = new Map([['2', '0.00']])
  const styles: NumberStyle[] = []
  let isOfCells = false
  await parse(path, {
    open: (name, { numFmtId = '', formatCode = '' }) => {
      if (name === 'numFmt') formats.set(numFmtId, formatCode)
      if (name === 'cellXfs') isOfCells = true
      if (name === 'xf' && isOfCells) styles.push(styleOf(numFmtId, formats.get(numFmtId) ?? ''))
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

/** The numbers of formats that spreadsheet programs know by heart. */
const percentFormats = /^(9|10)$/
const dateFormats = /^(1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/

function styleOf(id: string, format: string): NumberStyle {
  const letters = format.replace(/\[[^\]]*\]|"[^"]*"|\\./g, '')
  if (format ? /[ymdhsb]/i.test(letters) : dateFormats.test(id)) return { kind: 'date' }
  if (format.includes('%') || percentFormats.test(id)) return { kind: 'percent' }
  return { kind: 'number', show: numberFormatter(format) }
}

async function readTexts(parse: Parse, path: string | undefined): Promise<string[]> {
  const texts: string[] = []
  let length = 0
  const reader = textReader(['t'])
  await parse(path, {
    ...reader.handlers,
    close: (name) => {
      reader.handlers.close(name)
      if (name !== 'si') return
      const text = reader.take()
      length += text.length
      if (length > textLimit) throw tooLarge()
      texts.push(text)
    },
  })
  return texts
}

/** Collects the text of these elements, but not how it is pronounced. */
function textReader(names: string[]) {
  let text = ''
  let isReading = false
  let isPhonetic = false
  const mark = (name: string, isOpen: boolean) => {
    if (name === 'rPh') isPhonetic = isOpen
    if (names.includes(name)) isReading = isOpen && !isPhonetic
  }
  return {
    take() {
      const taken = text
      text = ''
      return taken.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    },
    handlers: {
      open: (name: string) => mark(name, true),
      close: (name: string) => mark(name, false),
      text: (part: string) => {
        if (isReading) text += part
      },
    },
  }
}

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
