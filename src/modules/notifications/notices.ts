import labels from './labels.json' with { type: 'json' }

export const { accountNotices } = labels

export const notices = { ...accountNotices, ...labels.exportNotices, ...labels.installationNotices }

export type Notice = keyof typeof notices
export type AccountNotice = keyof typeof accountNotices
