import type { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import ExcelJS from 'exceljs'
import type { Cell } from './csv.ts'
import type { Column } from './write.ts'

export async function writeWorkbook(
  stream: Writable,
  name: string,
  columns: Column[],
  batches: AsyncIterable<Cell[][]> | Iterable<Cell[][]>,
): Promise<void> {
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = columns.map(({ header, width, moment, numFmt }) => ({
    header,
    width,
    style: moment ? { numFmt: 'dd.mm.yyyy hh:mm' } : { numFmt },
  }))
  sheet.getRow(1).font = { bold: true }
  for await (const rows of batches) {
    for (const cells of rows) sheet.addRow(cells.map((cell, index) => cellValue(cell, columns[index]?.moment))).commit()
    // Lets compression and writing catch up, so that rows do not pile up in memory.
    await nextTurn()
  }
  await workbook.commit()
}

function cellValue(cell: Cell, moment = false): ExcelJS.CellValue {
  if (cell === null || cell === '') return null
  if (typeof cell === 'string') return cell.replace(/[\ufffe\uffff]/g, '')
  return moment ? clockTime(cell) : cell
}

function clockTime(moment: number): Date {
  return new Date(moment - new Date(moment).getTimezoneOffset() * 60_000)
}
