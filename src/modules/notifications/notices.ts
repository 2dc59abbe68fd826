import { hindranceNames } from '../../core/labels.ts'
import type { Translate } from '../../i18n/translate.ts'
import labels from './labels.json' with { type: 'json' }

export const { accountNotices, deputyNotices, powerNotices, paymentNotices, paidNotices, dueNotices, orderNotices } = labels

export const notices = {
  ...accountNotices,
  ...deputyNotices,
  ...powerNotices,
  ...labels.exportNotices,
  ...labels.jobNotices,
  ...labels.installationNotices,
  ...paymentNotices,
  ...paidNotices,
  ...dueNotices,
  ...orderNotices,
}

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices
export type DeputyNotice = keyof typeof deputyNotices
export type PowerNotice = keyof typeof powerNotices
export type PaymentNotice = keyof typeof paymentNotices
export type PaidNotice = keyof typeof paidNotices
export type DueNotice = keyof typeof dueNotices
export type OrderNotice = keyof typeof orderNotices

/** What nobody wants to hear of an hour later. */
export const urgentNotices: readonly Notice[] = ['payment-rejected', 'payment-overdue']

export const isDueNotice = (event: string | null): event is DueNotice => event !== null && Object.hasOwn(dueNotices, event)

export const isPaidNotice = (event: string | null): event is PaidNotice => event !== null && Object.hasOwn(paidNotices, event)

export const isOrderNotice = (event: string | null): event is OrderNotice => event !== null && Object.hasOwn(orderNotices, event)

export const isDeputyNotice = (event: string | null): event is DeputyNotice => event !== null && Object.hasOwn(deputyNotices, event)

export const isPowerNotice = (event: string | null): event is PowerNotice => event !== null && Object.hasOwn(powerNotices, event)

/** Of a payment, of one that is lacking, or of all that an order costs. */
export const isOfPayments = (event: string | null): boolean =>
  isDueNotice(event) || isPaidNotice(event) || (event !== null && Object.hasOwn(paymentNotices, event))

/** What the detail of a notice says an order that is paid waits for; nothing in that of others. */
export function waitingOf({ event, detail }: { event: string | null; detail: string | null }, t: Translate): string | undefined {
  return event === 'paid-waiting' ? describeWaiting(JSON.parse(detail ?? '[]'), t) : undefined
}

/** @param hindrances names of fields and conditions */
export function describeWaiting(hindrances: readonly string[], t: Translate): string {
  return t('Paid, waiting for: {what}', { what: hindrances.map((name) => t(hindranceNames[name] ?? name)).join(', ') })
}
