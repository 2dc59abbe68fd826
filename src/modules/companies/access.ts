import { eq } from 'drizzle-orm'
import { allOf, anyOf, has, ignoringScope, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import { companies } from '../../database/schema/index.ts'

export interface CompanyFacts {
  manager_id: number | null
}

const supervisedCompanies: Ownership<CompanyFacts> = {
  description: 'companies you manage',
  predicate: (actor, company) => isSameId(company.manager_id, actor.id),
  where: (actor) => eq(companies.manager_id, actor.id),
}

const list = anyOf<CompanyFacts>(has('company_can_view'), has('company_manager_can_view', supervisedCompanies))

export const companyAccess = {
  list,
  view: list,
  add: anyOf<CompanyFacts>(has('company_can_add')),
  edit: allOf(ignoringScope(list), anyOf(has('company_can_edit'), has('company_manager_can_edit', supervisedCompanies))),
  delete: allOf(ignoringScope(list), anyOf(has('company_can_delete'), has('company_manager_can_delete', supervisedCompanies))),
} satisfies Record<string, Rule<CompanyFacts>>
