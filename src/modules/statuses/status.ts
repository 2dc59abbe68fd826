import { asc, eq, sql } from 'drizzle-orm'
import { anyOf, has, type Rule } from '../../core/access.ts'
import { type Database, statuses } from '../../database/index.ts'
import type { FindByKey, FindRecord } from '../../web/http.ts'

export type Status = typeof statuses.$inferSelect

/** One policy governs everything about statuses (specification, Authentication, point 3). */
const manage = anyOf<Status>(has('status_can_view'))

export const may = { list: manage, view: manage, add: manage, edit: manage, delete: manage } satisfies Record<string, Rule<Status>>

export const findStatus: FindRecord<Status> = (db, id) => db.select().from(statuses).where(eq(statuses.id, id)).get()

export const findStatusByKey: FindByKey<Status> = (db, key) =>
  db.select().from(statuses).where(sql`fold(${statuses.status_key}) = fold(${key})`).get()

export function allStatuses(db: Database): Status[] {
  return db.select().from(statuses).orderBy(asc(statuses.index), asc(statuses.id)).all()
}

export function statusLabel(row: object): string {
  return (row as Status).name
}
