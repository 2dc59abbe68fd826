import { and, eq, getTableName, notInArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { type Actor, type Guarded, maySee } from '../../core/access.ts'
import { changes, type RecordTable } from '../../database/index.ts'
import type { Field } from '../fields/index.ts'

/** Records without a card of their own: their history stands on the card of the record they belong to as well. */
export interface Subordinate extends Guarded {
  table: SQLiteTable & { id: SQLiteColumn }
  title: string
  fields: Record<string, Field>
  /** What they belong to: the first that such a record names. */
  owners: Owner[]
}

/** A table, and the column that names one of its records; without one it has only one. */
interface Owner {
  table: RecordTable
  column?: SQLiteColumn
}

declare module 'fastify' {
  interface Registry {
    subordinates: Subordinate[]
  }
}

type Server = Pick<FastifyInstance, 'registry'>

/** Leaves out the entries that somebody sees nothing of; undefined where there are none. */
export function visibleEntries({ registry }: Server, actor: Actor): SQL | undefined {
  const unseen = registry.subordinates.filter((one) => !maySee(actor)(one)).map(({ table }) => getTableName(table))
  return unseen.length > 0 ? notInArray(changes.entity, unseen) : undefined
}

/** The entries of what belongs to a record. */
export function entriesBelow({ registry }: Server, owner: SQLiteTable, id: number): SQL[] {
  return registry.subordinates.flatMap(({ table, owners }) =>
    owners
      .filter((one) => one.table === owner)
      .map(({ column }) => {
        const theirs = column && sql`${changes.record_id} in (select ${table.id} from ${table} where ${column} = ${id})`
        return and(eq(changes.entity, getTableName(table)), theirs) as SQL
      }),
  )
}
