import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { foldedView, joinTexts } from './folded-view.ts'
import { anyChanged, trigger } from './search-schema.ts'

type Named = SQLiteTable & { search: SQLiteColumn }

/** Keeps the column `search` of a table: its name without case and with ё as е, by which lists are sorted. */
export function nameSorting<Table extends Named>(table: Table, ...columns: (keyof Table['_']['columns'] & string)[]): string {
  const name = getTableName(table)
  const names = `${name}_sorting`
  const text = `(SELECT text FROM ${names} WHERE id = `
  const write = `UPDATE ${name} SET search = ${text}new.id) WHERE id = new.id;`
  return [
    foldedView(names, `SELECT id, trim(${joinTexts(columns, "' '")}) AS text FROM ${name}`),
    `UPDATE ${name} SET search = ${text}${name}.id) WHERE search <> ${text}${name}.id);\n`,
    trigger(`${names}_insert`, `AFTER INSERT ON ${name}`, write),
    trigger(`${names}_update`, `AFTER UPDATE OF ${columns.join(', ')} ON ${name} WHEN ${anyChanged(columns)}`, write),
  ].join('')
}
