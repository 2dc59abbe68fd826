import { and, eq, getTableColumns, ne } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { allows } from '../../core/access.ts'
import type { RecordTable } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Problem } from '../../http/request/errors.ts'
import type { Field } from '../fields/index.ts'
import type { Values } from '../form/form.ts'
import { readingPath } from '../list/record-paths.ts'
import type { Card, CardRecord } from './card.ts'
import { cardsOf } from './registry.ts'

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
    const found = context.server.db.select({ id: table.id }).from(table).where(other).get()
    return found ? [[name, { message: distinct.problem, link: linkTo(context, table, found.id as number) }] as const] : []
  })
  return Object.fromEntries(taken)
}

/** To the record that has it; of people, who share a table, each card knows its own. */
function linkTo(context: Context, table: RecordTable, id: number): Problem['link'] {
  const { server, actor, t, language } = context
  const links = cardsOf(server).flatMap((card) => {
    const found = card.form.table === table ? card.find(server.db, id) : undefined
    if (!found || !allows(card.may.view, actor, found)) return []
    return { href: url(server, readingPath(context, card.list, id)), text: card.titleOf(found, t, language) }
  })
  return links[0]
}
