import labels from './labels.json' with { type: 'json' }

export const { accountNotices, paymentNotices } = labels

export const notices = { ...accountNotices, ...labels.exportNotices, ...labels.installationNotices, ...paymentNotices }

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices
export type PaymentNotice = keyof typeof paymentNotices
