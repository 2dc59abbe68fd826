import { ofPrices } from '../../core/prices.ts'
import type { DescribedSheet } from '../../records/spreadsheet/described-sheet.ts'
import { figureNames } from './figures.ts'
import { figureLabels, rowsOn } from './list.ts'
import type { Period } from './period.ts'

type Row = ReturnType<typeof rowsOn>[number]

/** The period is the data. */
export const sheet: DescribedSheet<Row, Period> = {
  module: 'modules/balances/balances-sheet',
  columns: [
    { label: 'Company', width: 40, value: ({ company }) => company },
    ...figureNames.map((name) => ({ label: figureLabels[name], kind: 'money', ...ofPrices, value: (row: Row) => row[name] }) as const),
    { label: 'Credit limit', kind: 'money', ...ofPrices, value: ({ limit }) => limit },
    { label: 'Last payment', kind: 'date', value: ({ last_payment }) => last_payment },
  ],
  rows:
    ({ db }, period) =>
    (ids) =>
      rowsOn(db, ids, period),
}
