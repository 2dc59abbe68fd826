import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Searched } from '../../database/schema/columns.ts'
import type { Context } from '../../http/request/context.ts'
import type { AnyList } from './list.ts'

export interface HitStatus {
  name: string
  color: string | null
}

/** What can be done with a record, on a page that asks before it is done. */
export interface SearchAct {
  id: string
  name: string
  about: string
  /** The status it is in, and that which it gets. */
  status?: HitStatus | undefined
  to?: HitStatus | undefined
  /** The address of the question, in the page and in the dialog; none where it cannot be done now. */
  path: string | undefined
}

/** A list whose rows the search in the header finds. */
export interface SearchSource {
  list: AnyList
  icon: string
  /** A query for rows `id, name, …`: what they are called, and whatever else tells them apart. */
  texts: (ids: SQL) => SQL
  /** What these texts are, in their order, by the column that shows them: the list says so of a row that was found by what none shows. */
  labels?: Record<string, string>
  /** The condition for rows that a whole query names exactly. */
  exact?: (query: string) => SQL | undefined
  /** How many texts beside the name are shown whether they match or not; the first without. */
  telling?: number
  /** Queries of the list for what somebody works on, the first of which that finds something is offered before they type. */
  recent?: string[]
  /** What a query asks to do with one of the rows, or with that whose page is open. */
  acts?: (context: Context, query: string, open: number | undefined) => SearchAct[]
}

/** What a record is found by of its own, the first of it its name. */
export function ownTexts<T extends SQLiteTable>({ table, columns, phones = [] }: Searched<T>): SQL {
  const all = getTableColumns(table)
  return sql.join(
    [...columns, ...phones].map((name) => sql`${all[name]}`),
    sql`, `,
  )
}

/** What the form of a record calls these texts. */
export function ownLabels<T extends SQLiteTable>(
  { columns, phones = [] }: Searched<T>,
  { fields }: { fields: Record<string, { label: string }> },
) {
  return Object.fromEntries([...columns, ...phones].map((name) => [name, fields[name as string]?.label ?? '']))
}
