import type { SheetRow } from '../../database/index.ts'
import type { Import, ImportKind } from './import.ts'

export interface Rivals {
  /** What one of them is. */
  name: string
  /** Where they are. */
  columns: number[]
}

/** Columns that could all be the same, such as prices for several kinds of customers; nothing where there are no two. */
export function findRivals({ splits = {} }: ImportKind, { headers, fields, heading_last }: Import, head: SheetRow[]): Rivals | undefined {
  const [name, split] = Object.entries(splits).find(([, { rivals }]) => rivals) ?? []
  if (!name || !split?.rivals) return undefined
  const rows = head.filter(({ row }) => row > heading_last)
  const looksAlike = (header: string, at: number) =>
    !fields[at] && split.rivals?.test(header) && rows.some(({ cells }) => /^\d/.test(cells[at] ?? ''))
  const columns = headers.flatMap((header, at) => (fields[at] === name || (header && looksAlike(header, at)) ? [at] : []))
  return columns.length > 1 ? { name, columns } : undefined
}
