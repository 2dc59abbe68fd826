import type { FastifyInstance } from 'fastify'
import { type Database, prepareOnce } from '../../database/index.ts'

export interface StatusNotification {
  recipients: readonly number[]
  order_id: number
  history_id: number
  status_name: string
}

export interface MessageNotification {
  recipients: readonly number[]
  order_id: number
  message_id: number
  /** The mentioned recipients. */
  mentioned: readonly number[]
}

/** Stores a notification and its deliveries for each recipient, in the transaction of the status change. */
export function queueNotifications(app: FastifyInstance, change: StatusNotification): void {
  queue(app, statusChanges(app.db), { ...change, message_id: null, mentioned: [] })
}

/** The same for a message, in the transaction that stores it. */
export function queueMessageNotifications(app: FastifyInstance, message: MessageNotification): void {
  queue(app, messages(app.db), { ...message, history_id: null, status_name: '' })
}

interface Notice {
  recipients: readonly number[]
  order_id: number
  history_id: number | null
  message_id: number | null
  status_name: string
  mentioned: readonly number[]
}

function queue(app: FastifyInstance, statements: ReturnType<typeof prepareStatements>, { recipients, mentioned, ...notice }: Notice): void {
  const at = Date.now()
  statements.notifications.run({ ...notice, at, recipients: JSON.stringify(recipients) })
  if (app.sendMail) statements.emails.run({ ...notice, at, mentioned: JSON.stringify(mentioned) })
  if (app.config.telegram) statements.telegramMessages.run({ ...notice, at, mentioned: JSON.stringify(mentioned) })
  setImmediate(() => app.notificationEvents.emit('queued', recipients))
}

const statusChanges = prepareOnce((db) => prepareStatements(db, 'history_id'))
const messages = prepareOnce((db) => prepareStatements(db, 'message_id'))

function prepareStatements(db: Database, source: 'history_id' | 'message_id') {
  return {
    notifications: db.$client.prepare(
      `insert into notifications (user_id, order_id, history_id, message_id, status_name, created_at)
        select id, @order_id, @history_id, @message_id, @status_name, @at from users where id in (select value from json_each(@recipients))
        on conflict do nothing`,
    ),
    emails: insertDeliveries(db, source, 'email', "users.email <> ''"),
    telegramMessages: insertDeliveries(db, source, 'telegram', "trim(users.tg_id) <> ''"),
  }
}

/** Deactivated users get no deliveries, others according to their preferences. */
function insertDeliveries(db: Database, source: string, channel: 'email' | 'telegram', reachable: string) {
  const prefix = channel === 'email' ? 'users.mail' : 'users.telegram'
  const wanted =
    source === 'history_id'
      ? `${prefix}_statuses`
      : `case when users.id in (select value from json_each(@mentioned)) then ${prefix}_mentions else ${prefix}_messages end`
  return db.$client.prepare(
    `insert into deliveries (notification_id, channel, next_at)
      select notifications.id, '${channel}', @at from notifications join users on users.id = notifications.user_id
      where ${source} = @${source} and users.active and ${reachable} and ${wanted}
      on conflict do nothing`,
  )
}
