import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { flash } from '../../web/flash.ts'
import { sendAgain } from '../../web/form/resumed.ts'
import { url } from '../../web/http.ts'
import { putBack, takeForm } from '../../web/kept-forms.ts'
import { parseId } from '../../web/policy.ts'

/** Goes on with a form that came after its session had run out, now that its sender has signed in again. */
export async function resumeRoutes(app: FastifyInstance): Promise<void> {
  app.get('/resume/:form', { access: 'signed-in', changesState: true, answers: 'redirect' }, resume)
}

async function resume(request: FastifyRequest, reply: FastifyReply) {
  const { form: id } = request.params as { form: string }
  const kept = takeForm(request, parseId(id) ?? 0)
  if (!kept) {
    flash(request, 'What was typed here is kept no longer.')
    return reply.redirect(url(request.server, '/'), 303)
  }
  let done = false
  try {
    const answer = await sendAgain(request, kept.form.url, kept.form.referer, kept.form)
    done = answer.statusCode === 303
    const { 'content-length': length, connection, date, ...headers } = answer.headers
    return reply.code(answer.statusCode).headers(headers).send(answer.rawPayload)
  } finally {
    // What was refused or went wrong saved nothing: opened again, it says so again.
    if (!done) putBack(request.server.db, kept.row)
  }
}
