import { eq, getTableColumns } from 'drizzle-orm'
import { isCanceled } from '../../core/payments.ts'
import { companyBalances, type Database, orderBalances, orders, prepaidBy, prepareOnce, statuses } from '../../database/index.ts'

/** The company that the entries of an order belong to: that of its first, or the one it belongs to while there are none. */
export function companyOfEntries(db: Database, order_id: number): number | null {
  const order = findChargedOrder(db, order_id)
  return orderBalance(db, order_id)?.company_id ?? order?.owner_company_id ?? order?.company_id ?? null
}

/** What was charged and paid for an order; undefined before its first entry. */
export function orderBalance(db: Database, order_id: number) {
  return balanceOfOrder(db).get({ id: order_id })
}

/**
 * What an order lacks in kopecks: its cost, or nothing once it is canceled or gone, without what is allocated to it and with its
 * corrections; less than nothing where more is allocated.
 */
export function lackOf(db: Database, order_id: number): number {
  const order = findChargedOrder(db, order_id)
  const cost = !order || isCanceled(order) ? 0 : order.cost
  return cost - (orderBalance(db, order_id)?.paid ?? 0)
}

/** What decides about the charges of an order. */
export const findChargedOrder = (db: Database, id: number) => orderById(db).get({ id })

interface CompanyBalance {
  /** Less than nothing is owed. */
  balance: number
  /** What of its payments pays nothing. */
  credit: number
  /** What is paid of orders before they are charged. */
  prepaid: number
}

/** How a company stands, in kopecks. */
export function companyBalance(db: Database, company_id: number): CompanyBalance {
  return balanceOfCompany(db).get({ id: company_id }) ?? { balance: 0, credit: 0, prepaid: 0 }
}

const orderById = prepareOnce((db, params) => {
  const { cost, due_since, owner_company_id, company_id } = getTableColumns(orders)
  return db
    .select({ cost, due_since, owner_company_id, company_id, due: statuses.due })
    .from(orders)
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .where(eq(orders.id, params.id))
    .prepare()
})

const balanceOfOrder = prepareOnce((db, params) => db.select().from(orderBalances).where(eq(orderBalances.order_id, params.id)).prepare())

const balanceOfCompany = prepareOnce((db, params) =>
  db
    .select({ ...getTableColumns(companyBalances), prepaid: prepaidBy(params.id) })
    .from(companyBalances)
    .where(eq(companyBalances.company_id, params.id))
    .prepare(),
)
