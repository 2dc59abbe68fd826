import { and, eq, type SQL } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { type Database, prepareOnce, users } from '../../database/index.ts'
import type { Order } from './order.ts'

/**
 * The active people to notify about an order (specification, events 1 and 2): the manager of its company (otherwise its dealer's
 * manager), every administrator, its dealer, and the production users of the company's site.
 */
export function findPartyMembers(db: Database, order: Pick<Order, 'owner_manager_id' | 'dealer_id' | 'company_manufacture_id'>) {
  const manager = order.owner_manager_id ?? (order.dealer_id && managerOf(db).get({ dealer: order.dealer_id })?.id)
  return {
    manager: idsOf(activePerson(db).all({ id: manager })),
    admin: idsOf(administrators(db).all()),
    dealer: idsOf(activePerson(db).all({ id: order.dealer_id })),
    make: idsOf(production(db).all({ site: order.company_manufacture_id })),
  }
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

const managerOf = prepareOnce((db, given) => db.select({ id: users.manager_id }).from(users).where(eq(users.id, given.dealer)).prepare())

const activePerson = prepareOnce((db, given) => selectActive(db, eq(users.id, given.id)).prepare())

const administrators = prepareOnce((db) => selectActive(db, eq(users.group_id, group.administrator)).orderBy(users.id).prepare())

const production = prepareOnce((db, { site }) => {
  const atSite = and(eq(users.manufacture_id, site), eq(users.group_id, group.production))
  return selectActive(db, atSite).orderBy(users.id).prepare()
})

function selectActive(db: Database, who: SQL | undefined) {
  return db.select({ id: users.id }).from(users).where(and(who, users.active))
}
