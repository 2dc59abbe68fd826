import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { addRecord } from '../../records/record.ts'
import { sendKeptFile } from '../../records/spreadsheet/send-spreadsheet.ts'
import { type Notification, notificationAccess } from './access.ts'
import { inbox } from './inbox.ts'
import { showLatest } from './latest.ts'
import { findNotification, markAllRead, markRead } from './mark-read.ts'
import { outboxRoutes } from './outbox.ts'
import { notificationStream } from './stream.ts'
import { bell, showUnread } from './unread.ts'

export async function notificationRoutes(app: FastifyInstance): Promise<void> {
  const list = inbox(app.db)
  // Every page closes its stream when left, which is not worth a log line.
  const stream = { access: 'signed-in', answers: 'events', background: true, exposeHeadRoute: false, logLevel: 'warn' } as const
  app.registry.topbar.push(bell)

  addRecord(app, { list })
  app.registry.commands.push({ path: '/notifications', label: ['Notifications'], rule: notificationAccess.list })
  app.get('/notifications/latest', { access: notificationAccess.list, answers: 'fragment' }, showLatest(list))
  app.get('/notifications/unread', { access: 'signed-in', answers: 'fragment', background: true }, showUnread)
  app.get('/notifications/stream', stream, notificationStream(app))
  app.post('/notifications/read', action({ access: notificationAccess.list }, markAllRead(list)))
  app.post('/notifications/:id/read', action({ access: notificationAccess.read, record: findNotification }, markRead(list)))
  const file = { access: notificationAccess.download, record: findNotification, answers: 'spreadsheet' } as const
  app.get('/notifications/:id/file', onRecord(file, downloadFile))
  outboxRoutes(app)
}

/** GET of a spreadsheet that took too long to be waited for. */
function downloadFile(_request: FastifyRequest, reply: FastifyReply, { file, file_name }: Notification): Promise<FastifyReply> {
  return sendKeptFile(reply, file, file_name ?? '')
}
