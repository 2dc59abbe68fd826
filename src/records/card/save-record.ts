import { eq, getTableColumns } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../../database/records.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import type { Field } from '../fields/index.ts'
import type { Values } from '../form/form.ts'
import type { Card, CardRecord, Creation } from '../kind/card.ts'

/**
 * The only way into the records of a card, for pages, the API, imports and their undoing: adds one, or saves what is changed of one, under
 * the rules that the card itself keeps. Call it inside `write`.
 * @throws ValidationFailed with what is wrong by field
 */
export function saveRecord<R extends CardRecord>(
  context: Context,
  card: Card<R>,
  record: R | undefined,
  values: Values,
): { id: number; changed: boolean } {
  refuseTaken(context, card, record, values)
  // The one place where what was read gets the type that the declaration of its form promises.
  if (!record) return { id: (card.creation as Creation).create(context, values as never), changed: true }
  card.save(context, record, values as never)
  return { id: record.id, changed: card.find(context.server.db, record.id)?.version !== record.version }
}

function refuseTaken<R extends CardRecord>({ server: { db } }: Context, { form }: Card<R>, record: R | undefined, values: Values): void {
  const stored = record as Values | undefined
  const table: RecordTable = form.table
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>
  const distinct = Object.entries(form.fields as Record<string, Field>).filter(([, field]) => 'distinct' in field && field.distinct)
  for (const [name] of distinct) {
    const value = values[name]
    if (value == null || value === stored?.[name]) continue
    const same = eq(columns[name] as SQLiteColumn, value)
    if (db.select({ id: table.id }).from(table).where(same).get()) throw new ValidationFailed({ [name]: 'Another record has this value.' })
  }
}
