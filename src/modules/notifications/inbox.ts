import { and, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, everyone } from '../../core/access.ts'
import { jobKindLabels } from '../../core/labels.ts'
import { seesPrices } from '../../core/prices.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import {
  companies,
  type Database,
  jobs,
  notifications,
  orderBalances,
  orderHistory,
  orderMessages,
  orders,
  payments,
  statuses,
  whereIn,
} from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action, type Done } from '../../http/action.ts'
import { bodyOf, parseId } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { template } from '../../http/request/template.ts'
import { parseSwitch } from '../../records/fields/index.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import type { ExportColumn, Filter, List } from '../../records/list/list.ts'
import { readRows } from '../../records/list/rows.ts'
import { doneInList } from '../../records/list/show.ts'
import type { ListView } from '../../records/list/view.ts'
import { sendKeptFile } from '../../records/spreadsheet/send-spreadsheet.ts'
import { type Notification, notificationAccess } from './access.ts'
import { forManager } from './for-manager.ts'
import { isDueNotice, isOfPayments, type Notice, notices, waitingOf } from './notices.ts'
import { describeChanges } from './order-changes.ts'
import { paymentActor } from './payment-actor.ts'

export type InboxRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

const readAllButton = template<{ list: ListView }>('notifications/read-all.njk')

export function inbox(db: Database): List<InboxRow> {
  return {
    name: 'notifications',
    title: 'Notifications',
    empty: {
      title: 'No notifications yet',
      text: 'Status changes, messages, and payments that concern you appear here.',
      way: { path: '/profile#mail_statuses', label: 'Notification settings', rule: anyOf(everyone()) },
    },
    around: { tools: readAllButton },
    columns: [
      { key: 'order', label: 'Order', kind: 'text' },
      { key: 'status', label: 'Status', kind: 'text' },
      { key: 'changed_by', label: 'Changed by', kind: 'person' },
      { key: 'created_at', label: 'When', kind: 'recent' },
    ],
    sheet: { columns: exportColumns },
    sizes: [25, 50, 100],
    sort: { key: 'created_at', dir: 'desc' },
    table: notifications,
    may: notificationAccess,
    filters: [byUnread, bySubject],
    find: (word) => sql`instr(coalesce(${notifications.order_id}, '') || ' ' || fold(${notifications.status_name}), ${word}) > 0`,
    rows: { ...rowsByIds(db), template: 'notifications/rows.njk', events: true },
  }
}

/** An event of ours, the status that an order got, or a message. */
export const happened = sql<string>`coalesce(${notifications.event}, nullif(${notifications.status_name}, ''), 'message')`

export const eventColumn: ExportColumn = {
  label: 'Event',
  value: happened,
  words: { ...notices, message: 'Message' },
  kind: 'status',
}

const changedBy = sql<
  string | null
>`coalesce(${orderMessages.author_name}, ${orderHistory.actor_name}, ${paymentActor}, ${notifications.actor_name})`

const exportColumns: ExportColumn[] = [
  { label: 'ID', width: 10, value: notifications.id },
  { label: 'Order', width: 10, value: notifications.order_id },
  { label: 'Company', value: companies.org },
  eventColumn,
  { label: 'Changed by', value: changedBy },
  { label: 'When', value: notifications.created_at, kind: 'moment' },
  { label: 'Read at', value: notifications.read_at, kind: 'moment' },
]

const byUnread: Filter = {
  name: 'unread',
  label: 'Filter by read status',
  options: ({ t }) => [{ value: '1', label: t('Unread') }],
  where: (value) => (value === '1' ? isNull(notifications.read_at) : undefined),
  counts: (db, where) => new Map([['1', countUpToLimit(db, notifications, and(where, isNull(notifications.read_at)))]]),
}

const paymentEvents = sql.raw(
  Object.keys(notices)
    .filter(isOfPayments)
    .map((event) => `'${event}'`)
    .join(),
)

const subjects = {
  messages: { label: 'Messages', where: isNotNull(notifications.message_id) },
  steps: { label: 'Steps', where: isNotNull(notifications.history_id) },
  payments: { label: 'Payments', where: sql`${notifications.event} in (${paymentEvents})` },
  dates: { label: 'Dates and lines', where: eq(notifications.event, 'order-changed') },
}

const bySubject: Filter = {
  name: 'about',
  label: 'About',
  options: ({ t }) => Object.entries(subjects).map(([value, { label }]) => ({ value, label: t(label) })),
  where: (value) => (Object.hasOwn(subjects, value) ? subjects[value as keyof typeof subjects].where : undefined),
}

function rowsByIds(db: Database) {
  const { id, order_id, status_name, event, detail, file, file_name, address, user_agent, created_at, read_at } = notifications
  const { id: message_id, author_name, internal, withdrawn_at } = orderMessages
  const { from_name, actor_name } = orderHistory
  const fields = {
    ...{ id, order_id, status_name, event, detail, file, file_name, address, user_agent, created_at, read_at, from_name, actor_name },
    message: { id: message_id, author_name, text: sql<string>`substr(${orderMessages.text}, 1, 200)`, internal, withdrawn_at },
    payment: {
      id: payments.id,
      amount: payments.amount,
      date: payments.date,
      reason: sql<string | null>`iif(${event} in ('payment-rejected', 'payment-reversed'), ${payments.reason}, null)`,
    },
    lacking: sql<number | null>`${orderBalances.charged} - ${orderBalances.paid}`,
    color: statuses.color,
    job: { id: jobs.id, kind: jobs.kind },
    company: companies.org,
    ...{ happened, changedBy, forManager },
    newest: sql<number>`(select max(id) from notifications newer where newer.user_id = ${notifications.user_id})`,
  }
  const query = db
    .select(fields)
    .from(notifications)
    .leftJoin(orders, eq(orders.id, notifications.order_id))
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(payments, eq(payments.id, notifications.payment_id))
    .leftJoin(companies, eq(companies.id, sql`coalesce(${orders.owner_company_id}, ${payments.company_id})`))
    .leftJoin(orderHistory, eq(orderHistory.id, notifications.history_id))
    .leftJoin(orderMessages, eq(orderMessages.id, notifications.message_id))
    .leftJoin(jobs, eq(jobs.id, notifications.job_id))
    .leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
    .where(whereIn(notifications.id, sql.placeholder('ids')))
  const labels = ({ event, user_agent, job }: Labeled) => ({
    notice: event && notices[event],
    jobLabel: job && jobKindLabels[job.kind],
    ofPayments: isOfPayments(event),
    browser: describeUserAgent(user_agent ?? ''),
  })
  return readRows(fields, query, (rows, { actor, t }) =>
    rows.map((row) => ({
      ...row,
      ...labels(row),
      waiting: waitingOf(row, t),
      changes: describeChanges(row, seesPrices(actor), t),
      ...(seesPrices(actor) ? amountsOf(row) : withoutAmounts(row)),
    })),
  )
}

interface Labeled {
  event: Notice | null
  user_agent: string | null
  job: { id: number; kind: string } | null
}

interface Amounts {
  event: Notice | null
  payment: { id: number; amount: number; date: string; reason: string | null } | null
  lacking: number | null
}

const amountsOf = ({ event, payment, lacking }: Amounts) => ({ payment, lacking: isDueNotice(event) ? lacking : null })

/** Reasons name amounts. */
const withoutAmounts = (_row: Amounts) => ({ payment: null, lacking: null })

/** What is done with notifications of the list. */
export function inboxRoutes(app: FastifyInstance, list: List<InboxRow>): void {
  const { list: access, read, download } = notificationAccess
  const record = findNotification
  app.post('/notifications/read', action({ access }, markAllRead(list)))
  app.post('/notifications/:id/read', action({ access: read, record }, markRead(list)))
  app.get('/notifications/:id/file', onRecord({ access: download, record, answers: 'spreadsheet' }, downloadFile))
}

const findNotification: FindRecord<Notification> = (db, id) => db.select().from(notifications).where(eq(notifications.id, id)).get()

function markRead(list: List<InboxRow>) {
  return (request: FastifyRequest, { id, user_id, order_id, read_at }: Notification): Done => {
    const { db, notificationEvents } = request.server
    const read = parseSwitch(bodyOf(request).get('value') ?? '1')
    const moment = read ? (read_at ?? Date.now()) : null
    db.update(notifications).set({ read_at: moment }).where(eq(notifications.id, id)).run()
    if (read && order_id !== null && bodyOf(request).get('order') === '1') markOrderRead(db, { user_id, order_id, id })
    setImmediate(() => notificationEvents.emit('read', user_id))
    return doneInList(request, list)
  }
}

/** All that is new about the order up to this notification: in the bell they are one entry. */
function markOrderRead(db: Database, { user_id, order_id, id }: { user_id: number; order_id: number; id: number }): void {
  const ofOrder = and(eq(notifications.user_id, user_id), eq(notifications.order_id, order_id), lte(notifications.id, id))
  db.update(notifications)
    .set({ read_at: Date.now() })
    .where(and(ofOrder, isNull(notifications.read_at)))
    .run()
}

function markAllRead(list: List<InboxRow>) {
  return (request: FastifyRequest): Done => {
    const { db, notificationEvents } = request.server
    const { id } = request.actor
    const newest = parseId(bodyOf(request).get('newest')) ?? Number.MAX_SAFE_INTEGER
    const unread = and(eq(notifications.user_id, id), isNull(notifications.read_at), lte(notifications.id, newest))
    db.update(notifications).set({ read_at: Date.now() }).where(unread).run()
    setImmediate(() => notificationEvents.emit('read', id))
    return doneInList(request, list)
  }
}

/** GET of a spreadsheet that took too long to be waited for. */
function downloadFile(_request: FastifyRequest, reply: FastifyReply, { file, file_name }: Notification): Promise<FastifyReply> {
  return sendKeptFile(reply, file, file_name ?? '')
}
