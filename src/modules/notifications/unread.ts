import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'
import type { Language } from '../../web/i18n/translate.ts'

/** From here on the bell says only that there are more. */
const many = 100

const upToMany = prepared((db) =>
  db.$client.prepare(`select count(*) as unread from (select 1 from notifications where user_id = ? and read_at is null limit ${many})`),
)

/** What the bell shows a person. */
export function bellOf(db: Database, userId: number): { unread: number; many: boolean } {
  const { unread } = upToMany(db).get(userId) as { unread: number }
  return { unread, many: unread === many }
}

/** The same as every page, the stream and the question of an open page draw it. */
export function drawBell(app: FastifyInstance, userId: number, language: Language): string {
  return app.draw(language, 'notifications/unread.njk', { bell: bellOf(app.db, userId) })
}

/** GET /notifications/unread: for pages that the stream does not reach. */
export function showUnread({ server, actor, language }: FastifyRequest, reply: FastifyReply) {
  const html = drawBell(server, actor.id, language)
  return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(html)
}
