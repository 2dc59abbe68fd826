import { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Author, type Database, deliveries, notifications, prepareOnce } from '../../database/index.ts'
import labels from './labels.json' with { type: 'json' }

declare module 'fastify' {
  interface FastifyInstance {
    notificationEvents: NotificationEvents
  }
}

export type NotificationEvents = EventEmitter<{
  queued: [userIds: readonly number[]]
  read: [userId: number]
  posted: [orderId: number, readerIds: readonly number[]]
}>

export const notificationEventsPlugin = fp(async (app) => {
  app.decorate('notificationEvents', new EventEmitter() as NotificationEvents)
})

interface OrderNotice {
  recipients: readonly number[]
  /** Who really acted: their inbox keeps the entry, read, and nothing is sent to them. */
  acted: number | null
  order_id: number
  /** A status change, with the name of the status. */
  history_id?: number
  status_name?: string
  /** A message, with those of the recipients whom it mentions. */
  message_id?: number
  mentioned?: readonly number[]
}

/** Stores a notification and its deliveries for each recipient, in the transaction of what they are notified of. */
export function queueNotifications(app: FastifyInstance, { recipients, mentioned = [], ...notice }: OrderNotice): void {
  const statements = prepareStatements(app.db)
  const values = { history_id: null, message_id: null, status_name: '', ...notice, at: Date.now() }
  statements.notifications.run({ ...values, recipients: JSON.stringify(recipients) })
  if (app.sendMail) statements.emails.run({ ...values, mentioned: JSON.stringify(mentioned) })
  if (app.config.telegram) statements.telegramMessages.run({ ...values, mentioned: JSON.stringify(mentioned) })
  setImmediate(() => app.notificationEvents.emit('queued', recipients))
}

const prepareStatements = prepareOnce((db) => ({
  notifications: db.$client.prepare(
    `insert into notifications (user_id, order_id, history_id, message_id, status_name, created_at, read_at)
      select id, @order_id, @history_id, @message_id, @status_name, @at, iif(id = @acted, @at, null) from users where id in (select value from json_each(@recipients))
      on conflict do nothing`,
  ),
  emails: insertDeliveries(db, 'email', 'users.mail', "users.email <> ''"),
  telegramMessages: insertDeliveries(db, 'telegram', 'users.telegram', "trim(users.tg_id) <> ''"),
}))

/** Deactivated users get no deliveries, others according to their preferences. */
function insertDeliveries(db: Database, channel: 'email' | 'telegram', preferences: string, reachable: string) {
  return db.$client.prepare(
    `insert into deliveries (notification_id, channel, next_at)
      select notifications.id, '${channel}', @at from notifications join users on users.id = notifications.user_id
      where (history_id = @history_id or message_id = @message_id) and users.active and users.id is not @acted and ${reachable} and case
        when message_id is null then ${preferences}_statuses
        when users.id in (select value from json_each(@mentioned)) then ${preferences}_mentions
        else ${preferences}_messages end
      on conflict do nothing`,
  )
}

export const { accountNotices } = labels

export const notices = { ...accountNotices, ...labels.exportNotices }

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices

/** Notifies somebody of a change to their account, in the inbox and by email; call it inside the transaction of the change. */
export function queueAccountNotice(
  app: FastifyInstance,
  user: { id: number; email: string; active: boolean },
  event: AccountNotice,
  { address, userAgent }: Author,
): void {
  const { db, notificationEvents, sendMail } = app
  const at = Date.now()
  const { id } = db
    .insert(notifications)
    .values({ user_id: user.id, status_name: '', event, address, user_agent: userAgent?.slice(0, 255), created_at: at })
    .returning({ id: notifications.id })
    .get()
  if (sendMail && user.active)
    db.insert(deliveries).values({ notification_id: id, channel: 'email', next_at: at, recipient: user.email }).run()
  setImmediate(() => notificationEvents.emit('queued', [user.id]))
}
