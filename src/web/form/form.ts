import type { Problem } from '../http.ts'
import type { Choice, Field } from './fields.ts'

export type Mode = 'create' | 'edit'

/** A form as it is declared: groups of fields by their name, which is the name of the column. What is not declared cannot be written. */
export interface Form {
  name: string
  groups: {
    title: string
    fields: Record<string, Field> /** On which tab of its card it stands, when that is not the first. */
    tab?: string
  }[]
  /** Warnings that forbid nothing, worked out from what is typed, and where the browser asks for them again. */
  warnings?: { address: string; fields: readonly string[]; of: (typed: Record<string, string>) => Record<string, string> }
}

export type Values = Record<string, unknown>
export type Row = Values

/** What a form means for this person and record, beside its declaration. */
export interface FormPage {
  mode: Mode
  /** The stored record on an edit form, what a new one starts with on a create form. */
  present: Values
  /** What each choice offers. */
  choices: Record<string, Choice[]>
  /** What a stored file was called when it was sent. */
  fileName?: (key: string) => string | undefined
  /** Fields this person may not change. */
  locked?: ReadonlySet<string>
  /** Fields this person may not even see; of those that are locked as well, a body may name the present value only. */
  hidden?: ReadonlySet<string>
  /** The tab it is drawn for: the groups that name it, or none. */
  tab?: string
}

/** A form being filled in: what was typed, what it means, and what is wrong with it. Fields of rows are named `discounts.0.discount`. */
export interface Entry {
  values: Values
  typed: Record<string, string>
  /** The rows of each repeater as they were sent: their index, and the key of those that exist. */
  rows: Record<string, SubmittedRow[]>
  errors: Record<string, Problem>
  /** What would be saved, when that is only asked about. */
  preview?: Values
  /** The version of the record that the form was opened with. */
  version?: number
}

export interface SubmittedRow {
  index: string
  key?: string
}

/** The fields of a form in one of its two modes that this person may see, by name. */
export function fieldsOf(form: Form, { mode, hidden }: Pick<FormPage, 'mode' | 'hidden'>): Map<string, Field> {
  const fields = form.groups.flatMap((group) => Object.entries(group.fields))
  return new Map(fields.filter(([name, field]) => (!field.only || field.only === mode) && !hidden?.has(name)))
}

export function isRequired({ required }: Field, mode: Mode): boolean {
  return required === true || required === mode
}

export function isValid(entry: Entry): boolean {
  return Object.keys(entry.errors).length === 0
}
