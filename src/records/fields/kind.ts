import type { Guarded } from '../../core/access.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { ColumnKind } from '../../view/column-kinds.ts'
import type { Schema } from './json-schema.ts'

export class FieldError extends HttpError {
  constructor(message: string, params?: Record<string, unknown>) {
    super(422, message, params)
  }
}

export interface Choice {
  id: number
  name: string
  /** What tells it apart, shown below its name in a list and after it elsewhere. */
  about?: string
  /** What stands at the end of its line, such as its price. */
  aside?: string
}

export interface FieldOptions extends Guarded {
  /** Required always, or only for a new record because the value of a stored one may have been deleted since. */
  required?: boolean | 'create'
  only?: 'create' | 'edit'
  /** What is said where it is required and empty, if its kind does not say it well enough. */
  missing?: string
  /** What is said of a name that none of its records has. */
  unknown?: string
  hint?: string
  autocomplete?: string
  /** What else a column of a sheet may be called that holds it. */
  synonyms?: readonly string[]
  /** How many characters it usually holds: its width. */
  size?: number
  /** The page itself places its input. */
  unplaced?: true
  /** The field with whose change alone it is asked for. */
  follows?: string
  /** The field without one of whose values it is not asked for, unless something stands in it. */
  askedWith?: { field: string; values: readonly string[] }
}

/** What fields of every kind have. */
export interface BaseField extends FieldOptions {
  label: string
}

/** A field as it is declared: it also says what it holds and when it is required, which the types of its form are made of. */
export type Declared<F extends BaseField, T, Options> = F & {
  required?: OptionOf<Options, 'required'>
  only?: OptionOf<Options, 'only'>
  /** Never set. */
  readonly holds?: T
}
type OptionOf<Options, Name extends string> = Options extends { readonly [name in Name]: infer Value } ? Value : undefined

/**
 * What a kind of field is. Whoever has a field asks its kind, found by `kindOf`, for what it needs; nobody else knows one kind from another.
 */
export interface FieldKind<F extends BaseField, T> {
  /**
   * The value of what somebody typed.
   * @throws FieldError
   */
  parse: (typed: string, field: F) => T | null | undefined
  /**
   * Refuses of what a person types what cannot be right; of sheets and programs it is taken as they have it.
   * @throws FieldError
   */
  review?: (typed: string) => void
  /** A value as its input holds it. */
  show: (value: T | null, field: F) => string
  /** A value in words, as the change history and conflicts tell it. */
  describe: (value: T, field: F, context: Description) => string
  /** What is said where it is required and empty. */
  missing?: string
  /** In place of a dash where there is no value. */
  empty?: string
  /** What a row begins with where nothing is sent, if that is not nothing. */
  initial?: T
  /** Which of the inputs that have its name count; of most kinds there may be only one. */
  typedIn?: (body: URLSearchParams, name: string) => string[]
  /**
   * The value that this form takes for what was read, given the stored one and those that it offers.
   * @throws FieldError
   */
  accept?: (value: T | null, stored: unknown, offered: Choice[], field: F) => unknown
  /** Its values are keys of uploaded files: one, several in an order of their own, or each that an input sends. */
  file?: { of: 'files' | 'avatar' | 'gallery'; several?: true; each?: true }
  /** Never shown again, and told by no history. */
  secret?: true
  /** Saved as a hash, and only when filled. */
  hashed?: true
  /** Only shown. */
  readOnly?: true
  /** Its values are ids of records. */
  refers?: true
  /** One of its values is chosen from the start. */
  preselected?: true
  /** What it is in the API; without `show` no record has it, without `read` no body. */
  json: {
    schema: (field: F, schemaOf: (field: BaseField) => Schema) => Schema
    /** It is never null. */
    filled?: true
    show?: (value: T, field: F, show: (field: BaseField, value: unknown) => unknown) => unknown
    /**
     * The value of what a body says; nothing where that is of another type.
     * @throws FieldError
     */
    read?: (json: unknown, field: F) => T | null | undefined
  }
  /** How cells of a sheet are read into it; of other kinds none are. */
  cell?: {
    /** The text that the sheet shows counts, and not the number that it stands for. */
    asShown?: true
    /** What somebody would type for it. */
    typed: (cell: string, field: F, reading: CellReading) => string
    /** The values of a cell that has more than one: the first is taken, the others are named. */
    several?: (cell: string) => string[]
    /** Such as stands before a colon in a cell of rows. */
    example?: string
  }
  /** What a column of it is in a list; of other kinds there are none. */
  column?: ColumnKind
  input: InputKind<F>
}

export interface Description {
  /** Of the field, or of a part of rows as `items.price`. */
  name: string
  choices: Record<string, Choice[]>
  t: Translate
  fileName?: (key: string, field: string) => string | undefined
  describe: (name: string, field: BaseField, value: unknown) => string
}

/** What a cell is read with. */
export interface CellReading {
  /** Finds the record that a cell names. */
  find: (text: string, unknown?: string) => Choice
  /** In which the installation has amounts. */
  currency: string
}

interface InputKind<F> {
  /** Of `components/inputs.njk`, or of `components/form.njk` for those that stand alone in their group. */
  macro: string
  type?: 'text' | 'email' | 'tel' | 'password' | 'date' | 'datetime-local'
  /** The macro has its own label. */
  labelled?: 'own'
  wide?: true
  /** Stands alone in its group. */
  alone?: true
  /** Is shown by its input, too, to those who may not change it. */
  whenDisabled?: true
  /** A browser must not want it filled. */
  neverRequired?: true
  /** What the page loads for it. */
  loads?: 'crops' | 'writes'
  /** What its macro is given besides. */
  view?: (field: F, text: string, context: InputContext) => InputView
}

export interface InputContext {
  t: Translate
  /** The choices of the form for this field. */
  offered: Choice[]
  /** Of a part of a row: those that were found for this row alone. */
  ofRow?: { found?: Choice[] }
  /** What was searched for among the choices. */
  search: string | undefined
  mode: 'create' | 'edit'
}

interface InputView {
  /** Of a switch: it is ticked where its value is off. */
  inverted?: true
  type?: string
  isMoment?: boolean
  max?: number
  inputMode?: string
  mask?: string
  placeholder?: string
  kopecks?: number
  blank?: string
  options?: { id: number | string; name: string; selected: boolean }[]
  source?: string
  search?: string
  accept?: string
  isPicture?: boolean
}

/** JSON that says what somebody would type. */
export function readText<F, T>(parse: (typed: string, field: F) => T | null | undefined) {
  return (json: unknown, field: F) => (json === null || typeof json === 'string' ? parse(json ?? '', field) : undefined)
}

export function readNumber<F, T>(parse: (typed: string, field: F) => T | null | undefined) {
  return (json: unknown, field: F) => (typeof json === 'number' ? parse(String(json), field) : json === null ? null : undefined)
}

/** How many rows, or values, one field may have. */
export const rowLimit = 200

export const formatPlain = (value: unknown) => (value === null || value === undefined ? '' : String(value))

export function orNull<T>(parse: (typed: string) => T): (typed: string) => T | null {
  return (typed) => (typed.trim() === '' ? null : parse(typed.trim()))
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)
}
