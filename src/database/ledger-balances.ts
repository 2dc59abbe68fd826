import type Sqlite from 'better-sqlite3'
import { companySums, orderSums, paymentSums } from './kept/balances.ts'

const monthSums = `select company_id, substr(date, 1, 7), sum(iif(kind = 'charge', amount, 0)), sum(iif(kind in ('payment', 'refund'), amount, 0)),
  sum(iif(kind = 'correction', amount, 0)) from ledger_entries group by 1, 2`

const sums: [stored: string, counted: string][] = [
  ['select company_id as key, balance, credit from company_balances', companySums],
  [
    'select id as key, balance from companies where balance <> 0',
    'select company_id, sum(amount) from ledger_entries group by 1 having sum(amount) <> 0',
  ],
  ['select company_id as key, month, charges, payments, corrections from ledger_tallies', monthSums],
  ['select order_id as key, company_id, charged, paid from order_balances', orderSums],
  ['select id as key, allocated from payments', paymentSums],
]

/**
 * How many companies, their months, orders and payments have other sums than those of their entries and allocations, or entries of more than
 * one company.
 */
export function wrongBalances(client: Sqlite.Database): number {
  return sums.reduce((wrong, [stored, counted]) => wrong + differences(client, stored, counted), 0)
}

function differences(client: Sqlite.Database, stored: string, counted: string): number {
  const sql = `select count(distinct key) from
    (select * from (${stored} except ${counted}) union all select * from (${counted} except ${stored}))`
  return Number(client.prepare(sql).pluck().get())
}
