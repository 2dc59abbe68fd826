import { eq, or } from 'drizzle-orm'
import { type Actor, checkAccess } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { companies } from '../../database/schema/index.ts'
import { type Choice, choice, email, password, phone, text } from '../../web/form/fields.ts'
import type { Form } from '../../web/form/form.ts'

export const dealerForm: Form = {
  name: 'dealers',
  groups: [
    { title: 'Company', fields: { company_id: choice('Company', { required: true }) } },
    {
      title: 'Person',
      fields: {
        lastname: text('Last name', { required: true }),
        name: text('Name', { required: true }),
        middlename: text('Middle name'),
        phone: phone('Phone', { only: 'edit' }),
      },
    },
    {
      title: 'Sign-in',
      fields: {
        email: email('Email', { required: true }),
        password: password('Password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters.' }),
      },
    },
  ],
}

/** All companies for those who may add or edit any dealer, else the actor's own and the present one (decisions, choices). */
export function companyChoices(db: Database, actor: Actor, present: number | null = null): Choice[] {
  const every = checkAccess(actor, 'dealer_can_add') || checkAccess(actor, 'dealer_can_edit')
  const own = or(eq(companies.manager_id, actor.id), eq(companies.id, present ?? 0))
  return db
    .select({ id: companies.id, name: companies.org })
    .from(companies)
    .where(every ? undefined : own)
    .orderBy(companies.search, companies.id)
    .all()
}
