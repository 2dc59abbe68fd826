import { compose } from './text.ts'

/** A text in pieces, of which every second is one of these words. */
export function highlight(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text]
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  return compose(text).split(new RegExp(`(${longestFirst.map(toPattern).join('|')})`, 'giu'))
}

/** Whether a text has one of these words. */
export const isMarked = (text: string, words: readonly string[]): boolean => highlight(text, words).length > 1

function toPattern(word: string): string {
  const letters = [...word].map((letter) => (letter === 'е' ? '[её]' : letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')))
  return letters.join(/^\d{7,}$/.test(word) ? '[\\s()+\\-]*' : '')
}
