import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from '../../http/request/errors.ts'
import { ApiProblem } from './problem.ts'

export type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

/** Nothing but JSON is taken in this scope: no form that a page of another site could send. */
export function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(new HttpError(400, 'The body is not valid JSON.'))
    }
  })
}

/** @throws ApiProblem 422 for anything that is no object, such as no body at all */
export function jsonObject({ body }: Pick<FastifyRequest, 'body'>): JsonObject {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new ApiProblem(422, 'The body must be a JSON object.')
  return body as JsonObject
}
