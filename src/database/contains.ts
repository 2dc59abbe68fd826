import { type SQL, sql } from 'drizzle-orm'

/** Whether a text contains a folded word, in any case and with ё for е: both of SQLite's own comparisons know Latin letters only. */
export function contains(text: SQL, word: string): SQL {
  return sql`${text} glob ${pattern(word, anyCase)}`
}

/** The same of a text in which Latin and Russian letters are folded: several times as fast. */
export function foldedContains(text: SQL, word: string): SQL {
  return sql`${text} glob ${pattern(word, (letter) => (/[a-zа-я]/.test(letter) ? letter : anyCase(letter)))}`
}

function pattern(word: string, form: (letter: string) => string): string {
  return `*${[...word].map(form).join('')}*`
}

/** Whatever folds to a letter, as a set of `glob`; in a set, the signs that mean something to it are ordinary ones. */
function anyCase(letter: string): string {
  const forms = [...new Set([letter, letter.toUpperCase(), ...(letter === 'е' ? 'ёЁ' : '')])].filter((form) => [...form].length === 1)
  return forms.length > 1 || '*?['.includes(letter) ? `[${forms.join('')}]` : letter
}
