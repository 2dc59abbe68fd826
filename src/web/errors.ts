import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { flash } from './flash.ts'
import { HttpError, wantsFragment } from './http.ts'
import { ImpersonationEnded } from './session.ts'

/** Every failure is a page or a fragment in the cabinet's own layout. */
export const errorPlugin = fp(async (app: FastifyInstance) => {
  app.setErrorHandler(async (error: FastifyError | HttpError, request, reply) => {
    if (error instanceof ImpersonationEnded) return leadBack(error, request, reply)
    const status = statusOf(error)
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    return showError(request, reply, status, textOf(error, status, request))
  })
  app.setNotFoundHandler(async (request, reply) => showError(request, reply, 404, request.t('There is no such page.')))
})

function statusOf(error: FastifyError | HttpError): number {
  if (error instanceof HttpError) return error.status
  const { statusCode = 500 } = error
  return statusCode >= 400 && statusCode < 600 ? statusCode : 500
}

function textOf(error: FastifyError | HttpError, status: number, request: FastifyRequest): string {
  if (error instanceof HttpError) return request.t(error.message, error.params)
  return request.t(
    texts[status] ?? (status < 500 ? 'The request could not be understood.' : 'Something went wrong on our side. Nothing was saved.'),
  )
}

const texts: Record<number, string> = {
  413: 'What was sent is too large.',
  415: 'This kind of content is not accepted here.',
  503: 'The cabinet is busy. Please try again in a moment.',
}

function showError(request: FastifyRequest, reply: FastifyReply, status: number, message: string) {
  reply.code(status)
  if (wantsFragment(request)) reply.header('HX-Retarget', '#messages').header('HX-Reswap', 'innerHTML').header('HX-Push-Url', 'false')
  return reply.page('pages/error.njk', { status, message, title: message })
}

function leadBack(error: ImpersonationEnded, request: FastifyRequest, reply: FastifyReply) {
  flash(request, error.message)
  const target = error.returnTo
  if (request.headers['hx-request']) return reply.code(401).header('HX-Redirect', target).send()
  return reply.redirect(target, 303)
}
