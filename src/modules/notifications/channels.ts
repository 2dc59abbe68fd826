import type { FastifyInstance } from 'fastify'
import { statusNameFor } from '../../core/default-workflow.ts'
import { firstCharacters } from '../../core/text.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { type Translate, translator } from '../../i18n/translate.ts'
import { defaultLanguage, organizationName, publicUrl } from '../../web/http.ts'
import { formatDateTime } from '../../web/view/format.ts'
import type { Channel, DueDelivery } from './deliveries.ts'
import { type AccountNotice, accountNotices } from './queue.ts'

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

function buildMessage(app: FastifyInstance, { order_id, ...change }: DueDelivery): { subject: string; text: string } {
  const language = change.language ?? defaultLanguage(app)
  const t = translator(language)
  if (change.event) return composeAccountMessage(app, change, t)
  if (change.message) return composeOrderMessage(app, { order_id, ...change, message: change.message }, t)
  const names = {
    number: order_id,
    status: statusNameFor(language, change.status_name),
    company: change.company,
  }
  const subject = t('Order {number}: {status}', names)
  const lines = [
    change.company ? t('Order {number} from {company} moved to "{status}".', names) : subject,
    change.specification_number && t('Specification number: {number}', { number: change.specification_number }),
    change.from_name && t('Previous status: {status}', { status: statusNameFor(language, change.from_name) }),
    change.actor_name && t('Changed by: {name}, {time}', { name: change.actor_name, time: formatDateTime(change.created_at) }),
    '',
    publicUrl(app, `/orders/${order_id}`),
  ]
  return { subject, text: lines.filter((line) => line !== null && line !== undefined).join('\n') }
}

const excerptLength = 1000

function composeOrderMessage(
  app: FastifyInstance,
  { order_id, company, message }: Pick<DueDelivery, 'order_id' | 'company'> & { message: NonNullable<DueDelivery['message']> },
  t: Translate,
) {
  const { id, author_name: name, text, internal } = message
  const lines = [
    company ? t('{name} wrote about order {number} from {company}:', { name, number: order_id, company }) : t('{name} wrote:', { name }),
    internal ? t('Internal: this message is hidden from dealers.') : null,
    '',
    text === '' ? t('Files are attached.') : firstCharacters(text, excerptLength),
    '',
    publicUrl(app, `/orders/${order_id}#message-${id}`),
  ]
  const subject = t('Order {number}: message from {name}', { number: order_id, name })
  return { subject, text: lines.filter((line) => line !== null).join('\n') }
}

/** What happened to an account, so that its person notices what they did not do themselves. */
function composeAccountMessage(
  app: FastifyInstance,
  { event, created_at, address, user_agent }: Omit<DueDelivery, 'order_id'>,
  t: Translate,
) {
  const subject = t(accountNotices[event as AccountNotice])
  const lines = [
    t('{subject}. Time: {time}', { subject, time: formatDateTime(created_at) }),
    address && t('IP address: {address}', { address }),
    user_agent && t('Browser: {browser}', { browser: describeUserAgent(user_agent) || user_agent }),
    '',
    t('If this was not you, contact an administrator immediately.'),
  ]
  return { subject: `${organizationName(app, t)}: ${subject}`, text: lines.filter((line) => line !== null).join('\n') }
}
