import { eq } from 'drizzle-orm'
import { allOf, anyOf, everyone, group, has, isGroup, type Ownership } from '../../core/access.ts'
import { notifications } from '../../database/index.ts'

export type Notification = typeof notifications.$inferSelect

const ownNotification: Ownership<Notification> = {
  description: 'your own notifications',
  predicate: (actor, notification) => notification.user_id === actor.id,
  where: (actor) => eq(notifications.user_id, actor.id),
}

const ownNotifications = anyOf(everyone(ownNotification))

const ownFile: Ownership<Notification> = {
  description: 'your own spreadsheets, unless you are impersonating someone',
  predicate: (actor, notification) => notification.user_id === actor.id && !actor.impersonator,
}

export const notificationAccess = { list: ownNotifications, read: ownNotifications, download: anyOf(everyone(ownFile)) }

const outboxRule = allOf(anyOf(isGroup(group.administrator)), anyOf(has('order_can_view')))

export const mayManageOutbox = { list: outboxRule, retry: outboxRule }
