import { languages } from '../../i18n/translate.ts'
import { choice, email, image, option, password, phone, readOnlyDateTime, text, toggle } from '../../records/fields/index.ts'

export const preferenceFields = {
  language: option('Language', languages, { none: 'Browser default' }),
  theme: option('Theme', { light: 'Light', dark: 'Dark' }, { none: 'Match system' }),
  key_shortcuts: toggle('Single-key shortcuts', { hint: 'Switch them off if keys get pressed by mistake, or if you dictate.' }),
}

export const staffFields = {
  image: image('Photo'),
  lastname: text('Last name', { required: true, missing: 'Enter the last name.', synonyms: ['Surname', 'Family name'] }),
  name: text('Name', { required: true, missing: 'Enter the first name.', synonyms: ['First name', 'Given name'] }),
  middlename: text('Middle name'),
  position: text('Job title'),
  phone: phone('Phone'),
  email: email('Email', {
    required: true,
    missing: 'Enter an email address.',
    distinct: { problem: 'This email is already in use.' },
    synonyms: ['E-mail', 'Почта', 'Эл. почта', 'Электронная почта', 'Логин', 'Mail'],
  }),
  password: password('Password', {
    required: true,
    missing: 'Enter a password.',
    autocomplete: 'new-password',
    hint: '8 to 256 characters',
  }),
  invite: toggle('Invite by link', {
    only: 'create',
    hint: 'The user sets their own password. The link works once and expires in 7 days.',
  }),
  permission_set: choice('Permission set', { only: 'create', hint: 'Initial permissions of the user' }),
  last_auth: readOnlyDateTime('Last sign-in', { only: 'edit' }),
  active: toggle('Active', { required: true, size: 80, hint: 'Switched off, the user cannot sign in' }),
}
