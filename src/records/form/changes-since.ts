import { getTableName } from 'drizzle-orm'
import { type Database, prepareOnce, type RecordTable } from '../../database/index.ts'
import type { Form, FormState, Values } from './form.ts'

export interface ChangesSince {
  base: Values
  by: Record<string, { name: string; at: number }>
}

/** What others have changed since the form was opened at this version, and what its record held then. */
export function readChangesSince(db: Database, { table }: Form, { mode, stored }: FormState, version: number | undefined): ChangesSince {
  const result: ChangesSince = { base: { ...stored }, by: {} }
  if (mode === 'create' || !table || !isEarlierVersion(version, stored.version) || version === stored.version) return result
  const { changed, before } = statements(db)
  for (const { change, name, author, at } of changed.all({ entity: getTableName(table as RecordTable), id: stored.id, version })) {
    if (!result.by[name]) result.base[name] = JSON.parse(before.get({ change, name }) ?? 'null')
    result.by[name] = { name: author, at }
  }
  return result
}

/** A record may have been changed a thousand times: of what its lists held only what is asked for is read. */
const statements = prepareOnce(({ $client: client }) => ({
  changed: client.prepare<{ entity: string; id: unknown; version: number }, { change: number; name: string; author: string; at: number }>(
    `select changes.id as change, field.key as name, changes.actor_name as author, changes.at
      from changes cross join json_each(changes.fields) as field
      where changes.entity = :entity and changes.record_id = :id and changes.record_version > :version and changes.action = 'update'
      order by changes.record_version, changes.id`,
  ),
  before: client
    .prepare<{ change: number; name: string }, string>(
      `select field.value -> 0 from changes cross join json_each(changes.fields) as field where changes.id = :change and field.key = :name`,
    )
    .pluck(),
}))

/** Whether a record that is at `stored` has been at `version`: one that never was would be taken for the newest. */
export function isEarlierVersion(version: unknown, stored: unknown): version is number {
  return Number.isSafeInteger(version) && Number(version) >= 1 && Number(version) <= Number(stored)
}
