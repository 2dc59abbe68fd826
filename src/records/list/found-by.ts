import { sql } from 'drizzle-orm'
import { searchWords } from '../../core/text.ts'
import { selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FoundText } from '../../view/found-words.ts'
import type { AnyList } from './list.ts'

/** What of a search is marked in rows: numbers without the sign before them. */
export const wordsToMark = (query: string): string[] => searchWords(query).map((word) => word.replace(/^[#№](?=\d)/, ''))

/** The texts by which rows can be found, with what they are called. */
export function foundTexts({ server: { db, records }, t }: Context, list: AnyList, ids: number[]): Map<number, FoundText[]> {
  const { texts, labels } = records.get(list.name)?.search ?? {}
  if (!texts || !labels) return new Map()
  const rows = selectRows<[number, ...(string | null)[]]>(db, texts(sql`(select value from json_each(${JSON.stringify(ids)}))`))
  const named = labels.map((label) => t(label))
  return new Map(rows.map(([id, ...all]) => [id, all.map((text, index) => ({ label: named[index] ?? '', text: text ?? '' }))]))
}
