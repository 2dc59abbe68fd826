import type { HistoryEntry } from './entries.ts'

type FieldChange = HistoryEntry['fields'][number]

/** With what was changed, each field once. */
export type ToldEntry = HistoryEntry & { changed: FieldChange[] }

/** What one person did to one record, one right after the other, as one entry: the latest, with what was changed in all of them. */
export function joinRepeated(entries: HistoryEntry[]): ToldEntry[] {
  const told: ToldEntry[] = []
  for (const entry of entries) {
    const changed = entry.action === 'update' ? entry.fields : []
    const last = told.at(-1)
    if (last && same.every((key) => last[key] === entry[key])) last.changed = joinChanges(last.changed, changed)
    else told.push({ ...entry, changed })
  }
  return told
}

const same = ['entity', 'record_id', 'action', 'actor_id', 'actor_name', 'impersonator_name'] as const

/** Of a field changed twice, from what it was at first to what it is now; nothing where that is the same again. */
function joinChanges(later: FieldChange[], earlier: FieldChange[]): FieldChange[] {
  const first = new Map(earlier.map((change) => [change.label, change]))
  const joined = later.map((change) => ({ ...change, before: first.get(change.label)?.before ?? change.before }))
  const differing = joined.filter(({ secret, before, after }) => secret || before !== after)
  const known = new Set(later.map(({ label }) => label))
  return [...differing, ...earlier.filter(({ label }) => !known.has(label))]
}
