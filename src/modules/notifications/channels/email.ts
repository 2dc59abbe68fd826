import { users } from '../../../database/index.ts'
import { composeMessage } from '../compose-message.ts'
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
  async send(app, delivery, to) {
    // Stays the same for every attempt, so that mail servers recognize duplicates; the time makes it unique across installations.
    const messageId = `<delivery.${delivery.id}.${delivery.created_at}@cabinet>`
    try {
      await app.sendMail?.({ to, messageId, ...composeMessage(app, delivery) })
    } catch (error) {
      const { responseCode = 0, command, message } = error as { responseCode?: number; command?: string; message: string }
      const refused = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
      throw refused ? new PermanentFailure(message) : error
    }
  },
}
