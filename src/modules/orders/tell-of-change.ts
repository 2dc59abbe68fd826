import { changesToTell, type OrderChange } from '../../core/order-changes.ts'
import { seesPrices } from '../../core/prices.ts'
import { fullName } from '../../core/text.ts'
import type { ChangedFields } from '../../database/index.ts'
import { whomAllows } from '../../http/access/permitted-people.ts'
import type { Context, WriteContext } from '../../http/request/context.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { nameOf } from '../ledger/payment.ts'
import { queueNotifications } from '../notifications/queue.ts'
import { findDealer } from '../users/dealers/access.ts'
import { orderAccess } from './access.ts'
import { queueOrderEvent } from './events.ts'
import { findOrder, type Order } from './order.ts'
import { findPartyMembers } from './recipients.ts'

interface Circumstances {
  reason?: string | null
  /** Whether the dealer is told. Programs are in any case. */
  untold?: boolean
}

/**
 * Tells the dealer of an order what somebody else changed about it, and programs that it was changed. Call it inside `write`, after the
 * change was saved.
 * @param fields what differed, each with the value before and after
 */
export function tellOfChange(context: WriteContext, before: Order, fields: ChangedFields, circumstances: Circumstances) {
  if (Object.keys(fields).length === 0) return
  queueOrderEvent(context.server, 'order.changed', before.id)
  if (!circumstances.untold) tellDealer(context, before, fields, circumstances.reason ?? null)
}

function tellDealer({ server, author }: WriteContext, before: Order, fields: ChangedFields, reason: string | null) {
  const { db } = server
  const order = findOrder(db, before.id) as Order
  const acted = realAuthorOf(author).id
  const changes = before.dealer_id === order.dealer_id ? changesToTell(fields) : [reassignment(server.db, before, order)]
  for (const dealer of whomAllows(db, orderAccess.view, order, findPartyMembers(db, order).dealer)) {
    const seen = changes.filter(({ ofPrices }) => seesPrices(dealer) || !ofPrices)
    if (dealer.id === acted || seen.length === 0) continue
    const detail = JSON.stringify({ changes: seen, reason })
    queueNotifications(server, {
      ...{ recipients: [dealer.id], acted, order_id: order.id, event: 'order-changed', detail, actor_name: nameOf(author) },
    })
  }
}

/** Who had it before is named to colleagues only, and of what was before nothing else is said to somebody new. */
function reassignment(db: Context['server']['db'], before: Order, order: Order): OrderChange {
  const isColleague = before.owner_company_id === order.owner_company_id
  const nameFor = (id: number | null) => {
    const dealer = id === null ? undefined : findDealer(db, id)
    return dealer ? fullName(dealer) : null
  }
  return { what: 'Dealer', was: isColleague ? nameFor(before.dealer_id) : null, is: nameFor(order.dealer_id), kind: 'text' }
}
