import { asc, eq } from 'drizzle-orm'
import { contractPrices, type Database } from '../../database/index.ts'

export type ContractPrice = Omit<typeof contractPrices.$inferInsert, 'company_id'>

export function contractPricesOf(db: Database, companyId: number): ContractPrice[] {
  const { id, product_id, from, until, price } = contractPrices
  const rows = db.select({ id, product_id, from, until, price }).from(contractPrices)
  return rows.where(eq(contractPrices.company_id, companyId)).orderBy(asc(id)).all()
}
