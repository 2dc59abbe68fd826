import type { Field } from './fields.ts'

export type Mode = 'create' | 'edit'

/** A form as it is declared: groups of fields by their name, which is the name of the column. What is not declared cannot be written. */
export interface Form {
  name: string
  groups: { title: string; fields: Record<string, Field> }[]
}

export type Values = Record<string, unknown>

/** A form being filled in: what was typed, what it means, and what is wrong with it. */
export interface Entry {
  values: Values
  typed: Record<string, string>
  errors: Record<string, { message: string; params?: Record<string, unknown> }>
}

/** The fields of a form in one of its two modes, by name. */
export function fieldsOf(form: Form, mode: Mode): Map<string, Field> {
  const fields = form.groups.flatMap((group) => Object.entries(group.fields))
  return new Map(fields.filter(([, field]) => !field.only || field.only === mode))
}

export function isValid(entry: Entry): boolean {
  return Object.keys(entry.errors).length === 0
}
