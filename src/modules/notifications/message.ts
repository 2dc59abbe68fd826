import type { FastifyInstance } from 'fastify'
import { statusNameFor } from '../../core/default-workflow.ts'
import { firstCharacters } from '../../core/text.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { type Translate, translator } from '../../i18n/translate.ts'
import { defaultLanguage, organizationName, publicUrl } from '../../web/http.ts'
import { formatDateTime } from '../../web/view/format.ts'
import { type AccountNotice, accountNotices } from './account-notices.ts'
import type { DueDelivery } from './deliveries.ts'

export function buildMessage(app: FastifyInstance, { order_id, ...change }: DueDelivery): { subject: string; text: string } {
  const t = translator(change.language ?? defaultLanguage(app))
  if (change.event) return composeAccountMessage(app, change, t)
  if (change.message) return composeOrderMessage(app, { order_id, ...change, message: change.message }, t)
  const names = {
    number: order_id,
    status: statusNameFor(change.language ?? app.config.language, change.status_name),
    company: change.company,
  }
  const subject = t('Order {number}: {status}', names)
  const lines = [
    change.company ? t('Order {number} from {company} moved to "{status}".', names) : subject,
    change.specification_number && t('Specification number: {number}', { number: change.specification_number }),
    change.from_name && t('Previous status: {status}', { status: change.from_name }),
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
