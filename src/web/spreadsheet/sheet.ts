import type { Query } from 'drizzle-orm'

export interface Column {
  header: string
  width: number
  moment?: true
  /** As spreadsheet programs write the format of a number. */
  numFmt?: string
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
