import type { FastifyRequest } from 'fastify'
import { namesOf } from '../../database/labels.ts'
import type { Misfit } from '../../database/restoring.ts'
import { columnLabel } from '../../web/history/fields.ts'

const texts: Record<Misfit['reason'], string> = {
  taken: '{name}: another record has the same {fields} now.',
  missing: '{name}: {fields} «{other}» is no longer there.',
  changed: '{name}: {fields} of «{other}» has been set to something else meanwhile.',
}

const shown = 20

/** What stands in the way of a restoration, in words, each thing once. */
export function misfitsInWords(request: FastifyRequest, misfits: Misfit[]): { problems: string[]; more: number } {
  const problems = [...new Set(misfits.slice(0, shown).map((misfit) => inWords(request, misfit)))]
  return { problems, more: Math.max(0, misfits.length - shown) }
}

function inWords({ server, t }: FastifyRequest, { reason, label, table, columns, other }: Misfit): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(texts[reason], {
    name: label,
    fields,
    other: other && (namesOf(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}
