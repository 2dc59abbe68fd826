import { companies, offerTerms } from '../../database/index.ts'
import { choice } from '../../records/fields/index.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import { termsForm } from './form.ts'

/** What the history tells of how companies make offers: a markup is the business of whoever may set it. */
export const termsRecords: Subordinate = {
  needs: 'company_offer_can_edit',
  table: offerTerms,
  title: 'Offer for the customer',
  fields: { company_id: choice('Company'), ...termsForm.fields },
  owners: [{ table: companies, column: offerTerms.company_id }],
}
