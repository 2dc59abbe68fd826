import { extname } from 'node:path'
import { allows } from '../../../core/access.ts'
import { paymentKindLabels, paymentStateLabels } from '../../../core/labels.ts'
import { seesPrices } from '../../../core/prices.ts'
import type { Database } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { previewKind } from '../../../web/uploads/file-type.ts'
import { uploadedName } from '../../../web/uploads/uploaded.ts'
import { orderBalance } from '../../ledger/book.ts'
import { type Payment, paymentsOf, reportedSum } from '../../ledger/payment.ts'
import { may } from '../access.ts'
import type { Order } from '../order.ts'

/** In kopecks. Only confirmed money counts; what is left is less than nothing where too much was paid. */
export function amountsOf(db: Database, order: Order) {
  const paid = orderBalance(db, order.id)?.paid ?? 0
  return { cost: order.cost, paid, reported: reportedSum(db, order.id), left: order.cost - paid }
}

/** What was paid for an order, for those who see prices. */
export function presentPayments(acting: Acting, order: Order) {
  const { server, actor } = acting
  if (!seesPrices(actor)) return undefined
  const mayDecide = allows(may.decidePayment, actor, order)
  return {
    amounts: amountsOf(server.db, order),
    rows: paymentsOf(server.db, order.id).map((payment) => presentPayment(acting, payment)),
    mayDecide,
    mayReport: allows(may.reportPayment, actor, order),
  }
}

export type PresentedPayment = ReturnType<typeof presentPayment>

export function presentPayment({ server: { db }, t }: Acting, payment: Payment) {
  const { id, state, amount, date, kind, note, reason, reporter_name, decider_name, decided_at, created_at } = payment
  const by = { state: t(paymentStateLabels[state]), kind: t(paymentKindLabels[kind]), reporter_name, decider_name }
  return { id, amount, date, note, reason, ...by, code: state, created_at, decided_at, file: presentFile(db, payment) }
}

function presentFile(db: Database, { file, reporter_id }: Payment) {
  const name = file === null ? undefined : (uploadedName(db, file, reporter_id ?? 0) ?? file)
  return name && { key: file, name, preview: previewKind(extname(name)) }
}
