import { type Database, prepareOnce } from '../../database/index.ts'

/** In kopecks, below zero what adds to the debt of a company. */
export interface Turnover {
  company_id: number
  opening: number
  charges: number
  payments: number
  corrections: number
}

/** What the entries of companies came to before a period (days, both included), and in it; without those that have none until its end. */
export function turnoverOf(db: Database, companies: number[], { from, until }: { from: string; until: string }): Turnover[] {
  const [first, last] = [from.slice(0, 7), until.slice(0, 7)]
  return turnovers(db).all({
    ids: JSON.stringify(companies),
    from,
    until,
    first,
    last,
    ofFirst: until < `${first}-31` ? until : `${first}-31`,
  })
}

/** Whole months by their tallies, the first and the last one by their entries. */
const turnovers = prepareOnce((db) => {
  const entries = `select company_id, date < @from as earlier, iif(kind = 'charge', amount, 0) as charges,
    iif(kind in ('payment', 'refund'), amount, 0) as payments, iif(kind = 'correction', amount, 0) as corrections
    from ledger_entries where company_id in (select value from json_each(@ids))`
  return db.$client.prepare<Record<string, string>, Turnover>(`select company_id,
      sum(iif(earlier, charges + payments + corrections, 0)) as opening, sum(iif(earlier, 0, charges)) as charges,
      sum(iif(earlier, 0, payments)) as payments, sum(iif(earlier, 0, corrections)) as corrections
    from (
      select company_id, month < @first as earlier, charges, payments, corrections from ledger_tallies
      where company_id in (select value from json_each(@ids)) and month < @last and month <> @first
      union all ${entries} and date between @first and @ofFirst
      union all ${entries} and @last > @first and date between @last and @until
    ) group by company_id`)
})
