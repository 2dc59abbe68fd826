import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { AnyRule } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import type { Schemas } from '../fields/json-schema.ts'
import type { AnyList } from '../list/list.ts'
import type { Card, CardRecord } from './card.ts'

/** What every record has in the row that lists read. */
export interface ApiRow {
  id: number
  created_at: number
  updated_at: number
}

/** A kind of record as the API has it: made of the list, the card and the rules of its pages. */
export interface Resource<R extends CardRecord = CardRecord, Row extends ApiRow = ApiRow> {
  name: string
  /** What a description calls one record of it. */
  schema: string
  table: { id: SQLiteColumn; updated_at: SQLiteColumn }
  find: FindRecord<R>
  may: { list: AnyRule; view: AnyRule }
  /** Whose filters, search and scope the list of the API has, where that is not the list of its name. */
  list?: (context: Context) => AnyList
  /** By what the whole list is walked, where an index has that with every scope; otherwise by id. */
  walk?: SQLiteColumn
  rows: (context: Context, ids: number[]) => Row[]
  /** A record as lists have it, where that is less than by itself. */
  rowJson?: (context: Context, row: Row) => object
  /** With what belongs to it. */
  json: (context: Context, record: R) => object
  /** Its form, for what can be written. */
  card?: Card<R>
  /** What records hold besides the fields of the form; `whole` only by themselves. */
  fields: Schemas
  whole?: Schemas
}

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type AnyResource = Resource<any, any>
