import type { FastifyInstance } from 'fastify'
import type { AnyCard } from '../card/card.ts'
import type { AnyDeletion } from '../list/deletion.ts'
import type { SearchSource } from '../list/search-source.ts'
import type { AnyList } from '../list/state.ts'

/** What the service knows of a kind of record. */
interface RecordKind {
  list?: AnyList
  card?: AnyCard
  deletion?: AnyDeletion
  search?: SearchSource
}

declare module 'fastify' {
  interface FastifyInstance {
    /** By the names of their lists. */
    records: Map<string, RecordKind>
  }
}

export function cardsOf({ records }: Pick<FastifyInstance, 'records'>): AnyCard[] {
  return [...records.values()].flatMap(({ card }) => card ?? [])
}

export function deletionsOf({ records }: Pick<FastifyInstance, 'records'>): AnyDeletion[] {
  return [...records.values()].flatMap(({ deletion }) => deletion ?? [])
}

export function searchSourcesOf({ records }: Pick<FastifyInstance, 'records'>): SearchSource[] {
  return [...records.values()].flatMap(({ search }) => search ?? [])
}
