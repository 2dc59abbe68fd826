import type { FastifyPluginAsync } from 'fastify'
import { action } from '../../../http/action.ts'
import { addRecord } from '../../../records/record.ts'
import { statusCard } from './card.ts'
import { type ReassignOrders, statusDeletion, statusList } from './list.ts'
import { addMade } from './made.ts'
import { copyPolicies, switchPolicy } from './policies.ts'
import { saveReorder, showReorder } from './reorder.ts'
import { statusResource } from './resource.ts'
import { findStatus, statusAccess } from './status.ts'

/** The workflow lies beneath the orders: what a deletion of statuses does with them is theirs. */
export const statusRoutes =
  (reassignOrders: ReassignOrders): FastifyPluginAsync =>
  async (app) => {
    addRecord(app, {
      list: statusList(),
      card: statusCard,
      deletion: statusDeletion(reassignOrders),
      api: statusResource,
      menu: { icon: 'route', section: 'Catalog', also: ['/status', '/orders/try'] },
    })
    app.get('/statuses/order', { access: statusAccess.edit }, showReorder)
    app.post('/statuses/order', action({ access: statusAccess.edit }, saveReorder))
    app.post('/statuses/made', action({ access: statusAccess.edit }, addMade))
    app.post('/status/edit/:id/policies', action({ access: statusAccess.edit, record: findStatus }, copyPolicies))
    app.post('/status/edit/:id/policies/:policy_key', action({ access: statusAccess.edit, record: findStatus }, switchPolicy))
  }
