import type { Rounding } from '../../core/pricing.ts'
import { categories, type Database, offerTerms } from '../../database/index.ts'
import { choice, number, option, paragraph, phone, picture, repeater, text } from '../../records/fields/index.ts'
import { type FormState, form } from '../../records/form/form.ts'
import { nameChoices } from '../../records/list/reference-filters.ts'
import type { Company } from '../companies/company.ts'
import { findTerms, markupsOf } from './terms.ts'

const roundingNames: Record<Rounding, string> = { 1: '1', 10: '10', 100: '100' }

const percent = { least: 0, most: 1000 }

export const termsForm = form(
  offerTerms,
  [
    {
      title: 'Retail prices',
      fields: {
        markup: number('Markup, %', { required: true, ...percent, hint: 'Added to what your company pays' }),
        round_to: option('Round retail prices to', roundingNames, { required: true, hint: 'Whole units of the currency' }),
        valid_days: number('Days that an offer is valid', { required: true, least: 1, most: 365 }),
      },
    },
    {
      title: 'Sender',
      fields: {
        name: text('Name on offers', { hint: 'If empty, that of the company' }),
        phone: phone('Phone'),
        logo: picture('Logo', { hint: 'JPEG, PNG, WebP, GIF, or AVIF, on a light background' }),
        text: paragraph('Text below', { max: 2000, hint: 'Such as terms of delivery and payment' }),
      },
    },
    {
      title: 'Category markups',
      fields: {
        markups: repeater(
          'Category markups',
          { category_id: choice('Category', { required: true }), markup: number('Markup, %', { required: true, ...percent }) },
          { key: 'id', unique: 'category_id', rowLabel: 'Markup', addLabel: 'Add markup' },
        ),
      },
    },
  ],
  { extras: ['markups'] },
)

export function termsFormState(db: Database, { id }: Company): FormState {
  const stored = { round_to: '1', valid_days: 14, ...findTerms(db, id), markups: markupsOf(db, id) }
  return { mode: 'edit', stored, choices: { 'markups.category_id': nameChoices(db, categories) } }
}
