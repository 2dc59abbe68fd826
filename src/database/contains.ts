import { type SQL, sql } from 'drizzle-orm'

/** Whether a text contains a word of `searchWords`; SQLite itself ignores case for ASCII letters only. */
export function contains(text: SQL, word: string): SQL {
  return sql`${text} glob ${pattern(word, anyCase)}`
}

export function foldedContains(text: SQL, word: string): SQL {
  return sql`${text} glob ${pattern(word, (letter) => (/[a-zа-я]/.test(letter) ? letter : anyCase(letter)))}`
}

function pattern(word: string, form: (letter: string) => string): string {
  return `*${[...word].map(form).join('')}*`
}

function anyCase(letter: string): string {
  const forms = [...new Set([letter, letter.toUpperCase(), ...(letter === 'е' ? 'ёЁ' : '')])].filter((form) => [...form].length === 1)
  return forms.length > 1 || '*?['.includes(letter) ? `[${forms.join('')}]` : letter
}
