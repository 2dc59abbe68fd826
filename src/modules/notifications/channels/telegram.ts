import type { FastifyInstance } from 'fastify'
import { users } from '../../../database/index.ts'
import { text, toggle } from '../../../records/fields/index.ts'
import { type Channel, PermanentFailure, RateLimited, reasonOf } from './channel.ts'

export const telegram = {
  key: 'telegram',
  label: 'Telegram',
  isOpen: ({ config }) => config.telegram !== undefined,
  environment: {
    TELEGRAM_BOT_TOKEN: 'Telegram bot that writes to people; without it nothing goes there',
    TELEGRAM_API_URL: 'Address of the Telegram API',
  },
  address: users.tg_id,
  addressFields: { tg_id: text('Telegram', { only: 'edit' }) },
  preferences: {
    telegram_statuses: toggle('Telegram: order statuses'),
    telegram_messages: toggle('Telegram: messages'),
    telegram_mentions: toggle('Telegram: mentions of me'),
    telegram_payments: toggle('Telegram: payments'),
  },
  wanted: {
    statuses: users.telegram_statuses,
    messages: users.telegram_messages,
    mentions: users.telegram_mentions,
    payments: users.telegram_payments,
  },
  async send(app, { to: chat_id, text }) {
    const message = { chat_id, text, link_preview_options: { is_disabled: true } }
    const { status, accepted, description, retryAfter } = await post(app, message)
    if (accepted) return
    const reason = withoutToken(app, `${status} ${description}`)
    if (status === 429) throw new RateLimited(retryAfter, reason)
    throw status === 400 || status === 403 ? new PermanentFailure(reason) : new Error(reason)
  },
} satisfies Channel

const timeout = 20_000

async function post(app: FastifyInstance, message: object) {
  const { token, url } = app.config.telegram as NonNullable<typeof app.config.telegram>
  const answer = await fetch(`${url.replace(/\/+$/, '')}/bot${token}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  }).catch((error: Error) => {
    throw new Error(withoutToken(app, reasonOf(error)))
  })
  const { ok, description = '', parameters } = (await answer.json().catch(() => ({}))) as TelegramResponse
  return { status: answer.status, accepted: answer.ok && ok, description, retryAfter: Number(parameters?.retry_after) || 30 }
}

interface TelegramResponse {
  ok?: boolean
  description?: string
  parameters?: { retry_after?: number }
}

/** The outbox shows why a message was not delivered. */
function withoutToken({ config }: FastifyInstance, text: string): string {
  return text.replaceAll(config.telegram?.token ?? '', '…')
}
