import { sql } from 'drizzle-orm'
import { highlight, isMarked } from '../../core/highlight.ts'
import { searchWords } from '../../core/text.ts'
import { selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { AnyList, Column } from './list.ts'

/** A text that a search looks through, what it is called, and the column that shows it. */
export interface FoundText {
  column: string
  label: string
  text: string
}

/** So many characters of a long text are shown before what was found in it. */
const shownBefore = 30

/** What of a search is marked in rows: numbers without the sign before them. */
export const wordsToMark = (query: string): string[] => searchWords(query).map((word) => word.replace(/^[#№](?=\d)/, ''))

/** Of rows that a search found, what it found that none of these columns shows. */
export function foundBy(
  context: Context,
  list: AnyList,
  ids: number[],
  columns: readonly Column[],
  query: string,
): Map<number, FoundText[]> {
  const words = wordsToMark(query)
  const shown = new Set(columns.map(({ key }) => key))
  return new Map([...searchedTexts(context, list, ids)].map(([id, texts]) => [id, unshown(texts, shown, words)]))
}

function searchedTexts({ server: { db, records }, t }: Context, list: AnyList, ids: number[]): Map<number, FoundText[]> {
  const { texts, labels } = records.get(list.name)?.search ?? {}
  if (!texts || !labels) return new Map()
  const rows = selectRows<[number, ...(string | null)[]]>(db, texts(sql`(select value from json_each(${JSON.stringify(ids)}))`))
  const named = Object.entries(labels).map(([column, label]) => ({ column, label: t(label) }))
  return new Map(rows.map(([id, ...all]) => [id, named.map((one, index) => ({ ...one, text: all[index] ?? '' }))]))
}

function unshown(texts: FoundText[], shown: ReadonlySet<string>, words: readonly string[]): FoundText[] {
  const inSight = texts.filter(({ column }) => shown.has(column))
  const missing = words.filter((word) => !inSight.some(({ text }) => isMarked(text, [word])))
  const found = texts.filter(({ text }) => missing.some((word) => isMarked(text, [word])))
  return found.map((one) => ({ ...one, text: shortened(one.text, missing) }))
}

function shortened(text: string, words: readonly string[]): string {
  const [first = ''] = highlight(text, words)
  return first.length > 2 * shownBefore ? `…${text.slice(first.length - shownBefore)}` : text
}
