import { eq } from 'drizzle-orm'
import { all, anyOf, everyone, group, has, isGroup, type Ownership, type Rule } from '../../core/access.ts'
import { notifications } from '../../database/schema/index.ts'

export type Notification = typeof notifications.$inferSelect

const own: Ownership<Notification> = {
  words: 'your own notifications',
  test: (actor, notification) => notification.user_id === actor.id,
  where: (actor) => eq(notifications.user_id, actor.id),
}

const theirOwn = anyOf(everyone(own))

export const may = { list: theirOwn, read: theirOwn } satisfies Record<string, Rule<Notification>>

/** Whoever sees every order may see who was told of it: administrators only, for there are addresses in it. */
const overseeing = all(anyOf(isGroup(group.administrator)), anyOf(has('order_can_view')))

export const mayOversee = { list: overseeing, retry: overseeing } satisfies Record<string, Rule>
