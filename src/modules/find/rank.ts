import { fold } from '../../core/text.ts'

/** Lower is better: the whole name, its beginning, the beginning of a word, any part of it, another text. */
export function rankOf(name: string, query: string, words: string[]): number {
  const [text, whole, first] = [calledSo(name), fold(query.trim()), words[0] as string]
  if (text === whole) return 0
  if (text.startsWith(whole)) return 1
  if (text.split(/[\s«"(]+/).some((word) => word.startsWith(first))) return 2
  return text.includes(first) ? 3 : 4
}

/** A company is called by its name, without legal form and quotation marks. */
const calledSo = (text: string) =>
  fold(text)
    .replace(/^(ооо|оао|зао|пао|ао|ип)\s+/, '')
    .replace(/^[«"„]|[»"“]$/g, '')
