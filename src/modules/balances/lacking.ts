import { type Database, prepareOnce } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'

interface LackingOrder {
  company_id: number
  /** After the last day on which it would have been paid in time; nothing where there is none. */
  days: number
  lacking: number
}

/** The orders of companies that lacked money on a day (YYYY-MM-DD). */
export function lackingOn(db: Database, companies: number[], day: string): LackingOrder[] {
  const lacking = day < today() ? lackedOn(db) : lackingNow(db)
  return lacking.all({ ids: JSON.stringify(companies), day })
}

const daysSince = (due: string) => `ifnull(cast(julianday(@day) - julianday(${due}, '+' || payment_days || ' days') as integer), 0) as days`

const ofCompanies = 'company_id in (select value from json_each(@ids))'

const lackingNow = prepareOnce((db) =>
  db.$client.prepare<
    Record<string, string>,
    LackingOrder
  >(`select order_balances.company_id, ${daysSince('due_since')}, charged - paid as lacking
    from order_balances join orders on orders.id = order_id join companies on companies.id = order_balances.company_id
    where order_balances.${ofCompanies} and charged > paid`),
)

/** An order that was due only later again, after it had been canceled, was due from its first charge on. */
const lackedOn = prepareOnce((db) =>
  db.$client.prepare<Record<string, string>, LackingOrder>(`select lacked.company_id, lacking,
      ${daysSince('iif(due_since <= @day, due_since, charged_on)')}
    from (
      select company_id, order_id, sum(missing) as lacking, min(charged_on) as charged_on from (
        select company_id, order_id, -amount as missing, iif(kind = 'charge', date, null) as charged_on from ledger_entries
        where ${ofCompanies} and date <= @day and order_id is not null and kind in ('charge', 'correction')
        union all select company_id, order_id, -amount, null from allocations
        where ${ofCompanies} and date <= @day and order_id is not null
      ) group by company_id, order_id having sum(missing) > 0
    ) as lacked
    left join orders on orders.id = order_id join companies on companies.id = lacked.company_id`),
)
