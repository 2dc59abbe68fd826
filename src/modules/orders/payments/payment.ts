import { eq } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { payments } from '../../../database/index.ts'
import type { FindRecord } from '../../../http/request/app-types.ts'
import type { AttachmentSource } from '../../../records/attachments.ts'
import { findPayment, type Payment, paymentFileName } from '../../ledger/payment.ts'
import { orderAccess } from '../access.ts'
import { findOrder, type Order } from '../order.ts'

export type PaymentWithOrder = Order & { entered: Payment }

/** A payment with its order, whose access rules it shares. */
export const findPaymentWithOrder: FindRecord<PaymentWithOrder> = (db, id) => {
  const payment = findPayment(db, id)
  const order = payment && findOrder(db, payment.order_id)
  return order && { ...order, entered: payment }
}

export const paymentFiles: AttachmentSource = (db, key) => {
  const found = db.select().from(payments).where(eq(payments.file, key)).all()
  return found.map((payment) => ({
    record: { entity: 'payments', id: payment.id },
    name: paymentFileName(db, payment),
    mayRead: (actor) => allows(orderAccess.viewPayments, actor, findOrder(db, payment.order_id)),
  }))
}
