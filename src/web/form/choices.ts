import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseId } from '../access/policy-hook.ts'
import { bodyOf, queryOf } from '../request.ts'
import { page } from '../view/page.ts'
import type { Choice } from './fields.ts'

/** So many options a choice with a `source` carries; of more it offers those that a search finds. */
export const choiceLimit = 20

/** Letters of a search: each word asks the database, so that there must be an end of them. */
const queryLimit = 200

/** What a person may choose: the record of an id, or the first that a query finds. */
export type FindChoices = (request: FastifyRequest, by: { id: number } | { query: string }) => Choice[]

/** The options of a choice with a `source`: the first that the search finds, the present one, and the one that was chosen. */
export function loadChoices(request: FastifyRequest, name: string, present: Choice[], find: FindChoices): Choice[] {
  const body = bodyOf(request)
  const found = find(request, { query: (body.get(`${name}_search`) ?? '').slice(0, queryLimit) })
  const id = parseId(body.get(name))
  const chosen = id === undefined ? [] : find(request, { id })
  return [...new Map([...found, ...present, ...chosen].map((choice) => [choice.id, choice])).values()]
}

const optionsFragment = page<{ options: Choice[] }>('components/options.njk')

/** GET of the `source` of a choice: what the search `q` finds, as options for the browser. */
export function showChoices(find: FindChoices) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const options = find(request, { query: (queryOf(request).get('q') ?? '').slice(0, queryLimit) })
    return reply.page(optionsFragment, { options })
  }
}
