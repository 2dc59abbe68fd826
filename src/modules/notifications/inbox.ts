import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { anyOf, everyone } from '../../core/access.ts'
import { companies, type Database, notifications } from '../../database/index.ts'
import { template } from '../../http/request/template.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import type { ExportColumn, Filter, List } from '../../records/list/list.ts'
import type { ListView } from '../../records/list/view.ts'
import { notificationAccess } from './access.ts'
import { changedBy, happened, type InboxRow, rowsByIds } from './inbox-rows.ts'
import { isOfPayments, notices } from './notices.ts'

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
      { key: 'status', label: 'Event', kind: 'text' },
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

export const eventColumn: ExportColumn = {
  label: 'Event',
  value: happened,
  words: { ...notices, message: 'Message' },
  kind: 'status',
}

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
