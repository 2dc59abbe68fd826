import { EventEmitter } from 'node:events'
import { and, eq, gt, inArray, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { hoursOfDay, nextDaily, nextHourly } from '../../core/mail-pace.ts'
import { type Author, type Database, deliveries, notifications, prepareOnce, users } from '../../database/index.ts'
import { addServiceJob } from '../../records/jobs/job.ts'
import type { Channel } from './channels/channel.ts'
import { email } from './channels/email.ts'
import { channels } from './channels.ts'
import {
  type AccountNotice,
  type DeputyNotice,
  type DueNotice,
  type OrderNotice,
  orderNotices,
  type PaidNotice,
  type PaymentNotice,
  type PowerNotice,
  urgentNotices,
} from './notices.ts'

declare module 'fastify' {
  interface FastifyInstance {
    notificationEvents: NotificationEvents
  }
}

type NotificationEvents = EventEmitter<{
  queued: [userIds: readonly number[]]
  read: [userId: number]
  posted: [orderId: number, readerIds: readonly number[]]
}>

export const notificationEventsPlugin = fp(async (app) => {
  app.decorate('notificationEvents', new EventEmitter() as NotificationEvents)
})

interface NoticeOfOrder {
  recipients: readonly number[]
  /** Who really acted: their inbox keeps the entry, read, and nothing is sent to them. */
  acted: number | null
  /** Nothing only for a payment that names none. */
  order_id: number | null
  /** A status change, with the name of the status. */
  history_id?: number
  status_name?: string
  /** When email and Telegram are sent; the inbox has it at once. */
  send_at?: number
  /** A message, with those of the recipients whom it mentions. */
  message_id?: number
  mentioned?: readonly number[]
  /** A payment, with what happened to it; without one, that it is lacking, that all of it is there, or that the order was changed: what is waited for or what became otherwise, and by whom. */
  payment_id?: number
  event?: PaymentNotice | PaidNotice | DueNotice | OrderNotice
  detail?: string
  actor_name?: string
}

const nothing = { history_id: null, message_id: null, payment_id: null, event: null, detail: null, actor_name: null, status_name: '' }

/** Stores a notification and its deliveries for each recipient, in the transaction of what they are notified of. */
export function queueNotifications(app: FastifyInstance, { recipients, mentioned = [], ...notice }: NoticeOfOrder): void {
  const statements = prepareStatements(app.db)
  const at = Date.now()
  const told = { ...nothing, send_at: at, ...notice, at }
  const values = { ...told, mentioned: JSON.stringify(mentioned), ...nextGathered(told.send_at) }
  statements.notifications.run({ ...told, recipients: JSON.stringify(recipients) })
  for (const { channel, insert } of statements.deliveries)
    if (channel.isOpen(app) && insert.run(values).changes > 0) addServiceJob(app, { kind: channel.key, due_at: values.send_at })
  setImmediate(() => app.notificationEvents.emit('queued', recipients))
}

const prepareStatements = prepareOnce((db) => ({
  notifications: db.$client.prepare(
    `insert into notifications (user_id, order_id, history_id, message_id, payment_id, event, detail, actor_name, status_name, created_at, read_at)
      select id, @order_id, @history_id, @message_id, @payment_id, @event, @detail, @actor_name, @status_name, @at, iif(id = @acted, @at, null) from users where id in (select value from json_each(@recipients))
      on conflict do nothing`,
  ),
  deliveries: channels.map((channel) => ({ channel, insert: insertDeliveries(db, channel) })),
}))

/** Deactivated users get no deliveries, others according to their preferences. */
function insertDeliveries(db: Database, channel: Channel) {
  const { key, address, wanted } = channel
  return db.$client.prepare(
    `insert into deliveries (notification_id, channel, gathered_for, next_at)
      select notifications.id, '${key}', ${gatheredFor(channel)} as gathered_for, coalesce(${gatheredFor(channel)}, @send_at)
      from notifications join users on users.id = notifications.user_id
      where (history_id = @history_id or message_id = @message_id or (payment_id = @payment_id and event = @event)
          or (@payment_id is null and order_id = @order_id and event = @event and notifications.created_at = @at)) and users.active and users.id is not @acted
        and trim(users.${address.name}) <> '' and case
        when event in (${listed(Object.keys(orderNotices))}) then users.${wanted.statuses.name}
        when event is not null then users.${wanted.payments.name}
        when message_id is null then users.${wanted.statuses.name}
        when users.id in (select value from json_each(@mentioned)) then users.${wanted.mentions.name}
        else users.${wanted.messages.name} end
      on conflict do nothing`,
  )
}

const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join()

/** When a message tells its person what may wait; nothing of what may not. */
function gatheredFor({ gathered }: Channel): string {
  if (!gathered) return 'null'
  const urgent = `event in (${listed(urgentNotices)}) or users.id in (select value from json_each(@mentioned))`
  return `case when ${urgent} then null
    when users.${gathered.pace.name} = 'daily' then coalesce(@daily ->> users.${gathered.time.name}, @hourly)
    when users.${gathered.pace.name} = 'hourly' then @hourly end`
}

/** When messages that gather what happened until then are sent next, for each hour of the day. */
function nextGathered(after: number) {
  const daily = Object.fromEntries(hoursOfDay.map((time, hour) => [time, nextDaily(after, hour)]))
  return { hourly: nextHourly(after), daily: JSON.stringify(daily) }
}

/** Withdraws what was told of a step or a payment, and what waits to be sent. */
export function withdrawNotifications(app: FastifyInstance, of: { history_id: number } | { payment_id: number }): void {
  withdraw(app, 'history_id' in of ? eq(notifications.history_id, of.history_id) : eq(notifications.payment_id, of.payment_id))
}

/** Takes orders from the inboxes of people, who are to see them no longer, with what waits to be sent. Both are queries of ids. */
export function withdrawFrom(app: FastifyInstance, orders: SQLWrapper, people: SQLWrapper): void {
  withdraw(app, and(inArray(notifications.order_id, orders), inArray(notifications.user_id, people)))
}

function withdraw({ db, notificationEvents }: FastifyInstance, told: SQL | undefined): void {
  const withdrawn = db.delete(notifications).where(told).returning({ user_id: notifications.user_id }).all()
  setImmediate(() => {
    for (const { user_id } of withdrawn) notificationEvents.emit('read', user_id)
  })
}

/** Notifies somebody of a change to their account, in the inbox and by email; call it inside the transaction of the change. */
export function queueAccountNotice(app: FastifyInstance, user: Recipient, event: AccountNotice, author: Author): void {
  queueNotice(app, user, { event }, author)
}

/** Tells somebody that they are now, or no longer, the deputy of a manager, and managers who theirs is; call it inside the transaction of the change. */
export function tellDeputy(app: FastifyInstance, told: Recipient, event: DeputyNotice, detail: string, { name: actor_name }: Author): void {
  queueNotice(app, told, { event, detail, actor_name })
}

/**
 * Notifies every superadministrator of what gives somebody power over the installation; call it inside the transaction of the change. Of
 * several changes to the same within a quarter of an hour the first is told.
 */
export function tellSuperadministrators(app: FastifyInstance, event: PowerNotice, detail: string, author: Author): void {
  const actor_name = author.impersonator ? `${author.name} (${author.impersonator.name})` : author.name
  const same = and(eq(notifications.event, event), eq(notifications.detail, detail), eq(notifications.actor_name, actor_name))
  const lately = and(same, gt(notifications.created_at, Date.now() - 15 * 60_000))
  if (app.db.select({ id: notifications.id }).from(notifications).where(lately).get()) return
  const superadministrators = and(eq(users.superadmin, true), eq(users.active, true))
  for (const user of app.db.select().from(users).where(superadministrators).all())
    queueNotice(app, user, { event, detail, actor_name }, author)
}

type Recipient = Pick<typeof users.$inferSelect, 'id' | 'email' | 'active'>
type NoticeValues = Pick<typeof notifications.$inferInsert, 'event' | 'detail' | 'actor_name'>

/** @param origin where whoever acted was signed in, for those who must know */
function queueNotice(app: FastifyInstance, user: Recipient, notice: NoticeValues, origin?: Author): void {
  const { db, notificationEvents, sendMail } = app
  const at = Date.now()
  const { id } = db
    .insert(notifications)
    .values({
      user_id: user.id,
      status_name: '',
      ...notice,
      address: origin?.address,
      user_agent: origin?.userAgent?.slice(0, 255),
      created_at: at,
    })
    .returning({ id: notifications.id })
    .get()
  if (sendMail && user.active) {
    db.insert(deliveries).values({ notification_id: id, channel: email.key, next_at: at, recipient: user.email }).run()
    addServiceJob(app, { kind: email.key })
  }
  setImmediate(() => notificationEvents.emit('queued', [user.id]))
}
