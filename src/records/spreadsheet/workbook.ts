import type { Writable } from 'node:stream'
import ExcelJS from 'exceljs'
import type { Cell } from './csv.ts'
import { type SheetCell, sheetCells } from './sheet-cells.ts'
import type { SheetColumn } from './write.ts'

export interface WorkbookSheet {
  name: string
  columns: SheetColumn[]
  batches: AsyncIterable<Cell[][]> | Iterable<Cell[][]>
}

export async function writeWorkbook(stream: Writable, sheets: WorkbookSheet[]): Promise<void> {
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  for (const sheet of sheets) await addSheet(workbook, sheet)
  await workbook.commit()
}

async function addSheet(workbook: ExcelJS.stream.xlsx.WorkbookWriter, { name, columns, batches }: WorkbookSheet): Promise<void> {
  const sheet = workbook.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = columns.map(({ header, width }) => ({ header, width }))
  sheet.getRow(1).font = { bold: true }
  const styles = columns.map(({ kind, numFmt }) => ({ numFmt: numFmt ?? formatOf(kind) }))
  for await (const rows of batches)
    for (const cells of rows)
      addRow(
        sheet,
        styles,
        cells.map((cell, index) => cellValue(cell, columns[index]?.kind)),
      )
  sheet.commit()
}

function formatOf(kind: SheetColumn['kind']): string | undefined {
  const cells: SheetCell | undefined = kind && sheetCells[kind]
  return cells?.numFmt
}

/** Cells share the style of their column: ExcelJS compares each style that it has not seen with all others. */
function addRow(sheet: ExcelJS.Worksheet, styles: Partial<ExcelJS.Style>[], values: ExcelJS.CellValue[]): void {
  const row = sheet.addRow(values)
  row.eachCell((cell, column) => {
    cell.style = styles[column - 1] ?? {}
  })
  row.commit()
}

function cellValue(cell: Cell, kind: SheetColumn['kind']): ExcelJS.CellValue {
  if (cell === null || cell === '') return null
  if (kind) return sheetCells[kind].inWorkbook(cell)
  return typeof cell === 'string' ? cell.replace(/[\ufffe\uffff]/g, '') : cell
}
