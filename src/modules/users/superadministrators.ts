import { and, asc, eq } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { users } from '../../database/index.ts'
import type { SuggestionProvider } from '../../http/error-handler.ts'
import { template } from '../../http/request/template.ts'
import type { User } from './user.ts'

const part = template<{ suggestion: { people: User[] } }>('users/superadministrators.njk')

const named = 3

/** Staff who are refused what no permission opens learn whom to ask; addresses of administrators are for those who may see these. */
export const suggestSuperadministrators: SuggestionProvider = ({ server: { db }, actor }, { missing }) => {
  if (missing !== 'right' || actor.group_id === group.dealer) return undefined
  const all = db.select().from(users)
  const people = all
    .where(and(eq(users.superadmin, true), eq(users.active, true)))
    .orderBy(asc(users.id))
    .limit(named)
    .all()
  return people.length > 0 ? { ...part, people } : undefined
}
