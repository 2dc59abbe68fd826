import { fold } from '../../core/text.ts'
import type { SheetRow } from '../../database/index.ts'
import { translator } from '../../i18n/translate.ts'
import { type Field, FieldError, kindOf } from '../fields/index.ts'
import type { FindChoice } from '../fields/kind.ts'
import { type ImportKind, importedFields } from './import.ts'

/** Finds the field of each column by its key or its label in either language; no field twice. */
export function matchColumns({ card }: ImportKind, headers: (string | null)[]): (string | null)[] {
  const names = new Map([['id', 'id']])
  for (const [name, { label }] of importedFields(card.form))
    for (const text of [name, name.replace(/_id$/, ''), translator('en')(label), translator('ru')(label)]) names.set(normalize(text), name)
  const matched = headers.map((header) => names.get(normalize(header ?? '')) ?? null)
  return matched.map((name, at) => (matched.indexOf(name) === at ? name : null))
}

const normalize = (header: string) => fold(header).replace(/[^\p{L}\p{N}]/gu, '')

/** Looks at some rows at a time, then chooses the first key that every row has; ids only when all of them are known here. */
export function keyChooser({ keys, card }: ImportKind, fields: (string | null)[], isKnown: (id: number) => boolean) {
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
  return (field && kindOf(field).cell?.asShown && shown?.[at]) || (cells[at] ?? '')
}

/** The name of a column in spreadsheet programs: A, B, … AA. */
export function columnLetters(index: number): string {
  return (index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))
}

/**
 * The value of a cell.
 * @throws FieldError
 */
export function readCell(field: Field, cell: string, find: FindChoice = nothingFound): unknown {
  const kind = kindOf(field)
  return kind.parse(kind.cell?.typed(cell, field, find) ?? cell, field)
}

function nothingFound(name: string): never {
  throw new FieldError('No option "{name}".', { name })
}
