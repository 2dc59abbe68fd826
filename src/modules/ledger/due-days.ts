import { and, asc, eq, sql } from 'drizzle-orm'
import { companies, type Database, dueDay, isLacking, orderBalances, orders, prepareOnce } from '../../database/index.ts'

interface LackingOrder {
  company_id: number
  order_id: number
  due_day: string
}

interface Wanted {
  /** Due days (YYYY-MM-DD), both included. */
  from: string
  to: string
  after: Pick<LackingOrder, 'company_id' | 'order_id'>
  limit: number
}

/** The orders that lack money and whose due day is among these, by company and id, after a given one. */
export function findLackingOrders(db: Database, { after, ...wanted }: Wanted): LackingOrder[] {
  return lackingOrders(db).all({ ...wanted, company: after.company_id, order: after.order_id }) as LackingOrder[]
}

const lackingOrders = prepareOnce((db, params) => {
  const { company_id, order_id } = orderBalances
  return db
    .select({ company_id, order_id, due_day: dueDay })
    .from(orderBalances)
    .innerJoin(orders, eq(orders.id, order_id))
    .innerJoin(companies, eq(companies.id, company_id))
    .where(
      and(
        isLacking,
        sql`(${company_id}, ${order_id}) > (${params.company}, ${params.order})`,
        sql`${dueDay} between ${sql.placeholder('from')} and ${sql.placeholder('to')}`,
      ),
    )
    .orderBy(asc(company_id), asc(order_id))
    .limit(params.limit)
    .prepare()
})
