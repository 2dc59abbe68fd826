import { sql } from 'drizzle-orm'
import { orderItems, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { describeSize } from './page/lines.ts'

/** So many lines of an order a list shows. */
const shown = 2

/** What the first lines of orders are of, and how many more there are. */
export function firstLines(ids: number[], { server, t }: Context): Map<number, { lines: string[]; more: number }> {
  type Line = [order: number, name: string, width: number | null, height: number | null, quantity: number, count: number]
  const { order_id, id, name, width, height, quantity } = orderItems
  const numbered = sql`select ${order_id} as of_order, ${name} as name, ${width} as width, ${height} as height, ${quantity} as quantity,
      row_number() over (partition by ${order_id} order by ${id}) as place, count(*) over (partition by ${order_id}) as count
    from ${orderItems} where ${order_id} in (select value from json_each(${JSON.stringify(ids)}))`
  const rows = selectRows<Line>(
    server.db,
    sql`select of_order, name, width, height, quantity, count from (${numbered}) where place <= ${shown} order by of_order, place`,
  )
  const products = new Map<number, { lines: string[]; more: number }>()
  for (const [order, name, width, height, quantity, count] of rows) {
    const size = describeSize(t, { width, height })
    const line = [name, size, t('{quantity} pcs', { quantity })].filter(Boolean).join('\u00a0·\u00a0')
    products.set(order, { lines: [...(products.get(order)?.lines ?? []), line], more: Math.max(0, count - shown) })
  }
  return products
}
