import type { FastifyInstance } from 'fastify'
import { lineCost } from '../../../core/order-cost.ts'
import { prepareOnce } from '../../../database/prepare-once.ts'
import type { Order } from '../order.ts'

interface StoredLine {
  id: number
  name: string
  category: string | null
  quantity: number
  price: number
  discount: number
}

export function presentLines({ db }: FastifyInstance, order: Order) {
  const lines = (linesOf(db).all(order.id) as StoredLine[]).map((line) => ({ ...line, sum: lineCost(line) }))
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
  return {
    lines,
    subtotal,
    discount: subtotal - order.cost,
    total: order.cost,
    pieces: lines.reduce((sum, line) => sum + line.quantity, 0),
  }
}

const linesOf = prepareOnce((db) =>
  db.$client.prepare(
    `select order_items.id, order_items.name, categories.name as category, quantity, price, discount
      from order_items left join categories on categories.id = order_items.category_id where order_id = ? order by order_items.id`,
  ),
)
