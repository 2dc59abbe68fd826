import { fold } from '../../core/text.ts'
import type { SheetRow } from '../../database/index.ts'
import { translator } from '../../i18n/translate.ts'
import { type Field, FieldError } from '../../web/form/fields.ts'
import { importedFields, type Target } from './import.ts'

/** Finds the field of each column by its key or its label in either language; no field twice. */
export function matchColumns({ card }: Target, headers: (string | null)[]): (string | null)[] {
  const names = new Map([['id', 'id']])
  for (const [name, { label }] of importedFields(card.form))
    for (const text of [name, name.replace(/_id$/, ''), translator('en')(label), translator('ru')(label)]) names.set(normalize(text), name)
  const matched = headers.map((header) => names.get(normalize(header ?? '')) ?? null)
  return matched.map((name, at) => (matched.indexOf(name) === at ? name : null))
}

const normalize = (header: string) => fold(header).replace(/[^\p{L}\p{N}]/gu, '')

/** Looks at some rows at a time, then chooses the first key that every row has; ids only when all of them are known here. */
export function keyChooser({ keys, card }: Target, fields: (string | null)[], isKnown: (id: number) => boolean) {
  let complete = ['id', ...keys].filter((key) => fields.includes(key))
  const hasKey = ({ cells }: SheetRow, key: string) => {
    const cell = cells[fields.indexOf(key)]
    return cell && (key !== 'id' || isKnown(Number(cell)))
  }
  return {
    look(rows: SheetRow[]): void {
      complete = complete.filter((key) => rows.every((row) => hasKey(row, key)))
    },
    choose: (): string => complete[0] ?? keys.findLast((key) => fields.includes(key)) ?? keys.at(-1) ?? card.list,
  }
}

/** What a column holds for a field: its number or, where it is a text, what the sheet shows of it. */
export function cellFor(field: Field | undefined, { cells, shown }: SheetRow, at: number): string {
  return (field && !numericKinds.includes(field.kind) && shown?.[at]) || (cells[at] ?? '')
}

const numericKinds: Field['kind'][] = ['number', 'decimal', 'date', 'switch', 'repeater']

/** The name of a column in spreadsheet programs: A, B, … AA. */
export function columnLetters(index: number): string {
  return (index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))
}

/** Converts the text of a cell to what would be typed into the field. */
export function toInput({ kind }: Field, cell: string): string {
  if (kind === 'date') return calendarDate(cell)
  if (kind === 'switch') return switchState(cell)
  if (kind === 'number') return cell.replace(/[\s%]/g, '').replace(/[.,]0+$/, '')
  return kind === 'text' || kind === 'phone' ? wholeNumber(cell) : cell
}

function switchState(cell: string): string {
  const names = (text: string) => [text, translator('ru')(text)].map(fold)
  return names('Yes').includes(fold(cell)) ? '1' : names('No').includes(fold(cell)) ? '0' : cell
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
