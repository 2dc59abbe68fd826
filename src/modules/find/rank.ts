import { fold } from '../../core/text.ts'

/** Lower is better: the whole name, its beginning, the beginning of a word, any part of it, another text. */
export function rankOf(name: string, query: string, words: string[]): number {
  const [text, whole, first] = [fold(name), fold(query.trim()), words[0] as string]
  if (text === whole) return 0
  if (text.startsWith(whole)) return 1
  if (text.split(/[\s«"(]+/).some((word) => word.startsWith(first))) return 2
  return text.includes(first) ? 3 : 4
}
