import type { Guarded } from '../../core/access.ts'
import type { Database } from '../../database/index.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import type { Cell } from './csv.ts'
import type { SheetColumn } from './write.ts'

/** What the functions of a sheet have at hand in the thread: a connection that only reads, and the language of the reader. */
export interface Reading {
  db: Database
  t: Translate
  language: Language
}

export interface DescribedColumn<Row> extends Guarded, Pick<SheetColumn, 'kind'> {
  label: string
  width?: number
  value(row: Row, reading: Reading): Cell
}

/**
 * A spreadsheet of rows that no query has as they read: functions load and describe them. A module exports it as `sheet` and names
 * itself, so that the thread finds the same functions.
 */
export interface DescribedSheet<Row extends { id: number }, Data = undefined> {
  module: string
  columns: readonly DescribedColumn<Row>[]
  /** `data` is what the thread has to be told of the service and of the person: plain values. */
  rows(reading: Reading, data: Data): (ids: number[]) => Row[]
}
