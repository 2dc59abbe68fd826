import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { dialect } from '../../database/prepare-once.ts'
import { openReader } from '../../database/reader.ts'
import type { Context } from '../../http/request/context.ts'
import type { List, ListState } from './list.ts'
import { idsQuery } from './page-ids.ts'
import { selectIds } from './search.ts'

const readAtOnce = 1000
/** Milliseconds after which others are served. */
const readingTime = 8

/** All ids of a list; those of a long one are read through a connection of their own, little by little. */
export async function readAllIds<Row>({ server: { db }, actor }: Context, list: List<Row>, state: ListState): Promise<number[]> {
  const all = idsQuery({ db, list, actor, state })
  const first = selectIds(db, all, { length: readAtOnce, offset: 0 })
  if (first.length < readAtOnce) return first
  const reader = openReader(db.$client.name)
  try {
    const { sql: text, params } = dialect.sqlToQuery(all)
    const ids: number[] = []
    let began = performance.now()
    for (const id of reader.prepare<unknown[], number>(text).pluck().iterate(params)) {
      ids.push(id)
      if (performance.now() - began < readingTime) continue
      await yieldToLoop()
      began = performance.now()
    }
    return ids
  } finally {
    reader.close()
  }
}
