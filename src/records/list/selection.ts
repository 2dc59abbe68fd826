import { createHash } from 'node:crypto'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import type { Rule } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound } from '../../http/request/errors.ts'
import { parseId } from '../../http/request/input.ts'
import { readAllIds } from './ids.ts'
import type { AnyList } from './list.ts'
import { refusedInList } from './show.ts'
import { readState, stateFor, stateQuery } from './state.ts'

/**
 * The selected ids, or all that the list finds.
 * @throws HttpError where there are none
 */
export async function selectedIds(context: Context, list: AnyList, source: URLSearchParams): Promise<number[]> {
  const all = source.get('all') === '1'
  const ids = all ? await readAllIds(context, list, readState(list, source, context.actor)) : chosenIds(source)
  if (ids.length === 0) throw refusedInList(context, list, source, 'Choose at least one record.')
  return ids
}

const chosenIds = (source: URLSearchParams) => [...new Set(source.getAll('id').map((text) => parseId(text) ?? -1))]

export interface Authorization<R> {
  find: (db: Database, id: number) => R | undefined
  rule: Rule<R>
}

/** @throws HttpError when a record does not exist or the user may not do this with it */
export function authorizedRecords<R>({ server, actor }: Context, { find, rule }: Authorization<R>, ids: number[]): R[] {
  const records = ids.map((id) => find(server.db, id))
  if (records.includes(undefined)) throw notFound()
  for (const record of records as R[]) authorize(rule, actor, record)
  return records as R[]
}

interface Limit {
  most: number
  tooMany: string
}

/** The selected records; others are served in between. */
export async function selectedRecords<R>(
  context: Context,
  list: AnyList,
  source: URLSearchParams,
  authorization: Authorization<R>,
  limit?: Limit,
): Promise<R[]> {
  const ids = await selectedIds(context, list, source)
  if (limit && ids.length > limit.most) throw new HttpError(422, limit.tooMany, { limit: limit.most })
  const records: R[] = []
  await eachInTurn(ids, (id) => void records.push(...authorizedRecords(context, authorization, [id])))
  return records
}

/** The fields that a confirmation sends back: the same selection, and the list as it was. */
export function selectionFields(context: Context, list: AnyList, source: URLSearchParams, ids: number[]): [name: string, value: string][] {
  const all = source.get('all') === '1'
  const chosen = ids.map((id): [string, string] => ['id', String(id)])
  return [...(all ? allFields(ids) : chosen), ...new URLSearchParams(stateQuery(list, stateFor(context, list, source)))]
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
