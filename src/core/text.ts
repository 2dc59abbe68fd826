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

/**
 * What an index keeps of a folded text, as words of plain Latin letters and digits: its letters and pairs of letters,
 * then the threes of letters of each word as they follow each other.
 */
export function searchTerms(text: string): string {
  return [letterPairs(text), ...searchWords(text).flatMap((word) => ['z', ...ngrams(characterCodes(word), 3)])].join(' ')
}

function letterPairs(text: string): string {
  const words = searchWords(text).map(characterCodes)
  return [...new Set(words.flatMap((letters) => [...letters, ...ngrams(letters, 2)]))].join(' ')
}

/** What asks such an index for the texts that hold a folded word, no more and no fewer. */
export function searchTerm(word: string): string {
  const letters = characterCodes(word)
  return letters.length < 3 ? letters.join('x') : `"${ngrams(letters, 3).join(' ')}"`
}

function characterCodes(word: string): string[] {
  return [...word].map((letter) => (letter.codePointAt(0) as number).toString(16))
}

function ngrams(letters: string[], length: number): string[] {
  return letters.slice(length - 1).map((_, start) => letters.slice(start, start + length).join('x'))
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
