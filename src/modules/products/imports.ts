import { today } from '../../i18n/format.ts'
import { kindOf } from '../../records/fields/index.ts'
import type { ImportPart } from '../../records/kind/registry.ts'
import { productForm } from './form.ts'

const basisOfUnit: Record<string, string> = { m2: 'area', m: 'length' }

export const productImports: ImportPart = {
  keys: ['external_id', 'article'],
  unique: 'article',
  groups: 'category_id',
  adds: { category_id: 'categories' },
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
        'Розничная цена',
        'Цена розничная',
        'List price',
        'Unit price',
      ],
      fields: ['prices'],
      split: (cell, { prices_from }) => [`${prices_from ?? today()}: ${cell}`],
    },
  },
  complete: completeBasis,
}

/** What a price is for follows from the unit, unless the sheet says it. */
function completeBasis(texts: Map<string, string>): void {
  const { unit } = productForm.fields
  const cell = texts.get('unit')
  if (texts.has('basis') || !cell) return
  try {
    const basis = basisOfUnit[String(kindOf(unit).cell?.typed(cell, unit, () => ({ id: 0, name: '' })))]
    if (basis) texts.set('basis', basis)
  } catch {
    // The row is refused for its unit.
  }
}
