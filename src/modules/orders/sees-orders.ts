import { orders } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { orderList } from './list.ts'

/** Whether there is any order that somebody may see. */
export function seesOrders({ server, actor }: Context): boolean {
  const seen = conditionOf(orderList(server.db), actor, { filters: {} })
  return server.db.select({ id: orders.id }).from(orders).where(seen).limit(1).get() !== undefined
}
