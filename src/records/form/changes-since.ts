import { and, asc, eq, getTableName, gt } from 'drizzle-orm'
import { changes, type Database, type RecordTable } from '../../database/index.ts'
import type { Values } from './form.ts'

export interface ChangesSince {
  base: Values
  by: Record<string, { name: string; at: number }>
}

export function readChangesSince(db: Database, table: RecordTable, present: Values, version: number | undefined): ChangesSince {
  const result: ChangesSince = { base: { ...present }, by: {} }
  if (version === undefined || version >= (present.version as number)) return result
  const ofRecord = and(eq(changes.entity, getTableName(table)), eq(changes.record_id, present.id as number))
  const since = and(ofRecord, gt(changes.record_version, version), eq(changes.action, 'update'))
  const later = db.select().from(changes).where(since).orderBy(asc(changes.record_version), asc(changes.id)).all()
  for (const change of later)
    for (const [name, [before]] of Object.entries(change.fields)) {
      if (!result.by[name]) result.base[name] = before
      result.by[name] = { name: change.actor_name, at: change.at }
    }
  return result
}
