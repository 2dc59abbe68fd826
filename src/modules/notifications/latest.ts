import { desc, eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, notifications } from '../../database/index.ts'
import { template } from '../../http/request/template.ts'
import type { List } from '../../records/list/list.ts'
import { loadRows } from '../../records/list/rows.ts'
import type { InboxRow } from './inbox-rows.ts'
import { loadBell } from './unread.ts'

/** Steps and messages of one order are one entry, with what is new about it. */
interface BellEntry {
  /** The newest notification: reading it reads the others. */
  newest: InboxRow
  unread: boolean
  events: InboxRow[]
  /** How many more are new than are shown. */
  more: number
}

interface Panel {
  entries: BellEntry[]
  newest: number | undefined
  /** As many as the bell says, and how many of them belong to no entry. */
  unread: number
  more: number
}

const latestPage = template<Panel>('notifications/latest.njk')
const entryLimit = 10
const eventLimit = 3

/** Of an order that much is written about, older notifications are in the list. */
const notificationLimit = 300

/** GET of the panel of the bell. */
export function showLatest(list: List<InboxRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, actor } = request
    const latest = findLatest(server.db, actor.id)
    const groups = groupByOrder(latest).slice(0, entryLimit).map(chooseEvents)
    const rows = new Map(
      loadRows(
        request,
        list,
        groups.flatMap(({ events }) => events),
      ).map((row) => [row.id, row]),
    )
    const { unread } = loadBell(server.db, actor.id)
    const entries = groups.map(({ events, news, ...entry }) => {
      const shown = events.flatMap((id) => rows.get(id) ?? [])
      return { ...entry, unread: news > 0, newest: shown[0] as InboxRow, events: shown }
    })
    const more = groups.reduce((left, { news }) => left - news, unread)
    return reply.page(latestPage, { entries, newest: latest[0]?.id, unread, more })
  }
}

type Latest = ReturnType<typeof findLatest>

function findLatest(db: Database, userId: number) {
  const { id, order_id, read_at, created_at } = notifications
  const own = db.select({ id, order_id, read_at }).from(notifications).where(eq(notifications.user_id, userId))
  return own.orderBy(desc(created_at), desc(id)).limit(notificationLimit).all()
}

function groupByOrder(latest: Latest): Latest[] {
  return [...Map.groupBy(latest, ({ id, order_id }) => order_id ?? `notification ${id}`).values()]
}

/** What is new about an order; where nothing is, what happened last. */
function chooseEvents(group: Latest) {
  const news = group.filter(({ read_at }) => read_at === null)
  const events = (news.length > 0 ? news : group.slice(0, 1)).map(({ id }) => id)
  return { news: news.length, events: events.slice(0, eventLimit), more: Math.max(0, events.length - eventLimit) }
}
