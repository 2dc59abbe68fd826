import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Language, translator } from '../../i18n/translate.ts'
import { type clientOf, organizationName } from '../../web/http.ts'
import { deliverMail, type Mail, mailFailure } from '../../web/operations/send-mail.ts'
import { type User, userLabel } from '../users/accounts.ts'
import { createResetLinks } from './reset-links.ts'

export interface ResetRequest {
  email: string
  address: string
  language: Language
  client: ReturnType<typeof clientOf>
}

/** Looked up after the response at a random time, so that timing does not reveal accounts. */
const lookupDelay = () => randomInt(500, 1500)

export function createResetMailer(app: FastifyInstance): (resetRequest: ResetRequest) => void {
  const shutdown = new AbortController()
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    shutdown.abort()
    await Promise.all(running)
  })
  return (resetRequest) => {
    const job = pause(lookupDelay(), undefined, { signal: shutdown.signal, ref: false })
      .then(() => sendResetLinks(app, resetRequest, shutdown.signal))
      .catch((error) => app.log.error(mailFailure(error), 'a reset email was not sent'))
      .finally(() => running.delete(job))
    running.add(job)
  }
}

async function sendResetLinks(app: FastifyInstance, { email, address, language, client }: ResetRequest, shutdown: AbortSignal) {
  const links = createResetLinks(app.db, email, { id: null, name: '', ...client })
  const [first] = links
  if (!first) return
  const addressed = links.map(({ user, token }) => ({ user, link: address + token }))
  const mail = composeMail(app, addressed, first.user.language ?? language)
  await deliverMail(app, { ...mail, to: first.user.email }, shutdown)
}

function composeMail(app: FastifyInstance, links: { user: User; link: string }[], language: Language): Pick<Mail, 'subject' | 'text'> {
  const t = translator(language)
  const organization = organizationName(app, t)
  const [one, ...others] = links
  const linkLines = others.length
    ? [
        t('Several accounts use this email. Open the link for the one you need within an hour:'),
        ...links.map(({ user, link }) => `${userLabel(user)}\n${link}`),
      ]
    : [t('Open this link within an hour to set a new password:'), one?.link]
  const text = [
    t('Someone, most likely you, asked to reset your {organization} password.', { organization }),
    ...linkLines,
    t('If this was not you, ignore this email. Your password stays the same.'),
  ].join('\n\n')
  return { subject: t('Reset your {organization} password', { organization }), text }
}
