import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, prepareOnce, untilWritten } from '../../database/index.ts'
import type { Language } from '../../i18n/translate.ts'
import type { Acting } from '../../web/acting.ts'
import { page, part } from '../../web/http.ts'

const countLimit = 100

const countUnread = prepareOnce((db) =>
  db.$client
    .prepare<[number], number>(
      `select count(*) from (select 1 from notifications where user_id = ? and read_at is null limit ${countLimit})`,
    )
    .pluck(),
)

type Bell = ReturnType<typeof loadBell>

const unreadCount = page<{ bell: Bell }>('notifications/unread.njk')
const bellPart = page<{ bell: Bell }>('notifications/bell.njk')

export const bell = part(bellPart, ({ server, actor }: Acting) => ({ bell: loadBell(server.db, actor.id) }))

function loadBell(db: Database, userId: number) {
  const unread = untilWritten(db, `unread notifications of ${userId}`, () => countUnread(db).get(userId) ?? 0)
  return { unread, many: unread === countLimit }
}

export function renderBell(app: FastifyInstance, userId: number, language: Language): string {
  return app.render(language, unreadCount, { bell: loadBell(app.db, userId) })
}

export function showUnread({ server, actor, language }: FastifyRequest, reply: FastifyReply) {
  const html = renderBell(server, actor.id, language)
  return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(html)
}
