import { eq } from 'drizzle-orm'
import { companies, type Database, users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { currentPassword, password, readOnlyText } from '../../records/fields/index.ts'
import { type FormState, form, inState } from '../../records/form/form.ts'
import { notificationFields, preferenceFields, staffFields } from '../users/fields.ts'
import type { User } from '../users/user.ts'

const { lastname, name, middlename, phone, tg_id } = staffFields

export const profileForm = form(
  users,
  [
    { title: 'Personal details', fields: { lastname, name, middlename, phone, tg_id } },
    { title: 'Account', fields: { email: readOnlyText('Email'), role: readOnlyText('Role'), company: readOnlyText('Company') } },
    { title: 'Settings', fields: preferenceFields },
    { title: 'Notifications', fields: notificationFields },
    {
      title: 'Password',
      fields: {
        current_password: currentPassword('Current password', {
          autocomplete: 'current-password',
          hint: 'Required only to change your password',
        }),
        password: password('New password', {
          autocomplete: 'new-password',
          hint: '8 to 256 characters. Leave blank to keep the current password.',
        }),
      },
    },
  ],
  { extras: ['current_password'] },
)

/** An impersonator must not see or change what belongs to the person alone. */
const selfOnlyFields = ['language', 'theme', 'key_shortcuts', 'tg_id', 'current_password', 'password', ...Object.keys(notificationFields)]

export function profileFormState({ actor, server, t }: Context, user: User): FormState {
  const role = server.registry.userTypes.get(user.group_id)?.roleLabel
  const stored = { ...user, role: role && t(role), company: companyOf(server.db, user) }
  return { mode: 'edit', stored, choices: {}, states: inState('locked', actor.impersonator ? selfOnlyFields : []) }
}

export function visibleProfileState(context: Context, user: User): FormState {
  const state = profileFormState(context, user)
  const hidden = [...Object.keys(state.states ?? {}), ...(state.stored.company ? [] : ['company'])]
  return { ...state, states: inState('hidden', hidden) }
}

function companyOf(db: Database, user: User): string | undefined {
  const own = eq(companies.id, user.company_id ?? 0)
  return db.select({ org: companies.org }).from(companies).where(own).get()?.org
}
