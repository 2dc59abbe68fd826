import { isDealer } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import type { ListState, Sum } from '../../records/list/list.ts'
import { turnoverOf } from './turnover.ts'

/** What the ledger of the company of these rows comes to in the period that is asked for; nothing where only some of its entries are. */
export function ledgerSums({ server, actor }: Context, state: ListState, [row]: { company_id: number }[]): Sum[] | undefined {
  const { company, from = '0000-01-01', until = '9999-12-31', ...others } = state.filters
  if (!row || state.q || Object.keys(others).length > 0) return undefined
  const [turnover] = turnoverOf(server.db, [row.company_id], { from, until })
  if (!turnover) return undefined
  const { opening, charges, payments, corrections } = turnover
  const closing = opening + charges + payments + corrections
  return [
    ...(state.filters.from ? [{ label: 'Opening balance', column: 'balance', kopecks: opening }] : []),
    { label: 'Charged', kopecks: charges },
    { label: 'Paid', kopecks: payments },
    ...(corrections ? [{ label: 'Corrections', kopecks: corrections }] : []),
    { label: 'Closing balance', column: 'balance', kopecks: closing, note: meaningOf(closing, isDealer(actor) ? ofYou : ofCompany) },
  ]
}

const meaningOf = (balance: number, { debtLabel, creditLabel }: typeof ofYou) =>
  balance < 0 ? debtLabel : balance > 0 ? creditLabel : undefined

const ofYou = { debtLabel: 'owed by you', creditLabel: 'in your favor' }
const ofCompany = { debtLabel: 'owed by the company', creditLabel: 'in favor of the company' }
