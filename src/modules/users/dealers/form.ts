import { inArray } from 'drizzle-orm'
import { type AnyRule, checkAccess, group } from '../../../core/access.ts'
import { companies, users } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { type FormInput, parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { type Choice, choice, externalId, phone } from '../../../records/fields/index.ts'
import { type FindChoices, loadChoices } from '../../../records/form/choices.ts'
import { type Entry, type FormState, form } from '../../../records/form/form.ts'
import { type CardFrame, cardPart, type FormTab } from '../../../records/kind/card.ts'
import { companyAccess } from '../../companies/access.ts'
import { findCompanyChoices } from '../../companies/choices.ts'
import { staffFields } from '../fields.ts'
import { ordersField } from './change-company.ts'

const { lastname, name, middlename, email, password, invite } = staffFields

export const dealerForm = form(
  users,
  [
    {
      title: 'Company',
      fields: {
        company_id: choice('Company', {
          required: true,
          missing: 'Choose a company.',
          unknown: 'There is no company “{name}”.',
          synonyms: ['Организация', 'Контрагент', 'Наименование организации', 'Organization', 'Customer'],
          source: '/dealers/companies',
          searchHint: 'Organization',
        }),
        orders: { ...ordersField, follows: 'company_id' },
      },
    },
    {
      title: 'Personal details',
      fields: {
        lastname,
        name,
        middlename,
        phone: phone('Phone', { only: 'edit', synonyms: ['Тел.', 'Телефон(ы)', 'Телефоны', 'Мобильный', 'Мобильный телефон', 'Mobile'] }),
      },
    },
    { title: 'Sign-in', fields: { email, password, invite } },
    { title: 'Other programs', folds: true, fields: { external_id: externalId } },
  ],
  { extras: ['invite', 'orders'] },
)

/** All companies for administrators and those who may view them all, else the actor's own. */
export const findCompanies: FindChoices = ({ server, actor }, by) => {
  const every = actor.group_id === group.administrator || checkAccess(actor, 'company_can_view')
  return findCompanyChoices(server.db, by, every ? undefined : inArray(companies.manager_id, actor.managers))
}

const dealerPanel = template<CardFrame & FormTab & { needsCompany: AnyRule | undefined }>('users/dealer-card.njk')

/** Without a company that somebody may choose, the form of a new dealer could not be sent. */
export const dealerFormPanel = cardPart(dealerPanel, (context: Context, dealer?: object, _state?: FormState, entry?: Entry) => ({
  needsCompany: !dealer && !entry && findCompanies(context, { query: '' }).length === 0 ? companyAccess.add : undefined,
}))

/** The stored company is offered too, even when the actor could not choose it. */
export function companyChoices(context: Context, input: FormInput, dealer?: { company_id: number | null }): Choice[] {
  const present = dealer ? findCompanyChoices(context.server.db, { id: dealer.company_id ?? 0 }) : suggestedCompany(context, input)
  return loadChoices(context, input, 'company_id', present, findCompanies)
}

/** The company that the address of a new dealer's form names, for those who may choose it. */
export function suggestedCompany(context: Context, { query }: FormInput): Choice[] {
  return findCompanies(context, { id: parseId(query.get('company')) ?? 0 })
}
