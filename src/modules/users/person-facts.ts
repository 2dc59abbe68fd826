import { maySee } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { noInput } from '../../http/request/input.ts'
import { kindOf } from '../../records/fields/index.ts'
import { isEmpty } from '../../records/fields/kind.ts'
import { describeValue } from '../../records/form/describe-value.ts'
import { fieldsOf } from '../../records/form/form.ts'
import type { Fact } from '../../records/kind/card.ts'
import { contactLink } from '../../view/contact-link.ts'
import type { User } from './user.ts'
import type { UserType } from './user-type.ts'

/** What one reads of a person at a glance: how to reach them, and what their form has besides. */
export function describePerson(context: Context, userType: UserType, user: User): Fact[] {
  return [
    ...(userType.facts?.(context, user) ?? [{ label: 'Job title', text: user.position }]),
    { label: 'Email', text: user.email, href: contactLink('email', user.email) },
    { label: 'Phone', text: user.phone, href: contactLink('phone', user.phone) },
    ...describeOthers(context, userType, user),
  ]
}

/** What the others say, and what is no property. */
const elsewhere = new Set([
  ...['lastname', 'name', 'middlename', 'position', 'phone', 'email', 'company_id', 'last_auth', 'active'],
  ...['image', 'password', 'orders'],
])

/** Without what is empty, but for the places where they work. */
function describeOthers(context: Context, { form, choices }: UserType, user: User): Fact[] {
  const { actor, t } = context
  const named = choices?.(context, user, noInput) ?? {}
  const fields = [...fieldsOf(form, { mode: 'edit' })].filter(([name, field]) => !elsewhere.has(name) && maySee(actor)(field))
  return fields.flatMap(([name, field]) => {
    const value = user[name as keyof User]
    if (value !== false && isEmpty(value)) return kindOf(field).refers ? { label: field.label } : []
    return { label: field.label, text: describeValue(name, field, value, named, t) }
  })
}
