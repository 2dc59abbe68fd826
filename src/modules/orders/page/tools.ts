import { allows } from '../../../core/access.ts'
import { findSettings } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { mayReadViews } from '../../record-views/list.ts'
import { orderAccess } from '../access.ts'
import { canSeeInternal } from '../messages/message.ts'
import type { Order } from '../order.ts'

/** What else is done with an order than taking its steps, on its page and after them wherever it stands. */
export function viewOfTools({ server, actor, t }: Context, order: Order) {
  const may = { add: allows(orderAccess.add, actor), offer: allows(orderAccess.offer, actor, order) }
  const tool = (label: string, path: string) => ({ label: t(label), href: url(server, path) })
  const [here, card] = [`/orders/${order.id}`, `/orders/edit/${order.id}`]
  return {
    again: may.add ? tool('Order again', `/orders/add?from=${order.id}`) : undefined,
    /** What a key creates wherever somebody is. */
    add: may.add ? tool('New order', '/orders/add') : undefined,
    more: [
      tool('Order sheet', `${here}/sheet`),
      ...(canSeeInternal(actor) ? [tool('Work sheet', `${here}/work-sheet`)] : []),
      ...(may.offer ? [tool('Offer for the customer', `${here}/customer-offer`)] : []),
      tool('History', `${card}?tab=history`),
      ...(allows(mayReadViews, actor) && findSettings(server.db).keeps_views ? [tool('Who looked', `${card}?tab=record-views`)] : []),
      tool('Show workflow', `${here}?workflow=1#workflow`),
    ],
  }
}
