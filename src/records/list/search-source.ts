import type { SQL } from 'drizzle-orm'
import type { AnyList } from './state.ts'

/** A list whose rows the search in the header finds. */
export interface SearchSource {
  list: AnyList
  icon: string
  /** A query for rows `id, name, …`: what they are called, and whatever else tells them apart. */
  texts: (ids: SQL) => SQL
  /** The condition for rows that a whole query names exactly. */
  exact?: (query: string) => SQL | undefined
}
