import { and, asc, eq } from 'drizzle-orm'
import { allows, type Grant, group, type Rule } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { prepareOnce, users } from '../../../database/index.ts'
import { policiesOf } from '../../../http/access/access-descriptions.ts'
import type { SuggestionProvider } from '../../../http/error-handler.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { template } from '../../../http/request/template.ts'
import { readingPath } from '../../../records/list/record-paths.ts'
import { contactLinks } from '../../../view/contact-link.ts'
import { type AccessRequestForm, buildAccessRequestForm } from './access-request.ts'

const part = template<{ suggestion: { requestForm: AccessRequestForm; people: ReturnType<typeof contactsFor> } }>(
  'users/access-requests/suggestion.njk',
)

/** Staff who lack a permission can ask for it, and all learn who can help; how to reach administrators is for those who may see them. */
export function suggestToStaff(mayRequest: Rule<never>): SuggestionProvider {
  return (request, { missing, grants }) => {
    if (!grants.some(isOfOffice) || !allows(mayRequest, request.actor)) return undefined
    const requestForm = missing === 'right' ? buildAccessRequestForm(request, policiesOf(grants)) : undefined
    return { ...part, requestForm, people: contactsFor(request) }
  }
}

/** What superadministrators can give somebody, or do for them. */
function isOfOffice({ permission }: Grant<never>): boolean {
  if (typeof permission === 'string') return permission === 'superadministrator'
  return 'policy' in permission || permission.group === group.administrator
}

const named = 3

function contactsFor(context: Context) {
  const { server, actor } = context
  const mayView = server.records.get('admins')?.card?.may.view
  return superadministrators(server.db)
    .all()
    .map((person) => {
      const seen = mayView && allows(mayView, actor, person)
      const known = seen && { href: url(server, readingPath(context, 'admins', person.id)), ...contactLinks(person) }
      return { person, name: fullName(person), ...known }
    })
}

const superadministrators = prepareOnce((db) => {
  return db
    .select()
    .from(users)
    .where(and(eq(users.superadmin, true), eq(users.active, true)))
    .orderBy(asc(users.id))
    .limit(named)
    .prepare()
})
