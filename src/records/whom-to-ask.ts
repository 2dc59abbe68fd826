import { and, asc, eq } from 'drizzle-orm'
import { allows } from '../core/access.ts'
import { fullName } from '../core/text.ts'
import { prepareOnce, users } from '../database/index.ts'
import { url } from '../http/request/addresses.ts'
import type { Context } from '../http/request/context.ts'
import { contactLinks } from '../view/contact-link.ts'
import { readingPath } from './list/record-paths.ts'

const named = 3

/** Whom staff ask; how to reach them is for those who may see them. */
export function superadministratorsToAsk(context: Pick<Context, 'server' | 'actor'>) {
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

/** The same in words. */
export const describeSuperadministrators = (context: Pick<Context, 'server' | 'actor'>): string =>
  superadministratorsToAsk(context)
    .map(({ name, ...known }) => [name, ...('phone' in known ? [known.phone ?? known.email] : [])].join(', '))
    .join('; ')

const superadministrators = prepareOnce((db) => {
  return db
    .select()
    .from(users)
    .where(and(eq(users.superadmin, true), eq(users.active, true)))
    .orderBy(asc(users.id))
    .limit(named)
    .prepare()
})
