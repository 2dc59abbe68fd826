import type { FastifyRequest } from 'fastify'
import { ApiProblem } from './problem.ts'

export type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

/** @throws ApiProblem 422 for anything that is no object, such as no body at all */
export function jsonObject({ body }: Pick<FastifyRequest, 'body'>): JsonObject {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new ApiProblem(422, 'The body must be a JSON object.')
  return body as JsonObject
}
