import { email, image, moment, password, phone, text, toggle } from '../../web/form/fields.ts'

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
