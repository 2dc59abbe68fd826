import { eq } from 'drizzle-orm'
import type { UnitPrice } from '../../core/pricing.ts'
import { categories, type Database, prepareOnce } from '../../database/index.ts'
import type { Translate } from '../../i18n/translate.ts'

/** Where a price comes from, such as "list 12 400,00 ₽, category Doors 18 %". */
export function describeOrigin(
  t: Translate,
  db: Database,
  { price, discount, origin }: UnitPrice,
  { category_id }: { category_id: number | null },
): string {
  const values = { price: t.money(price), discount }
  if (origin === 'contract') return t('contract price {price}', values)
  if (origin === 'agreed') return t('{price}, agreed discount {discount}%', values)
  if (origin === 'base') return t('list {price}, base discount {discount}%', values)
  if (origin === 'list') return t('list {price}', values)
  const category = categoryName(db).get({ id: category_id ?? 0 })?.name ?? '—'
  return t('list {price}, category {category} {discount}%', { ...values, category })
}

const categoryName = prepareOnce((db, params) =>
  db.select({ name: categories.name }).from(categories).where(eq(categories.id, params.id)).prepare(),
)
