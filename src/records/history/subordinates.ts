import { and, eq, getTableName, notInArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { type Actor, type Guarded, maySee } from '../../core/access.ts'
import { changes, type Database, type RecordTable } from '../../database/index.ts'
import type { Field } from '../form/form.ts'

/** Records without a card of their own: their history stands on the card of the record they belong to as well. */
export interface Subordinate extends Guarded {
  table: SQLiteTable & { id: SQLiteColumn }
  title: string
  fields: Record<string, Field>
  /** The table of what they belong to, and the column that names it; without one they belong to its only record. */
  owner: { table: RecordTable; column?: SQLiteColumn }
}

declare module 'fastify' {
  interface FastifyInstance {
    subordinates: Subordinate[]
  }
}

type Server = Pick<FastifyInstance, 'subordinates'>

/** Leaves out the entries that somebody sees nothing of; undefined where there are none. */
export function visibleEntries({ subordinates }: Server, actor: Actor): SQL | undefined {
  const unseen = subordinates.filter((one) => !maySee(actor)(one)).map(({ table }) => getTableName(table))
  return unseen.length > 0 ? notInArray(changes.entity, unseen) : undefined
}

export function subordinatesOf({ subordinates }: Server, owner: SQLiteTable): Subordinate[] {
  return subordinates.filter((one) => one.owner.table === owner)
}

/** The entries of what belongs to a record. */
export function entriesBelow(server: Server, owner: SQLiteTable, id: number): SQL[] {
  return subordinatesOf(server, owner).map(({ table, owner: { column } }) => {
    const theirs = column && sql`${changes.record_id} in (select ${table.id} from ${table} where ${column} = ${id})`
    return and(eq(changes.entity, getTableName(table)), theirs) as SQL
  })
}

export function ownerOf(db: Database, { table, owner: { column } }: Subordinate, id: number): number | undefined {
  if (!column) return 1
  return db.get<{ owner: number } | undefined>(sql`select ${column} as owner from ${table} where ${table.id} = ${id}`)?.owner
}
