import { type Statement, trigger } from './statement.ts'

const columns = 'company_id, month, charges, payments, corrections'

const month = (date: string) => `substr(${date}, 1, 7)`

const sumOf = (kinds: string) => `sum(iif(kind IN (${kinds}), amount, 0))`

const ofEntry = (kinds: string) => `iif(new.kind IN (${kinds}), new.amount, 0)`

const [charges, payments, corrections] = [`'charge'`, `'payment', 'refund'`, `'correction'`] as const

const add = `INSERT INTO ledger_tallies (${columns})
    VALUES (new.company_id, ${month('new.date')}, ${ofEntry(charges)}, ${ofEntry(payments)}, ${ofEntry(corrections)})
    ON CONFLICT DO UPDATE SET charges = charges + excluded.charges, payments = payments + excluded.payments,
    corrections = corrections + excluded.corrections`

/** What the entries of a month add to the balance of a company. */
export const ledgerTallies: Statement[] = [
  'DELETE FROM ledger_tallies',
  `INSERT INTO ledger_tallies (${columns})
    SELECT company_id, ${month('date')}, ${sumOf(charges)}, ${sumOf(payments)}, ${sumOf(corrections)} FROM ledger_entries GROUP BY 1, 2`,
  trigger('ledger_entries_tallies', 'AFTER INSERT ON ledger_entries', add),
]
