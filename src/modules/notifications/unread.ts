import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cachedUntilWrite, type Database, prepareOnce } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { countLimit } from '../../i18n/format.ts'
import type { Language } from '../../i18n/translate.ts'

/** As many as the inbox lists as unread. */
const countUnread = prepareOnce((db) =>
  db.$client.prepare<{ user: number }, { unread: number; newest: number | null }>(
    `select max(id) as newest, count(*) as unread
      from (select id from notifications where user_id = @user and read_at is null order by id desc limit ${countLimit + 1})`,
  ),
)

type Bell = ReturnType<typeof loadBell>

const unreadCount = template<{ bell: Bell }>('notifications/unread.njk')
const bellPart = template<{ bell: Bell }>('notifications/bell.njk')

export const bell = fragment(bellPart, ({ server, actor }: Context) => ({ bell: loadBell(server.db, actor.id) }))

export function loadBell(db: Database, userId: number) {
  const { unread, newest } = cachedUntilWrite(
    db,
    `unread notifications of ${userId}`,
    () => countUnread(db).get({ user: userId }) ?? { unread: 0, newest: null },
  )
  return { unread, newest }
}

export function renderBell(app: FastifyInstance, userId: number, language: Language): Promise<string> {
  return app.render(language, unreadCount, { bell: loadBell(app.db, userId) })
}

export async function showUnread({ server, actor, language }: FastifyRequest, reply: FastifyReply) {
  const html = await renderBell(server, actor.id, language)
  return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(html)
}
