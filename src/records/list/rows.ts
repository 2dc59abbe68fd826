import type { Context } from '../../http/request/context.ts'
import type { List, Rows, Selection } from './list.ts'

/** Rows that a query reads by its placeholder `ids`; a spreadsheet takes its cells from it, too. */
export function readRows<Stored, Row = Stored>(
  fields: Selection['fields'],
  query: Selection['query'] & { prepare: () => { all: (values: { ids: string }) => Stored[] } },
  describe: (rows: Stored[], context: Context) => Row[] = (rows) => rows as never,
): Rows<Row> {
  const prepared = query.prepare()
  return { selection: { fields, query }, load: (ids, context) => describe(prepared.all({ ids: JSON.stringify(ids) }), context) }
}

/** Rows of a long page that are loaded at once. */
export const part = 100

/** Rows in the order of their ids, without those deleted meanwhile. */
export function loadRows<Row extends { id: number }>(context: Context, list: List<Row>, ids: number[]): Row[] {
  return sortByIds(ids, list.rows.load(ids, context))
}

export function sortByIds<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map<number, Row>()
  for (const row of rows) byId.set(row.id, row)
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}
