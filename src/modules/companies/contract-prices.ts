import { and, asc, eq, sql } from 'drizzle-orm'
import { searchWords } from '../../core/text.ts'
import { contractPrices, type Database, products, whereIn } from '../../database/index.ts'
import { matchingIds } from '../../database/search-index.ts'
import { choiceLimit, type FindChoices } from '../../web/form/choices.ts'
import type { Choice } from '../../web/form/fields.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import { parseId } from '../../web/http.ts'

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
  for (const [at, row] of rows.entries()) {
    if (row.until && row.until < row.from)
      throw new ValidationFailed({ [`contract_prices.${at}.until`]: 'This day is before the first one.' })
    const other = rows.slice(0, at).find((earlier) => earlier.product_id === row.product_id && overlap(earlier, row))
    if (other) throw new ValidationFailed({ [`contract_prices.${at}.from`]: 'Another contract price of this product holds on these days.' })
  }
}

function overlap(one: ContractPrice, other: ContractPrice): boolean {
  return one.from <= (other.until ?? '9999-12-31') && other.from <= (one.until ?? '9999-12-31')
}

const label = sql<string>`${products.article} || ' ' || ${products.name}`

export const findProductChoices: FindChoices = ({ server: { db } }, by) => {
  if ('id' in by) return productChoices(db, [by.id])
  const words = searchWords(by.query)
  const found = db.select({ id: products.id, name: label }).from(products)
  const wanted = words.length > 0 ? sql`${products.id} in (${matchingIds('products', words)})` : undefined
  return found
    .where(and(eq(products.active, true), wanted))
    .orderBy(asc(products.article_search))
    .limit(choiceLimit)
    .all()
}

function productChoices(db: Database, ids: number[]): Choice[] {
  return db.select({ id: products.id, name: label }).from(products).where(whereIn(products.id, ids)).all()
}

/** The products that rows of a form offer: those they have, those chosen in them, and what each was searched for. */
export function productChoicesOfRows(
  acting: Parameters<FindChoices>[0],
  body: URLSearchParams,
  repeater: string,
  present: readonly (number | null)[],
  find: FindChoices = findProductChoices,
): Choice[] {
  const chosen = [...body].filter(([name]) => name.startsWith(`${repeater}[`) && name.endsWith('[product_id]'))
  const searched = [...body].filter(([name, text]) => name.startsWith(`${repeater}[`) && name.endsWith('[product_id]_search') && text)
  const queries = [...new Set(['', ...searched.map(([, text]) => text.slice(0, 200))])]
  const known = productChoices(
    acting.server.db,
    present.flatMap((id) => id ?? []),
  )
  const picked = [...new Set(chosen.map(([, text]) => parseId(text) ?? 0))].flatMap((id) => (id ? find(acting, { id }) : []))
  const found = queries.flatMap((query) => find(acting, { query }))
  return [...new Map([...found, ...known, ...picked].map((choice) => [choice.id, choice])).values()]
}
