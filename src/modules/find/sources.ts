import type { FastifyInstance } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import type { SearchSource } from '../../records/list/search-source.ts'
import { pagesPath } from '../../records/list/view.ts'

export const sourcesFor = ({ server, actor }: Context) => searchSourcesOf(server).filter(({ list }) => allows(list.may.list, actor))

export function searchSourcesOf({ records }: Pick<FastifyInstance, 'records'>): SearchSource[] {
  return [...records.values()].flatMap(({ search }) => search ?? [])
}

/** The record of a list whose page has this address. */
export function idOf(context: Context, { list }: SearchSource, address: string): number | undefined {
  const page = pagesPath(context, list)
  const id = address.startsWith(page) ? address.slice(page.length) : ''
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined
}
