import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type FieldSet, kindOf } from '../fields/index.ts'
import type { Column } from './list.ts'

type Columns<T extends SQLiteTable> = T['_']['columns']
type ColumnOf<T extends SQLiteTable, Name extends keyof Columns<T>> = {
  key: Name
  label: string
  kind: Column['kind']
  value: Columns<T>[Name]
}

/** Columns named by the fields of a form: these say what they hold, what they are called, how they look, and who sees them. */
export function columnsOf<S extends FieldSet, T extends SQLiteTable>({ fields }: { fields: S }, table: T) {
  return <const Name extends keyof S & keyof Columns<T> & string, const More extends Partial<Column> = object>(name: Name, more?: More) => {
    const field = fields[name]
    const kind = field && kindOf(field).column
    if (!kind) throw new Error(`no column can show ${name}`)
    const own = {
      key: name,
      label: field.label,
      kind,
      ...(field.needs && { needs: field.needs }),
      ...(field.staffOnly && { staffOnly: field.staffOnly }),
    }
    const words = 'values' in field ? { words: field.values } : {}
    return { ...own, ...words, value: (table as unknown as Columns<T>)[name], ...more } as ColumnOf<T, Name> & More
  }
}

type Times = SQLiteTable & { created_at: SQLiteColumn; updated_at: SQLiteColumn }

/** When records were created and changed, for whoever asks for these columns. */
export function timeColumns<T extends Times>({ created_at, updated_at }: T) {
  return [
    { key: 'created_at', label: 'Created', kind: 'moment', value: created_at, sort: created_at, hidden: true },
    { key: 'updated_at', label: 'Updated', kind: 'moment', value: updated_at, hidden: true },
  ] as const
}
