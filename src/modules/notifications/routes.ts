import type { FastifyInstance } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { mayManageOutbox, notificationAccess } from './access.ts'
import { downloadFile, findNotification, inbox, markAllRead, markRead } from './inbox.ts'
import { showLatest } from './latest.ts'
import { countFailed, findDelivery, outbox, retry } from './outbox.ts'
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
  app.post('/notifications/read', action({ access: notificationAccess.list }, markAllRead(list)))
  app.post('/notifications/:id/read', action({ access: notificationAccess.read, record: findNotification }, markRead(list)))
  app.get(
    '/notifications/:id/file',
    onRecord({ access: notificationAccess.download, record: findNotification, answers: 'spreadsheet' }, downloadFile),
  )
  outboxRoutes(app)
}

function outboxRoutes(app: FastifyInstance): void {
  const list = outbox(app)
  listRoutes(app, list, {
    icon: 'send',
    section: 'System',
    waiting: { path: '/outbox?state=failed-lately', count: () => countFailed(app.db) },
  })
  app.post('/outbox/:id/retry', action({ access: mayManageOutbox.retry, record: findDelivery }, retry(list)))
}
