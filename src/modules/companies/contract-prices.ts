import { asc, eq } from 'drizzle-orm'
import { contractPrices, type Database } from '../../database/index.ts'
import { ValidationFailed } from '../../http/request/errors.ts'

export type ContractPrice = Omit<typeof contractPrices.$inferInsert, 'company_id'>

export function contractPricesOf(db: Database, companyId: number): ContractPrice[] {
  const { id, product_id, from, until, price } = contractPrices
  const rows = db.select({ id, product_id, from, until, price }).from(contractPrices)
  return rows.where(eq(contractPrices.company_id, companyId)).orderBy(asc(id)).all()
}

/**
 * Replaces the contract prices of a company; rows keep their ids. Call it inside `write`.
 * @throws ValidationFailed when two of them hold for one product on one day
 */
export function saveContractPrices(db: Database, companyId: number, rows: ContractPrice[]): [ContractPrice[], ContractPrice[]] {
  refuseOverlaps(rows)
  const before = contractPricesOf(db, companyId)
  db.delete(contractPrices).where(eq(contractPrices.company_id, companyId)).run()
  for (const { id, product_id, from, until, price } of rows)
    db.insert(contractPrices).values({ id, company_id: companyId, product_id, from, until, price }).run()
  return [before, contractPricesOf(db, companyId)]
}

function refuseOverlaps(rows: ContractPrice[]): void {
  const problems = rows.flatMap((row, at): [string, string][] => {
    if (row.until && row.until < row.from) return [[`contract_prices.${at}.until`, 'This day is before the first one.']]
    const other = rows.slice(0, at).find((earlier) => earlier.product_id === row.product_id && overlap(earlier, row))
    return other ? [[`contract_prices.${at}.from`, 'Another contract price of this product holds on these days.']] : []
  })
  if (problems.length > 0) throw new ValidationFailed(Object.fromEntries(problems))
}

function overlap(one: ContractPrice, other: ContractPrice): boolean {
  return one.from <= (other.until ?? '9999-12-31') && other.from <= (one.until ?? '9999-12-31')
}
