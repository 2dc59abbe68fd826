export type Cell = string | number | null

/**
 * A line of comma-separated values. Whether a reader takes commas, semicolons or tabs for separators, no cell it finds begins like a
 * formula, unless the whole cell is a number or a phone number.
 */
export function formatLine(cells: Cell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`
}

function formatCell(cell: Cell, column: number): string {
  const text = typeof cell === 'string' ? protect(cell, column) : String(cell ?? '')
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** To readers of other separators a line begins with its first cell and goes on with the others: there it is no number by itself. */
function protect(text: string, column: number): string {
  return column > 0 && (wholeNumber.test(text) || phoneNumber.test(text)) ? text : text.replace(beforeFormula, "'")
}

const wholeNumber = /^[+-]\d[\d \u00a0\u202f]*([.,]\d+)?%?$/
const phoneNumber = /^(?=(\D*\d){7})\+\d[\d .()-]*$/

// Readers of semicolons or tabs see quotation marks within a cell as text: what follows a separator in it begins a cell of theirs. One
// at its end would make them begin a cell with the end of the line.
const beforeFormula = /(?<=(?:^|[;\t\r\n])[ \u00a0"]*)(?='*[=+\-@\t\r])|(?<=[;\t\r\n][ \u00a0"]*)(?='*$)/g
const protection = /(?<=(?:^|[;\t\r\n])[ \u00a0"]*)'(?='*[=+\-@\t\r])|(?<=[;\t\r\n][ \u00a0"]*)'(?='*$)/g

/** The text of a cell without the apostrophes with which we, or a spreadsheet program, keep it from being computed. */
export function withoutProtection(cell: string): string {
  return cell.replace(protection, '')
}
