import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { anyOf, has } from '../../core/access.ts'
import { tableByName } from '../../database/references.ts'
import { changes } from '../../database/schema/index.ts'
import { allPhrases } from '../../database/search-index.ts'
import type { Acting } from '../acting.ts'
import { page, parseId } from '../http.ts'
import { periodFilters, wordFilter } from '../list/common-filters.ts'
import type { Filter, List } from '../list/state.ts'
import type { ListView } from '../list/view.ts'
import { actionNames, people } from './describe-entries.ts'
import { formatEntries, type HistoryEntry } from './entries.ts'

export const mayReadHistory = anyOf(has('activity_can_view'))

const historyRows = page<{ list: ListView }>('history/rows.njk')

export function historyList(
  request: FastifyRequest,
  place: Pick<List<HistoryEntry>, 'name' | 'title' | 'place' | 'baseCondition'>,
): List<HistoryEntry> {
  const whole = place.baseCondition === undefined
  return {
    ...place,
    rowTemplate: historyRows,
    events: true,
    columns: [
      { key: 'at', label: 'When', kind: 'recent', sort: changes.at },
      { key: 'actor', label: 'Who', kind: 'person' },
      ...(whole ? [{ key: 'record', label: 'Record', kind: 'text' } as const] : []),
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
      ...periodFilters(changes.at),
    ],
    find: entryContains,
    rows: (ids) => formatEntries(request, ids),
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
  options: ({ server, t }) => {
    const entities = new Map(server.cards.map(({ table, listTitle }) => [getTableName(table), listTitle]))
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

function nameOf({ server }: Acting, id: number): string {
  const [row] = server.db.all<{ name: string }>(sql`select actor_name as name from ${changes} where ${changes.actor_id} = ${id}
    order by ${changes.at} desc limit 1`)
  return row?.name ?? `#${id}`
}
