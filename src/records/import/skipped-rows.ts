import type { SheetRow } from '../../database/index.ts'
import type { ImportPart } from '../kind/registry.ts'
import type { Layout } from './layout.ts'

/** Why a row of a sheet is no record, or nothing: a total, headings or numbers of columns that are repeated, a group of the rows below. */
export function skippedRows({ groups }: ImportPart, { headers, heading_last }: Pick<Layout, 'headers' | 'heading_last'>) {
  const columns = headers.filter((header) => header !== null).length
  return ({ row, cells }: SheetRow): string | undefined => {
    const filled = cells.filter(Boolean)
    if (isTotal(filled)) return 'Total'
    if (filled.length > 1 && cells.every((cell, at) => !cell || cell === headers[at])) return 'Repeated headings'
    if (row <= heading_last + 2 && isCounting(filled)) return 'Numbers of columns'
    if (groups && columns >= 3 && isGroup(filled)) return 'Group of rows'
  }
}

const isTotal = ([first = '', ...others]: string[]) =>
  /^(итого|всего|total|grand total)(\s+(по|for)\s|\s*:?$)/i.test(first) && others.every((cell) => !/\p{L}{4}/u.test(cell))

const isCounting = (filled: string[]) => filled.length > 2 && filled.every((cell, at) => cell === String(at + 1))

/** A single cell with a word. */
export function isGroup(filled: string[]): boolean {
  return filled.length === 1 && /\p{L}{2}/u.test(filled[0] as string)
}
