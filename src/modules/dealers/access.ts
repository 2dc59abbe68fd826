import { eq, sql } from 'drizzle-orm'
import { type Actor, all, anyOf, has, holding, type Ownership, type Rule, same } from '../../core/access.ts'
import { companies, users } from '../../database/schema/index.ts'
import { type PersonFacts, sparingOneself, sparingSuperadministrators } from '../people/access.ts'

/** What ownership of a dealer looks at. */
export interface DealerFacts extends PersonFacts {
  manager_id: number | null
  company_manager_id: number | null
}

// The specification has two notions of "mine": lists go by the company, a card by the dealer, and editing by either.

const ofTheirCompanies: Ownership<DealerFacts> = {
  words: 'dealers of the companies you supervise',
  test: (actor, dealer) => same(dealer.company_manager_id, actor.id),
  where: (actor: Actor) =>
    sql`${users.company_id} in (select ${companies.id} from ${companies} where ${eq(companies.manager_id, actor.id)})`,
}

const assigned: Ownership<DealerFacts> = {
  words: 'dealers assigned to you',
  test: (actor, dealer) => same(dealer.manager_id, actor.id),
}

const eitherWay: Ownership<DealerFacts> = {
  words: 'dealers assigned to you or of the companies you supervise',
  test: (actor, dealer) => assigned.test(actor, dealer) || ofTheirCompanies.test(actor, dealer),
}

const list = anyOf<DealerFacts>(has('dealer_can_view'), has('dealer_manager_can_view', ofTheirCompanies))
const edit = anyOf<DealerFacts>(has('dealer_can_edit'), has('dealer_manager_can_edit', eitherWay))
const remove = anyOf<DealerFacts>(has('dealer_can_delete'), has('dealer_manager_can_delete', eitherWay))

export const may = {
  list,
  view: anyOf<DealerFacts>(has('dealer_can_view'), has('dealer_manager_can_view', assigned)),
  add: anyOf<DealerFacts>(has('dealer_can_add')),
  edit: all(holding(list), edit, sparingSuperadministrators),
  switch: all(holding(list), edit, sparingSuperadministrators, sparingOneself),
  delete: all(holding(list), remove, sparingSuperadministrators, sparingOneself),
} satisfies Record<string, Rule<DealerFacts>>
