import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { allows } from '../../core/access.ts'
import { type Database, orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { today } from '../../i18n/format.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { loadRows } from '../../records/list/rows.ts'
import { paymentAccess } from '../ledger/access.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderList, type SeenOrder, withoutUnseen } from './list.ts'
import { datesDue, isConfirmed, waitingFor } from './waiting.ts'

/** What waits for somebody stands above: no order is listed twice. */
export function withoutWaiting(context: Context): SQL | undefined {
  const { server, actor, language } = context
  const waiting = waitingFor(actor, loadWorkflow(server.db, language))
  return and(seenOrders(context), sql`(${waiting}) is not true`, isNotToConfirm(context))
}

/** Whose payment somebody may confirm stands above with that. */
export function isNotToConfirm({ actor }: Context): SQL | undefined {
  return allows(paymentAccess.decide, actor) ? isConfirmed : undefined
}

export function seenOrders({ server, actor }: Context, filters: Record<string, string> = {}): SQL | undefined {
  return conditionOf(orderList(server.db), actor, { filters })
}

/** The orders that have been longest in their status. */
export function oldestInStatus(context: Context, where: SQL | undefined, statuses: number[], limit: number): SeenOrder[] {
  const { db } = context.server
  const ids = firstInStatuses(db, statuses, orders.status_since, where, limit).map(([id]) => id)
  return withoutUnseen(context, loadRows(context, orderList(db), ids))
}

/** The orders that have been overdue longest. */
export function longestOverdue(context: Context, where: SQL | undefined, limit: number): SeenOrder[] {
  const { db } = context.server
  const candidates = datesDue(loadWorkflow(db)).flatMap(({ date, statuses }) =>
    firstInStatuses<string>(db, statuses, date, and(sql`${date} < ${today()}`, where), limit),
  )
  candidates.sort(([, day], [, other]) => (day < other ? -1 : 1))
  const ids = [...new Set(candidates.map(([id]) => id))].slice(0, limit)
  return withoutUnseen(context, loadRows(context, orderList(db), ids))
}

/** Orders that come first by a column, with what it holds. Each status is read from its own end of the index. */
function firstInStatuses<Value>(db: Database, statuses: number[], by: SQLiteColumn, where: SQL | undefined, limit: number) {
  const firstOfEach = sql`select id from ${orders} where ${and(sql`status_id = status.value`, where)} order by ${by}, id limit +${limit}`
  const rows = sql`select ${orders.id}, ${by} from json_each(${JSON.stringify(statuses)}) as status
    cross join ${orders} on ${orders.id} in (${firstOfEach}) order by ${by}, ${orders.id} limit +${limit}`
  return selectRows<[number, Value]>(db, rows)
}

export function oldestOf(db: Database, status: number, where: SQL | undefined, limit: number): number[] {
  return firstInStatuses(db, [status], orders.status_since, where, limit).map(([id]) => id)
}

/** Those that came into a status last, since a moment. */
export function latestOf(db: Database, status: number, where: SQL | undefined, since: number, limit: number): number[] {
  const rows = sql`select id from ${orders} where ${and(sql`status_id = ${status}`, sql`status_since >= ${since}`, where)}
    order by status_since desc, id desc limit +${limit}`
  return selectRows<[number]>(db, rows).map(([id]) => id)
}
