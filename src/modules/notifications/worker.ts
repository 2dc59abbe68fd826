import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { firstCharacters } from '../../core/text.ts'
import { type Channel, type Delivery, PermanentFailure, RateLimited, reasonOf } from './channels/channel.ts'
import { channels } from './channels.ts'
import { findDueDeliveries, findNextAttempt, markFailed, markSent, pauseChannel, scheduleRetry } from './deliveries.ts'

const minDelay = 1000
const hour = 3600_000
const drainTimeout = 3000

/** A message is marked as sent after it was handed over: a crash in between sends it twice rather than never. */
export const deliveryPlugin = fp(async (app) => {
  const open = channels.filter((channel) => channel.isOpen(app))
  const queues = open.map((channel) => startQueue(app, channel))
  const wake = () => {
    for (const queue of queues) queue.wake()
  }
  app.notificationEvents.on('queued', wake)
  app.addHook('onReady', async () => wake())
  app.addHook('onClose', async () => void (await Promise.all(queues.map((queue) => queue.close()))))
})

function startQueue(app: FastifyInstance, channel: Channel) {
  let running = Promise.resolve()
  let woken = false
  let closing = false
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    if (woken || closing) return
    woken = true
    running = running.then(drain).then(sleep).catch(handleError)
  }

  async function drain(): Promise<void> {
    woken = false
    for (let due = findDueDeliveries(app.db, channel.key); due.length > 0 && !closing; due = findDueDeliveries(app.db, channel.key))
      await Promise.all(due.map((delivery) => deliver(app, channel, delivery)))
  }

  function sleep(): void {
    clearTimeout(timer)
    const at = closing ? undefined : findNextAttempt(app.db, channel.key)
    if (at !== undefined) timer = setTimeout(wake, Math.min(Math.max(at - Date.now(), minDelay), hour)).unref()
  }

  function handleError(error: unknown): void {
    if (!closing) app.log.error({ err: error }, 'delivering failed')
    timer = setTimeout(wake, hour / 60).unref()
  }

  async function close(): Promise<void> {
    closing = true
    clearTimeout(timer)
    await Promise.race([running, pause(drainTimeout, undefined, { ref: false })])
  }

  return { wake, close }
}

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
  if (delivery.order_id === null && delivery.event === null) return new PermanentFailure('no-order')
  if (delivery.message?.withdrawn_at) return new PermanentFailure('withdrawn')
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
