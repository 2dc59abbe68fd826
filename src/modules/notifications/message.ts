import type { FastifyInstance } from 'fastify'
import { translator } from '../../i18n/translate.ts'
import { publicUrl } from '../../web/http.ts'
import { formatDateTime } from '../../web/view/format.ts'
import type { DueDelivery } from './deliveries.ts'

/** The message in the recipient's language: subject of the email, and text for every channel. */
export function buildMessage(app: FastifyInstance, { order_id, ...change }: DueDelivery): { subject: string; text: string } {
  const t = translator(change.language ?? app.config.language)
  const names = { number: order_id, status: change.status_name, company: change.company }
  const subject = t('Order {number}: {status}', names)
  const lines = [
    change.company ? t('Order {number} from {company} moved to "{status}".', names) : subject,
    change.specification_number && t('Specification number: {number}', { number: change.specification_number }),
    change.from_name && t('Previous status: {status}', { status: change.from_name }),
    change.actor_name && t('Changed by: {name}, {time}', { name: change.actor_name, time: formatDateTime(change.created_at) }),
    '',
    publicUrl(app, `/orders/edit/${order_id}`),
  ]
  return { subject, text: lines.filter((line) => line !== null && line !== undefined).join('\n') }
}
