import { eq, sql } from 'drizzle-orm'
import {
  type Actor,
  allOf,
  anyOf,
  either,
  has,
  ignoringScope,
  inOwnName,
  isSameId,
  type Ownership,
  type Rule,
} from '../../../core/access.ts'
import { companies, users } from '../../../database/schema/index.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from '../access.ts'

export interface DealerFacts extends UserFacts {
  manager_id: number | null
  company_manager_id: number | null
}

// The specification has two notions of "mine": lists go by the company, a card by the dealer, and editing by either.

const dealersOfSupervisedCompanies: Ownership<DealerFacts> = {
  description: 'dealers of companies you manage',
  predicate: (actor, dealer) => isSameId(dealer.company_manager_id, actor.id),
  where: (actor: Actor) =>
    sql`${users.company_id} in (select ${companies.id} from ${companies} where ${eq(companies.manager_id, actor.id)})`,
}

const assignedDealers: Ownership<DealerFacts> = {
  description: 'dealers assigned to you',
  predicate: (actor, dealer) => isSameId(dealer.manager_id, actor.id),
}

const assignedOrSupervisedDealers: Ownership<DealerFacts> = {
  description: 'dealers assigned to you or of companies you manage',
  predicate: (actor, dealer) => assignedDealers.predicate(actor, dealer) || dealersOfSupervisedCompanies.predicate(actor, dealer),
}

const list = anyOf<DealerFacts>(has('dealer_can_view'), has('dealer_manager_can_view', dealersOfSupervisedCompanies))
const edit = anyOf<DealerFacts>(has('dealer_can_edit'), has('dealer_manager_can_edit', assignedOrSupervisedDealers))
const remove = anyOf<DealerFacts>(has('dealer_can_delete'), has('dealer_manager_can_delete', assignedOrSupervisedDealers))
const view = anyOf<DealerFacts>(has('dealer_can_view'), has('dealer_manager_can_view', assignedDealers))
const editCard = allOf(ignoringScope(list), edit, exceptSuperadministrators)

export const may = {
  list,
  // Whoever may save a card needs the page to do it from.
  view: either(view, editCard),
  add: allOf(anyOf(has('dealer_can_add')), anyOf(inOwnName)),
  edit: editCard,
  switch: allOf(ignoringScope(list), edit, exceptSuperadministrators, exceptSelf),
  delete: allOf(ignoringScope(list), remove, exceptSuperadministrators, exceptSelf),
} satisfies Record<string, Rule<DealerFacts>>
