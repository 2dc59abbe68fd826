/**
 * The one folding that search compares by: composed, lower case, ё as е.
 * Written to the `search` columns and applied to every query.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ё', 'е')
}

/** Folds what a record is found by into one text; a line break keeps words from running into each other. */
export function searchText(...parts: (string | null | undefined)[]): string {
  return fold(parts.filter(Boolean).join('\n'))
}

/** The folded words of a search query, each once; what cannot be in a text parts them like a blank. */
export function searchWords(query: string): string[] {
  return [
    ...new Set(
      fold(query)
        .split(/[\s\p{Cc}]+/u)
        .filter(Boolean),
    ),
  ]
}

/** The letters and pairs of letters of a folded text, as words of plain Latin letters and digits that an index keeps. */
export function letterPairs(text: string): string {
  const found = new Set<string>()
  for (const word of searchWords(text)) {
    let previous = ''
    for (const letter of word) {
      const code = (letter.codePointAt(0) as number).toString(16)
      found.add(code)
      if (previous) found.add(`${previous}x${code}`)
      previous = code
    }
  }
  return [...found].join(' ')
}

/** Family name, first name and patronymic as one text. */
export function fullName(person: { lastname: string; name: string; middlename?: string | null }): string {
  return [person.lastname, person.name, person.middlename].filter(Boolean).join(' ')
}

/** Length as people count it: user-perceived characters. */
export function countCharacters(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...graphemes.segment(text)].length
}

/** The beginning of a text, cut between two characters as people see them. */
export function firstCharacters(text: string, count: number): string {
  let end = 0
  for (const { index, segment } of graphemes.segment(text)) {
    if (count-- === 0) return text.slice(0, end)
    end = index + segment.length
  }
  return text
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
