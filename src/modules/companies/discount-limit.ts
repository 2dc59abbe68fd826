import { eq } from 'drizzle-orm'
import { type Actor, checkAccess, isDealer } from '../../core/access.ts'
import { addDays } from '../../core/days.ts'
import { discountOf, leastPrice } from '../../core/pricing.ts'
import { type Database, products, users, whereIn } from '../../database/index.ts'
import { type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { today } from '../../i18n/format.ts'
import { daysOfListPrices, listPricesFrom } from '../products/list-prices.ts'
import { type Company, type DiscountRow, discountsOf } from './company.ts'
import { type ContractPrice, contractPricesOf } from './contract-prices.ts'

/** How many percent somebody may take off a price; null for who may not give agreed discounts at all. */
export function discountLimit(db: Database, actor: Actor): number | null {
  if (isDealer(actor)) return null
  if (checkAccess(actor, 'company_can_edit_discount')) return 100
  return db.select({ limit: users.discount_limit }).from(users).where(eq(users.id, actor.id)).get()?.limit ?? null
}

/** What lowers the prices of a company. */
interface CompanyTerms {
  discount: number | null
  discounts: readonly DiscountRow[]
  contract_prices: readonly ContractPrice[]
}

/**
 * Discounts of a company are set by whoever may edit it; those to whom a limit is set give no more than that, and leave what others gave.
 * @throws ValidationFailed when terms make something cheaper than this person may
 */
export function requireTermsWithinLimit(
  db: Database,
  actor: Actor,
  { id, discount }: Company,
  changed: { [K in keyof CompanyTerms]?: CompanyTerms[K] },
): void {
  const limit = discountLimit(db, actor)
  if (limit === null || limit === 100) return
  const before: CompanyTerms = { discount, discounts: discountsOf(db, id), contract_prices: contractPricesOf(db, id) }
  const after: CompanyTerms = {
    discount: changed.discount === undefined ? discount : changed.discount,
    discounts: changed.discounts ?? before.discounts,
    contract_prices: changed.contract_prices ?? before.contract_prices,
  }
  const fields = [...excessiveDiscounts(before, after, limit), ...excessivePrices(db, before, after, limit)]
  if (fields.length === 0) return
  const problem: Problem = { message: 'You may give up to {limit}%.', params: { limit } }
  throw new ValidationFailed(Object.fromEntries(fields.map((field) => [field, problem])))
}

function excessiveDiscounts(before: CompanyTerms, after: CompanyTerms, limit: number): string[] {
  const exceeds = (category: number | null) => percentFor(after, category) > Math.max(limit, percentFor(before, category))
  const rows = after.discounts.flatMap(({ category_id }, at) => (exceeds(category_id) ? [`discounts.${at}.discount`] : []))
  const left = before.discounts.filter(({ category_id }) => !after.discounts.some((row) => row.category_id === category_id))
  return [
    ...(exceeds(null) ? ['discount'] : []),
    ...rows,
    // Without its own discount a category has the base discount.
    ...(!exceeds(null) && left.some(({ category_id }) => exceeds(category_id)) ? ['discounts'] : []),
  ]
}

const percentFor = ({ discount, discounts }: CompanyTerms, category: number | null) => discountOf(category, [...discounts], discount)

/** Prices change on the days on which those of a contract or of the list begin, and after the last ones of a contract. */
function excessivePrices(db: Database, before: CompanyTerms, after: CompanyTerms, limit: number): string[] {
  const contracts = [...before.contract_prices, ...after.contract_prices]
  const ids = contracts.map(({ product_id }) => product_id)
  const [categories, begins] = [categoriesOf(db, ids), daysOfListPrices(db, ids)]
  const fields = contracts.flatMap(({ product_id, from, until }) =>
    [from, until && addDays(until, 1), today(), ...(begins.get(product_id) ?? [])].flatMap((day) => {
      if (!day || day < today()) return []
      const list = listPricesFrom(db, [product_id], day).get(product_id)
      const priceIn = (terms: CompanyTerms) => priceOn(terms, product_id, day, list, categories.get(product_id) ?? null)
      const [was, now] = [priceIn(before), priceIn(after)]
      if (now.price >= was.price || now.at < 0 || list === undefined || now.price >= leastPrice(list, limit)) return []
      return [`contract_prices.${now.at}.price`]
    }),
  )
  return [...new Set(fields)]
}

/** What a product costs a company, by which of its contract prices, if any. */
function priceOn(
  { contract_prices, ...terms }: CompanyTerms,
  product: number,
  day: string,
  list: number | undefined,
  category: number | null,
) {
  const at = contract_prices.findIndex(({ product_id, from, until }) => product_id === product && from <= day && (!until || day <= until))
  const contract = contract_prices[at]?.price
  const percent = percentFor({ ...terms, contract_prices }, category)
  return { at, price: contract ?? (list === undefined ? Number.POSITIVE_INFINITY : leastPrice(list, percent)) }
}

/** The categories of products, which decide their discounts. */
function categoriesOf(db: Database, productIds: readonly number[]): Map<number, number | null> {
  const { id, category_id } = products
  const found = db
    .select({ id, category_id })
    .from(products)
    .where(whereIn(id, [...productIds]))
    .all()
  return new Map(found.map((product) => [product.id, product.category_id]))
}
