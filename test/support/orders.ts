import { and, desc, eq } from 'drizzle-orm'
import { defaultStatuses } from '../../src/core/default-workflow.ts'
import type { Database } from '../../src/database/open.ts'
import {
  categories,
  categoryCompany,
  companies,
  orderHistory,
  orderItems,
  orders,
  statusTransitions,
} from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Cabinet, type Fields, startCabinet } from './cabinet.ts'
import { errorsOf, textsByRole } from './html.ts'

type OrderValues = Partial<typeof orders.$inferInsert>

export const orderOf = (db: Database, id: number) => db.select().from(orders).where(eq(orders.id, id)).get() as typeof orders.$inferSelect

export const linesOf = (db: Database, id: number) =>
  db.select().from(orderItems).where(eq(orderItems.order_id, id)).orderBy(orderItems.id).all()

export const allOrders = (db: Database) => db.select().from(orders).orderBy(orders.id).all()

/** Everything that a refused order form must leave unchanged. */
export const snapshotOrders = (db: Database) =>
  JSON.stringify([allOrders(db), db.select().from(orderItems).all(), db.select().from(companies).all()])

/** The fields of one line in an order form. */
export const line = (
  index: number,
  category: number | string,
  name: string,
  quantity: number | string,
  price: number | string,
  id?: number,
) => ({
  ...(id && { [`items[${index}][id]`]: id }),
  [`items[${index}][category_id]`]: category,
  [`items[${index}][name]`]: name,
  [`items[${index}][quantity]`]: quantity,
  [`items[${index}][price]`]: price,
})

/** Alpha gets 10 % off, 15 % off windows; there are doors too. Pavel's site makes what Alpha orders. */
export async function startWithDiscounts(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, cast } = cabinet
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const alpha = cast.companies.alpha
  db.update(companies).set({ discount: 10, manufacture_id: cast.site }).where(eq(companies.id, alpha)).run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 15 }).run()
  return { ...cabinet, doors, windows: cast.category, alpha, address: `/orders/edit/${cast.order}` }
}

export const newOrderId = (answer: Answer) => Number(/\/orders\/(\d+)/.exec(String(answer.headers.location))?.[1])

export async function placeOrder(browser: Browser, fields: Fields = {}): Promise<number> {
  const answer = await browser.post('/orders/add', { without_lines: 1, ...fields })
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode} ${JSON.stringify(errorsOf(answer))} ${textsByRole(answer, 'alert')}`)
  return newOrderId(answer)
}

/** The id of a default status. */
export const statusId = (key: string) => defaultStatuses.find(({ status_key }) => status_key === key)?.id as number

export function transitionBetween({ db }: Cabinet, from: string, to: string) {
  const between = and(eq(statusTransitions.parent_status_id, statusId(from)), eq(statusTransitions.child_status_id, statusId(to)))
  return db.select().from(statusTransitions).where(between).get() as typeof statusTransitions.$inferSelect
}

export const requestTransition = (browser: Browser, order: number, transition_id: number | string, fields: Fields = {}, headers = {}) =>
  browser.post(`/orders/edit/${order}/transition`, { transition_id, ...fields }, headers)

export const historyOf = ({ db }: Pick<Cabinet, 'db'>, order: number) =>
  db.select().from(orderHistory).where(eq(orderHistory.order_id, order)).orderBy(desc(orderHistory.id)).all()

/** Sets status and values of the order of the cast, past all rules. */
export function setOrder({ db, cast }: Cabinet, status: string, values: OrderValues = {}): number {
  db.update(orders)
    .set({ status_id: statusId(status), ...values })
    .where(eq(orders.id, cast.order))
    .run()
  return cast.order
}

export function insertOrder({ db }: Pick<Cabinet, 'db'>, status: string, values: OrderValues = {}): number {
  return Number(
    db
      .insert(orders)
      .values({ status_id: statusId(status), ...values })
      .run().lastInsertRowid,
  )
}
