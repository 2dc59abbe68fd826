import type { FastifyInstance } from 'fastify'
import { type Database, prepareOnce } from '../../database/index.ts'

interface Notice {
  recipients: readonly number[]
  order_id: number
  /** A status change, with the name of the status. */
  history_id?: number
  status_name?: string
  /** A message, with those of the recipients whom it mentions. */
  message_id?: number
  mentioned?: readonly number[]
}

/** Stores a notification and its deliveries for each recipient, in the transaction of what they are notified of. */
export function queueNotifications(app: FastifyInstance, { recipients, mentioned = [], ...notice }: Notice): void {
  const statements = prepareStatements(app.db)
  const values = { history_id: null, message_id: null, status_name: '', ...notice, at: Date.now() }
  statements.notifications.run({ ...values, recipients: JSON.stringify(recipients) })
  if (app.sendMail) statements.emails.run({ ...values, mentioned: JSON.stringify(mentioned) })
  if (app.config.telegram) statements.telegramMessages.run({ ...values, mentioned: JSON.stringify(mentioned) })
  setImmediate(() => app.notificationEvents.emit('queued', recipients))
}

const prepareStatements = prepareOnce((db) => ({
  notifications: db.$client.prepare(
    `insert into notifications (user_id, order_id, history_id, message_id, status_name, created_at)
      select id, @order_id, @history_id, @message_id, @status_name, @at from users where id in (select value from json_each(@recipients))
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
      where (history_id = @history_id or message_id = @message_id) and users.active and ${reachable} and case
        when message_id is null then ${preferences}_statuses
        when users.id in (select value from json_each(@mentioned)) then ${preferences}_mentions
        else ${preferences}_messages end
      on conflict do nothing`,
  )
}
