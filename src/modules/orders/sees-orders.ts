import { sql } from 'drizzle-orm'
import { cachedUntilWrite, orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { conditionOf, whereClause } from '../../records/list/conditions.ts'
import { orderList } from './list.ts'

/** Whether there is any order that somebody may see. */
export function seesOrders({ server, actor }: Context): boolean {
  return cachedUntilWrite(server.db, `sees orders ${actor.id}`, () => {
    const seen = conditionOf(orderList(server.db), actor, { filters: {} })
    return selectRows(server.db, sql`select 1 from ${orders} ${whereClause(seen)} limit 1`).length > 0
  })
}
