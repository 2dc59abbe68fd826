import type { Actor } from '../../../core/access.ts'
import { outgoingTransitionsOf } from '../../../core/transition-rules.ts'
import { type Database, prepareOnce } from '../../../database/index.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import type { Order } from '../order.ts'
import { findPartyMembers } from '../parties.ts'
import { readersOf } from './readers.ts'

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
