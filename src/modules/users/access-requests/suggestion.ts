import { allows, type Grant, group, type Rule } from '../../../core/access.ts'
import { policiesOf } from '../../../http/access/access-descriptions.ts'
import type { SuggestionProvider } from '../../../http/error-handler.ts'
import { template } from '../../../http/request/template.ts'
import { superadministratorsToAsk } from '../../../records/whom-to-ask.ts'
import { type AccessRequestForm, buildAccessRequestForm } from './access-request.ts'

const part = template<{ suggestion: { requestForm: AccessRequestForm; people: ReturnType<typeof superadministratorsToAsk> } }>(
  'users/access-requests/suggestion.njk',
)

/** Staff who lack a permission can ask for it, and all learn who can help; how to reach administrators is for those who may see them. */
export function suggestToStaff(mayRequest: Rule<never>): SuggestionProvider {
  return (request, { missing, grants }) => {
    if (!grants.some(isOfOffice) || !allows(mayRequest, request.actor)) return undefined
    const requestForm = missing === 'right' ? buildAccessRequestForm(request, policiesOf(grants)) : undefined
    return { ...part, requestForm, people: superadministratorsToAsk(request) }
  }
}

/** What superadministrators can give somebody, or do for them. */
function isOfOffice({ permission }: Grant<never>): boolean {
  if (typeof permission === 'string') return permission === 'superadministrator'
  return 'policy' in permission || permission.group === group.administrator
}
