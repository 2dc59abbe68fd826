import { sql } from 'drizzle-orm'
import { authorizer } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { isMarked } from '../../core/highlight.ts'
import { searchWords } from '../../core/text.ts'
import { selectRows } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { conditionOf, whereClause } from '../../records/list/conditions.ts'
import { joinById } from '../../records/list/ids.ts'
import { sliceIds } from '../../records/list/page.ts'
import type { SearchSource } from '../../records/list/search-source.ts'
import { readState } from '../../records/list/state.ts'
import { pagesPath, readingQueryOf } from '../../records/list/view.ts'
import { newestMatches } from './newest-matches.ts'
import { rankOf } from './rank.ts'
import { sourcesFor } from './sources.ts'

/** How many matches are ranked, and how many of the best are shown. */
const [candidateLimit, shownLimit] = [40, 5]

/** Records that the user may see, those lists first in which one is called so. */
export function findRecords(context: Context, query: string) {
  const words = searchWords(query)
  const sources = words.length === 0 ? [] : sourcesFor(context)
  return sources.flatMap((source) => searchList(context, source, query, words)).sort((a, b) => a.rank - b.rank)
}

/** What somebody works on, before they have typed anything. */
export function findRecent(context: Context) {
  return sourcesFor(context).map((source) => {
    const found = textsOf(context, source, recentIds(context, source).slice(0, shownLimit))
    return { title: source.list.title, icon: source.icon, hits: viewOfHits(context, source, found, []) }
  })
}

export function recentIds({ server: { db }, actor }: Context, { list, recent = [] }: SearchSource): number[] {
  for (const query of recent) {
    const state = readState(list, new URLSearchParams(query), actor)
    const ids = sliceIds({ db, list, actor, state }, { offset: 0, length: shownLimit })
    if (ids.length > 0) return ids
  }
  return []
}

function searchList(context: Context, source: SearchSource, query: string, words: string[]) {
  const { server, actor } = context
  const { list } = source
  const exact = exactIds(context, source, query)
  const ids = [...new Set([...exact, ...newestMatches(server.db, list, actor, query, candidateLimit)])]
  if (ids.length === 0) return []
  const best = textsOf(context, source, ids)
    .map((row) => ({ ...row, rank: exact.includes(row.id) ? 0 : rankOf(row.texts[0] as string, query, words) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, shownLimit)
  const hits = viewOfHits(context, source, best, words)
  const more = ids.length > hits.length ? `${url(server, `/${list.name}`)}?${new URLSearchParams({ q: query })}` : undefined
  return [{ title: list.title, icon: source.icon, hits, more, rank: best[0]?.rank ?? 0 }]
}

function viewOfHits(context: Context, source: SearchSource, found: Found[], words: string[]) {
  const { list, telling } = source
  const rows = rowsOf(context, source, found)
  const page = pagesPath(context, list)
  const reading = readingQueryOf(context, list)
  return found.map(({ id, texts }) => ({
    hook: `${list.name}-${id}`,
    href: rows.get(id)?.mayView ? page + id + reading : undefined,
    status: rows.get(id)?.status,
    ...present(texts, words, telling),
  }))
}

interface Found {
  id: number
  texts: (string | null)[]
}

function exactIds({ server, actor }: Context, { list, exact }: SearchSource, query: string): number[] {
  const condition = exact?.(query.trim())
  if (!condition) return []
  const ids = sql`select ${list.table.id} from ${list.table} where ${condition} limit -1`
  const where = whereClause(conditionOf(list, actor))
  return selectRows<[number]>(server.db, sql`select ${list.table.id} from ${joinById(list, ids)} ${where} limit ${shownLimit}`).map(
    ([id]) => id,
  )
}

function textsOf({ server, language }: Context, { list, texts }: SearchSource, ids: number[]): Found[] {
  const rows = selectRows<[number, ...(string | null)[]]>(server.db, texts(sql`(select value from json_each(${JSON.stringify(ids)}))`))
  const byId = new Map(rows.map(([id, name, ...texts]) => [id, [recordLabelFor(language, list.name, name ?? ''), ...texts]]))
  return ids.flatMap((id) => ({ id, texts: byId.get(id) ?? [] })).filter(({ texts }) => texts.length > 0)
}

/** Rows as the list has them. Users may see some whose cards they may not open. */
function rowsOf(context: Context, { list }: SearchSource, found: { id: number }[]) {
  const mayView = list.may.view ? authorizer(list.may.view, context.actor) : () => true
  const ids = found.map(({ id }) => id)
  return new Map(list.rows.load(ids, context).map((row) => [row.id as number, { mayView: mayView(row), status: row.status }]))
}

/** The first details identify the record; others are shown only where they match. */
function present([name, ...details]: (string | null)[], words: string[], telling = 1) {
  const texts = details.filter((text) => text !== null && text !== '') as string[]
  return { name: name ?? '', details: texts.filter((text, index) => index < telling || isMarked(text, words)), words }
}
