import { and, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { searchWords } from '../../core/text.ts'

export type Searchable = SQLiteTable & Record<'id' | 'search', SQLiteColumn>

/** Every word of the query must be found, each wherever `find` looks. */
export function matches(query: string, find: (word: string) => SQL | undefined): SQL | undefined {
  return and(...searchWords(query).map(find))
}

/**
 * Rows whose folded text contains a folded word. From three letters on the trigram index names the candidates,
 * which are then checked; shorter words are looked for in every row.
 */
export function contains(table: Searchable, word: string): SQL {
  const found = sql`instr(${table.search}, ${word}) > 0`
  if (trigrams(word).length === 0) return found
  const index = sql.identifier(`${getTableName(table)}_fts`)
  return sql`(${table.id} in (select rowid from ${index} where ${index} match ${matchAll(word)}) and ${found})`
}

/** People whose full name, the first line of their folded text, contains a word. */
export function nameContains(table: Searchable, word: string): SQL {
  return sql`(${contains(table, word)} and instr(${firstLine(table.search)}, ${word}) > 0)`
}

/** The first line of a folded text: the name. */
export function firstLine(search: SQLiteColumn): SQL {
  return sql`substr(${search}, 1, instr(${search} || char(10), char(10)) - 1)`
}

function trigrams(word: string): string[] {
  const letters = [...word]
  return letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''))
}

/** The index keeps no positions, so the query asks for every trigram; quotes make each an ordinary text. */
function matchAll(word: string): string {
  return [...new Set(trigrams(word))].map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
}
