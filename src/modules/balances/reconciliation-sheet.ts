import { ofPrices } from '../../core/prices.ts'
import type { DescribedSheet } from '../../records/spreadsheet/described-sheet.ts'
import { type Act, actEntries, actFigures, creditOf, debitOf } from './act.ts'

interface Row {
  id: number
  date: string
  document: string
  number: number | null
  note: string | null
  amount: number | null
  balance: number
}

/** Stand for the balances before the first entry and after the last one. */
export const [openingRow, closingRow] = [0, -1]

/** Whose act it is, and of which days, is the data. Its rows are asked for in their order. */
export const sheet: DescribedSheet<Row, Act> = {
  module: 'modules/balances/reconciliation-sheet',
  columns: [
    { label: 'Date', kind: 'date', value: ({ date }) => date },
    { label: 'Document', width: 28, value: ({ document }, { t }) => t(document) },
    { label: 'Number', width: 14, value: ({ number }) => number },
    { label: 'Debit', kind: 'money', ...ofPrices, value: ({ amount }) => amount && debitOf(amount) },
    { label: 'Credit', kind: 'money', ...ofPrices, value: ({ amount }) => amount && creditOf(amount) },
    { label: 'Balance', kind: 'money', ...ofPrices, value: ({ balance }) => balance },
    { label: 'Note', width: 40, value: ({ note }) => note },
  ],
  rows({ db }, act) {
    const { opening, closing } = actFigures(db, act)
    const ends = { number: null, note: null, amount: null }
    const first: Row = { ...ends, id: openingRow, date: act.from, document: 'Opening balance', balance: opening }
    const last: Row = { ...ends, id: closingRow, date: act.until, document: 'Closing balance', balance: closing }
    let balance = opening
    return (ids) => {
      const entries = actEntries(db, ids).map((entry) => {
        balance += entry.amount
        return { ...entry, balance }
      })
      return [first, ...entries, last]
    }
  },
}
