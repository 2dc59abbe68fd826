import { documentKindLabels, documentStateLabels } from '../../../core/labels.ts'
import { ofPrices } from '../../../core/prices.ts'
import { companies, documents, orders } from '../../../database/index.ts'
import { choice, date, money, number, option, text, upload } from '../../../records/fields/index.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'

/** What the history tells of documents. */
export const documentRecords: Subordinate = {
  ...ofPrices,
  table: documents,
  title: 'Documents',
  fields: {
    kind: option('Document', documentKindLabels),
    number: text('Number'),
    date: date('Date'),
    order_id: choice('Order'),
    company_id: choice('Company'),
    amount: money('Amount', {}),
    state: option('State', documentStateLabels),
    file: upload('File'),
    replaced_by_id: number('Replaced by', { least: 1, most: Number.MAX_SAFE_INTEGER }),
  },
  owners: [
    { table: orders, column: documents.order_id },
    { table: companies, column: documents.company_id },
  ],
}
