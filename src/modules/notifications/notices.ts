import labels from './labels.json' with { type: 'json' }

export const { accountNotices, paymentNotices, dueNotices } = labels

export const notices = { ...accountNotices, ...labels.exportNotices, ...labels.installationNotices, ...paymentNotices, ...dueNotices }

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices
export type PaymentNotice = keyof typeof paymentNotices
export type DueNotice = keyof typeof dueNotices

export const isDueNotice = (event: string | null): event is DueNotice => event !== null && Object.hasOwn(dueNotices, event)

/** Of a payment, or of one that is lacking. */
export const isOfPayments = (event: string | null): boolean =>
  isDueNotice(event) || (event !== null && Object.hasOwn(paymentNotices, event))
