import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { channels, PermanentFailure, RateLimited } from './channels.ts'
import {
  type Channel,
  type DueDelivery,
  findDueDeliveries,
  findNextAttempt,
  markFailed,
  markSent,
  pauseChannel,
  scheduleRetry,
} from './deliveries.ts'

const minDelay = 1000
const hour = 3600_000
const drainTimeout = 3000

/** A message is marked as sent after it was handed over: a crash in between sends it twice rather than never. */
export const deliveryPlugin = fp(async (app) => {
  const open = (Object.keys(channels) as Channel[]).filter((channel) => channels[channel].isOpen(app))
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
    for (let due = findDueDeliveries(app.db, channel); due.length > 0 && !closing; due = findDueDeliveries(app.db, channel))
      await Promise.all(due.map((delivery) => deliver(app, channel, delivery)))
  }

  function sleep(): void {
    clearTimeout(timer)
    const at = closing ? undefined : findNextAttempt(app.db, channel)
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

async function deliver(app: FastifyInstance, channel: Channel, delivery: DueDelivery): Promise<void> {
  const outcome = undeliverableReason(channel, delivery) ?? (await attempt(app, channel, delivery))
  // After shutdown the outcome is lost, and the delivery is retried at the next start.
  if (app.db.$client.open) recordOutcome(app, channel, delivery, outcome)
}

function attempt(app: FastifyInstance, channel: Channel, delivery: DueDelivery): Promise<Error | undefined> {
  return channels[channel].send(app, delivery).then(
    () => undefined,
    (error: Error) => error,
  )
}

function undeliverableReason(channel: Channel, delivery: DueDelivery): PermanentFailure | undefined {
  if (delivery.order_id === null && delivery.event === null) return new PermanentFailure('no-order')
  if (delivery.message?.withdrawn_at) return new PermanentFailure('withdrawn')
  const address = channel === 'email' ? delivery.email : delivery.tg_id
  return delivery.active && address ? undefined : new PermanentFailure('no-recipient')
}

function recordOutcome(app: FastifyInstance, channel: Channel, delivery: DueDelivery, outcome: Error | undefined): void {
  const errorText = outcome ? describe(app, outcome) : ''
  if (!outcome) markSent(app.db, delivery)
  else if (outcome instanceof RateLimited)
    pauseChannel(app.db, channel, Date.now() + Math.min(outcome.retryAfter * 1000, 24 * hour), errorText)
  else if (outcome instanceof PermanentFailure) markFailed(app.db, delivery, errorText)
  else scheduleRetry(app.db, delivery, errorText)
}

/** Must never contain the token of the bot. */
function describe({ config }: FastifyInstance, { message, cause }: Error): string {
  const text = [message, (cause as Error | undefined)?.message].filter(Boolean).join(': ').replace(/\s+/g, ' ')
  const { token } = config.telegram ?? {}
  return (token ? text.replaceAll(token, '…') : text).slice(0, 300)
}
