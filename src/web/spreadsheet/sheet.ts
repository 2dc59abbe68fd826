import type { Query } from 'drizzle-orm'

export interface Column {
  header: string
  width: number
  moment?: true
}

export type Cell = string | number | null

export interface ExportJob {
  database: string
  file: number
  name: string
  columns: Column[]
  ids: Query
  rows: Query
}
