import type { VatRate } from '../../core/pricing.ts'
import { findSettings, type SheetRow } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { usualSymbol } from '../../i18n/money.ts'
import type { Choice } from '../fields/index.ts'
import { recordFinder } from './find-record.ts'
import { type Import, type ImportKind, importKindOf } from './import.ts'
import { isGroup, skippedRows } from './skipped-rows.ts'

/** What all rows of a sheet are imported with. */
export interface Run {
  context: Context
  kind: ImportKind
  sheet: Import
  records: ReturnType<typeof recordFinder>
  /** Why a row is none of a record. */
  skipped: (row: SheetRow) => string | undefined
  /** What the nearest group above says, by row. */
  groups: Map<number, string>
  choices: Map<string, Choice[]>
  vat: VatRate | null
  currency: string
  /** Whom it adds is invited, where a row says nothing of that. */
  invites: boolean
}

/** @param all what the sheet has, where only some rows are imported now */
export function prepareRun(
  context: Context,
  sheet: Import,
  rows: SheetRow[],
  { all = rows, invites = false }: { all?: SheetRow[]; invites?: boolean } = {},
): Run {
  const kind = importKindOf(context.server, sheet)
  const records = recordFinder(context.server.db, kind, sheet, rows)
  const shape = skippedRows(kind, sheet)
  // Some lists are of names only: a row that names a known record is one of it.
  const skipped = (row: SheetRow) => (row.cells.filter(Boolean).every((cell) => records.isKnown(cell)) ? undefined : shape(row))
  const groups = sheet.takes_groups ? groupsAbove(all, skipped) : new Map()
  const { vat, currency_symbol } = findSettings(context.server.db)
  const amounts = { vat: sheet.without_vat ? vat : null, currency: currency_symbol ?? usualSymbol }
  return { context, kind, sheet, records, skipped, groups, invites, choices: new Map(), ...amounts }
}

function groupsAbove(rows: SheetRow[], skipped: Run['skipped']): Map<number, string> {
  const groups = new Map<number, string>()
  let group: string | undefined
  for (const row of rows) {
    if (skipped(row)) {
      const filled = row.cells.filter(Boolean)
      if (isGroup(filled)) group = filled[0]
    } else if (group) groups.set(row.row, group)
  }
  return groups
}
