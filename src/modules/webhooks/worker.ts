import { and, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { startQueue, type WorkQueue } from '../../concurrency/work-queue.ts'
import { notifications, users, webhooks, write } from '../../database/index.ts'
import { type Delivery, findDue, findNext, recordAnswer } from './deliveries.ts'
import { queueEvent, type RecordEvent, withdrawEvents } from './queue-event.ts'
import { hostOf, sendMessage } from './send.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells other programs of an event; call it inside `write`. */
    queueEvent: (event: RecordEvent) => void
    /** Takes back what is told of something; call it inside `write`. */
    withdrawEvents: (subject: string) => void
    wakeWebhooks: () => void
    /** Milliseconds for which an address may take to answer. */
    webhookTimeout: number
  }
}

/** Each address has a queue of its own: one that is slow, or down, does not hold up the others. A crash sends a message twice rather than never. */
export const webhookPlugin = fp(async (app: FastifyInstance) => {
  const queues = new Map<number, WorkQueue>()
  app.decorate('webhookTimeout', 10_000)
  app.decorate('queueEvent', (event: RecordEvent) => queueEvent(app, event))
  app.decorate('withdrawEvents', (subject: string) => withdrawEvents(app, subject))
  app.decorate('wakeWebhooks', () => {
    if (!app.db.$client.open) return
    for (const { id } of app.db.select({ id: webhooks.id }).from(webhooks).all()) queueOf(id).wake()
  })
  app.addHook('onReady', async () => app.wakeWebhooks())
  app.addHook('onClose', async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))))

  function queueOf(id: number): WorkQueue {
    const work = {
      findDue: () => findDue(app.db, id),
      perform: (delivery: Delivery) => deliver(app, delivery),
      findNext: () => findNext(app.db, id),
    }
    const queue = queues.get(id) ?? startQueue(app, work)
    queues.set(id, queue)
    return queue
  }
})

async function deliver(app: FastifyInstance, delivery: Delivery): Promise<void> {
  const limits = { timeout: app.webhookTimeout, hosts: app.config.webhookHosts }
  const answer = await sendMessage(delivery, delivery, limits)
  // After shutdown the answer is lost, and the message is sent again at the next start.
  if (!app.db.$client.open) return
  const told = write(app.db, () => (recordAnswer(app.db, delivery, answer) ? tellOfPause(app, delivery) : []))
  if (told.length > 0) app.notificationEvents.emit('queued', told)
}

function tellOfPause({ db }: FastifyInstance, { url }: Delivery): number[] {
  const superadministrators = and(eq(users.superadmin, true), eq(users.active, true))
  const told = db.select({ id: users.id }).from(users).where(superadministrators).all()
  const notice = { status_name: '', event: 'webhook-paused' as const, address: hostOf(url), created_at: Date.now() }
  for (const { id } of told)
    db.insert(notifications)
      .values({ ...notice, user_id: id })
      .run()
  return told.map(({ id }) => id)
}
