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

/**
 * Delivers what waits, each channel at its own pace, from the start of the service to its end. What was handed over is marked
 * afterwards, so that a death in between sends it once more rather than never.
 */
export const deliveryPlugin = fp(async (app) => {
  const open = (Object.keys(channels) as Channel[]).filter((channel) => channels[channel].isOpen(app))
  const queues = open.map((channel) => startQueue(app, channel))
  const wake = () => {
    for (const queue of queues) queue.wake()
  }
  app.notices.on('queued', wake)
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

  /** What is being sent may finish, within reason. */
  async function close(): Promise<void> {
    closing = true
    clearTimeout(timer)
    await Promise.race([running, pause(drainTimeout, undefined, { ref: false })])
  }

  return { wake, close }
}

async function deliver(app: FastifyInstance, channel: Channel, delivery: DueDelivery): Promise<void> {
  const outcome = undeliverableReason(channel, delivery) ?? (await attempt(app, channel, delivery))
  // The service is gone: whatever became of this one is tried again when it comes back.
  if (app.db.$client.open) recordOutcome(app, channel, delivery, outcome)
}

function attempt(app: FastifyInstance, channel: Channel, delivery: DueDelivery): Promise<Error | undefined> {
  return channels[channel].send(app, delivery).then(
    () => undefined,
    (error: Error) => error,
  )
}

/** Why nothing is to be sent any more; the words for it are with the list that shows them. */
function undeliverableReason(channel: Channel, delivery: DueDelivery): PermanentFailure | undefined {
  if (delivery.order_id === null) return new PermanentFailure('no-order')
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

/** What went wrong, in one short line that never holds the token. */
function describe({ config }: FastifyInstance, { message, cause }: Error): string {
  const text = [message, (cause as Error | undefined)?.message].filter(Boolean).join(': ').replace(/\s+/g, ' ')
  const { token } = config.telegram ?? {}
  return (token ? text.replaceAll(token, '…') : text).slice(0, 300)
}
