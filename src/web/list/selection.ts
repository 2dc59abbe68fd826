import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { parseId } from '../access/policy-hook.ts'
import { stateFor } from './remembered.ts'
import { allIds } from './rows.ts'
import { type List, readState, stateQuery } from './state.ts'

/** The selected ids, or all that the list finds. */
// biome-ignore lint/suspicious/noExplicitAny: a list of rows of any kind
export function selectedIds(request: FastifyRequest, list: List<any>, source: URLSearchParams): number[] {
  if (source.get('all') === '1') return allIds(request.server.db, list, request.actor, readState(list, source))
  return [...new Set(source.getAll('id').map((text) => parseId(text) ?? -1))]
}

/** The fields that a confirmation sends back: the same selection, and the list as it was. */
export function selectionFields(
  request: FastifyRequest,
  // biome-ignore lint/suspicious/noExplicitAny: a list of rows of any kind
  list: List<any>,
  source: URLSearchParams,
  ids: number[],
): [name: string, value: string][] {
  const all = source.get('all') === '1'
  const chosen = ids.map((id): [string, string] => ['id', String(id)])
  return [...(all ? allFields(ids) : chosen), ...new URLSearchParams(stateQuery(list, stateFor(request, list, source)))]
}

const allFields = (ids: number[]): [string, string][] => [
  ['all', '1'],
  ['seen', fingerprint(ids)],
]

/** Whether "all results" are no longer the ones that the confirmation showed. */
export function hasChanged(source: URLSearchParams, ids: number[]): boolean {
  return source.get('all') === '1' && source.get('seen') !== fingerprint(ids)
}

function fingerprint(ids: number[]): string {
  return createHash('sha256')
    .update([...ids].sort((a, b) => a - b).join(','))
    .digest('base64url')
    .slice(0, 22)
}
