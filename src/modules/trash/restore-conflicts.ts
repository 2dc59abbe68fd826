import type { FastifyRequest } from 'fastify'
import { findLabels } from '../../database/references.ts'
import type { RestoreConflict } from '../../database/restore-records.ts'
import { columnLabel } from '../../web/history/entries.ts'

const conflictTexts: Record<RestoreConflict['reason'], string> = {
  taken: '{name}: another record now has the same value ({fields}).',
  missing: '{name}: "{other}" no longer exists ({fields}).',
  changed: '{name}: the value was changed in "{other}" in the meantime ({fields}).',
}

const conflictLimit = 20

export function describeConflicts(request: FastifyRequest, conflicts: RestoreConflict[]): { problems: string[]; more: number } {
  const problems = [...new Set(conflicts.slice(0, conflictLimit).map((conflict) => describeConflict(request, conflict)))]
  return { problems, more: Math.max(0, conflicts.length - conflictLimit) }
}

function describeConflict({ server, t }: FastifyRequest, { reason, label, table, columns, other }: RestoreConflict): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(conflictTexts[reason], {
    name: label,
    fields,
    other: other && (findLabels(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}
