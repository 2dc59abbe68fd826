import { and, count, eq, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anyOf, group, superadministrator } from '../../core/access.ts'
import { cachedUntilWrite, contains, type Database, deliveries, notifications, prepareOnce, users, whereIn } from '../../database/index.ts'
import { matchingIds } from '../../database/search-index.ts'
import { action, type Done } from '../../http/action.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { wordFilter } from '../../records/list/common-filters.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import type { ExportColumn, Filter, List } from '../../records/list/list.ts'
import { readRows } from '../../records/list/rows.ts'
import { doneInList } from '../../records/list/show.ts'
import { addRecord } from '../../records/record.ts'
import { mayManageOutbox } from './access.ts'
import { channels, recipientAddress } from './channels.ts'
import { retryNow } from './deliveries.ts'
import { eventColumn } from './inbox.ts'
import { happened } from './inbox-rows.ts'
import labels from './labels.json' with { type: 'json' }
import { type Notice, notices } from './notices.ts'

type Delivery = typeof deliveries.$inferSelect
type Row = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

export function outboxRoutes(app: FastifyInstance): void {
  const list = outbox(app)
  addRecord(app, {
    list,
    menu: {
      icon: 'send',
      letter: 'x',
      section: 'System',
      says: ['mail, email, messages sent, Telegram'],
      waiting: { path: '/outbox?state=failed-lately', count: () => countFailed(app.db) },
    },
  })
  app.post('/outbox/:id/retry', action({ access: mayManageOutbox.retry, record: findDelivery }, retry(list)))
}

export function outbox(app: FastifyInstance): List<Row> {
  const { db } = app
  const hasNoChannel = !channels.some((channel) => channel.isOpen(app))
  const address = recipientAddress()
  const channelNames = Object.fromEntries(channels.map(({ key, label }) => [key, label]))
  return {
    name: 'outbox',
    title: 'Outbox',
    empty: hasNoChannel
      ? {
          title: 'Email and messengers are not set up',
          text: 'Notifications are delivered in the app only.',
          way: { path: '/settings?tab=environment', label: 'Set up', rule: anyOf(superadministrator) },
        }
      : { title: 'Nothing sent yet', text: 'Emails and messages in messengers appear here.' },
    columns: [
      { key: 'recipient', label: 'Recipient', kind: 'contact' },
      { key: 'channel', label: 'Channel', kind: 'icon', spare: true },
      { key: 'order', label: 'Order', kind: 'text' },
      { key: 'created_at', label: 'Created', kind: 'recent' },
      { key: 'state', label: 'State', kind: 'short' },
      { key: 'attempts', label: 'Attempts', kind: 'number', spare: true, sort: deliveries.attempts },
      { key: 'next_at', label: 'Next attempt', kind: 'moment', sparse: true },
      { key: 'last_error', label: 'Last error', kind: 'text', sparse: true },
    ],
    sheet: { columns: exportColumns(address, channelNames) },
    sizes: [25, 50, 100],
    sort: { key: 'created_at', dir: 'desc' },
    table: deliveries,
    may: mayManageOutbox,
    filters: [byState, wordFilter('channel', 'Channel', channelNames, deliveries.channel)],
    find: (word) =>
      or(ofNotifications(sql`order_id = ${word}`), and(ofNotifications(matchesRecipient(word)), showsRecipient(word, address))),
    rows: { ...rowsByIds(db, address), template: 'notifications/outbox-rows.njk', events: true },
  }
}

const ofNotifications = (where: SQL) => sql`${deliveries.notification_id} in (select id from ${notifications} where ${where})`

/** Of a person a row shows one address: it is found by no other. */
function showsRecipient(word: string, address: SQL): SQL {
  const shown = sql`concat_ws(char(10), ${users.lastname}, ${users.name}, ${users.middlename}, ${address})`
  return sql`exists (select 1 from ${notifications} join ${users} on ${users.id} = ${notifications.user_id}
    where ${notifications.id} = ${deliveries.notification_id} and ${contains(shown, word)})`
}

/** There may be very many dealers; the index limits the search to candidates. */
function matchesRecipient(word: string): SQL {
  const { lastname, name, middlename } = users
  const addresses = sql.join(
    channels.map(({ address }) => sql`${address}`),
    sql`, `,
  )
  const staff = contains(sql`concat_ws(char(10), ${lastname}, ${name}, ${middlename}, ${addresses})`, word)
  const dealer = contains(sql`concat_ws(char(10), ${lastname}, ${name}, ${addresses})`, word)
  return sql`${notifications.user_id} in (select ${users.id} from ${users} where ${users.group_id} <> ${group.dealer} and ${staff}
    union all select ${users.id} from (${matchingIds('dealers', [word])}) as near cross join ${users} on ${users.id} = near.id where ${dealer})`
}

const stateLabels: Record<string, string> = labels.deliveryStates
const reasonLabels: Record<string, string> = labels.failureReasons

const retriedAt = sql<number | null>`iif(${deliveries.state} = 'waiting', ${deliveries.next_at}, null)`
const recipientName = { lastname: users.lastname, name: users.name, middlename: users.middlename }

const exportColumns = (address: SQL<string | null>, channelNames: Record<string, string>): ExportColumn[] => [
  { label: 'ID', width: 10, value: deliveries.id },
  { label: 'Recipient', value: recipientName, kind: 'person' },
  { label: 'Address', value: address },
  { label: 'Channel', value: deliveries.channel, words: channelNames },
  { label: 'Order', width: 10, value: notifications.order_id },
  eventColumn,
  { label: 'Created', value: notifications.created_at, kind: 'moment' },
  { label: 'State', value: deliveries.state, words: stateLabels },
  { label: 'Attempts', width: 10, value: deliveries.attempts },
  { label: 'Next attempt', value: retriedAt, kind: 'moment' },
  { label: 'Last error', value: deliveries.last_error, words: reasonLabels },
]

const week = 7 * 24 * 3600_000
const lately = 'failed-lately'

/** A literal, because the partial index serves only queries that name the state. */
const failedSince = (since: number | Placeholder) => sql`${deliveries.state} = 'failed' and ${deliveries.next_at} > ${since}`

const stateCondition = (state: string) =>
  state === lately ? failedSince(Date.now() - week) : Object.hasOwn(stateLabels, state) ? sql`${deliveries.state} = ${state}` : undefined

const byState: Filter = {
  ...wordFilter('state', 'State', { ...stateLabels, [lately]: 'Failed in the last 7 days' }, deliveries.state),
  where: stateCondition,
  counts: (db, where) =>
    new Map(
      [...Object.keys(stateLabels), lately].map((state) => [state, countUpToLimit(db, deliveries, and(where, stateCondition(state)))]),
    ),
}

function rowsByIds(db: Database, address: SQL<string | null>) {
  const { id, channel, state, attempts, next_at, last_error } = deliveries
  const { order_id, status_name, created_at, event } = notifications
  const fields = {
    ...{ id, channel, state, attempts, next_at, last_error, order_id, status_name, created_at, event },
    recipient: recipientName,
    ...{ address, retriedAt, happened },
  }
  const query = db
    .select(fields)
    .from(deliveries)
    .innerJoin(notifications, eq(notifications.id, deliveries.notification_id))
    .innerJoin(users, eq(users.id, notifications.user_id))
    .where(whereIn(deliveries.id, sql.placeholder('ids')))
  const labels = (row: { state: string; channel: string; last_error: string | null; event: Notice | null }) => ({
    notice: row.event && notices[row.event],
    stateLabel: stateLabels[row.state],
    channelLabel: channelOf(row.channel)?.label,
    reason: reasonLabels[row.last_error ?? ''],
  })
  return readRows(fields, query, (rows) => rows.map((row) => ({ ...row, next_at: row.retriedAt, ...labels(row) })))
}

const findDelivery: FindRecord<Delivery> = (db, id) => db.select().from(deliveries).where(eq(deliveries.id, id)).get()

function retry<R extends { id: number }>(list: List<R>) {
  return (request: FastifyRequest, delivery: Delivery): Done => {
    if (delivery.state === 'sent') throw new HttpError(409, 'This notification was already sent.')
    retryNow(request.server, delivery)
    return doneInList(request, list, 'Retrying delivery')
  }
}

/** How many deliveries the filter `state=failed-lately` shows. */
function countFailed(db: Database): number {
  return cachedUntilWrite(db, 'failed deliveries', () => failed(db).get({ since: Date.now() - week })?.rows ?? 0)
}

const failed = prepareOnce((db, params) => db.select({ rows: count() }).from(deliveries).where(failedSince(params.since)).prepare())

const channelOf = (key: string) => channels.find((channel) => channel.key === key)
