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
  if (query === '') return []
  return [
    ...new Set(
      fold(query)
        .split(/[\s\p{Cc}]+/u)
        .filter(Boolean),
    ),
  ]
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

/** Whether a text of several lines holds what `withoutControls` takes away; line feeds and tabs are no matter there. */
export function hasControlCharacters(lines: string): boolean {
  const letters = lines.replace(/[\t\n]/g, '')
  return stripControlCharacters(letters) !== letters
}

/** Without what steers the letters around it instead of being one: it makes a text look like another one, or one line like two. */
export function stripControlCharacters(text: string): string {
  return stripBidiControls(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
}

/** Without what turns the direction of letters: it comes along unseen with what people copy. */
export function stripBidiControls(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '')
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
