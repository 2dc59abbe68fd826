import { hoursOfDay, mailPaces } from '../../../core/mail-pace.ts'
import { users } from '../../../database/index.ts'
import { option, toggle } from '../../../records/fields/index.ts'
import { type Channel, PermanentFailure } from './channel.ts'

export const email = {
  key: 'email',
  label: 'Email',
  isOpen: ({ sendMail }) => sendMail !== undefined,
  environment: {
    SMTP_URL: 'Mail server; without it no email is sent',
    SMTP_TLS: 'Whether the mail server must encrypt the connection',
    MAIL_FROM: 'Sender of emails',
  },
  address: users.email,
  addressFields: {},
  preferences: {
    mail_statuses: toggle('Email: order statuses'),
    mail_messages: toggle('Email: messages'),
    mail_mentions: toggle('Email: mentions of me'),
    mail_payments: toggle('Email: payments'),
    mail_pace: option('Send emails', mailPaces, {
      required: true,
      hint: 'Mentions, rejected payments and overdue payments come at once anyway.',
    }),
    mail_time: option('Once a day at', Object.fromEntries(hoursOfDay.map((time) => [time, time])), {
      required: true,
      askedWith: { field: 'mail_pace', values: ['daily'] },
    }),
  },
  wanted: {
    statuses: users.mail_statuses,
    messages: users.mail_messages,
    mentions: users.mail_mentions,
    payments: users.mail_payments,
  },
  gathered: { pace: users.mail_pace, time: users.mail_time },
  filesUpTo: 5 * 1024 ** 2,
  async send({ sendMail }, { id, ...mail }) {
    try {
      await sendMail?.({ ...mail, messageId: `<${id}@cabinet>` })
    } catch (error) {
      const { responseCode = 0, command, message } = error as { responseCode?: number; command?: string; message: string }
      const refused = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
      throw refused ? new PermanentFailure(message) : error
    }
  },
} satisfies Channel
