import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'

export interface StatusNotification {
  recipients: readonly number[]
  order_id: number
  history_id: number
  status_name: string
}

/** Stores a notification and its deliveries for each recipient, in the transaction of the status change. */
export function queueNotifications(app: FastifyInstance, { recipients, ...change }: StatusNotification): void {
  const at = Date.now()
  insertNotifications(app.db).run({ ...change, at, recipients: JSON.stringify(recipients) })
  if (app.sendMail) queueEmails(app.db).run({ ...change, at })
  if (app.config.telegram) queueTelegramMessages(app.db).run({ ...change, at })
  setImmediate(() => app.notificationEvents.emit('queued', recipients))
}

const insertNotifications = prepareOnce((db) =>
  db.$client.prepare(
    `insert into notifications (user_id, order_id, history_id, status_name, created_at)
      select id, @order_id, @history_id, @status_name, @at from users where id in (select value from json_each(@recipients))
      on conflict do nothing`,
  ),
)

const queueEmails = prepareOnce((db) => insertDeliveries(db, 'email', "users.email <> ''"))
const queueTelegramMessages = prepareOnce((db) => insertDeliveries(db, 'telegram', "trim(users.tg_id) <> ''"))

function insertDeliveries(db: Database, channel: 'email' | 'telegram', reachable: string) {
  return db.$client.prepare(
    `insert into deliveries (notification_id, channel, next_at)
      select notifications.id, '${channel}', @at from notifications join users on users.id = notifications.user_id
      where history_id = @history_id and users.active and ${reachable}
      on conflict do nothing`,
  )
}
