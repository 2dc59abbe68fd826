import { type Statement, trigger } from './statement.ts'

const refuse = `SELECT RAISE(ABORT, 'the ledger is append-only')`

const ofCompany = `INSERT INTO company_balances (company_id, balance) VALUES (new.company_id, new.amount)
    ON CONFLICT DO UPDATE SET balance = balance + new.amount`

const ofOrder = `INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT new.order_id, new.company_id, iif(new.kind = 'charge', -new.amount, 0), iif(new.kind = 'charge', 0, new.amount)
    WHERE new.order_id IS NOT NULL
    ON CONFLICT DO UPDATE SET charged = charged + excluded.charged, paid = paid + excluded.paid`

/** The ledger is written once. What companies owe, and what was charged and paid for an order, are sums of it. */
export const balances: Statement[] = [
  trigger('ledger_entries_update', 'BEFORE UPDATE ON ledger_entries', refuse),
  trigger('ledger_entries_delete', 'BEFORE DELETE ON ledger_entries', refuse),
  'DELETE FROM company_balances',
  'INSERT INTO company_balances (company_id, balance) SELECT company_id, sum(amount) FROM ledger_entries GROUP BY company_id',
  'DELETE FROM order_balances',
  `INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT order_id, company_id, -sum(iif(kind = 'charge', amount, 0)), sum(iif(kind = 'charge', 0, amount))
    FROM ledger_entries WHERE order_id IS NOT NULL GROUP BY order_id`,
  trigger('ledger_entries_balances', 'AFTER INSERT ON ledger_entries', ofCompany, ofOrder),
]
