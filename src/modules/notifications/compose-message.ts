import type { FastifyInstance } from 'fastify'
import { pastStatusNameFor } from '../../core/default-workflow.ts'
import { firstCharacters } from '../../core/text.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { findSettings } from '../../database/index.ts'
import { publicUrl } from '../../http/request/addresses.ts'
import { defaultLanguage, organizationName } from '../../http/request/organization.ts'
import { formatCalendarDate, formatDateTime } from '../../i18n/format.ts'
import { type Language, type Translate, translator } from '../../i18n/translate.ts'
import type { Delivery, Message, Together } from './channels/channel.ts'
import { composeGathered } from './compose-gathered.ts'
import {
  type AccountNotice,
  accountNotices,
  type DeputyNotice,
  type DueNotice,
  deputyNotices,
  dueNotices,
  isDeputyNotice,
  isDueNotice,
  isOrderNotice,
  isPaidNotice,
  isPowerNotice,
  type OrderNotice,
  orderNotices,
  type PaidNotice,
  type PaymentNotice,
  type PowerNotice,
  paidNotices,
  paymentNotices,
  powerNotices,
  waitingOf,
} from './notices.ts'
import { describeChangesTo } from './order-changes.ts'

type Text = Pick<Message, 'subject' | 'text'>

/** What deliveries to one person say together, in the language of their recipient. */
export function composeMessage(app: FastifyInstance, together: Together): Text {
  const [{ language: chosen, gathered_for, for_manager: name }, ...others] = together
  const language = chosen ?? defaultLanguage(app)
  const t = translator(language, findSettings(app.db))
  if (others.length > 0) return gathered_for === null ? composeReports(app, together, t) : composeGathered(app, together, language, t)
  const { subject, text } = composeOne(app, together[0], language, t)
  return { subject, text: name ? `${text}\n\n${t('You are the deputy of {name}.', { name })}` : text }
}

function composeOne(app: FastifyInstance, { order_id, ...change }: Delivery, language: Language, t: Translate): Text {
  if (change.payment) return composePaymentMessage(app, { order_id, ...change, payment: change.payment }, t)
  if (isDueNotice(change.event)) return composeDueMessage(app, { order_id, ...change, event: change.event }, t)
  if (isPaidNotice(change.event)) return composePaidMessage(app, { order_id, ...change, event: change.event }, t)
  if (isOrderNotice(change.event)) return composeChangeMessage(app, { order_id, ...change, event: change.event }, t)
  if (isDeputyNotice(change.event)) return composeDeputyMessage(app, { ...change, event: change.event }, t)
  if (isPowerNotice(change.event)) return composePowerMessage(app, { ...change, event: change.event }, t)
  if (change.event) return composeAccountMessage(app, change, t)
  if (change.message) return composeOrderMessage(app, { order_id, ...change, message: change.message }, t)
  const names = {
    number: order_id,
    status: pastStatusNameFor(language, change.status_name),
    company: change.company,
  }
  const subject = t('Order {number}: {status}', names)
  const lines = [
    change.company ? t('Order {number} from {company} moved to "{status}".', names) : subject,
    change.specification_number && t('Specification number: {number}', { number: change.specification_number }),
    change.from_name && t('Previous status: {status}', { status: pastStatusNameFor(language, change.from_name) }),
    change.actor_name && t('Changed by: {name}, {time}', { name: change.actor_name, time: formatDateTime(change.created_at) }),
    '',
    publicUrl(app, `/orders/${order_id}`),
  ]
  return { subject, text: lines.filter((line) => line !== null && line !== undefined).join('\n') }
}

function composePaymentMessage(
  app: FastifyInstance,
  { order_id: number, company, event, payment, actor_name: name, created_at }: Delivery & { payment: NonNullable<Delivery['payment']> },
  t: Translate,
) {
  const notice = t(paymentNotices[event as PaymentNotice])
  const lines = [
    `${notice}: ${t.money(payment.amount)}`,
    nameSubject({ order_id: number, company }, t),
    event !== 'payment-reported' && payment.reason && t('Reason: {reason}', { reason: payment.reason }),
    name && t('Changed by: {name}, {time}', { name, time: formatDateTime(created_at) }),
    '',
    publicUrl(app, number === null ? `/payments/${payment.id}` : `/orders/${number}#payments`),
  ]
  return {
    subject: number === null ? `${notice}: ${company ?? ''}` : t('Order {number}: {status}', { number, status: notice }),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  }
}

/** A payment that names no order is of its company. */
function nameSubject({ order_id: number, company }: Pick<Delivery, 'order_id' | 'company'>, t: Translate): string | null {
  if (number === null) return company
  return company ? t('Order {number} from {company}', { number, company }) : t('Order {number}', { number })
}

/** Reported payments, gathered. */
function composeReports(app: FastifyInstance, reports: Together, t: Translate): Text {
  const subject = t('{count} payments reported', { count: reports.length })
  const lines = reports.map(({ payment, actor_name, for_manager: name, ...subject }) =>
    [t.money(payment?.amount ?? 0), nameSubject(subject, t), actor_name, name && t('for {name}', { name })].filter(Boolean).join(' · '),
  )
  return { subject, text: [`${subject}:`, ...lines, '', publicUrl(app, '/payments?state=reported')].join('\n') }
}

function composeDueMessage(
  app: FastifyInstance,
  { order_id: number, company, event, lacking, due_day }: Delivery & { event: DueNotice },
  t: Translate,
) {
  const notice = t(dueNotices[event])
  const lines = [
    notice,
    company ? t('Order {number} from {company}', { number, company }) : t('Order {number}', { number }),
    due_day && t('Due date: {date}', { date: formatCalendarDate(due_day) }),
    lacking !== null && lacking > 0 && t('Still to pay: {amount}', { amount: t.money(lacking) }),
    '',
    publicUrl(app, `/orders/${number}#payments`),
  ]
  return {
    subject: t('Order {number}: {status}', { number, status: notice }),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  }
}

function composePaidMessage(
  app: FastifyInstance,
  { order_id: number, company, event, detail, actor_name: name, created_at }: Delivery & { event: PaidNotice },
  t: Translate,
) {
  const notice = waitingOf({ event, detail }, t) ?? t(paidNotices[event])
  const lines = [
    notice,
    company ? t('Order {number} from {company}', { number, company }) : t('Order {number}', { number }),
    name && t('Changed by: {name}, {time}', { name, time: formatDateTime(created_at) }),
    '',
    publicUrl(app, `/orders/${number}`),
  ]
  return {
    subject: t('Order {number}: {status}', { number, status: notice }),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  }
}

function composeChangeMessage(app: FastifyInstance, delivery: Delivery & { event: OrderNotice }, t: Translate) {
  const { order_id: number, company, event, actor_name: name, created_at } = delivery
  const notice = t(orderNotices[event])
  const lines = [
    nameSubject({ order_id: number, company }, t),
    ...describeChangesTo(app.db, delivery, t),
    name &&
      t(event === 'turn-reminder' ? 'Reminded by: {name}, {time}' : 'Changed by: {name}, {time}', {
        name,
        time: formatDateTime(created_at),
      }),
    '',
    publicUrl(app, `/orders/${number}`),
  ]
  return {
    subject: t('Order {number}: {status}', { number, status: notice }),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  }
}

const excerptLength = 1000

function composeOrderMessage(
  app: FastifyInstance,
  { order_id, company, message }: Pick<Delivery, 'order_id' | 'company'> & { message: NonNullable<Delivery['message']> },
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
function composeAccountMessage(app: FastifyInstance, { event, created_at, address, user_agent }: Omit<Delivery, 'order_id'>, t: Translate) {
  const subject = t(accountNotices[event as AccountNotice])
  const lines = [
    t('{subject}. Time: {time}', { subject, time: formatDateTime(created_at) }),
    ...originOf({ address, user_agent }, t),
    '',
    t('If this was not you, contact an administrator immediately.'),
  ]
  return { subject: `${organizationName(app, t)}: ${subject}`, text: lines.filter((line) => line !== null).join('\n') }
}

function composeDeputyMessage(app: FastifyInstance, delivery: Omit<Delivery, 'order_id'> & { event: DeputyNotice }, t: Translate) {
  const { event, detail, actor_name: name, created_at } = delivery
  const subject = t(deputyNotices[event])
  const lines = [
    `${subject}: ${detail}`,
    t('Changed by: {name}, {time}', { name, time: formatDateTime(created_at) }),
    '',
    publicUrl(app, '/profile?tab=deputies'),
  ]
  return { subject: `${organizationName(app, t)}: ${subject}`, text: lines.join('\n') }
}

/** What gives power over the installation, so that its superadministrators notice what none of them did. */
function composePowerMessage(app: FastifyInstance, delivery: Omit<Delivery, 'order_id'> & { event: PowerNotice }, t: Translate) {
  const { event, detail, actor_name: name, created_at } = delivery
  const subject = t(powerNotices[event])
  const lines = [
    `${subject}: ${detail}`,
    t('Changed by: {name}, {time}', { name, time: formatDateTime(created_at) }),
    ...originOf(delivery, t),
    '',
    t('If this was not agreed, end the sessions of that account and look at the security log:'),
    publicUrl(app, '/security-log'),
  ]
  return { subject: `${organizationName(app, t)}: ${subject}`, text: lines.filter((line) => line !== null).join('\n') }
}

function originOf({ address, user_agent }: Pick<Delivery, 'address' | 'user_agent'>, t: Translate) {
  return [
    address && t('IP address: {address}', { address }),
    user_agent && t('Browser: {browser}', { browser: describeUserAgent(user_agent) || user_agent }),
  ]
}
