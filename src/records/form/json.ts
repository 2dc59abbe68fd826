import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { LimitReached, limited } from '../../http/access/rate-limit.ts'
import { HttpError, ValidationFailed } from '../../http/request/errors.ts'

const bodyLimit = 64 * 1024

/** Lets the routes of this scope take JSON besides forms. Their scripts learn in JSON what is wrong with what they sent. */
export function acceptJson(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(new HttpError(400, 'Invalid request'))
    }
  })
  scope.setErrorHandler(describeProblem)
}

/** @throws HttpError 422 for a body of another shape, be it JSON or a form */
export function parseBody<T>({ body }: FastifyRequest, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(body instanceof URLSearchParams ? Object.fromEntries(body) : (body ?? {}))
  if (!parsed.success) throw new HttpError(422, 'Invalid request')
  return parsed.data
}

function describeProblem(error: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof HttpError) || ![422, 429].includes(error.status)) throw error
  if (error instanceof LimitReached) limited(reply, error)
  const errors = error instanceof ValidationFailed ? error.errors : {}
  const translated = Object.entries(errors).map(([field, problem]) => [field, request.t(problem)])
  return reply.code(error.status).send({ message: request.t(error), errors: Object.fromEntries(translated) })
}
