import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { foldedView, joinTexts } from './folded-view.ts'
import { anyChanged, type Statement, trigger } from './kept/statement.ts'

type Named = SQLiteTable & { search: SQLiteColumn }
type WithArticle = SQLiteTable & { article: SQLiteColumn; article_search: SQLiteColumn }

/** Keeps the column `search` of a table: its name without case and with ё as е, by which lists are sorted. */
export function nameSorting<Table extends Named>(table: Table, ...columns: (keyof Table['_']['columns'] & string)[]): Statement[] {
  return foldedColumn(getTableName(table), 'sorting', 'search', columns)
}

/** Keeps the column `article_search` in the same way: articles are told apart by it, too. */
export function articleSorting(table: WithArticle): Statement[] {
  return foldedColumn(getTableName(table), 'articles', 'article_search', ['article'])
}

function foldedColumn(name: string, suffix: string, column: string, columns: string[]): Statement[] {
  const names = `${name}_${suffix}`
  const text = `(SELECT text FROM ${names} WHERE id = `
  const write = `UPDATE ${name} SET ${column} = ${text}new.id) WHERE id = new.id`
  return [
    foldedView(names, `SELECT id, trim(${joinTexts(columns, "' '")}) AS text FROM ${name}`),
    `UPDATE ${name} SET ${column} = ${text}${name}.id) WHERE ${column} <> ${text}${name}.id)`,
    trigger(`${names}_insert`, `AFTER INSERT ON ${name}`, write),
    trigger(`${names}_update`, `AFTER UPDATE OF ${columns.join(', ')} ON ${name} WHEN ${anyChanged(columns)}`, write),
  ]
}
