import { and, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { bestEffort, notifications, users, webhooks, write } from '../../../database/index.ts'
import { sendWaiting } from '../../../records/jobs/send-waiting.ts'
import { callWebhook, type Delivery, findDue, findNext, recordAnswer, type WaitingFor } from './deliveries.ts'
import { hostOf, sendMessage } from './send.ts'

/** Each address has a job that sends what waits for it: one that is slow, or down, does not hold up the others. */
export const webhookPlugin = fp(async (app: FastifyInstance) => {
  app.registry.jobKinds.set(
    'webhook',
    sendWaiting({
      findDue: ({ db }, { id }: WaitingFor) => findDue(db, id),
      send: deliver,
      findNext: ({ db }, { id }) => findNext(db, id),
    }),
  )
  app.addHook('onReady', async () => {
    for (const { id } of app.db.select({ id: webhooks.id }).from(webhooks).all()) callWaiting(app, id)
  })
})

/** An earlier version has left messages without a job. */
function callWaiting(app: FastifyInstance, id: number): void {
  const due_at = findNext(app.db, id)
  if (due_at !== undefined) bestEffort(() => write(app.db, () => callWebhook(app, id, due_at)))
}

async function deliver(app: FastifyInstance, delivery: Delivery): Promise<void> {
  const limits = { timeout: app.timeouts.webhook, hosts: app.config.webhookHosts }
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
