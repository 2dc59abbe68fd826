import { and, desc, getTableName, ne, notInArray, sql } from 'drizzle-orm'
import { changes } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { firstStart } from './actor-name.ts'
import { formatEntries, type HistoryEntry } from './entries.ts'
import { visibleEntries } from './subordinates.ts'

/** What an entry tells of a record of this table, where its own words are better than that it was created or updated. */
interface Teller {
  entity: string
  tell: (context: Context, entry: HistoryEntry) => Told
}

interface Told {
  /** Who did what; without one it is told as of any record. */
  sentence?: string
  /** What else one wants to know of the record. */
  about: string[]
  href: string
}

declare module 'fastify' {
  interface Registry {
    tellers: Teller[]
  }
}

const latestPart = template<{ widget: { entries: ToldEntry[] } }>('history/latest.njk')

/** Rights are looked at where they are given: between them nobody would find what happened. */
const withoutRights = sql`${changes.fields} not like '{"rights.%'`

/** Of what belongs to a record, such as its documents, the record itself tells; what the first start creates is no event. */
export const latestWidget = fragment(latestPart, (context: Context) => {
  const { server, actor } = context
  const below = server.registry.subordinates.map(({ table }) => getTableName(table))
  const seen = and(visibleEntries(server, actor), notInArray(changes.entity, below), ne(changes.actor_name, firstStart), withoutRights)
  const who = { entity: changes.entity, record_id: changes.record_id, actor_id: changes.actor_id, actor_name: changes.actor_name }
  const columns = { id: changes.id, ...who, impersonator_name: changes.impersonator_name }
  const latest = server.db.select(columns).from(changes).where(seen).orderBy(desc(changes.at), desc(changes.id)).limit(40).all()
  const ids = firstRuns(latest, shown).map(({ id }) => id)
  const entries = formatEntries(context, ids).sort((a, b) => b.at - a.at)
  return { widget: { entries: joinRepeated(entries.map((entry) => withWords(context, entry))).slice(0, shown) } }
})

const shown = 6

/** As many entries as tell of so many runs: what follows in a run may be told with it, so that no more have to be put into words. */
function firstRuns<Row extends Doing>(rows: Row[], count: number): Row[] {
  let runs = 0
  const end = rows.findIndex((row, at) => !isSame(rows[at - 1], row) && ++runs > count)
  return end < 0 ? rows : rows.slice(0, end)
}

type TellableEntry = HistoryEntry & Partial<Told>

/** Whoever may not open a record is told no more of it. */
function withWords(context: Context, entry: HistoryEntry): TellableEntry {
  const teller = context.server.registry.tellers.find(({ entity }) => entity === entry.entity)
  return teller && entry.href ? { ...entry, ...teller.tell(context, entry) } : entry
}

type FieldChange = HistoryEntry['fields'][number]

/** With what was changed, each field once. */
type ToldEntry = TellableEntry & { changed: FieldChange[] }

/**
 * What one person did to one record, one right after the other, as one entry: the latest, with what was changed in all of them.
 * What is created and filled in at once, such as an order that gets its first status, was created. What has a sentence of its own is told alone.
 */
function joinRepeated(entries: TellableEntry[]): ToldEntry[] {
  const told: ToldEntry[] = []
  for (const entry of entries) {
    const changed = entry.action === 'update' ? entry.fields : []
    const last = told.at(-1)
    const joins = last && isSame(last, entry)
    if (joins && last.action === entry.action && !entry.sentence) last.changed = joinChanges(last.changed, changed)
    else if (joins && isFillingIn(last, entry)) told[told.length - 1] = { ...entry, changed }
    else told.push({ ...entry, changed })
  }
  return told
}

const same = ['entity', 'record_id', 'actor_id', 'actor_name', 'impersonator_name'] as const

type Doing = Pick<HistoryEntry, (typeof same)[number]>

/** Whether one person did both to one record. */
const isSame = (one: Doing | undefined, other: Doing) => same.every((key) => one?.[key] === other[key])

/** Within a minute of its creation. */
const isFillingIn = (later: TellableEntry, earlier: TellableEntry) =>
  later.action === 'update' && earlier.action === 'create' && later.at - earlier.at < 60_000

/** Of a field changed twice, from what it was at first to what it is now; nothing where that is the same again. */
function joinChanges(later: FieldChange[], earlier: FieldChange[]): FieldChange[] {
  const first = new Map(earlier.map((change) => [change.label, change]))
  const joined = later.map((change) => ({ ...change, before: first.get(change.label)?.before ?? change.before }))
  const differing = joined.filter(({ secret, before, after }) => secret || before !== after)
  const known = new Set(later.map(({ label }) => label))
  return [...differing, ...earlier.filter(({ label }) => !known.has(label))]
}
