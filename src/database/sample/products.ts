import { asc, isNotNull } from 'drizzle-orm'
import type { PriceBasis, Unit } from '../../core/pricing.ts'
import type { Database } from '../open.ts'
import { companies, contractPrices, productPrices, products, settings } from '../schema/index.ts'
import { dateOf, daysAgo, now, readTable, timestamps } from './content.ts'
import type { References } from './references.ts'

const sides = ['minimum', 'width_min', 'width_max', 'height_min', 'height_max'] as const

type ProductRow = { article: string; category: string; name: string; unit: Unit; basis: PriceBasis; price: string } & Record<
  (typeof sides)[number],
  string | null
>

/** Products with a price and that of next month, on which two companies have agreed otherwise. */
export function addProducts(db: Database, { categories }: References): void {
  db.update(settings).set({ catalog: true, vat: '22' }).run()
  const next = nextMonth()
  for (const { category, price, ...row } of readTable<ProductRow>('products')) {
    const sizes = Object.fromEntries(sides.map((side) => [side, row[side] === null ? null : Number(row[side])]))
    const values = { ...row, ...sizes, category_id: categories.get(category), ...timestamps(daysAgo(540)) }
    const product_id = Number(
      db
        .insert(products)
        .values(values as typeof products.$inferInsert)
        .run().lastInsertRowid,
    )
    db.insert(productPrices)
      .values([
        { product_id, from: dateOf(daysAgo(540)), price: Number(price) },
        { product_id, from: next, price: Math.round(Number(price) / 1000) * 1050 },
      ])
      .run()
  }
}

function nextMonth(): string {
  const date = new Date(now)
  return dateOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
}

/** Every sixth product at a tenth less, for the first two companies with a discount. */
export function addContractPrices(db: Database): void {
  const buyers = db.select().from(companies).where(isNotNull(companies.discount)).orderBy(asc(companies.id)).limit(2).all()
  const listed = db.select().from(productPrices).orderBy(asc(productPrices.id)).all()
  const chosen = listed.filter((_, at) => at % 12 === 0)
  const rows = buyers.flatMap(({ id }) =>
    chosen.map(({ product_id, from, price }) => ({ company_id: id, product_id, from, price: Math.round((price * 9) / 10) })),
  )
  db.insert(contractPrices).values(rows).run()
}
