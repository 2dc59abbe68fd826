import { getTableColumns, sql } from 'drizzle-orm'
import { fold } from '../../core/text.ts'
import type { Database, RecordTable, SheetRow } from '../../database/index.ts'
import type { Field } from '../fields/index.ts'
import { readCell } from './columns.ts'
import type { Import, ImportKind } from './import.ts'
import { RowRejected, textsOf } from './read-cells.ts'

export type Versioned = { id: number; version: number }

/** Finds the record of each row by its key, and refuses a key that was there before. */
export function recordFinder(db: Database, kind: ImportKind, sheet: Import, rows: SheetRow[]) {
  const idsByKey = findKeys(db, kind, sheet, rows)
  const rowsByKey = new Map<string, number>()
  const { key_field } = sheet
  const fields = kind.card.form.fields
  const hasKeys = sheet.fields.some(saysKeyOf(kind, key_field))
  const refuseRepeated = (row: number, texts: Map<string, string>) => {
    for (const [name, text] of texts) {
      if (name !== key_field && name !== kind.unique) continue
      const key = `${name} ${keyText(fields[name], text)}`
      const earlier = rowsByKey.get(key)
      if (earlier) throw new RowRejected({ [name]: { message: 'Duplicate of row {row}.', params: { row: earlier } } })
      rowsByKey.set(key, row)
    }
  }
  return {
    isKnown: (text: string) => idsByKey.has(keyText(fields[key_field], text)),
    find(row: number, texts: Map<string, string>): Versioned | undefined {
      refuseRepeated(row, texts)
      const text = texts.get(key_field)
      // Without a column of keys all rows are new, and are told all that they lack.
      if (!text && hasKeys && key_field !== 'id') throw new RowRejected({ [key_field]: { message: 'Required to match this row.' } })
      const ids = idsByKey.get(keyText(fields[key_field], text ?? '')) ?? []
      const found = ids.flatMap((id) => kind.card.find(db, id) ?? [])
      if (found.length > 1) throw new RowRejected({ [key_field]: { message: 'Several records have this value.' } })
      if (found.length === 0 && text && key_field === 'id') throw new RowRejected({ id: { message: 'No record has this ID.' } })
      return found[0]
    },
  }
}

/** The records of rows, by what their keys say. */
export function findKeys(db: Database, kind: ImportKind, sheet: Import, rows: SheetRow[]): Map<string, number[]> {
  const { key_field } = sheet
  const { card } = kind
  const column = getTableColumns(card.form.table as RecordTable)[key_field]
  const field = card.form.fields[key_field] as Field | undefined
  const saysKey = saysKeyOf(kind, key_field)
  const only = { ...sheet, fields: sheet.fields.map((name) => (saysKey(name) ? name : null)) }
  if (!column || !only.fields.some(Boolean)) return new Map()
  // No record has a key that is longer than its field: it need not be looked for.
  const keys = rows.map((row) => textsOf(kind, only, row).get(key_field) ?? '').filter((cell) => cell.length <= longestText)
  // An empty one would find the records that have none.
  const texts = JSON.stringify(keys.map((cell) => keyText(field, cell)).filter(Boolean))
  // Emails have an index that ignores case, and there may be very many.
  const folded = key_field !== 'email' && key_field !== 'id'
  const found = db.values<[number, string]>(sql`select id, ${column} from ${card.form.table}
    where ${folded ? sql`fold(trim(${column}))` : column} in (select value from json_each(${texts}))`)
  const ids = new Map<string, number[]>()
  for (const [id, value] of found) ids.set(keyText(field, String(value)), [...(ids.get(keyText(field, String(value))) ?? []), id])
  return ids
}

const saysKeyOf =
  ({ splits = {} }: ImportKind, key: string) =>
  (name: string | null) =>
    name === key || (name !== null && splits[name]?.fields.includes(key))

const longestText = 255

function keyText(field: Field | undefined, cell: string): string {
  try {
    return fold(field ? String(readCell(field, cell.trim()) ?? '') : cell.trim())
  } catch {
    return ''
  }
}
