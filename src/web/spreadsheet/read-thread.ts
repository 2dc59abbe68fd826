import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { parse } from 'csv-parse/sync'
import type ExcelJS from 'exceljs'
import type { SheetRow } from '../../database/schema/imports.ts'
import { withoutProtection } from './csv.ts'
import { checkUnpackedSize } from './zip.ts'

const unpackedLimit = 100 * 1024 * 1024
const columnLimit = 200
const cellLimit = 5_000
const tooMany = 'Import up to {limit} rows at a time.'
const unreadable = 'This file cannot be read. Save it as xlsx or csv.'

const { path, rowLimit } = workerData as { path: string; rowLimit: number }

const content = readFileSync(path)
parentPort?.postMessage(await readSheet().catch(problemOf))
parentPort?.close()

async function readSheet() {
  const rows = content.subarray(0, 2).toString() === 'PK' ? await readWorkbook() : readCsv()
  const [first, ...others] = rows
    .map(({ row, cells }) => ({ row, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some(Boolean))
  if (!first || others.length === 0) return { problem: 'The sheet has no rows.' }
  if (others.length > rowLimit) return { problem: tooMany }
  const tooLarge = rows.some(({ cells }) => cells.length > columnLimit || cells.some((cell) => cell.length > cellLimit))
  return tooLarge ? { problem: unreadable } : { headers: first.cells, rows: others }
}

function problemOf({ message }: Error) {
  return { problem: /Max row count/.test(message) ? tooMany : unreadable }
}

async function readWorkbook(): Promise<SheetRow[]> {
  checkUnpackedSize(content, unpackedLimit)
  const { default: excel } = await import('exceljs')
  const workbook = new excel.Workbook()
  await workbook.xlsx.load(
    content as never,
    { maxRows: rowLimit + 1, maxCols: columnLimit, ignoreNodes: ['drawing', 'dataValidations'] } as never,
  )
  const rows: SheetRow[] = []
  workbook.worksheets[0]?.eachRow((row, number) => {
    const cells: string[] = []
    row.eachCell((cell, column) => {
      if (column <= columnLimit) cells[column - 1] = textOf(cell.value, cell.numFmt)
    })
    rows.push({ row: number, cells: Array.from(cells, (cell) => cell ?? '') })
  })
  return rows
}

function textOf(value: ExcelJS.CellValue, format = ''): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '')
  if (typeof value === 'number') return numberText(format.includes('%') ? Number((value * 100).toFixed(6)) : value)
  if (typeof value !== 'object') return String(value)
  if ('richText' in value) return value.richText.map(({ text }) => text).join('')
  // A formula: its stored result.
  if ('formula' in value || 'sharedFormula' in value) return textOf(value.result as ExcelJS.CellValue, format)
  if ('hyperlink' in value) return textOf(value.text as ExcelJS.CellValue)
  return 'error' in value ? String(value.error) : ''
}

/** Beyond 15 digits numbers lose precision; the exponent shows that. */
function numberText(value: number): string {
  return Math.abs(value) < 1e15 ? String(value) : value.toExponential()
}

function readCsv(): SheetRow[] {
  const text = decode(content)
  const [line = ''] = text.split('\n', 1)
  const [delimiter] = [';', '\t', ','].sort((a, b) => line.split(b).length - line.split(a).length)
  const records: string[][] = parse(text, { bom: true, delimiter, relax_column_count: true, relax_quotes: true, to: 2 * rowLimit })
  return records.map((cells, index) => ({ row: index + 1, cells: cells.map(withoutProtection) }))
}

/** Spreadsheet programs write UTF-8 or, in Russian, the code page of Windows. */
function decode(bytes: Buffer): string {
  if (bytes.includes(0)) throw new Error('not a text')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1251').decode(bytes)
  }
}
