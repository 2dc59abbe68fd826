import { paymentStates } from '../../core/payments.ts'
import { paymentForm } from '../orders/payments/form.ts'
import { shownFields } from './present-fields.ts'
import { integer, listOf, moment, objectOf, orNull, schemaOf, string } from './schema.ts'

export const paymentSchema = objectOf({
  ...{ id: integer, version: integer, order_id: integer, state: { ...string, enum: [...paymentStates] } },
  ...Object.fromEntries(shownFields(paymentForm, []).map(([name, field]) => [name, schemaOf(field)])),
  ...{ reason: orNull(string), reporter_id: orNull(integer), reporter: string, decider_id: orNull(integer), decider: orNull(string) },
  ...{
    decided_at: orNull(moment),
    files: listOf(objectOf({ key: string, name: string, url: string })),
    created_at: moment,
    updated_at: moment,
  },
})
