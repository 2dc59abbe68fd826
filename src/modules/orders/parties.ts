import { and, eq, sql } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import type { PartyMembers } from '../../core/transition-rules.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { users } from '../../database/schema/index.ts'
import type { Order } from './order.ts'

/**
 * The active people to notify about an order (specification, events 1 and 2): the manager of its company (otherwise its dealer's
 * manager), every administrator, its dealer, and the production users of the company's site.
 */
export function findPartyMembers(
  db: Database,
  order: Pick<Order, 'owner_manager_id' | 'dealer_id' | 'company_manufacture_id'>,
): PartyMembers {
  const manager = order.owner_manager_id ?? (order.dealer_id && managerOf(db).get({ dealer: order.dealer_id })?.id)
  return {
    manager: idsOf(activePerson(db).all({ id: manager })),
    admin: idsOf(administrators(db).all()),
    dealer: idsOf(activePerson(db).all({ id: order.dealer_id })),
    make: idsOf(production(db).all({ site: order.company_manufacture_id })),
  }
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

const managerOf = prepareOnce((db) =>
  db
    .select({ id: users.manager_id })
    .from(users)
    .where(eq(users.id, sql.placeholder('dealer')))
    .prepare(),
)

const activePerson = prepareOnce((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, sql.placeholder('id')), users.active))
    .prepare(),
)

const administrators = prepareOnce((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.group_id, group.administrator), users.active))
    .orderBy(users.id)
    .prepare(),
)

const production = prepareOnce((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.manufacture_id, sql.placeholder('site')), eq(users.group_id, group.production), users.active))
    .orderBy(users.id)
    .prepare(),
)
