import { isoTime, jsonOfFields, type Viewer } from '../../records/api/fields-json.ts'
import { jsonOfFile } from '../../records/api/file-json.ts'
import { allocationsOf } from './allocations.ts'
import { type Payment, paymentFileName } from './payment.ts'
import { paymentForm } from './payment-form.ts'

/** A payment, for somebody who may see it. */
export function jsonOfPayment(viewer: Viewer, payment: Payment) {
  const { db } = viewer.server
  const { id, version, company_id, direction, order_id, state, reason, reversed_on, corrects_id, file } = payment
  const { reporter_id, reporter_name, decider_id, decider_name, decided_at, reverser_id, reverser_name, reversed_at } = payment
  const name = paymentFileName(db, payment)
  return {
    ...{ id, version, company_id, direction, order_id, state, ...jsonOfFields(paymentForm, payment, []), reason },
    ...{ allocations: allocationsOf(db, id), credit: state === 'confirmed' ? payment.amount - payment.allocated : 0 },
    ...{ reporter_id, reporter: reporter_name, decider_id, decider: decider_name, decided_at: isoTime(decided_at) },
    ...{ reversed_on, reverser_id, reverser: reverser_name, reversed_at: isoTime(reversed_at), corrects_id },
    files: file && name ? [jsonOfFile(viewer, file, name)] : [],
    created_at: isoTime(payment.created_at),
    updated_at: isoTime(payment.updated_at),
  }
}
