import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../../config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  messageId?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    sendMail?: (mail: Mail) => Promise<void>
  }
}

const smtpTimeout = 20_000

export const mailPlugin = fp(async (app: FastifyInstance) => {
  const { mail } = app.config
  if (!mail) return
  const transport = await createMailTransport(mail)
  app.decorate('sendMail', async (message: Mail) => void (await transport.sendMail(message)))
  app.addHook('onClose', async () => transport.close())
})

export async function createMailTransport(mail: NonNullable<Config['mail']>) {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: smtpTimeout, greetingTimeout: smtpTimeout, socketTimeout: smtpTimeout }
  // Whoever sends decides about another attempt: what was begun and broken off counts as failed.
  return createTransport({ url: mail.url, requireTLS: mail.requireTls, pool: true, maxRequeues: 0, ...timeouts }, { from: mail.from })
}
