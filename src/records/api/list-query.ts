import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { maySee } from '../../core/access.ts'
import type { Problem } from '../../http/request/errors.ts'
import { queryOf } from '../../http/request/input.ts'
import { formatRubles } from '../../i18n/format.ts'
import type { AnyList, Filter } from '../list/list.ts'
import { type Position, readPageToken } from './page-token.ts'
import { invalid } from './problem.ts'

const mostRows = 500
const usualRows = 100

export interface WalkQuery {
  limit: number
  /** Milliseconds since 1970. */
  updatedSince: number | undefined
  after: Position | undefined
  q: string
  filters: Record<string, string>
}

/** What names the walk through a list in its page tokens. */
export const walkOf = (list: { name: string }, updatedSince: number | undefined) =>
  `${list.name} by ${updatedSince === undefined ? 'creation' : 'change'}`

/**
 * What the address of a list asks for.
 * @throws ApiProblem 422 that names each parameter that is unknown or not valid: nothing is ignored, as on pages
 */
export function readListQuery(request: FastifyRequest, list: AnyList): WalkQuery {
  const query = queryOf(request)
  const errors: Record<string, Problem> = {}
  const take = <T>(name: string, read: (value: string) => T | undefined, message: string): T | undefined => {
    const value = query.get(name)
    if (value === null) return undefined
    const found = read(value)
    if (found === undefined) errors[name] = { message, params: { max: mostRows } }
    return found
  }
  const filters = (list.filters ?? []).filter(maySee(request.actor))
  const updatedSince = take('updated_since', readMoment, 'Enter a time with its zone, as ISO 8601 writes it.')
  const asked = {
    limit: take('limit', readLimit, 'Enter a whole number from 1 to {max}.') ?? usualRows,
    updatedSince,
    after: take('after', (token) => readPageToken(walkOf(list, updatedSince), token), 'This page token belongs to another list.'),
    q: (query.get('q') ?? '').trim().slice(0, 200),
    filters: Object.fromEntries(
      filters.flatMap((filter) => {
        const value = take(filter.name, (text) => filterValue(filter, text), 'Invalid value')
        return value === undefined ? [] : [[filter.name, value]]
      }),
    ),
  }
  const known = new Set(['limit', 'updated_since', 'after', 'q', ...filters.map(({ name }) => name)])
  const wrong = [...query.keys()].flatMap((name): [string, Problem][] => {
    if (!known.has(name)) return [[name, { message: 'Unknown parameter.' }]]
    return query.getAll(name).length > 1 ? [[name, { message: 'This value was sent more than once.' }]] : []
  })
  const all = { ...errors, ...Object.fromEntries(wrong) }
  if (Object.keys(all).length > 0) throw invalid(request, all)
  return asked
}

function readLimit(text: string): number | undefined {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= mostRows ? limit : undefined
}

function readMoment(text: string): number | undefined {
  return z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : undefined
}

/** As pages write it: they name amounts in rubles, the API in kopecks. */
function filterValue({ where, amount }: Filter, text: string): string | undefined {
  const value = amount ? (/^\d{1,15}$/.test(text) ? formatRubles(Number(text)) : '') : text
  return value !== '' && where(value) ? value : undefined
}
