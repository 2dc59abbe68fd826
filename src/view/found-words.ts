import { highlight } from '../core/highlight.ts'

/** A text by which a row can be found, and what it is called. */
export interface FoundText {
  label: string
  text: string
}

/** HTML with words marked in it; neither tags nor entities are texts. */
export function markWords(html: string, words: readonly string[]): string {
  const parts = html.split(/(<[^>]*>|&#?\w+;)/)
  return parts.map((part, index) => (index % 2 || part.trim() === '' ? part : markText(part, words))).join('')
}

function markText(text: string, words: readonly string[]): string {
  return highlight(text, words)
    .map((piece, index) => (index % 2 ? `<mark>${piece}</mark>` : piece))
    .join('')
}

/** Of the texts of a row those that have words which no cell shows, in pieces of which every second is to be marked. */
export function unseenTexts(cells: readonly string[], words: readonly string[], texts: readonly FoundText[]) {
  const unseen = words.filter((word) => !cells.some((html) => markWords(html, [word]) !== html))
  const found = texts.filter(({ text }) => unseen.some((word) => highlight(text, [word]).length > 1))
  return found.map(({ label, text }) => ({ label, pieces: shortened(highlight(text, unseen)) }))
}

/** So much of a long text is shown before what was found in it. */
const before = 30

function shortened([first = '', ...pieces]: string[]): string[] {
  return [first.length > 2 * before ? `…${first.slice(-before)}` : first, ...pieces]
}
