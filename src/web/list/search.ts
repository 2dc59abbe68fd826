import { and, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { searchWords } from '../../core/text.ts'

export type Searchable = SQLiteTable & Record<'id' | 'search', SQLiteColumn>

/** Every word of the query must be found, each wherever `find` looks. */
export function matches(query: string, find: (word: string) => SQL | undefined): SQL | undefined {
  return and(...searchWords(query).map(find))
}

/** Whether the folded text of a row contains a folded word, asked of the row itself. */
export function rowContains(table: Searchable, word: string): SQL {
  return sql`instr(${table.search}, ${word}) > 0`
}

/**
 * Rows whose folded text contains a folded word. From three letters on the trigram index names the candidates,
 * which are then checked; shorter words are looked for in every row.
 */
export function contains(table: Searchable, word: string): SQL {
  const parts = trigrams(word)
  if (parts.length === 0) return rowContains(table, word)
  const index = sql.identifier(`${getTableName(table)}_fts`)
  return sql`(${table.id} in (select rowid from ${index} where ${index} match ${matchAllQuery(parts)}) and ${rowContains(table, word)})`
}

/** The ids of the rows that the index of terms of a table has under a query of such terms. */
export function termIds(table: SQLiteTable, query: string): SQL {
  const index = sql.identifier(`${getTableName(table)}_terms`)
  return sql`select rowid as id from ${index} where ${index} match ${query}`
}

/** A query for rows that have one of each of these lists of terms. */
export function anyOfEach(terms: string[][]): string {
  return terms.map((any) => `(${any.join(' OR ')})`).join(' AND ')
}

/** A word that has more terms than these would make an index of terms slow. */
const termLimit = 100

/**
 * The rows of all words, by an index of terms: of words that have few of them, whatever else there is being left for the rows
 * to tell; where every word has many, of the one that has fewest, in another way.
 */
export function candidatesByTerms(
  words: string[],
  termsOf: (word: string) => string[],
  byTerms: (terms: string[][]) => SQL,
  byWord: (word: string) => SQL,
) {
  const asked = words.map((word) => ({ word, terms: termsOf(word) })).sort((a, b) => a.terms.length - b.terms.length)
  const few = asked.filter(({ terms }) => terms.length <= termLimit)
  if (few.length === 0) return { ids: byWord(asked[0]?.word as string), exact: words.length === 1 }
  return { ids: byTerms(few.map(({ terms }) => terms)), exact: few.length === words.length }
}

/** People whose full name, the first line of their folded text, contains a word. */
export function nameContains(table: Searchable, word: string): SQL {
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

/** The trigram indexes keep no positions, so the query asks for every part; quotes make each an ordinary text. */
function matchAllQuery(parts: string[]): string {
  return [...new Set(parts)].map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
}
