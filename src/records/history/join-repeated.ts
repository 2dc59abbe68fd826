import type { HistoryEntry } from './entries.ts'

/** With the names of the fields that were changed. */
export type ToldEntry = HistoryEntry & { changed: string[] }

/** What one person did to one record, one right after the other, as one entry: the latest, with what was changed in all of them. */
export function joinRepeated(entries: HistoryEntry[]): ToldEntry[] {
  const told: ToldEntry[] = []
  for (const entry of entries) {
    const changed = entry.action === 'update' ? entry.fields.map(({ label }) => label) : []
    const last = told.at(-1)
    if (last && same.every((key) => last[key] === entry[key])) last.changed = [...new Set([...last.changed, ...changed])]
    else told.push({ ...entry, changed })
  }
  return told
}

const same = ['entity', 'record_id', 'action', 'actor_id', 'actor_name', 'impersonator_name'] as const
