import type { UnitPrice } from '../../core/pricing.ts'
import { cachedUntilWrite, categories, type Database, prepareOnce } from '../../database/index.ts'
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
  const category = categoryName(db, category_id) ?? '—'
  return t('list {price}, category {category} {discount}%', { ...values, category })
}

/** The same as labels and values. */
export function partsOfOrigin(
  t: Translate,
  db: Database,
  { price, discount, origin }: UnitPrice,
  { category_id, per }: { category_id: number | null; per: string | undefined },
): { label: string; value: string }[] {
  const value = [t.money(price), per].filter(Boolean).join(' ')
  if (origin === 'contract') return [{ label: t('Contract price'), value }]
  const category = origin === 'category' ? (categoryName(db, category_id) ?? '—') : ''
  const names = { agreed: t('Agreed discount'), base: t('Base discount'), list: '', category: t('Discount on "{category}"', { category }) }
  const taken = discount ? [{ label: names[origin], value: t('−{percent}%', { percent: discount }) }] : []
  return [{ label: t('Price in the list'), value }, ...taken]
}

export function categoryName(db: Database, id: number | null): string | undefined {
  const names = cachedUntilWrite(db, 'names of categories', () => new Map(allNames(db).values() as [number, string][]))
  return names.get(id ?? 0)
}

const allNames = prepareOnce((db) => db.select({ id: categories.id, name: categories.name }).from(categories).prepare())
