import { and, exists, type SQL, sql } from 'drizzle-orm'
import { seesPrices } from '../../core/prices.ts'
import { allocations, companies, ledgerEntries, orders, payments, prepareOnce, type RecordTable, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { Refusal } from '../../records/list/deletion.ts'

const named = sql`select 1 from ${payments} where ${payments.order_id} = ${orders.id}`
const allocated = sql`select 1 from ${allocations} where ${allocations.order_id} = ${orders.id}`

/** Payments are evidence: an order that has any stays. */
export const refuseOrdersWithPayments = refuse(
  orders,
  sql`(${named} union all ${allocated})`,
  'Orders with payments cannot be deleted: {names}.',
)

/** The ledger only grows, and so its companies stay. */
export const refuseCompaniesWithEntries = refuse(
  companies,
  sql`${ledgerEntries} where ${ledgerEntries.company_id} = ${companies.id}`,
  'Companies with entries in their ledger cannot be deleted: {names}.',
)

function refuse(table: RecordTable, evidence: SQL, reason: string) {
  const kept = prepareOnce((db, { ids }) => {
    const condition = and(whereIn(table.id, ids), exists(sql`(select 1 from ${evidence})`))
    return db.select({ id: table.id }).from(table).where(condition).orderBy(table.id).prepare()
  })
  return ({ server, actor }: Context, ids: number[]): Refusal => {
    const rows = kept(server.db).all({ ids: JSON.stringify(ids) })
    return { ids: rows.map(({ id }) => Number(id)), reason: seesPrices(actor) ? reason : 'These cannot be deleted: {names}.' }
  }
}
