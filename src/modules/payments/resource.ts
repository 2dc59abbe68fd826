import { paymentDirections, paymentStates } from '../../core/payments.ts'
import { payments, prepareOnce, whereIn } from '../../database/index.ts'
import { schemaOf } from '../../records/api/field-schema.ts'
import { shownFields } from '../../records/api/fields-json.ts'
import { rowsBy } from '../../records/api/resource.ts'
import { day, file, integer, kopecks, listOf, moment, objectOf, orNull, string } from '../../records/fields/json-schema.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment, selectPayments } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { jsonOfPayment } from '../ledger/payment-json.ts'

const byIds = prepareOnce((db, params) => selectPayments(db).where(whereIn(payments.id, params.ids)).prepare())

/** Reported and entered at their order; here they are read. */
export const paymentResource: Resource<Payment, Payment> = {
  name: 'payments',
  schema: 'Payment',
  table: payments,
  find: findPayment,
  may: paymentAccess,
  rows: rowsBy(byIds),
  json: jsonOfPayment,
  fields: {
    ...{ id: integer, version: integer, company_id: orNull(integer), direction: { ...string, enum: [...paymentDirections] } },
    ...{ order_id: orNull(integer), state: { ...string, enum: [...paymentStates] } },
    ...Object.fromEntries(shownFields(paymentForm, []).map(([name, field]) => [name, schemaOf(field)])),
    ...{ reason: orNull(string), allocations: listOf(objectOf({ order_id: integer, amount: kopecks })), credit: kopecks },
    ...{ reporter_id: orNull(integer), reporter: string, decider_id: orNull(integer), decider: orNull(string) },
    ...{
      decided_at: orNull(moment),
      ...{ reversed_on: orNull(day), reverser_id: orNull(integer), reverser: orNull(string), reversed_at: orNull(moment) },
      corrects_id: orNull(integer),
      files: listOf(objectOf(file)),
      created_at: moment,
      updated_at: moment,
    },
  },
}
