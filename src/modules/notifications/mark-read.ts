import { and, eq, isNull, lte } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Database, notifications } from '../../database/index.ts'
import type { Done } from '../../http/action.ts'
import { bodyOf, parseId } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { parseSwitch } from '../../records/fields/index.ts'
import type { List } from '../../records/list/list.ts'
import { doneInList } from '../../records/list/show.ts'
import type { Notification } from './access.ts'
import type { InboxRow } from './inbox-rows.ts'

export const findNotification: FindRecord<Notification> = (db, id) => db.select().from(notifications).where(eq(notifications.id, id)).get()

export function markRead(list: List<InboxRow>) {
  return (request: FastifyRequest, { id, user_id, order_id, read_at }: Notification): Done => {
    const { db, notificationEvents } = request.server
    const read = parseSwitch(bodyOf(request).get('value') ?? '1')
    const moment = read ? (read_at ?? Date.now()) : null
    db.update(notifications).set({ read_at: moment }).where(eq(notifications.id, id)).run()
    if (read && order_id !== null && bodyOf(request).get('order') === '1') markOrderRead(db, { user_id, order_id, id })
    setImmediate(() => notificationEvents.emit('read', user_id))
    return doneInList(request, list)
  }
}

/** All that is new about the order up to this notification: in the bell they are one entry. */
function markOrderRead(db: Database, { user_id, order_id, id }: { user_id: number; order_id: number; id: number }): void {
  const ofOrder = and(eq(notifications.user_id, user_id), eq(notifications.order_id, order_id), lte(notifications.id, id))
  db.update(notifications)
    .set({ read_at: Date.now() })
    .where(and(ofOrder, isNull(notifications.read_at)))
    .run()
}

export function markAllRead(list: List<InboxRow>) {
  return (request: FastifyRequest): Done => {
    const { db, notificationEvents } = request.server
    const { id } = request.actor
    const newest = parseId(bodyOf(request).get('newest')) ?? Number.MAX_SAFE_INTEGER
    const unread = and(eq(notifications.user_id, id), isNull(notifications.read_at), lte(notifications.id, newest))
    db.update(notifications).set({ read_at: Date.now() }).where(unread).run()
    setImmediate(() => notificationEvents.emit('read', id))
    return doneInList(request, list)
  }
}
