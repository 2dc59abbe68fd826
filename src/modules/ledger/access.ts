import { eq, sql } from 'drizzle-orm'
import { allOf, anyOf, group, has, isGroup, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import { companies, ledgerEntries } from '../../database/index.ts'

export interface EntryFacts {
  company_id: number
  company_manager_id: number | null
}

const supervised: Ownership<EntryFacts> = {
  description: 'entries of companies you manage',
  predicate: (actor, entry) => isSameId(entry.company_manager_id, actor.id),
  where: (actor) =>
    sql`${ledgerEntries.company_id} in (select ${companies.id} from ${companies} where ${companies.manager_id} = ${actor.id})`,
}

const own: Ownership<EntryFacts> = {
  description: 'entries of your company',
  predicate: (actor, entry) => isSameId(entry.company_id, actor.company_id),
  where: (actor) => eq(ledgerEntries.company_id, actor.company_id ?? 0),
}

/** As the card of the company, for those who see prices; dealers read what their own company owes. */
export const mayReadLedger: Rule<EntryFacts> = allOf(
  anyOf<EntryFacts>(has('company_can_view'), has('company_manager_can_view', supervised), isGroup(group.dealer, own)),
  anyOf<EntryFacts>(has('order_can_view_prices')),
)
