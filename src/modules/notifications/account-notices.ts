import type { FastifyInstance } from 'fastify'
import { type Author, deliveries, notifications } from '../../database/index.ts'
import labels from './labels.json' with { type: 'json' }

export const { accountNotices } = labels

export const notices = { ...accountNotices, ...labels.exportNotices }

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices

/** Notifies somebody of a change to their account, in the inbox and by email; call it inside the transaction of the change. */
export function queueAccountNotice(
  app: FastifyInstance,
  user: { id: number; email: string; active: boolean },
  event: AccountNotice,
  { address, userAgent }: Author,
): void {
  const { db, notificationEvents, sendMail } = app
  const at = Date.now()
  const { id } = db
    .insert(notifications)
    .values({ user_id: user.id, status_name: '', event, address, user_agent: userAgent?.slice(0, 255), created_at: at })
    .returning({ id: notifications.id })
    .get()
  if (sendMail && user.active)
    db.insert(deliveries).values({ notification_id: id, channel: 'email', next_at: at, recipient: user.email }).run()
  setImmediate(() => notificationEvents.emit('queued', [user.id]))
}
