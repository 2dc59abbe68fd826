import { asc, eq } from 'drizzle-orm'
import { prepareOnce, products } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import { readCell } from '../../records/import/columns.ts'
import type { ImportPart } from '../../records/kind/registry.ts'
import { productForm } from './form.ts'

const basisOfUnit: Record<string, string> = { m2: 'area', m: 'length' }

export const productImports: ImportPart = {
  keys: ['external_id', 'article'],
  unique: 'article',
  groups: 'category_id',
  adds: { category_id: 'categories' },
  missing: {
    label: 'Products missing from this file',
    choices: ['Leave for sale', 'Switch off'],
    values: { active: false },
    ids: (db) =>
      idsForSale(db)
        .all()
        .map(({ id }) => id),
  },
  splits: {
    price: {
      label: 'Price from a day',
      synonyms: [
        'Price',
        'Цена',
        'Стоимость',
        'Цена за ед.',
        'Цена за единицу',
        'Цена с НДС',
        'Цена без НДС',
        'Price excl. VAT',
        'Price incl. VAT',
        'Прайс',
        'Цена по прайсу',
        'Розничная цена',
        'Цена розничная',
        'List price',
        'Unit price',
      ],
      fields: ['prices'],
      rivals: /(^|[^\p{L}])(цен[аыу]|стоимост|прайс|розни|опт|price|retail|wholesale)/iu,
      split: (cell, { prices_from }) => [`${prices_from ?? today()}: ${cell}`],
    },
  },
  complete: completeBasis,
}

const idsForSale = prepareOnce((db) =>
  db.select({ id: products.id }).from(products).where(eq(products.active, true)).orderBy(asc(products.id)).prepare(),
)

/** What a price is for follows from the unit, unless the sheet says it. */
function completeBasis(texts: Map<string, string>): void {
  const { unit } = productForm.fields
  const cell = texts.get('unit')
  if (texts.has('basis') || !cell) return
  try {
    const basis = basisOfUnit[String(readCell(unit, cell))]
    if (basis) texts.set('basis', basis)
  } catch {
    // The row is refused for its unit.
  }
}
