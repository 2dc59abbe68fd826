import { type Actor, group } from '../../core/access.ts'
import { outgoingTransitions, type Party } from '../../core/transition-rules.ts'
import { type Database, prepareOnce, type users } from '../../database/index.ts'
import { loadWorkflow } from '../workflow/load.ts'
import type { Order } from './order.ts'

/**
 * The active people to notify about an order (specification, events 1 and 2): its manager, every administrator, its
 * dealer unless they moved to another company without it, and the production users of the company's site.
 */
export function findPartyMembers(
  db: Database,
  order: Pick<Order, 'owner_company_id' | 'owner_manager_id' | 'dealer_id' | 'company_manufacture_id'>,
) {
  const { owner_company_id: company, owner_manager_id: manager, dealer_id: dealer, company_manufacture_id: site } = order
  const members = partyMembers(db).all({ company, manager, dealer, site })
  const idsOf = (wanted: Party) => members.filter(({ party }) => party === wanted).map(({ id }) => id)
  return { manager: idsOf('manager'), admin: idsOf('admin'), dealer: idsOf('dealer'), make: idsOf('make') }
}

const partyMembers = prepareOnce((db) =>
  db.$client.prepare<Record<'company' | 'manager' | 'dealer' | 'site', number | null>, { party: Party; id: number }>(
    `select 'manager' as party, id from users where active and id = @manager
      union all select 'admin', id from users where active and group_id = ${group.administrator}
      union all select 'dealer', id from users where active and id = @dealer and company_id = @company
      union all select 'make', id from users where active and group_id = ${group.production} and manufacture_id = @site
      order by id`,
  ),
)

export type Reader = Pick<typeof users.$inferSelect, 'id' | 'group_id' | 'lastname' | 'name' | 'middlename'>

export function readersOf(
  db: Database,
  order: Order,
  { internal, candidates }: { internal: boolean; candidates?: readonly number[] },
): Reader[] {
  const { owner_company_id: company, owner_manager_id: manager, company_manufacture_id: site, company_stock_id: stock } = order
  const params = { company, manager, site, stock, internal: Number(internal), candidates: candidates ? JSON.stringify(candidates) : null }
  return readers(db).all(params) as Reader[]
}

// The same rule as `may.view`, in SQL; a test compares the two.
const readers = prepareOnce((db) =>
  db.$client.prepare(
    `select id, group_id, lastname, name, middlename from users where id in (
        select id from users where company_id = @company and group_id = ${group.dealer}
        union select id from users where id = @manager and group_id = ${group.manager}
        union select id from users where manufacture_id = @site and group_id = ${group.production}
        union select id from users where stock_id = @stock and group_id = ${group.production}
        union select id from users where group_id = ${group.administrator} and superadmin
        union select user_id from user_policies join policies on policies.id = policy_id where key = 'order_can_view' and value)
      and active and (group_id <> ${group.dealer} or not @internal)
      and (@candidates is null or id in (select value from json_each(@candidates)))
      order by group_id, lastname, name, id limit 1000`,
  ),
)

/**
 * Who is notified of a message: the dealer, the manager, production while the next step is theirs, whoever wrote before, and those mentioned.
 * Never who wrote it, and nobody who may not read it. Whoever was impersonated did not write it, and is notified, too.
 */
export function messageRecipients(
  db: Database,
  order: Order,
  author: Actor,
  { internal, mentioned }: { internal: boolean; mentioned: number[] },
) {
  const { manager, dealer, make } = findPartyMembers(db, order)
  const earlier = authorsOf(db)
    .all(order.id)
    .map(({ id }) => id)
  const writer = author.impersonator?.id ?? author.id
  const all = [...dealer, ...manager, ...(isProductionsTurn(db, order) ? make : []), ...earlier, ...mentioned, author.id]
  const candidates = [...new Set(all)].filter((id) => id !== writer)
  return readersOf(db, order, { internal, candidates }).map(({ id }) => id)
}

function isProductionsTurn(db: Database, order: Order): boolean {
  return outgoingTransitions(loadWorkflow(db), order.status_id).some((step) => step.production_can || step.productions_can)
}

const authorsOf = prepareOnce((db) =>
  db.$client.prepare<[number], { id: number }>('select distinct author_id as id from order_messages where order_id = ? limit 200'),
)
