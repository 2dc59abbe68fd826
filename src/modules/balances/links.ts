import { addDays } from '../../core/days.ts'
import type { FigureName } from './figures.ts'
import type { Period } from './period.ts'

interface Company {
  company: number
  payment_days: number | null
}

/** Where the entries of each figure are, of a company or of all. Of those past their days it depends on the company when they were charged. */
export function addressesOf({ from, until }: Period, company?: Company): Partial<Record<FigureName, string>> {
  const entries = (of: Record<string, string>) =>
    `/ledger?${new URLSearchParams({ ...(company && { company: String(company.company) }), ...of })}`
  const charged = (youngest: number, oldest?: number) => {
    const due = (days: number) => addDays(until, -days - (company?.payment_days ?? 0))
    return company && entries({ kind: 'charges', ...(oldest && { from: due(oldest) }), until: due(youngest) })
  }
  return {
    opening: entries({ until: addDays(from, -1) }),
    charges: entries({ kind: 'charges', from, until }),
    payments: entries({ kind: 'payments', from, until }),
    corrections: entries({ kind: 'correction', from, until }),
    closing: entries({ until }),
    owed: entries({ kind: 'charges', until }),
    overdue: charged(1),
    age_30: charged(1, 30),
    age_60: charged(31, 60),
    age_90: charged(61, 90),
    age_over: charged(91),
  }
}
