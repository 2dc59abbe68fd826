import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/**
 * Whether a text contains a word of `searchWords`; SQLite itself ignores case for ASCII letters only.
 * The unary plus keeps SQLite from compiling the statement anew for each pattern; limits have one for the same reason.
 */
export function contains(text: SQL, word: string): SQL {
  return sql`${text} glob +${pattern(word, anyCase)}`
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
