import { and, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { letterPairs, searchWords } from '../../core/text.ts'

export type Searchable = SQLiteTable & Record<'id' | 'search', SQLiteColumn>

/** Every word of the query must be found, each wherever `find` looks. */
export function matches(query: string, find: (word: string) => SQL | undefined): SQL | undefined {
  return and(...searchWords(query).map(find))
}

/** Whether the folded text of a row contains a folded word, asked of the row itself. */
export function holds(table: Searchable, word: string): SQL {
  return sql`instr(${table.search}, ${word}) > 0`
}

/**
 * Rows whose folded text contains a folded word. From three letters on the trigram index names the candidates,
 * which are then checked; shorter words are looked for in every row.
 */
export function contains(table: Searchable, word: string): SQL {
  if (trigrams(word).length === 0) return holds(table, word)
  return sql`(${table.id} in (${textIds(table, [word])}) and ${holds(table, word)})`
}

/** The ids of all rows that may contain every word, named by the trigram index, or by that of pairs where all words are shorter. */
export function textIds(table: Searchable, words: string[]): SQL {
  const long = words.flatMap(trigrams)
  const pairs = () => words.flatMap((word) => letterPairs(word).split(' '))
  const index = sql.identifier(`${getTableName(table)}_${long.length > 0 ? 'fts' : 'pairs'}`)
  return sql`select rowid as id from ${index} where ${index} match ${matchAll(long.length > 0 ? long : pairs())}`
}

/** The ids of the rows that the index of terms of a table has under a query of such terms. */
export function termIds(table: SQLiteTable, query: string): SQL {
  const index = sql.identifier(`${getTableName(table)}_terms`)
  return sql`select rowid as id from ${index} where ${index} match ${query}`
}
/** People whose full name, the first line of their folded text, contains a word. */
export function nameHolds(table: Searchable, word: string): SQL {
  return sql`instr(${firstLine(table.search)}, ${word}) > 0`
}

/** The first line of a folded text: the name. */
export function firstLine(search: SQLiteColumn): SQL {
  return sql`substr(${search}, 1, instr(${search} || char(10), char(10)) - 1)`
}

function trigrams(word: string): string[] {
  const letters = [...word]
  return letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''))
}

/** The indexes keep no positions, so the query asks for every part; quotes make each an ordinary text. */
function matchAll(parts: string[]): string {
  return [...new Set(parts)].map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
}
