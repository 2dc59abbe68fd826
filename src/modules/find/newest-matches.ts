import { and, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { isIndexed, matchingIds, newestMatching, textContains } from '../../database/search-index.ts'
import { hasIndex, scopeAndFilters, whereClause } from '../../records/list/conditions.ts'
import { countUpTo, idsFromJson, joinById, scanLimit, selectIds } from '../../records/list/ids.ts'
import type { List } from '../../records/list/list.ts'
import { sliceIds } from '../../records/list/page.ts'
import { readState } from '../../records/list/state.ts'

/** So few matches are looked up among somebody's own rows sooner than these are searched. */
const fewMatches = 500

/** The newest matches of a search, without looking for the others. */
export function newestMatches<Row>(db: Database, list: List<Row>, actor: Actor, q: string, length: number): number[] {
  const { find, table, baseCondition } = list
  if (!hasIndex(find))
    return sliceIds({ db, list, actor, state: { ...readState(list, new URLSearchParams(), actor), q } }, { offset: 0, length })
  const words = searchWords(q)
  const scope = scopeAndFilters(list, actor)
  if (!scope) return selectIds(db, newestMatching(find, words, length), { offset: 0, length })
  const where = whereClause(and(baseCondition, scope))
  const own = sql`select ${table.id} from ${table} ${where}`
  const matching = (ids: SQL) =>
    selectIds(db, sql`select ${table.id} from ${joinById(list, ids)} ${where} order by 1 desc`, { offset: 0, length })
  const rows = countUpTo(db, own, scanLimit + 1)
  if (rows > fewMatches && words.some(isIndexed)) {
    const first = selectIds(db, newestMatching(find, words, fewMatches))
    if (first.length < fewMatches) return matching(idsFromJson(JSON.stringify(first)))
  }
  if (rows > scanLimit) return matching(matchingIds(find, words))
  const newestOwn = sql`${own} order by +${table.id} desc limit -1`
  return selectIds(db, sql`select own.id from (${newestOwn}) as own where ${textContains(find, sql`own.id`, words)}`, { offset: 0, length })
}
