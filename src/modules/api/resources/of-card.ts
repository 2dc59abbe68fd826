import { whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { integer, moment } from '../../../records/fields/json-schema.ts'
import { type Field, isRepeater } from '../../../records/form/form.ts'
import type { Card, CardRecord } from '../../../records/kind/card.ts'
import { isoTime, jsonOfFields } from '../fields-json.ts'
import { type ApiRow, type Resource, registeredList } from './resource.ts'

/** A kind of record as its card has it: what its form shows is read and written; lists leave out the rows of it. */
export function resourceOf<R extends CardRecord & ApiRow>(schema: string, card: Card<R>): Resource<R, R> {
  const { list: name, form, find, may } = card
  const table = card.table as Resource['table']
  const rows = Object.entries(form.fields as Record<string, Field>).flatMap(([name, field]) => (isRepeater(field) ? name : []))
  const jsonWithout = (left: string[]) => (context: Context, record: R) => {
    const { id, version, created_at, updated_at } = record
    const fields = jsonOfFields(form, record, [...(card.hiddenFrom?.(context.actor) ?? []), ...left])
    return { id, version, ...fields, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
  }
  return {
    ...{ name, schema, table, find, may, card },
    list: registeredList(name),
    rows: ({ server: { db } }, ids) => db.select().from(table).where(whereIn(table.id, ids)).all() as unknown as R[],
    rowJson: jsonWithout(rows),
    json: jsonWithout([]),
    fields: { id: integer, version: integer, created_at: moment, updated_at: moment },
  }
}
