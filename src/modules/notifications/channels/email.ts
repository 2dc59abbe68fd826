import { users } from '../../../database/index.ts'
import { type Channel, PermanentFailure } from './channel.ts'

export const email: Channel = {
  key: 'email',
  label: 'Email',
  isOpen: ({ sendMail }) => sendMail !== undefined,
  address: users.email,
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
}
