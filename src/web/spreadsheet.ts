import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

// Small enough that nobody waits for one.
const batch = 100

interface Sheet<Row extends { id: number }> {
  name: string
  columns: { header: string; width: number; format?: string }[]
  ids: number[]
  load: (ids: number[]) => Row[]
  cells: (row: Row) => (string | number | Date | null)[]
}

/**
 * Sends a spreadsheet as it is being written: rows are loaded in batches, other requests are served between them,
 * and a slow reader slows the writing down instead of filling the memory.
 */
export function sendSpreadsheet<Row extends { id: number }>(reply: FastifyReply, filename: string, sheet: Sheet<Row>): FastifyReply {
  const stream = new PassThrough()
  writeSheet(stream, sheet).catch((error) => stream.destroy(error))
  return reply
    .type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    .header('Content-Disposition', `attachment; filename="${filename}"`)
    .header('Cache-Control', 'no-store')
    .send(stream)
}

/** `YYYYMMDD_HHmmss` in the zone of the service. */
export function spreadsheetStamp(now: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  const day = `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}`
  return `${day}_${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}`
}

async function writeSheet<Row extends { id: number }>(stream: PassThrough, sheet: Sheet<Row>): Promise<void> {
  // Half a second that the start of the service need not wait for.
  const { default: ExcelJS } = await import('exceljs')
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false })
  const worksheet = workbook.addWorksheet(sheet.name, { views: [{ state: 'frozen', ySplit: 1 }] })
  worksheet.columns = sheet.columns.map(({ header, width, format }) => ({ header, width, style: format ? { numFmt: format } : {} }))
  worksheet.getRow(1).font = { bold: true }
  for (let start = 0; start < sheet.ids.length; start += batch) {
    const slice = sheet.ids.slice(start, start + batch)
    const rows = new Map(sheet.load(slice).map((row) => [row.id, row]))
    for (const id of slice) if (rows.has(id)) worksheet.addRow(sheet.cells(rows.get(id) as Row).map(zoned)).commit()
    await nextTurn()
    if (stream.writableNeedDrain) await once(stream, 'drain')
    if (stream.destroyed) return
  }
  worksheet.commit()
  await workbook.commit()
}

/** Spreadsheets know no time zones: a moment is written as the clock of the service shows it. */
function zoned<T>(value: T): T | Date {
  return value instanceof Date ? new Date(value.getTime() - value.getTimezoneOffset() * 60_000) : value
}
