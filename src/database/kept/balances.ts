import { type Statement, trigger } from './statement.ts'

const refuse = (what: string) => `SELECT RAISE(ABORT, '${what} append-only')`

const ofCompany = `INSERT INTO company_balances (company_id, balance, credit)
    VALUES (new.company_id, new.amount, iif(new.kind = 'payment', new.amount, 0))
    ON CONFLICT DO UPDATE SET balance = balance + excluded.balance, credit = credit + excluded.credit`

const ofCompanyItself = 'UPDATE companies SET balance = balance + new.amount WHERE id = new.company_id'

const balanceOf = 'ifnull((SELECT balance FROM company_balances WHERE company_id = companies.id), 0)'

const ofOrder = `INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT new.order_id, new.company_id, iif(new.kind = 'charge', -new.amount, 0), iif(new.kind = 'correction', new.amount, 0)
    WHERE new.order_id IS NOT NULL
    ON CONFLICT DO UPDATE SET charged = charged + excluded.charged, paid = paid + excluded.paid`

const ofAllocatedOrder = `INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT new.order_id, new.company_id, 0, new.amount WHERE new.order_id IS NOT NULL
    ON CONFLICT DO UPDATE SET paid = paid + excluded.paid`

const allocatedOf = '(SELECT ifnull(sum(amount), 0) FROM allocations WHERE payment_id = payments.id)'

/** The sums that are kept, by company and by order, as queries that count them anew. */
export const companySums = `SELECT company_id, sum(amount), sum(free) FROM (
    SELECT company_id, amount, iif(kind = 'payment', amount, 0) AS free FROM ledger_entries
    UNION ALL SELECT company_id, 0, -amount FROM allocations) GROUP BY company_id`

export const orderSums = `SELECT order_id, company_id, sum(charged) AS charged, sum(paid) AS paid FROM (
    SELECT order_id, company_id, iif(kind = 'charge', -amount, 0) AS charged, iif(kind = 'correction', amount, 0) AS paid
    FROM ledger_entries WHERE order_id IS NOT NULL
    UNION ALL SELECT order_id, company_id, 0, amount FROM allocations WHERE order_id IS NOT NULL) GROUP BY order_id, company_id`

export const paymentSums = `SELECT id, ${allocatedOf} FROM payments`

/**
 * Ledger and allocations are written once. What companies owe, their credit, what was charged and paid for an order, and what of a payment
 * is allocated, are sums of them.
 */
export const balances: Statement[] = [
  trigger('ledger_entries_update', 'BEFORE UPDATE ON ledger_entries', refuse('the ledger is')),
  trigger('ledger_entries_delete', 'BEFORE DELETE ON ledger_entries', refuse('the ledger is')),
  trigger('allocations_update', 'BEFORE UPDATE ON allocations', refuse('allocations are')),
  trigger('allocations_delete', 'BEFORE DELETE ON allocations', refuse('allocations are')),
  'DELETE FROM company_balances',
  `INSERT INTO company_balances (company_id, balance, credit) ${companySums}`,
  `UPDATE companies SET balance = ${balanceOf} WHERE balance <> ${balanceOf}`,
  'DELETE FROM order_balances',
  `INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT order_id, min(company_id), sum(charged), sum(paid) FROM (${orderSums}) GROUP BY order_id`,
  `UPDATE payments SET allocated = ${allocatedOf} WHERE allocated <> ${allocatedOf}`,
  // A payment that nobody has decided about goes where its order goes.
  trigger(
    'orders_owner_payments',
    'AFTER UPDATE OF owner_company_id ON orders WHEN old.owner_company_id IS NOT new.owner_company_id',
    `UPDATE payments SET company_id = new.owner_company_id WHERE order_id = new.id AND state = 'reported'`,
  ),
  trigger('ledger_entries_balances', 'AFTER INSERT ON ledger_entries', ofCompany, ofCompanyItself, ofOrder),
  trigger(
    'allocations_balances',
    'AFTER INSERT ON allocations',
    `INSERT INTO company_balances (company_id, balance, credit) VALUES (new.company_id, 0, -new.amount)
    ON CONFLICT DO UPDATE SET credit = credit + excluded.credit`,
    ofAllocatedOrder,
    'UPDATE payments SET allocated = allocated + new.amount WHERE id = new.payment_id',
  ),
]
