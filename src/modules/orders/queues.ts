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

/** The orders that have been longest in their status. Each status is read from its own end of the index. */
export function oldestInStatus(context: Context, where: SQL | undefined, statuses: number[], limit: number): SeenOrder[] {
  const { db } = context.server
  const candidates = statuses.flatMap((status) => oldestOf(db, status, where, limit)).sort((a, b) => a.since - b.since || a.id - b.id)
  const ids = candidates.slice(0, limit).map(({ id }) => id)
  return withoutUnseen(context, loadRows(context, orderList(db), ids))
}

/** The orders that have been overdue longest. Each status is read from its own end of the index. */
export function longestOverdue(context: Context, where: SQL | undefined, limit: number): SeenOrder[] {
  const { db } = context.server
  const due = datesDue(loadWorkflow(db)).flatMap(({ date, statuses }) => statuses.map((status) => ({ date, status })))
  const candidates = due.flatMap(({ date, status }) => overdueIn(db, status, date, where, limit)).sort((a, b) => (a.day < b.day ? -1 : 1))
  const ids = [...new Set(candidates.map(({ id }) => id))].slice(0, limit)
  return withoutUnseen(context, loadRows(context, orderList(db), ids))
}

function overdueIn(db: Database, status: number, date: SQLiteColumn, where: SQL | undefined, limit: number): { id: number; day: string }[] {
  const rows = sql`select id, ${date} from ${orders} where ${and(sql`status_id = ${status}`, sql`${date} < ${today()}`, where)}
    order by ${date}, id limit +${limit}`
  return selectRows<[number, string]>(db, rows).map(([id, day]) => ({ id, day }))
}

/** Those that came into a status last, since a moment. */
export function latestOf(db: Database, status: number, where: SQL | undefined, since: number, limit: number): number[] {
  const rows = sql`select id from ${orders} where ${and(sql`status_id = ${status}`, sql`status_since >= ${since}`, where)}
    order by status_since desc, id desc limit +${limit}`
  return selectRows<[number]>(db, rows).map(([id]) => id)
}

export function oldestOf(db: Database, status: number, where: SQL | undefined, limit: number): { id: number; since: number }[] {
  const rows = sql`select id, status_since from ${orders} where ${and(sql`status_id = ${status}`, where)}
    order by status_since, id limit +${limit}`
  return selectRows<[number, number]>(db, rows).map(([id, since]) => ({ id, since }))
}
