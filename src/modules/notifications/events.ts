import { EventEmitter } from 'node:events'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells, after the commit, whose notifications have changed. */
    notices: NotificationEvents
  }
}

export type NotificationEvents = EventEmitter<{
  /** There is something new for these people, and perhaps something to deliver. */
  queued: [userIds: readonly number[]]
  /** This person has read something, or taken that back. */
  read: [userId: number]
}>

export const notificationEventsPlugin = fp(async (app) => {
  app.decorate('notices', new EventEmitter() as NotificationEvents)
})
