import { type Actor, group, isDealer } from '../../core/access.ts'
import { outgoingTransitions, type Party } from '../../core/transition-rules.ts'
import { type Database, prepareOnce } from '../../database/index.ts'
import { deputiesOf } from '../../http/access/deputies.ts'
import { permittedPeople, whomAllows } from '../../http/access/permitted-people.ts'
import type { Person } from '../../http/request/person.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import type { Order } from './order.ts'

/**
 * The active people to notify about an order (specification, events 1 and 2): its manager with today's deputies, every administrator, its
 * dealer unless they moved to another company without it, and the production users of the company's site.
 */
export function findPartyMembers(
  db: Database,
  order: Pick<Order, 'owner_company_id' | 'owner_manager_id' | 'dealer_id' | 'company_manufacture_id'>,
) {
  const { owner_company_id: company, owner_manager_id: manager, dealer_id: dealer, company_manufacture_id: site } = order
  const members = partyMembers(db).all({ company, manager, dealer, site })
  const idsOf = (wanted: Party) => members.filter(({ party }) => party === wanted).map(({ id }) => id)
  return { manager: [...idsOf('manager'), ...deputiesOf(db, manager)], admin: idsOf('admin'), dealer: idsOf('dealer'), make: idsOf('make') }
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

/** Everybody who may read an order and its messages, or those that only staff read. */
export function readersOf(db: Database, order: Order, { internal }: { internal: boolean }): Person[] {
  return permittedPeople(db, orderAccess.view, order).filter(maySeeMessages(internal))
}

const maySeeMessages = (internal: boolean) => (person: Person) => !internal || !isDealer(person)

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
  const readers = whomAllows(db, orderAccess.view, order, candidates).filter(maySeeMessages(internal))
  return readers.map(({ id }) => id)
}

function isProductionsTurn(db: Database, order: Order): boolean {
  return outgoingTransitions(loadWorkflow(db), order.status_id).some((step) => step.production_can || step.productions_can)
}

const authorsOf = prepareOnce((db) =>
  db.$client.prepare<[number], { id: number }>('select distinct author_id as id from order_messages where order_id = ? limit 200'),
)
