import { readFileSync, writeSync } from 'node:fs'
import type { SheetRow } from '../../database/schema/imports.ts'
import type { Answer, SheetSummary } from './read.ts'
import { isBankExchange, readBankExchange } from './read-bank-exchange.ts'
import { readCsv } from './read-csv.ts'
import { type OpenSheet, openWorkbook } from './read-workbook.ts'
import { checkColumn, NoTable, noRows, SheetProblem, sheetRowLimit, textLimit, tooLarge, unreadable } from './sheet-problem.ts'

/** Of these the service stores and reads one at a time. */
const pieceRows = 100
const pieceBytes = 128 * 1024

/** Writes the rows of a sheet into a file that is open, and tells what they are, or why they cannot be read. */
export async function readRows(path: string, output: number, wanted?: string): Promise<Answer> {
  try {
    const { rows, ...names } = await openSheet(readFileSync(path), wanted)
    return { ...names, ...(await writeRows(rows, output)) }
  } catch (error) {
    return problemOf(error)
  }
}

async function openSheet(content: Buffer, wanted?: string): Promise<Pick<OpenSheet, 'rows'>> {
  if (isBankExchange(content)) return { rows: readBankExchange(content) }
  return content.subarray(0, 2).toString() === 'PK' ? openWorkbook(content, wanted) : { rows: readCsv(content) }
}

async function writeRows(rows: AsyncGenerator<SheetRow>, output: number): Promise<SheetSummary> {
  const sheet: SheetSummary = { size: 0, pieces: [] }
  let count = 0
  let piece: string[] = []
  let bytes = 0
  const writePiece = () => {
    sheet.pieces.push(writeSync(output, `[${piece.join(',')}]`))
    piece = []
    bytes = 0
  }
  for await (const read of rows) {
    const row = checkRow(read)
    if (!row.cells.some(Boolean)) continue
    const text = JSON.stringify(row)
    sheet.size += Buffer.byteLength(text)
    if (sheet.size > textLimit) throw tooLarge()
    // One of them has the headings.
    if (++count > sheetRowLimit + 1) throw tooManyRows()
    bytes += piece.push(text) && text.length
    if (piece.length === pieceRows || bytes > pieceBytes) writePiece()
  }
  if (piece.length > 0) writePiece()
  if (count < 2) throw noRows()
  return sheet
}

function checkRow({ row, cells: read, shown, spans, faulty = [] }: SheetRow): SheetRow {
  const cells = read.map((cell) => cell.trim())
  checkCells(cells)
  checkCells(Object.values(shown ?? {}))
  const refused = cells.flatMap((cell, at) => (faulty.includes(at) || isErrorText(cell) ? [at] : []))
  return { row, cells, shown, spans, ...(refused.length > 0 && { faulty: refused }) }
}

/** What spreadsheet programs write of an error where they write texts, in English and in Russian. */
function isErrorText(cell: string): boolean {
  return /^(#(N\/A|Н\/Д|GETTING_DATA|(REF|VALUE|DIV\/0|NULL|NUM|SPILL|CALC|ССЫЛКА|ЗНАЧ|ДЕЛ\/0|ПУСТО|ЧИСЛО|ПЕРЕНОС|ВЫЧИСЛ)!|(NAME|ИМЯ)\?)|Err:\d{3})$/.test(
    cell,
  )
}

function problemOf(error: unknown): Answer {
  const problem = error instanceof SheetProblem ? error : unreadable()
  return { problem: problem.message, params: problem.params, hasNoTable: problem instanceof NoTable }
}

const cellLimit = 5_000

const tooManyRows = () => new SheetProblem('Import up to {limit} rows at a time.', { limit: sheetRowLimit })

function checkCells(cells: string[]): void {
  checkColumn(cells.length - 1)
  if (cells.some((cell) => cell.length > cellLimit))
    throw new SheetProblem('A cell can have up to {limit} characters.', { limit: cellLimit })
}
