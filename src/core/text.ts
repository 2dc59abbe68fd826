/** Normalizes text for search (composed, lower case, ё as е): applied both to the `search` columns and to every query. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ё', 'е')
}

export function searchText(...parts: (string | null | undefined)[]): string {
  return fold(parts.filter(Boolean).join('\n'))
}

export function searchWords(query: string): string[] {
  if (query === '') return []
  const words = fold(joinPhones(query)).split(/[\s\p{Cc}]+/u)
  return [...new Set(words.filter(Boolean))]
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

export function countCharacters(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...graphemes.segment(text)].length
}

export function firstCharacters(text: string, count: number): string {
  let end = 0
  for (const { index, segment } of graphemes.segment(text)) {
    if (count-- === 0) return text.slice(0, end)
    end = index + segment.length
  }
  return text
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
