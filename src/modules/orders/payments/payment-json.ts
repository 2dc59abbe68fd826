import { isoTime, jsonOfFields, type Viewer } from '../../../records/api/fields-json.ts'
import { jsonOfFile } from '../../../records/api/file-json.ts'
import { type Payment, paymentFileName } from '../../ledger/payment.ts'
import { paymentForm } from './form.ts'

/** A payment, for somebody who may see those of its order. */
export function jsonOfPayment(viewer: Viewer, payment: Payment) {
  const { id, version, order_id, state, reason, reporter_id, reporter_name, decider_id, decider_name, decided_at, file } = payment
  const name = paymentFileName(viewer.server.db, payment)
  return {
    ...{ id, version, order_id, state, ...jsonOfFields(paymentForm, payment, []), reason },
    ...{ reporter_id, reporter: reporter_name, decider_id, decider: decider_name, decided_at: isoTime(decided_at) },
    files: file && name ? [jsonOfFile(viewer, file, name)] : [],
    created_at: isoTime(payment.created_at),
    updated_at: isoTime(payment.updated_at),
  }
}
