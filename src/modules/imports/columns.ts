import { fold } from '../../core/text.ts'
import type { SheetRow } from '../../database/schema/index.ts'
import { translator } from '../../i18n/translate.ts'
import { importedFields, type Target } from './target.ts'

/** Finds the field of each column by its key or its label in either language; no field twice. */
export function matchColumns({ card }: Target, headers: string[]): (string | null)[] {
  const names = new Map([['id', 'id']])
  for (const [name, { label }] of importedFields(card.form))
    for (const text of [name, name.replace(/_id$/, ''), translator('en')(label), translator('ru')(label)]) names.set(normalize(text), name)
  const matched = headers.map((header) => names.get(normalize(header)) ?? null)
  return matched.map((name, at) => (matched.indexOf(name) === at ? name : null))
}

const normalize = (header: string) => fold(header).replace(/[^\p{L}\p{N}]/gu, '')

/** The first key that every row has; ids only when all of them are known here. */
export function chooseKey({ keys, card }: Target, fields: (string | null)[], rows: SheetRow[], isKnown: (id: number) => boolean): string {
  const complete = (key: string) => {
    const column = fields.indexOf(key)
    return column >= 0 && rows.every(({ cells }) => cells[column] && (key !== 'id' || isKnown(Number(cells[column]))))
  }
  return ['id', ...keys].find(complete) ?? keys.findLast((key) => fields.includes(key)) ?? keys.at(-1) ?? card.list
}

/** The name of a column in spreadsheet programs: A, B, … AA. */
export function columnLetters(index: number): string {
  return (index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))
}
