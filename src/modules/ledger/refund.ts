import { distribute } from '../../core/payments.ts'
import { type Author, createRecord, type Database, payments } from '../../database/index.ts'
import { allocate, allocationsTo, spend, takeBack } from './allocations.ts'
import { bookPayment } from './book.ts'
import { findPayment, nameOf, type Payment, paymentLabel } from './payment.ts'

type NewRefund = Pick<Payment, 'amount' | 'date' | 'kind' | 'order_id' | 'note'> &
  Partial<Pick<Payment, 'file' | 'statement_line' | 'corrects_id'>> & { company_id: number }

/**
 * Books money that was paid back to a company: of what the order that it names was paid with, then of the credit, the oldest payments
 * first; what goes beyond that the company owes. Call it inside `write`.
 * @throws BalanceTooLarge, ClosedDay
 */
export function bookRefund(db: Database, refund: NewRefund, author: Author): Payment {
  const by = { reporter_id: author.id, reporter_name: nameOf(author), decider_id: author.id, decider_name: nameOf(author) }
  const values = { ...refund, ...by, direction: 'refund', state: 'confirmed', decided_at: Date.now() } as const
  const id = createRecord(db, payments, values, paymentLabel(values), author)
  bookPayment(db, { ...refund, id, direction: 'refund' }, author)
  cover(db, { ...refund, id }, author)
  return findPayment(db, id) as Payment
}

function cover(db: Database, { id: refund_id, company_id, order_id, amount, date }: NewRefund & { id: number }, author: Author): void {
  const give = (payment_id: number, part: number) => allocate(db, { payment_id, company_id, refund_id, amount: part, date }, author)
  const paid = order_id === null ? [] : distribute(amount, allocationsTo(db, order_id))
  for (const part of paid) {
    takeBack(db, part, { date }, author)
    give(part.payment_id, part.amount)
  }
  spend(db, company_id, amount - paid.reduce((sum, part) => sum + part.amount, 0), give)
}
