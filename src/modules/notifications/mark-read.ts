import { and, eq, isNull, lte } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notifications, write } from '../../database/index.ts'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { parseSwitch } from '../../web/form/fields.ts'
import { bodyOf, type FindRecord, parseId } from '../../web/http.ts'
import { respondWithList } from '../../web/list/show.ts'
import type { List } from '../../web/list/state.ts'
import type { Notification } from './access.ts'

export const findNotification: FindRecord<Notification> = (db, id) => db.select().from(notifications).where(eq(notifications.id, id)).get()

export function markRead<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db, notificationEvents } = request.server
    const read = parseSwitch(bodyOf(request).get('value') ?? '1')
    const reader = writeRecord(request, ({ id, user_id, read_at }: Notification) => {
      const moment = read ? (read_at ?? Date.now()) : null
      db.update(notifications).set({ read_at: moment }).where(eq(notifications.id, id)).run()
      return user_id
    })
    notificationEvents.emit('read', reader)
    return respondWithList(request, reply, list)
  }
}

export function markAllRead<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db, notificationEvents } = request.server
    const { id } = request.actor
    const newest = parseId(bodyOf(request).get('newest')) ?? Number.MAX_SAFE_INTEGER
    const unread = and(eq(notifications.user_id, id), isNull(notifications.read_at), lte(notifications.id, newest))
    write(db, () => db.update(notifications).set({ read_at: Date.now() }).where(unread).run())
    notificationEvents.emit('read', id)
    return respondWithList(request, reply, list)
  }
}
