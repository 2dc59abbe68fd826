import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../http.ts'

const fieldLimit = 2000

/** Form bodies become URLSearchParams: names stay flat and repeated ones are kept, so that no name can mean more than a text. */
export const bodyPlugin = fp(async (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  await app.register(formbody, { parser: parse as never })
})

/** The form a request carries; empty when it carries none. */
export function bodyOf(request: FastifyRequest): URLSearchParams {
  return (request.body as URLSearchParams | undefined) ?? new URLSearchParams()
}

function parse(text: string): URLSearchParams {
  const body = new URLSearchParams(text)
  if (body.size > fieldLimit) throw new HttpError(413, 'What was sent is too large.')
  return body
}
