import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Cell, Column } from './write.ts'

/** Writes comma-separated values that spreadsheet programs recognize as UTF-8 by the mark at the start. */
export async function writeCsv(stream: Writable, columns: Column[], batches: AsyncIterable<Cell[][]>): Promise<void> {
  stream.write(`\ufeff${formatLine(columns.map(({ header }) => header))}`)
  for await (const rows of batches) {
    const lines = rows.map((cells) => formatLine(cells.map((cell, index) => (columns[index]?.moment ? formatMoment(cell) : cell))))
    if (!stream.write(lines.join(''))) await once(stream, 'drain')
  }
  await new Promise((resolve) => stream.end(resolve))
}

function formatLine(cells: Cell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`
}

function formatCell(cell: Cell): string {
  const text = typeof cell === 'string' ? withoutFormula(cell) : String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheet programs would compute what begins like a formula; phone numbers and negative numbers are none. */
function withoutFormula(text: string): string {
  return /^([=@\t\r]|[+-](?![\d\s(]))/.test(text) ? `'${text}` : text
}

function formatMoment(moment: Cell): Cell {
  return typeof moment === 'number' ? new Date(moment).toLocaleString('sv').slice(0, 16) : moment
}
