import { inArray } from 'drizzle-orm'
import { allOf, anyOf, has, ignoringScope, type Ownership, type Rule } from '../../core/access.ts'
import { ofManagers } from '../../core/scopes.ts'
import { companies } from '../../database/index.ts'

export interface CompanyFacts {
  manager_id: number | null
}

const supervised = ofManagers<CompanyFacts>({
  description: 'companies you manage',
  managerOf: ({ manager_id }) => manager_id,
  where: (managers) => inArray(companies.manager_id, managers),
})

const seenBy = (scope: Ownership<CompanyFacts>) => anyOf<CompanyFacts>(has('company_can_view'), has('company_manager_can_view', scope))

const list = seenBy(supervised.read)

export const companyAccess = {
  list,
  view: list,
  /** Whatever is more than reading asks for it. */
  act: seenBy(supervised.act),
  add: anyOf<CompanyFacts>(has('company_can_add')),
  edit: allOf(ignoringScope(list), anyOf(has('company_can_edit'), has('company_manager_can_edit', supervised.act))),
  delete: allOf(ignoringScope(list), anyOf(has('company_can_delete'), has('company_manager_can_delete', supervised.act))),
} satisfies Record<string, Rule<CompanyFacts>>
