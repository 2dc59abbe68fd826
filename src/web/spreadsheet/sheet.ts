import type { Query } from 'drizzle-orm'

export interface Column {
  header: string
  width: number
  moment?: true
}

export type Cell = string | number | null

/** Input of the worker thread: columns already chosen, authorized and translated. */
export interface Job {
  database: string
  /** Descriptor of the open file. */
  file: number
  name: string
  columns: Column[]
  ids: Query
  rows: Query
}
