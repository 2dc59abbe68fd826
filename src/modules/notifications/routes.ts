import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../records/list/routes.ts'
import { notificationAccess } from './access.ts'
import { inbox, inboxRoutes } from './inbox.ts'
import { showLatest } from './latest.ts'
import { outboxRoutes } from './outbox.ts'
import { notificationStream } from './stream.ts'
import { bell, showUnread, unreadWidget } from './unread.ts'

export async function notificationRoutes(app: FastifyInstance): Promise<void> {
  const list = inbox(app.db)
  // Every page closes its stream when left, which is not worth a log line.
  const stream = { access: 'signed-in', answers: 'events', background: true, exposeHeadRoute: false, logLevel: 'warn' } as const
  app.registry.topbar.push(bell)
  app.registry.widgets.push({ rule: notificationAccess.list, place: 'news', ...unreadWidget })

  listRoutes(app, list)
  app.get('/notifications/latest', { access: notificationAccess.list, answers: 'fragment' }, showLatest(list))
  app.get('/notifications/unread', { access: 'signed-in', answers: 'fragment', background: true }, showUnread)
  app.get('/notifications/stream', stream, notificationStream(app))
  inboxRoutes(app, list)
  outboxRoutes(app)
}
