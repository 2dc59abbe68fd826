import { and, count, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'

/** Passes all ids as one parameter, so that their number has no limit. */
export function whereIn(column: SQLiteColumn, ids: number[] | Placeholder): SQL {
  const list = Array.isArray(ids) ? JSON.stringify(ids) : ids
  return sql`${column} in (select value from json_each(${list}))`
}

export function countReferencing(db: Database, column: SQLiteColumn, ids: number[]): number {
  return db.select({ rows: count() }).from(column.table).where(whereIn(column, ids)).get()?.rows ?? 0
}

/**
 * Whether a text contains a word of `searchWords`; SQLite itself ignores case for ASCII letters only.
 * The unary plus keeps SQLite from compiling the statement anew for each pattern; limits have one for the same reason.
 */
export function contains(text: SQL, word: string): SQL {
  return sql`${text} glob +${pattern(word, anyCase)}`
}

export function containsWords(text: SQL, words: string[]): SQL | undefined {
  return and(...words.map((word) => contains(text, word)))
}

export function foldedContains(text: SQL, word: string): SQL {
  return sql`${text} glob +${pattern(word, (letter) => (/[a-zа-я]/.test(letter) ? letter : anyCase(letter)))}`
}

function pattern(word: string, form: (letter: string) => string): string {
  return `*${[...word].map(form).join('')}*`
}

function anyCase(letter: string): string {
  const forms = [...new Set([letter, letter.toUpperCase(), ...(letter === 'е' ? 'ёЁ' : '')])].filter((form) => [...form].length === 1)
  return forms.length > 1 || '*?['.includes(letter) ? `[${forms.join('')}]` : letter
}

export function digitsOf(phone: SQL | SQLiteColumn): SQL {
  return ['+', '(', ')', '-', ' '].reduce<SQL>((text, letter) => sql`replace(${text}, ${letter}, '')`, sql`${phone}`)
}
