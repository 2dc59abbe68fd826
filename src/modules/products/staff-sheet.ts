import { unitNames } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { formatDecimal, formatRubles } from '../../i18n/format.ts'
import type { DescribedColumn, DescribedSheet } from '../../records/spreadsheet/described-sheet.ts'
import { basisNames, productForm } from './form.ts'
import { type ProductRow, withListPrices } from './list.ts'
import { pricesOf } from './product.ts'

export const descriptionColumns: readonly DescribedColumn<ProductRow>[] = [
  { label: 'ID', width: 10, value: ({ id }) => id },
  { label: 'Article', value: ({ article }) => article },
  { label: 'Product name', width: 40, value: ({ name }) => name },
  { label: 'Category', value: ({ category }) => category },
  { label: 'Unit', width: 10, value: ({ unit }, { t }) => t(unitNames[unit]) },
  { label: 'Price basis', value: ({ basis }, { t }) => t(basisNames[basis]) },
]

const plain = ['width_min', 'width_max', 'height_min', 'height_max', 'external_id', 'description'] as const

/** What can be imported again. */
export const sheet: DescribedSheet<ProductRow> = {
  module: 'modules/products/staff-sheet',
  columns: [
    ...descriptionColumns,
    { label: 'Minimum charged', width: 12, value: ({ minimum }) => (minimum === null ? null : formatDecimal(minimum)) },
    ...plain.map((name) => ({ label: productForm.fields[name].label, width: 14, value: (row: ProductRow) => row[name] })),
    { label: 'Price', kind: 'money', ...ofPrices, value: ({ price }) => price ?? null },
    {
      label: 'Prices',
      ...ofPrices,
      width: 40,
      value: ({ id }, { db }) =>
        pricesOf(db, id)
          .map(({ from, price }) => `${from}: ${formatRubles(price)}`)
          .join('; '),
    },
    { label: 'For sale', width: 10, value: ({ active }, { t }) => t(active ? 'Yes' : 'No') },
  ],
  rows:
    ({ db }) =>
    (ids) =>
      withListPrices(db, ids),
}
