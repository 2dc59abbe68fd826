import type { FastifyInstance } from 'fastify'
import { findLabels } from '../../database/references.ts'
import type { RestoreConflict } from '../../database/restore-records.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { rowsOf } from '../fields/index.ts'
import type { Form } from '../form/form.ts'
import { historyFields } from '../history/entries.ts'
import { cardsOf } from '../kind/registry.ts'

const conflictTexts: Record<RestoreConflict['reason'], string> = {
  taken: '{name}: another record now has the same value ({fields}).',
  missing: '{name}: "{other}" no longer exists ({fields}).',
  changed: '{name}: the value was changed in "{other}" in the meantime ({fields}).',
}

const conflictLimit = 20

/** Something no longer fits, and nothing was restored. */
export class RestoreRejected extends HttpError {
  readonly problems: string[]
  /** How many are not among these. */
  readonly hidden: number
  constructor(context: Context, conflicts: RestoreConflict[]) {
    super(409, 'This cannot be restored yet. Nothing was changed.')
    this.problems = [...new Set(conflicts.slice(0, conflictLimit).map((conflict) => describeConflict(context, conflict)))]
    this.hidden = Math.max(0, conflicts.length - conflictLimit)
  }
}

function describeConflict({ server, t }: Context, { reason, label, table, columns, other }: RestoreConflict): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(conflictTexts[reason], {
    name: label,
    fields,
    other: other && (findLabels(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}

function columnLabel(app: Pick<FastifyInstance, 'records' | 'registry'>, entity: string, column: string): string {
  const forms: Form[] = cardsOf(app).map(({ form }) => form)
  const rows = forms.flatMap(({ fields }) => Object.values(fields).map((field) => field && rowsOf(field)[column]))
  return historyFields(app, entity).get(column)?.label ?? rows.find(Boolean)?.label ?? column
}
