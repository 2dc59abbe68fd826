import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../http/request/context.ts'
import { type FormInput, parseId, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import type { Choice } from '../fields/index.ts'
import type { FormState } from './form.ts'

/** Each word adds a condition to the query, so the length must be limited. */
const queryLimit = 200

type Choices = FormState['choices']

/** Choices that are loaded where a form shows or reads them, and once: a PATCH of one field loads no others. */
export function whenAsked(load: Readonly<Record<string, () => Choice[]>>, others: Choices = {}): Choices {
  const loaders = Object.entries(load).map(([name, find]) => {
    // Forms that have these among others keep what they have loaded themselves.
    const get = function (this: Choices) {
      const value = find()
      Object.defineProperty(this, name, { value })
      return value
    }
    return [name, { get, enumerable: true, configurable: true }] as const
  })
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(others), ...Object.fromEntries(loaders) })
}

export type FindChoices = (context: Context, by: { id: number } | { query: string }) => Choice[]

/** What a searched choice offers: what was searched for, what is stored and what was chosen before. */
export function loadChoices(context: Context, { texts }: FormInput, name: string, present: Choice[], find: FindChoices): Choice[] {
  const found = find(context, { query: (texts.get(`${name}_search`) ?? '').slice(0, queryLimit) })
  const id = parseId(texts.get(name))
  const chosen = id === undefined ? [] : find(context, { id })
  return [...new Map([...found, ...present, ...chosen].map((choice) => [choice.id, choice])).values()]
}

const optionsFragment = template<{ options: Choice[] }>('components/options.njk')

export function showChoices(find: FindChoices) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const options = find(request, { query: (queryOf(request).get('q') ?? '').slice(0, queryLimit) })
    return reply.page(optionsFragment, { options })
  }
}
