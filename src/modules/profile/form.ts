import { option, password, phone, shown, text } from '../../web/form/fields.ts'
import type { Form, FormPage } from '../../web/form/form.ts'
import type { Person } from '../../web/http.ts'
import { languages } from '../../web/i18n/translate.ts'
import type { User } from '../people/accounts.ts'

export const profileForm: Form = {
  name: 'profile',
  groups: [
    {
      title: 'Person',
      fields: {
        lastname: text('Last name', { required: true }),
        name: text('Name', { required: true }),
        middlename: text('Middle name'),
        phone: phone('Phone'),
        tg_id: text('Telegram'),
        email: shown('Email'),
      },
    },
    {
      title: 'Settings',
      fields: {
        language: option('Language', languages, { none: 'As the browser says' }),
        theme: option('Theme', { light: 'Light', dark: 'Dark' }, { none: 'As the system says' }),
      },
    },
    {
      title: 'Password',
      fields: {
        current_password: password('Present password', { autocomplete: 'current-password', hint: 'Needed only to change the password.' }),
        password: password('New password', { autocomplete: 'new-password', hint: 'Leave it empty to keep the present one.' }),
      },
    },
  ],
}

/** Whoever acts as somebody else sees that person's data, but neither their password nor their taste. */
const onlyOneself = new Set(['language', 'theme', 'current_password', 'password'])

export function profilePage(actor: Person, user: User): FormPage {
  return { mode: 'edit', present: { ...user }, choices: {}, ...(actor.impersonator && { hidden: onlyOneself }) }
}
