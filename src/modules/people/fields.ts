import { choice, email, image, moment, option, password, phone, text, toggle } from '../../web/form/fields.ts'
import { languages } from '../../web/i18n/translate.ts'
import { groupNames } from '../../web/reasons.ts'

/** What people choose for themselves. */
export const taste = {
  language: option('Language', languages, { none: 'As the browser says' }),
  theme: option('Theme', { light: 'Light', dark: 'Dark' }, { none: 'As the system says' }),
}

/** What the change history tells of people beside their forms. */
export const toldOfPeople = { group_id: option('Group', groupNames), manager_id: choice('Manager'), ...taste }

/** The fields that the forms of staff are made of; each kind takes its own. */
export const staffFields = {
  image: image('Photo'),
  lastname: text('Last name', { required: true }),
  name: text('Name', { required: true }),
  middlename: text('Middle name'),
  position: text('Position'),
  phone: phone('Phone'),
  email: email('Email', { required: true }),
  password: password('Password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters.' }),
  tg_id: text('Telegram', { only: 'edit' }),
  last_auth: moment('Last sign-in', { only: 'edit' }),
  active: toggle('Active', { required: true }),
}
