import type { FastifyInstance } from 'fastify'
import type { Channel, DueDelivery } from './deliveries.ts'
import { buildMessage } from './message.ts'

/** The channel will never accept this message, for example because the address does not exist. */
export class PermanentFailure extends Error {}

export class RateLimited extends Error {
  readonly retryAfter: number
  constructor(seconds: number, message: string) {
    super(message)
    this.retryAfter = seconds
  }
}

type Send = (app: FastifyInstance, delivery: DueDelivery) => Promise<void>

/** Sends a message on each channel. Rejects when it was not accepted; worth a retry unless it is a `PermanentFailure`. */
export const channels: Record<Channel, { isOpen: (app: FastifyInstance) => boolean; send: Send }> = {
  email: { isOpen: ({ sendMail }) => sendMail !== undefined, send: sendEmail },
  telegram: { isOpen: ({ config }) => config.telegram !== undefined, send: sendTelegram },
}

async function sendEmail(app: FastifyInstance, delivery: DueDelivery): Promise<void> {
  // Stays the same for every attempt, so that mail servers recognize duplicates; the time makes it unique across installations.
  const messageId = `<delivery.${delivery.id}.${delivery.created_at}@cabinet>`
  try {
    await app.sendMail?.({ to: delivery.email, messageId, ...buildMessage(app, delivery) })
  } catch (error) {
    const { responseCode = 0, command, message } = error as { responseCode?: number; command?: string; message: string }
    const refused = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
    throw refused ? new PermanentFailure(message) : error
  }
}

const timeout = 20_000

async function sendTelegram(app: FastifyInstance, delivery: DueDelivery): Promise<void> {
  const { token, url } = app.config.telegram ?? { token: '', url: '' }
  const answer = await fetch(`${url.replace(/\/+$/, '')}/bot${token}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: delivery.tg_id, text: buildMessage(app, delivery).text, link_preview_options: { is_disabled: true } }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  })
  const { ok, description = '', parameters } = (await answer.json().catch(() => ({}))) as TelegramResponse
  if (answer.ok && ok) return
  const reason = `${answer.status} ${description}`
  if (answer.status === 429) throw new RateLimited(Number(parameters?.retry_after) || 30, reason)
  throw answer.status === 400 || answer.status === 403 ? new PermanentFailure(reason) : new Error(reason)
}

interface TelegramResponse {
  ok?: boolean
  description?: string
  parameters?: { retry_after?: number }
}
