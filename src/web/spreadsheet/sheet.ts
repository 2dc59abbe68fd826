import type { Query } from 'drizzle-orm'

/** A moment is stored in milliseconds and written as a date with its time. */
export interface Column {
  header: string
  width: number
  moment?: true
}

export type Cell = string | number | null

/** What the thread that writes a spreadsheet is given: all that is chosen, allowed and translated already. */
export interface Job {
  database: string
  /** The file, open for writing. */
  file: number
  name: string
  columns: Column[]
  /** Every record's id, in the order of the rows. */
  ids: Query
  /** Records as rows of cells, the column `id` among them. */
  rows: Query
}
