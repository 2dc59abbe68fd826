import { group } from '../../core/access.ts'
import type { Party } from '../../core/transition-rules.ts'
import { type Database, prepareOnce } from '../../database/index.ts'
import type { Order } from './order.ts'

/**
 * The active people to notify about an order (specification, events 1 and 2): the manager of its company (otherwise its dealer's
 * manager), every administrator, its dealer, and the production users of the company's site.
 */
export function findPartyMembers(db: Database, order: Pick<Order, 'owner_manager_id' | 'dealer_id' | 'company_manufacture_id'>) {
  const members = partyMembers(db).all({
    manager: order.owner_manager_id,
    dealer: order.dealer_id,
    site: order.company_manufacture_id,
  })
  const idsOf = (wanted: Party) => members.filter(({ party }) => party === wanted).map(({ id }) => id)
  return { manager: idsOf('manager'), admin: idsOf('admin'), dealer: idsOf('dealer'), make: idsOf('make') }
}

const partyMembers = prepareOnce((db) =>
  db.$client.prepare<Record<'manager' | 'dealer' | 'site', number | null>, { party: Party; id: number }>(
    `select 'manager' as party, id from users where active and id = coalesce(@manager, (select manager_id from users where id = @dealer))
      union all select 'admin', id from users where active and group_id = ${group.administrator}
      union all select 'dealer', id from users where active and id = @dealer
      union all select 'make', id from users where active and group_id = ${group.production} and manufacture_id = @site
      order by id`,
  ),
)
