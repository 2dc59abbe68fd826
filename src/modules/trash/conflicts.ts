import { findLabels } from '../../database/references.ts'
import { type RestoreConflict, RestoreConflictError } from '../../database/restore-records.ts'
import type { Context } from '../../web/context.ts'
import { columnLabel } from '../../web/history/entries.ts'

const conflictTexts: Record<RestoreConflict['reason'], string> = {
  taken: '{name}: another record now has the same value ({fields}).',
  missing: '{name}: "{other}" no longer exists ({fields}).',
  changed: '{name}: the value was changed in "{other}" in the meantime ({fields}).',
}

const conflictLimit = 20

/** What stands in the way of restoring, if that is what went wrong. */
export function describeConflicts(context: Context, error: unknown): { problems: string[]; more: number } | undefined {
  if (!(error instanceof RestoreConflictError)) return undefined
  const { conflicts } = error
  const problems = [...new Set(conflicts.slice(0, conflictLimit).map((conflict) => describeConflict(context, conflict)))]
  return { problems, more: Math.max(0, conflicts.length - conflictLimit) }
}

function describeConflict({ server, t }: Context, { reason, label, table, columns, other }: RestoreConflict): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(conflictTexts[reason], {
    name: label,
    fields,
    other: other && (findLabels(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}
