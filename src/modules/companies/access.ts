import { eq } from 'drizzle-orm'
import { all, anyOf, has, holding, type Ownership, type Rule, same } from '../../core/access.ts'
import { companies } from '../../database/schema/index.ts'

export interface CompanyFacts {
  manager_id: number | null
}

const supervised: Ownership<CompanyFacts> = {
  words: 'companies you supervise',
  test: (actor, company) => same(company.manager_id, actor.id),
  where: (actor) => eq(companies.manager_id, actor.id),
}

const list = anyOf<CompanyFacts>(has('company_can_view'), has('company_manager_can_view', supervised))

export const may = {
  list,
  view: list,
  add: anyOf<CompanyFacts>(has('company_can_add')),
  edit: all(holding(list), anyOf(has('company_can_edit'), has('company_manager_can_edit', supervised))),
  delete: all(holding(list), anyOf(has('company_can_delete'), has('company_manager_can_delete', supervised))),
} satisfies Record<string, Rule<CompanyFacts>>
