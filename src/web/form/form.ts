import type { Problem } from '../http.ts'
import type { Choice, Field, FieldSet, Fields, KeysOnly, RequiredKeys, StoredKeys, ValueOf } from './fields.ts'

export type Mode = 'create' | 'edit'

/** Fields that stand together. */
interface Group {
  title: string
  fields: Fields
  /** On which tab of its card it stands, when that is not the first. */
  tab?: string
}

/** A form: what is not declared cannot be written. */
export interface Form<S extends FieldSet = FieldSet> {
  name: string
  groups: readonly Group[]
  /** Those of all groups. */
  fields: S
  /** Warnings that forbid nothing, worked out from what is typed, and where the browser asks for them again. */
  warnings?: { address: string; fields: readonly string[]; of: (typed: Record<string, string>) => Record<string, string> }
}

type Declaration<G extends readonly Group[]> = Pick<Form, 'name' | 'warnings'> & { groups: G }
type FieldsOf<G extends readonly Group[]> = Intersection<G[number]['fields']>
type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I extends Fields) => void ? I : never

/** Declares a form; `CreateValues` and `EditValues` of it are what handlers receive. */
export function form<const G extends readonly Group[]>(declaration: Declaration<G>): Form<FieldsOf<G>> {
  return { ...declaration, fields: Object.assign({}, ...declaration.groups.map(({ fields }) => fields)) }
}

/** What a form submits for a new record: what is required is there, all else where the body names it. */
export type CreateValues<F extends Form> = ValuesOf<Omit<F['fields'], KeysOnly<F['fields'], 'edit'>>>
type ValuesOf<S extends FieldSet> = {
  [K in keyof S & RequiredKeys<S>]: NonNullable<ValueOf<NonNullable<S[K]>>>
} & {
  [K in Exclude<StoredKeys<S>, RequiredKeys<S>>]?: ValueOf<NonNullable<S[K]>>
}

/** What a form submits for a record that exists: what the body does not name stays as it is. */
export type EditValues<F extends Form> = {
  [K in Exclude<StoredKeys<F['fields']>, KeysOnly<F['fields'], 'create'>>]?: ValueOf<NonNullable<F['fields'][K]>>
}

export type Submitted<F extends Form, M extends Mode> = M extends 'create' ? CreateValues<F> : EditValues<F>

/** Values of a form whose fields are not known beforehand. */
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
export interface Entry<V = Values> {
  values: V
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
