import { and, eq, getTableColumns, ne } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { Problem } from '../../http/request/errors.ts'
import type { Field } from '../fields/index.ts'
import type { Values } from '../form/form.ts'
import type { Card, CardRecord } from './card.ts'

/** What values of a form are wrong because another record has them, of fields that declare themselves distinct. */
export function findTaken<R extends CardRecord>(
  context: Context,
  { form, shared }: Pick<Card<R>, 'form' | 'shared'>,
  record: R | undefined,
  values: Values,
): Record<string, Problem> {
  const table: RecordTable = form.table
  const columns = getTableColumns(table)
  const exempt = shared?.(context, record) ?? []
  const taken = Object.entries(form.fields as Record<string, Field>).flatMap(([name, field]) => {
    const distinct = 'distinct' in field ? field.distinct : undefined
    const value = values[name]
    if (!distinct || value == null || exempt.includes(name) || value === (record as Values | undefined)?.[name]) return []
    const same = distinct.same?.(String(value)) ?? eq(columns[name] as SQLiteColumn, value)
    const other = and(same, ne(table.id, record?.id ?? 0))
    return context.server.db.select({ id: table.id }).from(table).where(other).get() ? [[name, { message: distinct.problem }] as const] : []
  })
  return Object.fromEntries(taken)
}
