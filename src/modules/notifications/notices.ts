import labels from './labels.json' with { type: 'json' }

export const { accountNotices, powerNotices, paymentNotices, dueNotices } = labels

export const notices = {
  ...accountNotices,
  ...powerNotices,
  ...labels.exportNotices,
  ...labels.jobNotices,
  ...labels.installationNotices,
  ...paymentNotices,
  ...dueNotices,
}

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices
export type PowerNotice = keyof typeof powerNotices
export type PaymentNotice = keyof typeof paymentNotices
export type DueNotice = keyof typeof dueNotices

export const isDueNotice = (event: string | null): event is DueNotice => event !== null && Object.hasOwn(dueNotices, event)

export const isPowerNotice = (event: string | null): event is PowerNotice => event !== null && Object.hasOwn(powerNotices, event)

/** Of a payment, or of one that is lacking. */
export const isOfPayments = (event: string | null): boolean =>
  isDueNotice(event) || (event !== null && Object.hasOwn(paymentNotices, event))
