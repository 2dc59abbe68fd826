import { fold, searchWords } from './text.ts'

/** Whether texts have words that begin with those that somebody asks for; longer ones may end otherwise. */
export function saysAll(texts: (string | null | undefined)[], query: string): boolean {
  const said = fold(texts.filter(Boolean).join('\n')).split(/[^\p{L}\p{N}]+/u)
  return tellingWords(query).every((word) => {
    const beginning = word.length > 4 ? word.slice(0, -1) : word
    return said.some((one) => one.startsWith(beginning))
  })
}

/** The words of a query without those of one or two letters, which tell nothing beside others; numbers do. */
export function tellingWords(query: string): string[] {
  const words = searchWords(query)
  const telling = words.filter((word) => word.length > 2 || /\d/.test(word))
  return telling.length > 0 ? telling : words
}
