import { and, asc, eq } from 'drizzle-orm'
import { allows, type Rule } from '../../../core/access.ts'
import { prepareOnce, users } from '../../../database/index.ts'
import { allowsSuperadministrator, policiesOf } from '../../../http/access/access-descriptions.ts'
import type { SuggestionProvider } from '../../../http/error-handler.ts'
import { template } from '../../../http/request/template.ts'
import type { User } from '../user.ts'
import { type AccessRequestForm, buildAccessRequestForm } from './access-request.ts'

type Name = Pick<User, 'lastname' | 'name' | 'middlename'>

const part = template<{ suggestion: { requestForm: AccessRequestForm; people: Name[] } }>('users/access-requests/suggestion.njk')

/** Staff who lack a permission can ask for it, and all learn who can help; emails of administrators are for those who may see these. */
export function suggestToStaff(mayRequest: Rule<never>): SuggestionProvider {
  return (request, { missing, grants }) => {
    const keys = policiesOf(grants)
    const helped = keys.length > 0 || allowsSuperadministrator(grants)
    if (!helped || !allows(mayRequest, request.actor)) return undefined
    const requestForm = missing === 'right' ? buildAccessRequestForm(request, keys) : undefined
    return { ...part, requestForm, people: superadministrators(request.server.db).all() }
  }
}

const named = 3

const superadministrators = prepareOnce((db) => {
  const { lastname, name, middlename } = users
  const all = db.select({ lastname, name, middlename }).from(users)
  return all
    .where(and(eq(users.superadmin, true), eq(users.active, true)))
    .orderBy(asc(users.id))
    .limit(named)
    .prepare()
})
