import { and, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { countOf } from '../../records/list/count.ts'
import { loadRows } from '../../records/list/rows.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderList, type SeenOrder, withoutUnseen } from './list.ts'
import { withProducts } from './pricing/lines.ts'
import { isNotToConfirm, seenOrders, withoutWaiting } from './queues.ts'
import { seesOrders } from './sees-orders.ts'
import { openStatuses, plannedDay } from './waiting.ts'

interface DealerOrder extends SeenOrder {
  product?: string
  due?: ReturnType<typeof plannedDay>
  final?: boolean
}

const inProgressPart = template<{ widget: { rows: DealerOrder[]; more: number } | undefined }>('orders/dashboard/in-progress.njk')
const finishedPart = template<{ widget: { rows: DealerOrder[] } | undefined }>('orders/dashboard/finished.njk')

const inProgressShown = 5
const finishedShown = 3

/** What is done for a dealer by others, and by when. What waits for the dealer stands above. */
export const inProgressWidget = fragment(inProgressPart, (context: Context) => {
  const { server, actor } = context
  const workflow = loadWorkflow(server.db)
  const open = inArray(orders.status_id, openStatuses(workflow))
  const newest = newestOf(context, and(withoutWaiting(context), open), inProgressShown)
  if (newest.length === 0) return { widget: undefined }
  const rows = newest.map((row) => ({ ...row, due: plannedDay(workflow, row) }))
  const count = (query: string) => countOf(server.db, orderList(server.db), actor, query)
  return { widget: { rows, more: count('open=1') - count('waiting=1') - rows.length } }
})

/** What nobody has to follow any more. */
export const finishedWidget = fragment(finishedPart, (context: Context) => {
  const open = openStatuses(loadWorkflow(context.server.db))
  const finished = and(seenOrders(context), isNotToConfirm(context), notInArray(orders.status_id, open))
  const rows = newestOf(context, finished, finishedShown).map((row) => ({ ...row, final: true }))
  return { widget: rows.length > 0 ? { rows } : undefined }
})

/** The one that moved last comes first. */
function newestOf(context: Context, where: SQL | undefined, limit: number): DealerOrder[] {
  if (!seesOrders(context)) return []
  const { db } = context.server
  const newest = sql`select id from ${orders} where ${where} order by created_at desc, id desc limit +${limit}`
  const ids = selectRows<[number]>(db, newest).flat()
  return withProducts(db, withoutUnseen(context, loadRows(context, orderList(db), ids))).sort((a, b) => b.since - a.since)
}
