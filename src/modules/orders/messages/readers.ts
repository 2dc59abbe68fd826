import { type Actor, group } from '../../../core/access.ts'
import { outgoingTransitionsOf } from '../../../core/transition-rules.ts'
import { type Database, prepareOnce } from '../../../database/index.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import type { Order } from '../order.ts'
import { findPartyMembers } from '../parties.ts'

export interface Reader {
  id: number
  group_id: number
  lastname: string
  name: string
  middlename: string | null
}

export function readersOf(
  db: Database,
  order: Order,
  { internal, candidates }: { internal: boolean; candidates?: readonly number[] },
): Reader[] {
  return readers(db).all({
    company: order.owner_company_id,
    manager: order.owner_manager_id,
    site: order.company_manufacture_id,
    stock: order.company_stock_id,
    internal: Number(internal),
    candidates: candidates ? JSON.stringify(candidates) : null,
  }) as Reader[]
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
 * Never its author, and nobody who may not read it.
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
  const all = [...dealer, ...manager, ...(isProductionsTurn(db, order) ? make : []), ...earlier, ...mentioned]
  const candidates = [...new Set(all)].filter((id) => id !== author.id)
  return readersOf(db, order, { internal, candidates }).map(({ id }) => id)
}

function isProductionsTurn(db: Database, order: Order): boolean {
  return outgoingTransitionsOf(loadWorkflow(db), order.status_id).some((step) => step.production_can || step.productions_can)
}

const authorsOf = prepareOnce((db) =>
  db.$client.prepare<[number], { id: number }>('select distinct author_id as id from order_messages where order_id = ? limit 200'),
)
