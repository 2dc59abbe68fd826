import type { Context } from '../../http/request/context.ts'
import { type Field, kindOf } from '../fields/index.ts'
import type { BaseField } from '../fields/kind.ts'
import { type Form, fieldsOf, inState, type Values } from '../form/form.ts'

/** Who is shown a record: what they may not see is left out. */
export type Viewer = Pick<Context, 'server' | 'actor'>

/** A moment in milliseconds since 1970 as ISO 8601 in UTC. */
export function isoTime(moment: number): string
export function isoTime(moment: number | null): string | null
export function isoTime(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString()
}

/** Fields of a form that a record shows as they are stored; passwords and what only a body says are no part of it. */
export function shownFields(form: Form, hidden: Iterable<string>): [name: string, field: Field][] {
  return [...fieldsOf(form, { mode: 'edit', states: inState('hidden', hidden) })].filter(([, field]) => kindOf(field).json.show)
}

/** What a record holds of the fields of its form, as JSON. */
export function jsonOfFields(form: Form, record: object, hidden: Iterable<string>): Values {
  const values = record as Values
  const held = shownFields(form, hidden).filter(([name]) => name in values)
  return Object.fromEntries(held.map(([name, field]) => [name, toJson(field, values[name])]))
}

/** A stored value as JSON: whole kopecks, calendar dates, moments in UTC. */
export function toJson(field: Field, value: unknown): unknown {
  const { show } = kindOf(field).json
  if (value === null || value === undefined) return null
  return show ? show(value, field, toJson as (field: BaseField, value: unknown) => unknown) : value
}
