import { and, asc, eq, getTableName, gt } from 'drizzle-orm'
import { changes, type Database, type RecordTable } from '../../database/index.ts'
import type { Form, FormState, Values } from './form.ts'

export interface ChangesSince {
  base: Values
  by: Record<string, { name: string; at: number }>
}

/** What others have changed since the form was opened at this version, and what its record held then. */
export function readChangesSince(db: Database, { table }: Form, { mode, stored }: FormState, version: number | undefined): ChangesSince {
  const result: ChangesSince = { base: { ...stored }, by: {} }
  if (mode === 'create' || !table || !isEarlierVersion(version, stored.version) || version === stored.version) return result
  const ofRecord = and(eq(changes.entity, getTableName(table as RecordTable)), eq(changes.record_id, stored.id as number))
  const since = and(ofRecord, gt(changes.record_version, version), eq(changes.action, 'update'))
  const later = db.select().from(changes).where(since).orderBy(asc(changes.record_version), asc(changes.id)).all()
  for (const change of later)
    for (const [name, [before]] of Object.entries(change.fields)) {
      if (!result.by[name]) result.base[name] = before
      result.by[name] = { name: change.actor_name, at: change.at }
    }
  return result
}

/** Whether a record that is at `stored` has been at `version`: one that never was would be taken for the newest. */
export function isEarlierVersion(version: unknown, stored: unknown): version is number {
  return Number.isSafeInteger(version) && Number(version) >= 1 && Number(version) <= Number(stored)
}
