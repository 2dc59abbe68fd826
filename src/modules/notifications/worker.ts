import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { firstCharacters } from '../../core/text.ts'
import { startQueue } from '../../web/operations/work-queue.ts'
import { type Channel, type Delivery, PermanentFailure, RateLimited, reasonOf } from './channels/channel.ts'
import { channels } from './channels.ts'
import { findDueDeliveries, findNextAttempt, markFailed, markSent, pauseChannel, scheduleRetry } from './deliveries.ts'
import { isDueNotice, isOfPayments } from './notices.ts'

const hour = 3600_000

/** A message is marked as sent after it was handed over: a crash in between sends it twice rather than never. */
export const deliveryPlugin = fp(async (app) => {
  const open = channels.filter((channel) => channel.isOpen(app))
  const queues = open.map((channel) =>
    startQueue(app, {
      findDue: () => findDueDeliveries(app.db, channel.key),
      perform: (delivery) => deliver(app, channel, delivery),
      findNext: () => findNextAttempt(app.db, channel.key),
    }),
  )
  const wake = () => {
    for (const queue of queues) queue.wake()
  }
  app.notificationEvents.on('queued', wake)
  app.addHook('onReady', async () => wake())
  app.addHook('onClose', async () => void (await Promise.all(queues.map((queue) => queue.close()))))
})

async function deliver(app: FastifyInstance, channel: Channel, delivery: Delivery): Promise<void> {
  const outcome = undeliverableReason(delivery) ?? (await attempt(app, channel, delivery))
  // After shutdown the outcome is lost, and the delivery is retried at the next start.
  if (app.db.$client.open) recordOutcome(app, channel, delivery, outcome)
}

function attempt(app: FastifyInstance, channel: Channel, delivery: Delivery): Promise<Error | undefined> {
  return channel.send(app, delivery, delivery.recipient ?? '').then(
    () => undefined,
    (error: Error) => error,
  )
}

function undeliverableReason(delivery: Delivery): PermanentFailure | undefined {
  const { event, payment, lacking } = delivery
  if (delivery.order_id === null && (event === null || isOfPayments(event))) return new PermanentFailure('no-order')
  if (delivery.message?.withdrawn_at) return new PermanentFailure('withdrawn')
  if (event === 'payment-reported' && payment?.state !== 'reported') return new PermanentFailure('decided')
  if (isDueNotice(event) && !(lacking !== null && lacking > 0)) return new PermanentFailure('nothing-due')
  return delivery.active && delivery.recipient ? undefined : new PermanentFailure('no-recipient')
}

function recordOutcome(app: FastifyInstance, channel: Channel, delivery: Delivery, outcome: Error | undefined): void {
  const errorText = outcome ? firstCharacters(reasonOf(outcome), 300) : ''
  if (!outcome) markSent(app.db, delivery)
  else if (outcome instanceof RateLimited)
    pauseChannel(app.db, channel.key, Date.now() + Math.min(outcome.retryAfter * 1000, 24 * hour), errorText)
  else if (outcome instanceof PermanentFailure) markFailed(app.db, delivery, errorText)
  else scheduleRetry(app.db, delivery, errorText)
}
