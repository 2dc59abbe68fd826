import { EventEmitter } from 'node:events'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    notificationEvents: NotificationEvents
  }
}

export type NotificationEvents = EventEmitter<{
  queued: [userIds: readonly number[]]
  read: [userId: number]
  posted: [orderId: number, readerIds: readonly number[]]
}>

export const notificationEventsPlugin = fp(async (app) => {
  app.decorate('notificationEvents', new EventEmitter() as NotificationEvents)
})
