import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from '../../http/request/errors.ts'
import { ApiProblem } from './problem.ts'

export type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

declare module 'fastify' {
  interface FastifyRequest {
    /** What a request to the API was sent; its body is the form that this is read as. */
    json: Json | undefined
  }
}

/** Nothing but JSON is taken in this scope: no form that a page of another site could send. */
export function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.decorateRequest('json', undefined)
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      request.json = JSON.parse(String(text))
      done(null, new URLSearchParams())
    } catch {
      done(new HttpError(400, 'The body is not valid JSON.'))
    }
  })
}

/** @throws ApiProblem 422 for anything that is no object, such as no body at all */
export function jsonObject({ json }: FastifyRequest): JsonObject {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new ApiProblem(422, 'The body must be a JSON object.')
  return json
}
