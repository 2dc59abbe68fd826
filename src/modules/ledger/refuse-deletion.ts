import { exists, type SQL, sql } from 'drizzle-orm'
import { seesPrices } from '../../core/prices.ts'
import { allocations, companies, ledgerEntries, orders, payments, type RecordTable, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { Refusal } from '../../records/list/deletion.ts'

/** Payments are evidence: an order that has any stays. */
export function refuseOrdersWithPayments(context: Context, ids: number[]): Refusal {
  const named = sql`select 1 from ${payments} where ${payments.order_id} = ${orders.id}`
  const allocated = sql`select 1 from ${allocations} where ${allocations.order_id} = ${orders.id}`
  const paid = sql`(${named} union all ${allocated})`
  return refuse(context, orders, ids, paid, 'Orders with payments cannot be deleted: {names}.')
}

/** The ledger only grows, and so its companies stay. */
export function refuseCompaniesWithEntries(context: Context, ids: number[]): Refusal {
  const booked = sql`${ledgerEntries} where ${ledgerEntries.company_id} = ${companies.id}`
  return refuse(context, companies, ids, booked, 'Companies with entries in their ledger cannot be deleted: {names}.')
}

function refuse({ server, actor }: Context, table: RecordTable, ids: number[], evidence: SQL, reason: string): Refusal {
  const condition = sql`${whereIn(table.id, ids)} and ${exists(sql`(select 1 from ${evidence})`)}`
  const rows = server.db.select({ id: table.id }).from(table).where(condition).orderBy(table.id).all()
  return { ids: rows.map(({ id }) => Number(id)), reason: seesPrices(actor) ? reason : 'These cannot be deleted: {names}.' }
}
