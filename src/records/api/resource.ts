import { type Database, type RecordTable, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { type Field, isRepeater } from '../fields/index.ts'
import { integer, moment } from '../fields/json-schema.ts'
import { unseenFields } from '../form/form.ts'
import type { Card, CardRecord } from '../kind/card.ts'
import type { AnyResource, ApiRow, Resource } from '../kind/resource.ts'
import type { AnyList } from '../list/list.ts'
import { isoTime, jsonOfFields } from './fields-json.ts'

/** @throws Error for a resource without a list */
export function listOfResource({ name, list }: AnyResource, context: Context): AnyList {
  const found = list?.(context) ?? context.server.records.get(name)?.list
  if (!found) throw new Error(`there is no list ${name}`)
  return found
}

/** Reads rows by a query with the placeholder `ids`. */
export function rowsBy<Row>(query: (db: Database) => { all: (values: { ids: string }) => Row[] }) {
  return ({ server }: Context, ids: number[]): Row[] => query(server.db).all({ ids: JSON.stringify(ids) })
}

/** A kind of record as its card has it: what its form shows is read and written; lists leave out the rows of it. */
export function resourceOf<R extends CardRecord & ApiRow>(schema: string, card: Card<R>): Resource<R, R> {
  const { list: name, form, find, may } = card
  const table = form.table as RecordTable & Resource['table']
  const rows = Object.entries(form.fields as Record<string, Field>).flatMap(([name, field]) => (isRepeater(field) ? name : []))
  const jsonWithout = (left: string[]) => (context: Context, record: R) => {
    const { id, version, created_at, updated_at } = record
    const fields = jsonOfFields(form, record, [...unseenFields(Object.entries(form.fields), context.actor), ...left])
    return { id, version, ...fields, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
  }
  return {
    ...{ name, schema, table, find, may, card },
    rows: ({ server: { db } }, ids) => db.select().from(table).where(whereIn(table.id, ids)).all() as unknown as R[],
    rowJson: jsonWithout(rows),
    json: jsonWithout([]),
    fields: { id: integer, version: integer, created_at: moment, updated_at: moment },
  }
}
