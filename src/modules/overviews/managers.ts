import { eq } from 'drizzle-orm'
import { prepareOnce, users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { contactLink } from '../../view/contact-link.ts'
import type { Company } from '../companies/company.ts'
import type { User } from '../users/user.ts'

/** Who looks after a company, or after a dealer of it; whoever reads knows themselves. */
export function viewOfManagers(context: Context, company: Company | undefined, dealer?: User) {
  const { db } = context.server
  const own = findPerson(db).get({ id: dealer?.manager_id ?? 0 })
  const manager = findPerson(db).get({ id: company?.manager_id ?? 0 }) ?? own
  const others = [
    { label: 'Manager', person: manager },
    { label: 'Own manager', person: own?.id === manager?.id ? undefined : own },
  ]
  return {
    isMissing: !manager,
    rows: others.flatMap(({ label, person }) =>
      person && person.id !== context.actor.id
        ? [{ ...person, label: context.t(label), phoneLink: contactLink('phone', person.phone) }]
        : [],
    ),
  }
}

const findPerson = prepareOnce((db, params) => {
  const { id, lastname, name, middlename, image, phone } = users
  return db.select({ id, lastname, name, middlename, image, phone }).from(users).where(eq(users.id, params.id)).prepare()
})
