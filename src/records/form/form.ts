import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Actor, maySee } from '../../core/access.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Problem } from '../../http/request/errors.ts'
import {
  type Choice,
  type Field,
  type FieldSet,
  type Fields,
  holdsFile,
  isRepeater,
  type KeysOnly,
  kindOf,
  type RequiredKeys,
  rowsOf,
  type StoredKeys,
  type ValueOf,
} from '../fields/index.ts'

export type Mode = 'create' | 'edit'

export interface Section {
  title: string
  fields: Fields
  tab?: string
  /** Closed while nothing is filled in, always or only in the form of a new record. */
  folds?: true | 'create'
}

/** A form: a body cannot write what it does not declare. */
export interface Form<S extends FieldSet = FieldSet> {
  sections: readonly Section[]
  fields: S
  /** Where its values are saved, if they are a record's. */
  table?: SQLiteTable
  warnings?: { address: string; fields: readonly string[]; of: (typed: Record<string, string>) => Record<string, string> }
}

/** The form of a card. */
export type RecordForm = Form & { table: RecordTable }

type FieldsOf<S extends readonly Section[]> = Intersection<S[number]['fields']>
type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I extends Fields) => void ? I : never

interface FormOptions<E extends string> {
  /** Fields that are no columns: whoever saves the form sees to them. */
  extras?: readonly E[]
  warnings?: Form['warnings']
}

type ColumnName<T extends SQLiteTable> = T extends unknown ? keyof T['_']['columns'] : never
type UnsavedColumns<S extends readonly Section[], Saved> = Exclude<StoredKeys<FieldsOf<S>>, Saved>

/**
 * A form whose values are saved in `table`. A field that is neither a column nor one of the `extras` does not compile: what people
 * type into it would be lost.
 */
export function form<T extends SQLiteTable, const S extends readonly Section[], const E extends string = never>(
  table: T,
  sections: S & ([UnsavedColumns<S, ColumnName<T> | E>] extends [never] ? unknown : { unsaved: UnsavedColumns<S, ColumnName<T> | E> }),
  { warnings }: FormOptions<E> = {},
): Form<FieldsOf<S>> & { table: T } {
  return { ...formWithoutTable(sections), table, warnings }
}

/** A form whose values are not a record's, such as a sign-in. */
export function formWithoutTable<const S extends readonly Section[]>(sections: S): Form<FieldsOf<S>> {
  return { sections, fields: Object.assign({}, ...sections.map(({ fields }) => fields)) }
}

export type CreateValues<F extends Form> = ValuesOf<Omit<F['fields'], KeysOnly<F['fields'], 'edit'>>>
type ValuesOf<S extends FieldSet> = {
  [K in keyof S & RequiredKeys<S>]: NonNullable<ValueOf<NonNullable<S[K]>>>
} & {
  [K in Exclude<StoredKeys<S>, RequiredKeys<S>>]?: ValueOf<NonNullable<S[K]>>
}

export type EditValues<F extends Form> = {
  [K in Exclude<StoredKeys<F['fields']>, KeysOnly<F['fields'], 'create'>>]?: ValueOf<NonNullable<F['fields'][K]>>
}

export type Values = Record<string, unknown>
export type Row = Values

interface Hint {
  text: string
  params?: Record<string, unknown>
  path?: string
  /** An amount that the hint names: one presses to fill it in, and is warned of more. */
  fill?: { kopecks: number; above: string }
}

/**
 * `hidden`: no field of this form, so that what is sent for it is not read. `locked`: shown as it is; only the stored value may be sent.
 * `sealed`: the same, not shown. `optional`: not required here.
 */
type FieldState = 'hidden' | 'locked' | 'sealed' | 'optional'
type FieldStates = Readonly<Record<string, FieldState>>

export function inState(state: FieldState, names: Iterable<string>): FieldStates {
  return Object.fromEntries([...names].map((name) => [name, state]))
}

export function isLocked({ states }: Pick<FormState, 'states'>, name: string): boolean {
  return states?.[name] === 'locked' || states?.[name] === 'sealed'
}

export interface FormState {
  mode: Mode
  stored: Values
  choices: Record<string, Choice[]>
  fileName?: (key: string, field: string) => string | undefined
  /** What stands below fields in place of their hints, with where it leads. */
  hints?: Record<string, Hint>
  /** What the server works out for inputs and for rows, such as amounts, by their ids. */
  computed?: Record<string, object>
  /** Of fields, and of parts of rows as `items.price`, that are not simply to be filled in. */
  states?: FieldStates
  tab?: string
  /** Keys of files that may be named besides those that are stored and those that were just uploaded. */
  files?: readonly string[]
  /** The field that has the focus while nothing is wrong with any. */
  focus?: string
  /** A page of many fields names several mistakes above them and begins there; any other begins at the first. */
  summarizes?: boolean
  /**
   * How rows look, what new ones begin with, which part comes first and whether it is asked for, where the page decides that; the form of a
   * new record begins with one.
   */
  rows?: Record<string, { template?: string; initial: Row; first?: string }>
  /** What else is wrong that no field can judge alone, by fields: asked where something is wrong already, so that everything is said at once. */
  findProblems?: (entry: Entry) => Record<string, Problem>
}

/** Of a form that begins empty. */
export const blankState: FormState = { mode: 'create', stored: {}, choices: {} }

export interface Entry<V = Values> {
  values: V
  typed: Record<string, string>
  rows: Record<string, SubmittedRow[]>
  errors: Record<string, Problem>
  preview?: Values
  version?: number
}

export interface SubmittedRow {
  index: string
  key?: string
  /** Nothing was typed into it: it is no row. */
  blank?: boolean
}

/** The fields that a form shows. */
export function fieldsOf(form: Form, { mode, states = {} }: Pick<FormState, 'mode' | 'states'>): Map<string, Field> {
  return withoutHidden(fieldsOfMode(form, mode), (name) => states[name] === 'hidden' || states[name] === 'sealed')
}

/** The fields for which something may be sent. */
export function readableFields(form: Form, { mode, states = {} }: FormState): Map<string, Field> {
  return withoutHidden(fieldsOfMode(form, mode), (name) => states[name] === 'hidden')
}

function fieldsOfMode(form: Form, mode: Mode): [string, Field][] {
  return Object.entries(form.fields as Fields).filter(([, field]) => !field.only || field.only === mode)
}

/** Fields without the hidden ones, and rows without their hidden parts. */
export function withoutHidden(fields: Iterable<[string, Field]>, isHidden: (name: string) => boolean): Map<string, Field> {
  const shown = [...fields].filter(([name]) => !isHidden(name))
  return new Map(shown.map(([name, field]) => [name, withoutHiddenParts(name, field, isHidden)]))
}

function withoutHiddenParts(name: string, field: Field, isHidden: (name: string) => boolean): Field {
  const parts = Object.entries(rowsOf(field))
  const shown = parts.filter(([part]) => !isHidden(`${name}.${part}`))
  return isRepeater(field) && shown.length < parts.length ? { ...field, rows: Object.fromEntries(shown) } : field
}

/** The names of what an actor may not see, of fields as well as of parts of rows, such as `items.price`. */
export function unseenFields(fields: Iterable<[string, Field | undefined]>, actor: Actor): string[] {
  const isSeen = maySee(actor)
  return [...fields].flatMap(([name, field]) => {
    if (!field || !isSeen(field)) return [name]
    return Object.entries(rowsOf(field)).flatMap(([part, of]) => (isSeen(of) ? [] : [`${name}.${part}`]))
  })
}

export function isRequired({ required }: Field, mode: Mode): boolean {
  return required === true || required === mode
}

/** Whether an empty input is refused: what a new record needs, one that has it does not lose. */
export function mayNotBeEmpty(field: Field, mode: Mode, stored: unknown): boolean {
  return isRequired(field, mode) || (field.required === 'create' && stored != null)
}

export function isValid(entry: Entry): boolean {
  return Object.keys(entry.errors).length === 0
}

/** The inputs of a form that take files and pictures of people, if it has any. */
export function acceptedFiles(form: Form, mode: Mode): { uploads?: RegExp; avatars?: string[]; gallery?: RegExp } {
  const fields = Object.entries(form.fields as Fields)
  const namesOf = (place: 'avatar' | 'gallery') => fields.flatMap(([name, field]) => (holdsFileOf(field, place) ? name : []))
  const names = [...fieldsOf(form, { mode })].flatMap(([name, field]) => fileInputNames(name, field))
  const [avatars, gallery] = [namesOf('avatar'), namesOf('gallery')]
  return {
    ...(names.length > 0 && { uploads: new RegExp(`^(${names.join('|')})$`) }),
    ...(avatars.length > 0 && { avatars }),
    ...(gallery.length > 0 && { gallery: new RegExp(`^(${gallery.join('|')})$`) }),
  }
}

function fileInputNames(name: string, field: Field): string[] {
  const parts = Object.entries(rowsOf(field)).filter(([, part]) => holdsFileOf(part, 'files'))
  return [...(holdsFileOf(field, 'files') ? [name] : []), ...parts.map(([part]) => `${name}\\[\\d{1,4}\\]\\[${part}\\]`)]
}

function holdsFileOf(field: Field, place: 'files' | 'avatar' | 'gallery'): boolean {
  return holdsFile(field) && kindOf(field).file?.of === place
}
