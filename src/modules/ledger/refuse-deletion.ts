import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { seesPrices } from '../../core/prices.ts'
import { ledgerEntries, payments, whereIn } from '../../database/index.ts'
import { findLabels } from '../../database/references.ts'
import type { Acting } from '../../web/acting.ts'
import { HttpError } from '../../web/http.ts'

/** Payments are evidence: an order that has any stays. */
export function refuseOrdersWithPayments(acting: Acting, ids: number[]): HttpError | undefined {
  return refuseNaming(acting, 'orders', payments.order_id, ids, 'Orders with payments cannot be deleted: {names}.')
}

/** The ledger only grows, and so its companies stay. */
export function refuseCompaniesWithEntries(acting: Acting, ids: number[]): HttpError | undefined {
  return refuseNaming(
    acting,
    'companies',
    ledgerEntries.company_id,
    ids,
    'Companies with entries in their ledger cannot be deleted: {names}.',
  )
}

const shownNames = 5

function refuseNaming({ server, actor, language }: Acting, table: string, column: SQLiteColumn, ids: number[], reason: string) {
  const rows = server.db.selectDistinct({ id: column }).from(column.table).where(whereIn(column, ids)).limit(shownNames).all()
  if (rows.length === 0) return undefined
  const labels = findLabels(
    server.db,
    table,
    rows.map(({ id }) => Number(id)),
  )
  const names = [...labels.values()].map((label) => recordLabelFor(language, table, label)).join(', ')
  return new HttpError(422, seesPrices(actor) ? reason : 'These cannot be deleted: {names}.', { names })
}
