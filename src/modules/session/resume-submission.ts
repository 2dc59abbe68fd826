import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { url } from '../../http/request/addresses.ts'
import { flash } from '../../http/request/flash.ts'
import { paramOf, parseId } from '../../http/request/input.ts'
import { putBackSubmission, replaySubmission, takeSubmission } from '../../http/submissions/pending-submissions.ts'

/** Replays a form submitted after its session expired, once its sender has signed in again. */
export function resumeRoutes(app: FastifyInstance): void {
  app.get(
    '/resume/:form',
    { access: 'signed-in', withoutFactor: true, changesState: true, ownForms: true, answers: 'redirect' },
    resumeSubmission,
  )
}

async function resumeSubmission(request: FastifyRequest, reply: FastifyReply) {
  const id = paramOf(request, 'form')
  const pending = takeSubmission(request, parseId(id) ?? 0)
  if (!pending) {
    flash(request, 'Your unsaved changes have expired.')
    return reply.redirect(url(request.server, '/'), 303)
  }
  let done = false
  try {
    const answer = await replaySubmission(request, pending.form.url, pending.form.referer, pending.form)
    done = answer.statusCode === 303
    const { 'content-length': length, connection, date, ...headers } = answer.headers
    return reply.code(answer.statusCode).headers(headers).send(answer.rawPayload)
  } finally {
    // A failed replay saved nothing, so the form can be submitted again.
    if (!done) putBackSubmission(request.server.db, pending.row)
  }
}
