import { fold, searchWords } from './text.ts'

/** Whether texts say what somebody asks for, word for word; longer words may end otherwise. */
export function saysAll(texts: (string | null | undefined)[], query: string): boolean {
  const text = fold(texts.filter(Boolean).join('\n'))
  return tellingWords(query).every((word) => text.includes(word.length > 4 ? word.slice(0, -1) : word))
}

/** The words of a query without those of one or two letters, which tell nothing beside others; numbers do. */
export function tellingWords(query: string): string[] {
  const words = searchWords(query)
  const telling = words.filter((word) => word.length > 2 || /\d/.test(word))
  return telling.length > 0 ? telling : words
}
