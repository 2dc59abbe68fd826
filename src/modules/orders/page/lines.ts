import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { lineCost } from '../../../core/order-cost.ts'
import { categories, orderItems, prepareOnce } from '../../../database/index.ts'
import type { Order } from '../order.ts'

export function presentLines({ db }: FastifyInstance, order: Order) {
  const lines = linesOf(db)
    .all({ order: order.id })
    .map((line) => ({ ...line, sum: lineCost(line) }))
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
  return {
    lines,
    subtotal,
    discount: subtotal - order.cost,
    total: order.cost,
    pieces: lines.reduce((sum, line) => sum + line.quantity, 0),
  }
}

const linesOf = prepareOnce((db, given) => {
  const { id, name, quantity, price, discount } = orderItems
  const lines = db.select({ id, name, category: categories.name, quantity, price, discount }).from(orderItems)
  const named = lines.leftJoin(categories, eq(categories.id, orderItems.category_id))
  return named.where(eq(orderItems.order_id, given.order)).orderBy(id).prepare()
})
