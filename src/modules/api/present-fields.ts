import type { Acting } from '../../web/acting.ts'
import { type Field, type Fields, type Form, fieldsOf, type Row, type Values } from '../../web/form/form.ts'

/** Who is shown a record: what they may not see is left out. */
export type Viewer = Pick<Acting, 'server' | 'actor'>

/** A moment in milliseconds since 1970 as ISO 8601 in UTC. */
export function isoTime(moment: number): string
export function isoTime(moment: number | null): string | null
export function isoTime(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString()
}

/** Fields of a form that a record shows as they are stored; passwords and what only a body says are no part of it. */
export function shownFields(form: Form, hidden: Iterable<string>): [name: string, field: Field][] {
  return [...fieldsOf(form, { mode: 'edit', hidden: new Set(hidden) })].filter(([, { kind }]) => !unshown.has(kind))
}

const unshown: ReadonlySet<Field['kind']> = new Set(['password', 'proof', 'hidden', 'read-only'])

/** What a record holds of the fields of its form, as JSON. */
export function presentFields(form: Form, record: object, hidden: Iterable<string>): Values {
  const values = record as Values
  const held = shownFields(form, hidden).filter(([name]) => name in values)
  return Object.fromEntries(held.map(([name, field]) => [name, toJson(field, values[name])]))
}

/** A stored value as JSON: whole kopecks, calendar dates, moments in UTC. */
export function toJson({ kind, rows }: Field, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (rows) return (value as Row[]).map((row) => presentRow(rows, row))
  if (kind === 'decimal') return (value as number) / 100
  return kind === 'dateTime' ? isoTime(value as number) : value
}

function presentRow(fields: Fields, row: Row): Values {
  const parts = Object.entries(fields).filter(([part]) => part in row)
  return { ...('id' in row && { id: row.id }), ...Object.fromEntries(parts.map(([part, field]) => [part, toJson(field, row[part])])) }
}
