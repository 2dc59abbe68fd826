import { type Database, prepareOnce } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import { turnoverOf } from '../ledger/turnover.ts'
import type { Period } from './period.ts'

const turnoverNames = ['opening', 'charges', 'payments', 'corrections', 'closing'] as const
const lackingNames = ['owed', 'overdue', 'age_30', 'age_60', 'age_90', 'age_over'] as const

export const figureNames = [...turnoverNames, ...lackingNames] as const
export type FigureName = (typeof figureNames)[number]

/** In kopecks. Those of the first five add to the balance of a company as entries do: below zero is owed. */
export type Figures = Record<FigureName, number>

export const noFigures = Object.fromEntries(figureNames.map((name) => [name, 0])) as Figures

/** What companies owed at first, what a period added, and what their orders lacked on its last day; without those that have no entries until then. */
export function figuresOf(db: Database, companies: number[], period: Period): Map<number, Figures> {
  const figures = new Map<number, Figures>()
  for (const { company_id, ...turnover } of turnoverOf(db, companies, period)) {
    const { opening, charges, payments, corrections } = turnover
    figures.set(company_id, { ...noFigures, ...turnover, closing: opening + charges + payments + corrections })
  }
  for (const { company_id, days, lacking } of lackingOn(db, companies, period.until)) {
    const own = figures.get(company_id) ?? { ...noFigures }
    own.owed += lacking
    if (days > 0) {
      own.overdue += lacking
      own[ageOf(days)] += lacking
    }
    figures.set(company_id, own)
  }
  return figures
}

function ageOf(days: number): FigureName {
  if (days <= 30) return 'age_30'
  if (days <= 60) return 'age_60'
  return days <= 90 ? 'age_90' : 'age_over'
}

interface LackingOrder {
  company_id: number
  /** After the last day on which it would have been paid in time; nothing where there is none. */
  days: number
  lacking: number
}

/** The orders of companies that lacked money on a day (YYYY-MM-DD). */
function lackingOn(db: Database, companies: number[], day: string): LackingOrder[] {
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
