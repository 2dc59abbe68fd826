import type Sqlite from 'better-sqlite3'

const companies = `select company_id, balance from company_balances`
const summed = `select company_id, sum(amount) from ledger_entries group by company_id`

const orders = `select order_id, company_id, charged, paid from order_balances`
const ofEntries = `select order_id, company_id, -sum(iif(kind = 'charge', amount, 0)), sum(iif(kind = 'charge', 0, amount))
  from ledger_entries where order_id is not null group by order_id, company_id`

const tallies = `select company_id, month, charges, payments, corrections from ledger_tallies`
const counted = `select company_id, substr(date, 1, 7), sum(iif(kind = 'charge', amount, 0)), sum(iif(kind in ('payment', 'refund'), amount, 0)),
  sum(iif(kind = 'correction', amount, 0)) from ledger_entries group by 1, 2`

/** How many companies and orders have another balance, or months of another, than the sums of their entries, or entries of more than one company. */
export function wrongBalances(client: Sqlite.Database): number {
  return differences(client, companies, summed) + differences(client, tallies, counted) + differences(client, orders, ofEntries)
}

function differences(client: Sqlite.Database, stored: string, counted: string): number {
  const key = /select (\w+)/.exec(stored)?.[1]
  const sql = `select count(distinct ${key}) from
    (select * from (${stored} except ${counted}) union all select * from (${counted} except ${stored}))`
  return Number(client.prepare(sql).pluck().get())
}
