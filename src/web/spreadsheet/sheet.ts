import type { Query } from 'drizzle-orm'

export interface Column {
  header: string
  width: number
  moment?: true
}

export type Cell = string | number | null

export type SheetFormat = 'xlsx' | 'csv'

export interface ExportJob {
  database: string
  file: number
  format: SheetFormat
  name: string
  columns: Column[]
  ids: Query
}
