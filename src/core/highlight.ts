import { compose } from './text.ts'

export function highlight(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text]
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  return compose(text).split(new RegExp(`(${longestFirst.map(toPattern).join('|')})`, 'giu'))
}

function toPattern(word: string): string {
  const letters = [...word].map((letter) => (letter === 'е' ? '[её]' : letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')))
  return letters.join(/^\d{7,}$/.test(word) ? '[\\s()+\\-]*' : '')
}
