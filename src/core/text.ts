/** Normalizes text for search (composed, lower case, ё as е): applied both to the `search` columns and to every query. */
export function fold(text: string): string {
  return compose(text).toLowerCase().replaceAll('ё', 'е')
}

/** The composed form (NFC). Composing more marks on one letter than any script has would take minutes: such a text stays as it is. */
export function compose(text: string): string {
  return endlessMarks.test(text) ? text : text.normalize('NFC')
}

/** Unicode calls texts with at most 30 marks in a row stream-safe. */
const endlessMarks = /\p{M}{31}/u

export function searchText(...parts: (string | null | undefined)[]): string {
  return fold(parts.filter(Boolean).join('\n'))
}

/** Each word costs a condition: nobody looks for something with more. */
const mostWords = 12

/** What a search looks for: the first words of what was typed, folded, each once. */
export function searchWords(query: string): string[] {
  if (query === '') return []
  const words = fold(joinPhones(query))
    .replace(/([#№])\s+(?=\d)/g, '$1')
    .split(/[\s\p{Cc}]+/u)
  return [...new Set(words.filter(Boolean))].slice(0, mostWords)
}

/** A phone number however it is spelled, as its last ten digits; a tax number of ten or twelve stays as it is. */
function joinPhones(query: string): string {
  return query.replace(/\+?\d(?:[\s()-]*\d){9,11}(?!\d)/g, (number) => {
    const digits = number.replace(/\D/g, '')
    return digits.length === 11 && /^[78]/.test(digits) ? digits.slice(1) : digits
  })
}

export function fullName(person: { lastname: string; name: string; middlename?: string | null }): string {
  return [person.lastname, person.name, person.middlename].filter(Boolean).join(' ')
}

/** Of text that somebody means, on average: of a flag it is 4, of a family 8 or 11. Unicode lets one be endless. */
const unitsOfCharacter = 8

/** Whether a text has more characters, as readers count them, than `count`, or is far larger than so many are. */
export function isLongerThan(text: string, count: number): boolean {
  return text.length > Math.max(count, 0) * unitsOfCharacter || (text.length > count && firstCharacters(text, count).length < text.length)
}

export function firstCharacters(text: string, count: number): string {
  let end = 0
  for (const character of charactersOf(text)) {
    if (count-- === 0) return text.slice(0, end)
    end += character.length
  }
  return text
}

const pieceLength = 64

/** The segmenter copies its text for every character, so it gets a piece at a time. */
function* charactersOf(text: string): Generator<string> {
  let length = pieceLength
  for (let at = 0; at < text.length; ) {
    const found = Array.from(graphemes.segment(text.slice(at, at + length)), ({ segment }) => segment)
    // The last one may go on after the piece.
    const whole = at + length < text.length ? found.slice(0, -1) : found
    yield* whole
    for (const { length } of whole) at += length
    length = whole.length > 0 ? pieceLength : 2 * length
  }
}

export function hasControlCharacters(lines: string): boolean {
  const letters = lines.replace(/[\t\n]/g, '')
  return stripControlCharacters(letters) !== letters
}

export function stripControlCharacters(text: string): string {
  return stripBidiControls(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
}

export function stripBidiControls(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '')
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
