import { getTableName } from 'drizzle-orm'
import { foldedView, joinTexts } from './folded-view.ts'
import { anyChanged, type Statement, trigger } from './kept/statement.ts'
import { tables } from './references.ts'
import { findRules } from './schema/columns.ts'

/** Keeps the columns that rules of tables call folded. */
export const nameSorting: Statement[] = tables.flatMap((table) =>
  Object.entries(findRules(table)?.folded ?? {}).flatMap(([column, from]) => foldedColumn(getTableName(table), column, from)),
)

function foldedColumn(name: string, column: string, columns: string[]): Statement[] {
  const names = `${name}_${column}_sorting`
  const text = `(SELECT text FROM ${names} WHERE id = `
  const write = `UPDATE ${name} SET ${column} = ${text}new.id) WHERE id = new.id`
  return [
    foldedView(names, `SELECT id, trim(${joinTexts(columns, "' '")}) AS text FROM ${name}`),
    `UPDATE ${name} SET ${column} = ${text}${name}.id) WHERE ${column} <> ${text}${name}.id)`,
    trigger(`${names}_insert`, `AFTER INSERT ON ${name}`, write),
    trigger(`${names}_update`, `AFTER UPDATE OF ${columns.join(', ')} ON ${name} WHEN ${anyChanged(columns)}`, write),
  ]
}
