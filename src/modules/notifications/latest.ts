import { desc, eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notifications } from '../../database/schema/index.ts'
import { page } from '../../web/http.ts'
import { sortByIds } from '../../web/list/rows.ts'
import type { List } from '../../web/list/state.ts'

const latestPage = page<{ rows: object[]; unread: boolean }>('notifications/latest.njk')

const latestCount = 10

export function showLatest<Row extends { id: number; read_at: number | null }>(list: List<Row>) {
  return ({ server, actor }: FastifyRequest, reply: FastifyReply) => {
    const newest = server.db.select({ id: notifications.id }).from(notifications).where(eq(notifications.user_id, actor.id))
    const ids = newest.orderBy(desc(notifications.created_at), desc(notifications.id)).limit(latestCount).all()
    const found = ids.map(({ id }) => id)
    const rows = sortByIds(found, list.rows(found))
    return reply.page(latestPage, { rows, unread: rows.some(({ read_at }) => read_at === null) })
  }
}
