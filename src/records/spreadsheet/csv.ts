import { formatCalendarDate, formatDateTime, formatDateTimeInput } from '../../i18n/format.ts'
import type { Language } from '../../i18n/translate.ts'

export type Cell = string | number | null

/** How spreadsheet programs expect tables where a language is spoken: another separator would leave each line in one cell there. */
export const csvForms = {
  en: {
    separator: ',',
    decimal: '.',
    moment: (moment: number) => formatDateTimeInput(moment).replace('T', ' '),
    date: (day: string) => day,
  },
  ru: { separator: ';', decimal: ',', moment: formatDateTime, date: formatCalendarDate },
} as const satisfies Record<Language, object>

/**
 * A line of comma-separated values, with semicolons in Russian. Whether a reader takes commas, semicolons or tabs for separators, no cell
 * it finds begins like a formula, unless the whole cell is a number or a phone number.
 */
export function formatLine(cells: Cell[], language: Language): string {
  const { separator } = csvForms[language]
  return `${cells.map((cell, column) => formatCell(cell, column, language)).join(separator)}\r\n`
}

function formatCell(cell: Cell, column: number, language: Language): string {
  const { separator, decimal } = csvForms[language]
  if (typeof cell === 'number') return quote(String(cell).replace('.', decimal))
  return quote(protect(cell ?? '', column, separator))
}

function quote(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** To readers of other separators a line begins with its first cell and goes on with the others: there it is no number by itself. */
function protect(text: string, column: number, separator: Separator): string {
  return column > 0 && (wholeNumber.test(text) || phoneNumber.test(text)) ? text : text.replace(patterns[separator].beforeFormula, "'")
}

const wholeNumber = /^[+-]\d[\d \u00a0\u202f]*([.,]\d+)?%?$/
const phoneNumber = /^(?=(\D*\d){7})\+\d[\d .()-]*$/

// Some spreadsheet programs compute what begins with the wide forms of East Asia as well.
const formula = '[=+\\-@＝＋－＠\\t\\r]'

type Separator = ',' | ';'

const patterns = { ',': patternsFor(';'), ';': patternsFor(',') }

// Readers of other separators see quotation marks within a cell as text: what follows a separator in it begins a cell of theirs. One
// at its end would make them begin a cell with the end of the line.
function patternsFor(other: Separator) {
  const start = `(?:^|[${other}\\t\\r\\n])[ \\u00a0"]*`
  const inside = `[${other}\\t\\r\\n][ \\u00a0"]*`
  return {
    beforeFormula: new RegExp(`(?<=${start})(?='*${formula})|(?<=${inside})(?='*$)`, 'g'),
    protection: new RegExp(`(?<=${start})'(?='*${formula})|(?<=${inside})'(?='*$)`, 'g'),
  }
}

/** The text of a cell without the apostrophes with which we, or a spreadsheet program, keep it from being computed. */
export function withoutProtection(cell: string, separator: string): string {
  return cell.replace(patterns[separator === ';' ? ';' : ','].protection, '')
}
