import { paymentStates } from '../../core/payments.ts'
import { payments, prepareOnce, whereIn } from '../../database/index.ts'
import { schemaOf } from '../../records/api/field-schema.ts'
import { shownFields } from '../../records/api/fields-json.ts'
import { idsOf } from '../../records/api/resource.ts'
import { integer, listOf, moment, objectOf, orNull, string } from '../../records/fields/json-schema.ts'
import type { Resource } from '../../records/kind/resource.ts'
import type { Payment } from '../ledger/payment.ts'
import { paymentForm } from '../orders/payments/form.ts'
import { findPaymentWithOrder, type PaymentWithOrder } from '../orders/payments/payment.ts'
import { jsonOfPayment } from '../orders/payments/payment-json.ts'
import { paymentAccess } from './access.ts'

const byIds = prepareOnce((db, params) => db.select().from(payments).where(whereIn(payments.id, params.ids)).prepare())

/** Reported and entered at their order; here they are read. */
export const paymentResource: Resource<PaymentWithOrder, Payment> = {
  name: 'payments',
  schema: 'Payment',
  table: payments,
  find: findPaymentWithOrder,
  may: paymentAccess,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfPayment,
  json: (context, { entered }) => jsonOfPayment(context, entered),
  fields: {
    ...{ id: integer, version: integer, order_id: integer, state: { ...string, enum: [...paymentStates] } },
    ...Object.fromEntries(shownFields(paymentForm, []).map(([name, field]) => [name, schemaOf(field)])),
    ...{ reason: orNull(string), reporter_id: orNull(integer), reporter: string, decider_id: orNull(integer), decider: orNull(string) },
    ...{
      decided_at: orNull(moment),
      files: listOf(objectOf({ key: string, name: string, url: string })),
      created_at: moment,
      updated_at: moment,
    },
  },
}
