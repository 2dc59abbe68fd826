import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodyOf, page, parseId, queryOf } from '../http.ts'
import type { Choice } from './fields.ts'

export const choiceLimit = 20

/** Each word adds a condition to the query, so the length must be limited. */
const queryLimit = 200

export type FindChoices = (request: FastifyRequest, by: { id: number } | { query: string }) => Choice[]

export function loadChoices(request: FastifyRequest, name: string, present: Choice[], find: FindChoices): Choice[] {
  const body = bodyOf(request)
  const found = find(request, { query: (body.get(`${name}_search`) ?? '').slice(0, queryLimit) })
  const id = parseId(body.get(name))
  const chosen = id === undefined ? [] : find(request, { id })
  return [...new Map([...found, ...present, ...chosen].map((choice) => [choice.id, choice])).values()]
}

const optionsFragment = page<{ options: Choice[] }>('components/options.njk')

export function showChoices(find: FindChoices) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const options = find(request, { query: (queryOf(request).get('q') ?? '').slice(0, queryLimit) })
    return reply.page(optionsFragment, { options })
  }
}
