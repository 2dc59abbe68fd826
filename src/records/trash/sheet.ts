import { recordLabelFor } from '../../core/default-workflow.ts'
import { type Database, trash, whereIn } from '../../database/index.ts'
import { trashDays } from '../housekeeping.ts'
import type { DescribedSheet, Reading } from '../spreadsheet/described-sheet.ts'

/** In milliseconds. */
export const trashTime = trashDays * 24 * 3600_000

export type TrashRow = ReturnType<typeof loadTrash>[number]

/** @param titles of lists by their names */
export function loadTrash(db: Database, titles: ReadonlyMap<string, string>, ids: number[]) {
  const { id, at, actor_name, list, label, size } = trash
  const rows = db.select({ id, at, actor_name, list, label, size }).from(trash).where(whereIn(id, ids)).all()
  return rows.map((row) => ({ ...row, more: (row.size ?? 1) - 1, kind: titles.get(row.list), until: row.at + trashTime }))
}

export const sheet: DescribedSheet<TrashRow, ReadonlyMap<string, string>> = {
  module: 'records/trash/sheet',
  columns: [
    { label: 'ID', width: 10, value: ({ id }) => id },
    { label: 'Deleted', value: deletedLabel },
    { label: 'Type', value: ({ kind }, { t }) => t(kind ?? '') },
    { label: 'Deleted by', value: ({ actor_name }) => actor_name },
    { label: 'When', width: 18, kind: 'moment', value: ({ at }) => at },
    { label: 'Kept until', width: 18, kind: 'moment', value: ({ until }) => until },
  ],
  rows:
    ({ db }, titles) =>
    (ids) =>
      loadTrash(db, titles, ids),
}

function deletedLabel({ list, label, more }: TrashRow, { t, language }: Reading): string {
  const name = recordLabelFor(language, list, label)
  return more > 0 ? `${name} ${t('and {count} more', { count: more })}` : name
}
