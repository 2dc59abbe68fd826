import { inArray } from 'drizzle-orm'
import { type Actor, allOf, anyOf, has, ignoringScope, isAmong, type Ownership, type Rule, readManagers } from '../../core/access.ts'
import { companies } from '../../database/index.ts'

export interface CompanyFacts {
  manager_id: number | null
}

const ofManagers = (managersOf: (actor: Actor) => readonly number[]): Ownership<CompanyFacts> => ({
  description: 'companies you manage',
  predicate: (actor, company) => isAmong(managersOf(actor), company.manager_id),
  where: (actor) => inArray(companies.manager_id, managersOf(actor)),
})

const supervisedCompanies = ofManagers(({ managers }) => managers)

const seenBy = (scope: Ownership<CompanyFacts>) => anyOf<CompanyFacts>(has('company_can_view'), has('company_manager_can_view', scope))

const list = seenBy(ofManagers(readManagers))

export const companyAccess = {
  list,
  view: list,
  /** Whatever is more than reading asks for it. */
  act: seenBy(supervisedCompanies),
  add: anyOf<CompanyFacts>(has('company_can_add')),
  edit: allOf(ignoringScope(list), anyOf(has('company_can_edit'), has('company_manager_can_edit', supervisedCompanies))),
  delete: allOf(ignoringScope(list), anyOf(has('company_can_delete'), has('company_manager_can_delete', supervisedCompanies))),
} satisfies Record<string, Rule<CompanyFacts>>
