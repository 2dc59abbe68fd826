import { entryLabels } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { companies, ledgerEntries } from '../../database/index.ts'
import { choice, date, money, option, text } from '../../records/fields/index.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'

/** What the history tells of the ledger. */
export const entryRecords: Subordinate = {
  ...ofPrices,
  table: ledgerEntries,
  title: 'Ledger entries',
  fields: {
    company_id: choice('Company'),
    kind: option('Entry', { ...entryLabels, charge: 'Charge or reversal' }),
    amount: money('Amount', {}),
    order_id: choice('Order'),
    date: date('Date'),
    note: text('Note'),
  },
  owners: [{ table: companies, column: ledgerEntries.company_id }],
}
