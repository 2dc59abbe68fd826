import { inArray } from 'drizzle-orm'
import { allows, checkAccess, group } from '../../core/access.ts'
import { companies } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { describeSuperadministrators } from '../../records/whom-to-ask.ts'
import { addCompany } from './first-company.ts'

/** What managers read in place of all that belongs to their companies, while they see none but their own and have none. */
export function lackOfCompanies(context: Context): EmptyList | undefined {
  const { server, actor } = context
  const { db } = server
  if (actor.group_id !== group.manager || checkAccess(actor, 'company_can_view')) return undefined
  const own = db.select({ id: companies.id }).from(companies).where(inArray(companies.manager_id, actor.managers)).limit(1)
  if (own.get()) return undefined
  const mayAdd = allows(addCompany.rule, actor)
  const who = describeSuperadministrators(context)
  return {
    title: 'No companies are assigned to you yet',
    text: mayAdd
      ? 'Add one, or ask an administrator to assign you some. Then their dealers and orders appear here.'
      : 'Administrators assign them. Then their dealers and orders appear here.',
    who,
    add: addCompany,
  }
}
