import { ofPrices } from '../../core/prices.ts'
import type { DescribedSheet } from '../../records/spreadsheet/described-sheet.ts'
import { type ProductRow, withOwnPrices } from './list.ts'
import { descriptionColumns } from './staff-sheet.ts'

/** What a dealer exports: with what their own company pays; its id is the data. */
export const sheet: DescribedSheet<ProductRow, number | null> = {
  module: 'modules/products/dealer-sheet',
  columns: [...descriptionColumns, { label: 'Your price', kind: 'money', ...ofPrices, value: ({ own_price }) => own_price ?? null }],
  rows:
    ({ db, t }, companyId) =>
    (ids) =>
      withOwnPrices(db, companyId, t, ids),
}
