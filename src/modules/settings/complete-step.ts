import type { FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { seeded } from '../../database/schema/index.ts'
import { flash } from '../../web/flash.ts'
import { HttpError, organizationName, url } from '../../web/http.ts'
import { mailFailure } from '../../web/operations/send-mail.ts'
import { bodyOf } from '../../web/request.ts'

export const mark = 'first step: '

const marked: readonly string[] = ['mail', 'time-zone', 'workflow', 'dismiss']

/** POST of a first step that nothing in the database tells. */
export async function completeStep(request: FastifyRequest, reply: FastifyReply) {
  const { server: app } = request
  const step = bodyOf(request).get('step') ?? ''
  if (!marked.includes(step)) throw new HttpError(422, 'Choose a value from the list.')
  if (step === 'mail') await sendTestMail(request)
  write(app.db, () =>
    app.db
      .insert(seeded)
      .values({ name: mark + step, at: Date.now() })
      .onConflictDoNothing()
      .run(),
  )
  return reply.redirect(url(app, '/'), 303)
}

async function sendTestMail(request: FastifyRequest): Promise<void> {
  const { server: app, actor, t } = request
  if (!app.sendMail) throw new HttpError(422, 'Email is not set up.')
  const subject = `${organizationName(app, t)}: ${t('Test email')}`
  try {
    await app.sendMail({ to: actor.email, subject, text: t('Email works.') })
  } catch (error) {
    request.log.warn(mailFailure(error), 'the test email was not sent')
    throw new HttpError(
      422,
      'The mail server rejected the test email. Check the server address and the sender in the environment variables.',
    )
  }
  flash(request, 'Test email sent to {email}', { email: actor.email })
}
