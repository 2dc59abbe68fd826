import { and, eq } from 'drizzle-orm'
import { bestEffort, cachedUntilWrite, type Database, orderVisits, prepareOnce, write } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Order } from '../order.ts'

/**
 * Records up to when a user has read an order. Impersonation does not count.
 * @param seenAt up to when they had read it before, as `lastVisit` says
 * @param until when the last thing that they were shown happened
 */
export function markVisited({ server, actor }: Context, order: Order, seenAt: number | undefined, until: number): void {
  if (actor.impersonator) return
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

/** Up to when a user has read an order; undefined if never. */
export function lastVisit(db: Database, user: number, order: number): number | undefined {
  return visitOf(db).get({ user, order })?.seen_at
}

const visitOf = prepareOnce((db, params) => {
  const visits = db.select({ seen_at: orderVisits.seen_at }).from(orderVisits)
  return visits.where(and(eq(orderVisits.user_id, params.user), eq(orderVisits.order_id, params.order))).prepare()
})

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
  return cachedUntilWrite(db, `unread orders of ${userId}`, () => new Set(unreadByUser(db).all(userId)))
}

const unreadByUser = prepareOnce((db) =>
  db.$client
    .prepare<[number], number>(
      'select distinct order_id from notifications where user_id = ? and message_id is not null and read_at is null limit 1000',
    )
    .pluck(),
)
