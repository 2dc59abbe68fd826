import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

export interface Mail {
  to: string
  subject: string
  text: string
  /** Tells mail programs that two copies are one message. */
  messageId?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Hands one mail to the SMTP server; absent where none is set. Rejects when the server does not take it. */
    sendMail?: (mail: Mail) => Promise<void>
  }
}

const smtpTimeout = 20_000

export const mailPlugin = fp(async (app: FastifyInstance) => {
  const { mail } = app.config
  if (!mail) return
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: smtpTimeout, greetingTimeout: smtpTimeout, socketTimeout: smtpTimeout }
  // Whoever sends decides about another attempt: what was begun and broken off counts as failed.
  const transport = createTransport(
    { url: mail.url, requireTLS: mail.requireTls, pool: true, maxRequeues: 0, ...timeouts },
    { from: mail.from },
  )
  app.decorate('sendMail', async (message: Mail) => void (await transport.sendMail(message)))
  app.addHook('onClose', async () => transport.close())
})
