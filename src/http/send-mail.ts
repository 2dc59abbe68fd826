import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  messageId?: string
  attachments?: { filename: string; path: string; contentType: string }[]
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

const retryDelays = [1_000, 10_000, 60_000]

/** Hands over a mail that contains a link and therefore is not queued in the database; tries four times, unless aborted. */
export async function deliverMail(app: FastifyInstance, mail: Mail, signal: AbortSignal): Promise<void> {
  for (const wait of retryDelays)
    try {
      return await app.sendMail?.(mail)
    } catch (error) {
      app.log.warn(mailFailure(error), 'a mail waits for another attempt')
      await pause(wait, undefined, { signal, ref: false })
    }
  return app.sendMail?.(mail)
}

/** What the log may contain of a failure: no addresses. */
export function mailFailure(error: unknown) {
  const { name, code, responseCode } = error as { name?: string; code?: string; responseCode?: number }
  return { failure: { name, code, responseCode } }
}
