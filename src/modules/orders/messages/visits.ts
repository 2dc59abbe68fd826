import type { FastifyRequest } from 'fastify'
import { bestEffort, type Database, prepareOnce, untilWritten, write } from '../../../database/index.ts'
import { wantsFragment } from '../../../web/http.ts'
import type { Order } from '../order.ts'

/** Records up to when a user has read an order. Impersonation and prefetching do not count. */
export function markVisited(request: FastifyRequest, order: Order, until = 0, seenAt?: number): void {
  const { server, actor, headers, method } = request
  if (method !== 'GET' || wantsFragment(request) || actor.impersonator || headers['sec-purpose']) return
  const { db } = server
  const key = { user: actor.id, order: order.id }
  const unread = findUnread(db).get(key)
  if (!unread && seenAt !== undefined && seenAt >= until) return
  bestEffort(() =>
    write(db, () => {
      saveVisit(db).run({ ...key, at: until })
      if (unread) markNotificationsRead(db).run({ ...key, at: Date.now() })
    }),
  )
  if (unread) server.notificationEvents.emit('read', actor.id)
}

const unreadOfOrder = 'user_id = @user and order_id = @order and message_id is not null and read_at is null'

const findUnread = prepareOnce((db) => db.$client.prepare(`select 1 from notifications where ${unreadOfOrder} limit 1`))

const markNotificationsRead = prepareOnce((db) => db.$client.prepare(`update notifications set read_at = @at where ${unreadOfOrder}`))

const saveVisit = prepareOnce((db) =>
  db.$client.prepare(
    `insert into order_visits (user_id, order_id, seen_at) values (@user, @order, @at)
      on conflict do update set seen_at = max(seen_at, excluded.seen_at)`,
  ),
)

export function unreadOrders(db: Database, userId: number): Set<number> {
  return untilWritten(db, `unread orders of ${userId}`, () => new Set(unreadByUser(db).all(userId)))
}

const unreadByUser = prepareOnce((db) =>
  db.$client
    .prepare<[number], number>(
      'select distinct order_id from notifications where user_id = ? and message_id is not null and read_at is null limit 1000',
    )
    .pluck(),
)
