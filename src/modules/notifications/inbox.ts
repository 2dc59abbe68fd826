import { and, eq, isNull, sql } from 'drizzle-orm'
import { describeUserAgent } from '../../core/user-agent.ts'
import { companies, type Database, notifications, orderHistory, orderMessages, orders, statuses, whereIn } from '../../database/index.ts'
import { page } from '../../web/http.ts'
import { countUpToLimit } from '../../web/list/rows.ts'
import type { ExportColumn, Filter, List } from '../../web/list/state.ts'
import type { ListView } from '../../web/list/view.ts'
import { may } from './access.ts'
import { type Notice, notices } from './account-notices.ts'

type Row = ReturnType<ReturnType<typeof rowsByIds>>[number]

const readAllButton = page<{ list: ListView }>('notifications/read-all.njk')
const inboxRows = page<{ list: ListView }>('notifications/rows.njk')

export function inbox(db: Database): List<Row> {
  return {
    name: 'notifications',
    title: 'Notifications',
    empty: 'Status changes of your orders appear here.',
    ownRows: inboxRows,
    tools: readAllButton,
    columns: [
      { key: 'order', label: 'Order' },
      { key: 'status', label: 'Status' },
      { key: 'changed_by', label: 'Changed by' },
      { key: 'created_at', label: 'When' },
    ],
    exports: exportColumns,
    sizes: [25, 50, 100],
    sort: { key: 'created_at', dir: 'desc' },
    table: notifications,
    may,
    bulk: false,
    filters: [byUnread],
    find: (word) => sql`instr(coalesce(${notifications.order_id}, '') || ' ' || fold(${notifications.status_name}), ${word}) > 0`,
    rows: rowsByIds(db),
  }
}

const exportColumns: ExportColumn<Row>[] = [
  { label: 'ID', width: 10, value: ({ id }) => id },
  { label: 'Order', width: 10, value: ({ order_id }) => order_id },
  { label: 'Company', value: ({ company }) => company },
  { label: 'Event', value: ({ notice, status_name }, t) => (notice ? t(notice) : status_name || t('Message')) },
  { label: 'Changed by', value: ({ message, actor_name }) => message?.author_name ?? actor_name },
  { label: 'When', width: 18, moment: true, value: ({ created_at }) => created_at },
  { label: 'Read at', width: 18, moment: true, value: ({ read_at }) => read_at },
]

const byUnread: Filter = {
  name: 'unread',
  label: 'Filter by read status',
  options: ({ t }) => [{ value: '1', label: t('Unread') }],
  where: (value) => (value === '1' ? isNull(notifications.read_at) : undefined),
  counts: (db, where) => new Map([['1', countUpToLimit(db, notifications, and(where, isNull(notifications.read_at)))]]),
}

function rowsByIds(db: Database) {
  const query = db
    .select({
      id: notifications.id,
      order_id: notifications.order_id,
      status_name: notifications.status_name,
      event: notifications.event,
      file: notifications.file,
      file_name: notifications.file_name,
      address: notifications.address,
      user_agent: notifications.user_agent,
      message: {
        id: orderMessages.id,
        author_name: orderMessages.author_name,
        text: sql<string>`substr(${orderMessages.text}, 1, 200)`,
        internal: orderMessages.internal,
        withdrawn_at: orderMessages.withdrawn_at,
      },
      color: statuses.color,
      company: companies.org,
      from_name: orderHistory.from_name,
      actor_name: orderHistory.actor_name,
      created_at: notifications.created_at,
      read_at: notifications.read_at,
      newest: sql<number>`(select max(id) from notifications newer where newer.user_id = ${notifications.user_id})`,
    })
    .from(notifications)
    .leftJoin(orders, eq(orders.id, notifications.order_id))
    .leftJoin(companies, eq(companies.id, orders.company_id))
    .leftJoin(orderHistory, eq(orderHistory.id, notifications.history_id))
    .leftJoin(orderMessages, eq(orderMessages.id, notifications.message_id))
    .leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
    .where(whereIn(notifications.id, sql.placeholder('ids')))
    .prepare()
  const labels = ({ event, user_agent }: { event: Notice | null; user_agent: string | null }) => ({
    notice: event && notices[event],
    browser: describeUserAgent(user_agent ?? ''),
  })
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) }).map((row) => ({ ...row, ...labels(row) }))
}
