import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { firstCharacters } from '../../core/text.ts'
import { bestEffort, write } from '../../database/index.ts'
import { recordHit, secondsToWait } from '../../http/access/rate-limit.ts'
import { addServiceJob } from '../../records/jobs/job.ts'
import { sendWaiting } from '../../records/jobs/send-waiting.ts'
import { type Channel, type Delivery, PermanentFailure, RateLimited, reasonOf, type Together } from './channels/channel.ts'
import { channels } from './channels.ts'
import { composeMessage } from './compose-message.ts'
import {
  findDueDeliveries,
  findNextAttempt,
  isOpenReport,
  markFailed,
  markSent,
  pauseChannel,
  postpone,
  scheduleRetry,
} from './deliveries.ts'
import { isDueNotice, isOfPayments } from './notices.ts'
import { withStepFiles } from './step-files.ts'

const hour = 3600_000

/** Each channel has a job that sends what waits for it: one that is slow, or down, does not hold up the others. */
export const deliveryPlugin = fp(async (app) => {
  for (const channel of channels)
    app.registry.jobKinds.set(
      channel.key,
      sendWaiting({
        findDue: () => (channel.isOpen(app) ? findDueDeliveries(app.db, channel.key) : []),
        send: (_, together: Together) => deliver(app, channel, together),
        findNext: () => (channel.isOpen(app) ? findNextAttempt(app.db, channel.key) : undefined),
      }),
    )
  app.addHook('onReady', async () => {
    for (const channel of channels) if (channel.isOpen(app)) callChannel(app, channel.key)
  })
})

/** As long as a channel is not set up, messages wait without a job. */
function callChannel(app: FastifyInstance, kind: string): void {
  const due_at = findNextAttempt(app.db, kind)
  if (due_at !== undefined) bestEffort(() => write(app.db, () => addServiceJob(app, { kind, due_at })))
}

async function deliver(app: FastifyInstance, channel: Channel, together: Together): Promise<void> {
  const [delivery] = together
  const key = `payments told to ${delivery.user_id} by ${channel.key}`
  const wait = isOpenReport(delivery) ? secondsToWait(app.db, key, reportsLimit) : undefined
  if (wait !== undefined) return postpone(app.db, together, Date.now() + wait * 1000)
  const [first, ...others] = together.filter((one) => !undeliverableReason(one))
  const outcome = first && (await attempt(app, channel, [first, ...others]))
  // After shutdown the outcome is lost, and the delivery is retried at the next start.
  if (!app.db.$client.open) return
  write(app.db, () => {
    for (const one of together) recordOutcome(app, channel, one, undeliverableReason(one) ?? outcome)
    if (isOpenReport(delivery) && first && !outcome) recordHit(app.db, key)
  })
}

/** Whoever may confirm payments hears of those that are reported, all together, once in a quarter of an hour. */
const reportsLimit = { limit: 1, window: hour / 4 }

async function attempt(app: FastifyInstance, channel: Channel, together: Together): Promise<Error | undefined> {
  const [{ id, created_at, recipient }] = together
  // The time makes it unique across installations.
  const messageId = `delivery.${id}.${created_at}`
  try {
    const message = { id: messageId, to: recipient ?? '', ...composeMessage(app, together) }
    await channel.send(app, channel.filesUpTo ? withStepFiles(app, together, message, channel.filesUpTo) : message)
  } catch (error) {
    return error as Error
  }
}

function undeliverableReason(delivery: Delivery): PermanentFailure | undefined {
  const { event, payment, lacking } = delivery
  if (delivery.order_id === null && !payment && (event === null || isOfPayments(event))) return new PermanentFailure('no-order')
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
