import { type SQL, sql } from 'drizzle-orm'
import { maySee } from '../../core/access.ts'
import { cachedUntilWrite } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { formatCount } from '../../i18n/format.ts'
import { conditionOf } from './conditions.ts'
import { countOfState, countUpToLimit } from './count.ts'
import { type Link, optionsOf, withoutFilter } from './filters.ts'
import { idsFromJson, type SearchQuery, scanLimit, search } from './ids.ts'
import type { Filter, List, ListState } from './list.ts'
import { isNarrowed } from './state.ts'

/** The tabs of a list, by the filter whose options have counts: all, each option, and before them what somebody usually sees of it. */
export function viewOfTabs<Row>(context: Context, list: List<Row>, state: ListState, link: Link) {
  const filter = list.filters?.filter(maySee(context.actor)).find(({ counts }) => counts)
  if (!filter) return undefined
  const { db } = context.server
  const others = withoutFilter(state, filter)
  const filters = Object.fromEntries(Object.entries(others).filter(([name, value]) => state.usual.filters[name] !== value))
  const query = { db, list, actor: context.actor, state: { ...state, filters } }
  const key = JSON.stringify(['tabs', list.name, list.place?.path, context.actor.id, state.q, filters])
  const { counts, all } = cachedUntilWrite(db, key, () => countTabs(query, filter))
  const current = state.filters[filter.name]
  const usual = viewOfUsual(context, list, state, link, state.q !== '' || Object.keys(filters).length > 0)
  const links = optionsOf(context, list, filter, current).map(({ value, label }) => ({
    value,
    label,
    count: counts && (counts.get(value) ?? 0),
    href: link({ filters: { ...filters, [filter.name]: value } }),
    current: value === current,
  }))
  return {
    name: filter.name,
    label: filter.label,
    value: current,
    links,
    usual,
    all: { count: all, href: link({ filters }), current: !current && !usual?.current },
  }
}

/** What somebody sees while they neither search nor filter, where that is not all of the list; while they do, all others are counted within that. */
function viewOfUsual<Row>({ server: { db }, actor, t }: Context, list: List<Row>, state: ListState, link: Link, isNarrower: boolean) {
  const { usual } = list.filters?.find(({ usual }) => usual?.for(actor)) ?? {}
  if (!usual) return undefined
  const shown = { q: '', filters: state.usual.filters }
  const count = isNarrower ? undefined : countOfState({ db, list, actor, state: { ...state, ...shown } })
  return { label: t(usual.label), count, href: link(shown), current: !isNarrowed(state) }
}

/** What a usual filter that is on folds away: how many rows, and where they are. */
export function viewOfFolds<Row>({ server: { db }, actor, t }: Context, list: List<Row>, state: ListState, link: Link) {
  const folding = (list.filters ?? []).filter(({ name, usual }) => usual?.for(actor) && usual.for(actor) === state.filters[name])
  const folds = folding.flatMap(({ name, usual }) => (usual?.folds ?? []).map((fold) => ({ ...fold, name })))
  return folds.flatMap(({ name, value, label }) => {
    const filters = { ...state.filters, [name]: value }
    const number = countOfState({ db, list, actor, state: { ...state, filters } })
    return number > 0 ? [{ name: value, label: t(label, { number: formatCount(number) }), href: link({ filters }) }] : []
  })
}

/** Nothing where a search finds too many to count them by tabs. */
function countTabs<Row>(query: SearchQuery<Row>, filter: Filter): { counts?: Map<string, number> | undefined; all?: number } {
  const counted = countCondition(query)
  if (!counted) return {}
  const { where } = counted
  const all = where ? countUpToLimit(query.db, query.list.table, where) : countOfState(query)
  return { counts: filter.counts?.(query.db, where), all }
}

function countCondition<Row>(query: SearchQuery<Row>): { where: SQL | undefined } | undefined {
  const { list, actor, state } = query
  const found = search(query, scanLimit + 1)
  if (!found) return { where: conditionOf(list, actor, state) }
  return found.count > scanLimit ? undefined : { where: sql`${list.table.id} in (${idsFromJson(found.ids)})` }
}
