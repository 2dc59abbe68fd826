import type { FastifyInstance } from 'fastify'
import { pastStatusNameFor } from '../../core/default-workflow.ts'
import { firstCharacters } from '../../core/text.ts'
import type { Database } from '../../database/index.ts'
import { publicUrl } from '../../http/request/addresses.ts'
import { formatDateTime } from '../../i18n/format.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import type { Delivery, Message, Together } from './channels/channel.ts'
import { isOfPayments, type Notice, notices, waitingOf } from './notices.ts'
import { describeChangesTo } from './order-changes.ts'

/** What somebody has gathered, by order; each line with its link. */
export function composeGathered(
  app: FastifyInstance,
  together: Together,
  language: Language,
  t: Translate,
): Pick<Message, 'subject' | 'text'> {
  const subjects = Map.groupBy(together, (delivery) => subjectOf(delivery, t))
  const parts = [...subjects].map(([subject, news]) => [subject, ...news.map((one) => describeNews(app, one, language, t))].join('\n'))
  const footer = [t('When email comes is up to your profile:'), publicUrl(app, '/profile')].join('\n')
  return {
    subject: `${t('{count} updates', { count: together.length })}: ${namesOf([...subjects.keys()])}`,
    text: [...parts, footer].join('\n\n'),
  }
}

const namedSubjects = 3

const namesOf = (subjects: string[]) => subjects.slice(0, namedSubjects).join(', ') + (subjects.length > namedSubjects ? ', …' : '')

/** A payment that names no order is of its company. */
function subjectOf(delivery: Delivery, t: Translate): string {
  const { for_manager: name } = delivery
  return name ? `${orderOrCompany(delivery, t)} (${t('for {name}', { name })})` : orderOrCompany(delivery, t)
}

function orderOrCompany({ order_id: number, company }: Delivery, t: Translate): string {
  if (number === null) return company ?? ''
  return company ? t('Order {number} from {company}', { number, company }) : t('Order {number}', { number })
}

function describeNews(app: FastifyInstance, delivery: Delivery, language: Language, t: Translate): string {
  const news = [whatHappened(app.db, delivery, language, t), delivery.actor_name, formatDateTime(delivery.created_at)]
    .filter(Boolean)
    .join(' · ')
  return `– ${news}\n  ${publicUrl(app, placeOf(delivery))}`
}

function placeOf({ order_id, event, message, payment }: Delivery): string {
  if (order_id === null) return `/payments/${payment?.id}`
  if (message) return `/orders/${order_id}#message-${message.id}`
  return `/orders/${order_id}${isOfPayments(event) ? '#payments' : ''}`
}

const excerptLength = 200

function whatHappened(db: Database, delivery: Delivery, language: Language, t: Translate): string {
  const { event, message, payment } = delivery
  if (message) return describeMessage(message, t)
  if (event === null) return pastStatusNameFor(language, delivery.status_name)
  const notice = [waitingOf(delivery, t) ?? t(notices[event as Notice]), ...describeChangesTo(db, delivery, t)].join('; ')
  return payment ? `${notice}: ${t.money(payment.amount)}` : notice
}

function describeMessage({ author_name: name, text, internal }: NonNullable<Delivery['message']>, t: Translate): string {
  const said = text === '' ? t('Files are attached.') : firstCharacters(text.replace(/\s+/g, ' '), excerptLength)
  return `${t('{name} wrote:', { name })} ${said}${internal ? ` (${t('Internal')})` : ''}`
}
