import { allOf, anyOf, has } from '../../../core/access.ts'

/** A hand-over writes to companies and dealers of any manager. */
export const mayHandOver = allOf(anyOf(has('company_can_edit')), anyOf(has('dealer_can_edit')))
