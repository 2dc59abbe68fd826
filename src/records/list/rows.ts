import { authorizer } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import type { Context } from '../../http/request/context.ts'
import { type FoundText, foundBy } from './found-by.ts'
import type { AnyList, Column, List, RowNotes, Rows, Selection } from './list.ts'

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
  return ids.length > 0 ? sortByIds(ids, list.rows.load(ids, context)) : []
}

export function sortByIds<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map<number, Row>()
  for (const row of rows) byId.set(row.id, row)
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

const rowActions = ['view', 'edit', 'delete', 'switch', 'impersonate', 'schedule', 'decide'] as const
type RowAction = (typeof rowActions)[number]

export type PermittedRow<Row> = Row & {
  may: Record<RowAction, boolean>
  /** Why its deletion is not offered. */
  kept?: string
  /** What a search found in it that no column shows. */
  foundBy?: FoundText[] | undefined
}

/** Rows as a list shows them: with what these columns read only where they are shown, and what this person may do with each. */
export function shownRows<Row extends { id: number }>(
  context: Context,
  list: List<Row>,
  ids: number[],
  { columns = [], q = '' }: { columns?: readonly Column[]; q?: string } = {},
): PermittedRow<Row>[] {
  const rows = loadRows(context, list, ids)
  const loaded = rows.map(({ id }) => id)
  const cells = columns.flatMap(({ key, load }) => (load ? [[key, load(loaded, context)] as const] : []))
  const found = q ? foundBy(context, list, loaded, columns, q) : undefined
  const permissionsOf = permissions(context, list)
  const shown = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(cells.map(([key, cell]) => [key, cell.get(row.id)])),
    may: permissionsOf(row),
    ...(found && { foundBy: found.get(row.id) }),
  }))
  explainKept(context, list, shown)
  return shown
}

function permissions<Row>({ actor }: Context, { may }: List<Row>) {
  const actions = rowActions.map((action) => [action, may[action] ? authorizer(may[action], actor) : () => false] as const)
  return (row: Row) => Object.fromEntries(actions.map(([action, isAllowed]) => [action, isAllowed(row)])) as PermittedRow<Row>['may']
}

/** What is never deleted, for now, says why. */
function explainKept<Row extends { id: number }>(context: Context, list: List<Row>, rows: PermittedRow<Row>[]): void {
  const deletable = rows.filter(({ may }) => may.delete)
  const refuse = context.server.records.get(list.name)?.deletion?.refusal
  if (deletable.length === 0 || !refuse) return
  const ids = deletable.map(({ id }) => id)
  const refusal = refuse(context, ids)
  const labelOf = labeller(context, list)
  for (const row of deletable.filter(({ id }) => refusal.ids.includes(id))) {
    row.may.delete = false
    row.kept = context.t(refusal.reason, { names: labelOf(row) })
  }
}

/** What a row is called: where it does not say, what the cell holds that leads to its card. */
export function labeller({ language }: Context, { name, columns }: AnyList) {
  const opening = columns.find(({ opens }) => opens)?.key ?? 'name'
  return (row: RowNotes & Record<string, unknown>) => recordLabelFor(language, name, row.label ?? String(row[opening] ?? ''))
}
