import { type Field, FieldError } from '../../web/form/fields.ts'

/** Converts the text of a cell to what would be typed into the field. */
export function toInput({ kind }: Field, cell: string): string {
  if (kind === 'date') return calendarDate(cell)
  if (kind === 'number') return cell.replace(/[\s%]/g, '').replace(/[.,]0+$/, '')
  return kind === 'text' || kind === 'phone' ? wholeNumber(cell) : cell
}

function calendarDate(cell: string): string {
  const [, day = '', month = '', year] = /^(\d{1,2})[./](\d{1,2})[./](\d{4})(?:[ T].*)?$/.exec(cell) ?? []
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : cell.replace(/^(\d{4}-\d\d-\d\d)[ T].*$/, '$1')
}

/** Spreadsheet programs turn tax and account numbers into 7.70112E+11 or 770112345678.0; digits that are gone are not made up. */
function wholeNumber(cell: string): string {
  const [, first = '', decimals = '', exponent] = /^(\d)(?:[.,](\d+))?e\+?(\d{1,3})$/i.exec(cell) ?? []
  if (exponent === undefined) return cell.replace(/^(\d{5,})[.,]0+$/, '$1')
  if (decimals.length < Number(exponent)) throw new FieldError('The spreadsheet has lost digits of this number. Format the column as text.')
  return decimals.length === Number(exponent) ? first + decimals : cell
}
