import { and, desc, eq, getTableName, or, type SQL, sql } from 'drizzle-orm'
import { allows, anyOf, has, maySee } from '../../core/access.ts'
import { changes } from '../../database/index.ts'
import { findLabels, tableByName } from '../../database/references.ts'
import { allPhrases } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import { cardsOf, kindTitle } from '../kind/registry.ts'
import { inPeriod, periodFilters, wordFilter } from '../list/common-filters.ts'
import type { Filter, List } from '../list/list.ts'
import { actionNames, people } from './describe-entries.ts'
import { cardsOfTable, formatEntries, type HistoryEntry } from './entries.ts'
import { visibleEntries } from './subordinates.ts'

export const mayReadHistory = anyOf(has('activity_can_view'))

/** @param several whether it tells of several records, so that each entry names its own */
export function historyList(
  context: Context,
  place: Pick<List<HistoryEntry>, 'name' | 'title' | 'place' | 'baseCondition'>,
  several = true,
): List<HistoryEntry> {
  const whole = place.baseCondition === undefined
  return {
    ...place,
    baseCondition: and(place.baseCondition, visibleEntries(context.server, context.actor)),
    columns: [
      { key: 'at', label: 'When', kind: 'recent', sort: changes.at },
      { key: 'actor', label: 'Who', kind: 'person' },
      ...(several ? [{ key: 'record', label: 'Record', kind: 'text' } as const] : []),
      { key: 'action', label: 'Action', kind: 'short' },
      { key: 'fields', label: 'Fields', kind: 'text' },
    ],
    sizes: [25, 50, 100],
    sort: { key: 'at', dir: 'desc' },
    table: changes,
    may: { list: mayReadHistory },
    filters: [
      ...(whole ? [recordType] : []),
      wordFilter('action', 'Action', actionNames, changes.action),
      actor,
      ...periodFilters(inPeriod(changes.at)),
    ],
    find: entryContains,
    rows: { load: (ids) => formatEntries(context, ids), template: 'history/rows.njk', events: true },
  }
}

/** Words of one and two letters are too short for the trigram index, so they scan a covering index. */
function entryContains(word: string): SQL {
  if ([...word].length > 2) return sql`${changes.id} in (select rowid from changes_fts where changes_fts match ${allPhrases([word])})`
  return sql`${changes.id} in (select id from changes where instr(search, ${word}) > 0)`
}

const recordType: Filter = {
  name: 'kind',
  label: 'Type',
  options: ({ server, actor, t }) => {
    const cards = cardsOf(server).map((card) => [getTableName(card.form.table), kindTitle(server, card)] as const)
    const below = server.registry.subordinates.filter(maySee(actor)).map(({ table, title }) => [getTableName(table), title] as const)
    const entities = new Map([...cards, ...below])
    return [...entities].map(([value, title]) => ({ value, label: t(value === 'users' ? people : title) }))
  },
  where: (value) => (tableByName(value) ? sql`${changes.entity} = ${value}` : undefined),
}

/** No options: it is set by clicking a name, and there may be very many people. */
const actor: Filter = {
  name: 'actor',
  label: 'Who',
  nameOf: (request, value) => nameOf(request, Number(value)),
  where: (value) => {
    const id = parseId(value)
    return id === undefined ? undefined : sql`(${changes.actor_id} = ${id} or ${changes.impersonator_id} = ${id})`
  },
}

/** As the newest entry that this person sees names them, or their card. */
function nameOf({ server, actor }: Context, id: number): string {
  const { actor_id, actor_name, impersonator_name } = changes
  const theirs = and(or(eq(actor_id, id), eq(changes.impersonator_id, id)), visibleEntries(server, actor))
  const name = sql<string>`iif(${actor_id} is ${id}, ${actor_name}, ${impersonator_name})`
  const latest = server.db.select({ name }).from(changes).where(theirs).orderBy(desc(changes.at)).limit(1).get()
  return latest?.name ?? nameOnCard({ server, actor }, id) ?? `#${id}`
}

function nameOnCard({ server, actor }: Pick<Context, 'server' | 'actor'>, id: number): string | undefined {
  const { db } = server
  const isShown = cardsOfTable(server, 'users').some((card) => {
    const user = card.find(db, id)
    return user && allows(card.may.view, actor, user)
  })
  return isShown ? findLabels(db, 'users', [id]).get(id) : undefined
}
