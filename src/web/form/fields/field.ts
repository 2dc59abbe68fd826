/** A value that cannot be saved; the message is a translation key. */
export class FieldError extends Error {
  readonly params: Record<string, unknown>
  constructor(message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.params = params
  }
}

export interface Choice {
  id: number
  name: string
}

/** What may be said of a field of any kind. */
export interface FieldOptions {
  /** On both forms, or only for a new record: what it held may have been deleted since. */
  required?: boolean | 'create'
  /** On which of the two forms it stands; on both when not said. */
  only?: 'create' | 'edit'
  hint?: string
  /** What the browser may fill in, as in the autocomplete attribute. */
  autocomplete?: string
}

/**
 * A field of a form.
 * @typeParam T what it stores; never for one that is only shown
 * @typeParam Required, Only its options of these names, by which the type of what a form submits is worked out
 */
export interface Field<T = unknown, Required = FieldOptions['required'], Only = FieldOptions['only']> extends FieldOptions {
  required?: Required & FieldOptions['required']
  only?: Only & FieldOptions['only']
  label: string
  /** Which part of `components/field.njk` draws it. */
  kind:
    | 'text'
    | 'paragraph'
    | 'money'
    | 'email'
    | 'password'
    | 'proof'
    | 'phone'
    | 'number'
    | 'date'
    | 'dateTime'
    | 'richText'
    | 'switch'
    | 'choice'
    | 'option'
    | 'several'
    | 'color'
    | 'upload'
    | 'image'
    | 'images'
    | 'repeater'
    | 'shown'
  max?: number
  /** The fixed values of which one or several are chosen, with their names, and what choosing none means. */
  values?: Record<string, string>
  none?: string
  /** The fields of a repeater's rows. */
  rows?: Fields
  /** Which property tells a repeater's rows apart: the row's id, or the file it holds. */
  key?: 'id' | 'file'
  /** What the button says that adds a row. */
  addLabel?: string
  /** A field of the row that no two rows may share. */
  unique?: string
  /** A field of the row that two rows seldom share, and what to say when they do. */
  duplicateWarning?: { part: string; warning: string }
  /** What a field of a new row holds when the body does not name it; nothing when not said. */
  initial?: unknown
  /** A choice of very many: where the browser asks for those that a search finds. */
  source?: string
  /** From what was typed to what is stored; an empty optional field is null. */
  parse: (text: string) => T | undefined
  /** From what is stored to what the input shows. */
  show: (value: unknown) => string
}

/** Fields by their name, which is the name of the column. */
export type Fields = Record<string, Field>

/** Fields of which some may be missing. */
export type FieldSet = Partial<Fields>

/** A field of these options, as far as they matter to the type of what a form submits. */
export type FieldWith<T, Options> = Field<T, OptionOf<Options, 'required'>, OptionOf<Options, 'only'>>
type OptionOf<Options, Name extends string> = Options extends { readonly [name in Name]: infer Value } ? Value : undefined

/** What a field stores; a required one is never empty. */
export type ValueOf<F extends Field> = IsOneOf<F['required'], true> extends true ? NonNullable<Parsed<F>> : Parsed<F>
type Parsed<F extends Field> = Exclude<ReturnType<F['parse']>, undefined>

/** The names of fields that store something, of those that a new record must have, and of those of one mode alone. */
export type StoredKeys<S extends FieldSet> = KeysWhere<{ [K in keyof S]-?: IsOneOf<ReturnType<NonNullable<S[K]>['parse']>, never> }, false>
export type RequiredKeys<S extends FieldSet> = KeysWhere<
  { [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['required'], true | 'create'> },
  true
>
export type KeysOnly<S extends FieldSet, M> = KeysWhere<{ [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['only'], M> }, true>
type KeysWhere<S, V> = { [K in keyof S]-?: S[K] extends V ? K : never }[keyof S]
type IsOneOf<T, V> = [T] extends [undefined] ? ([V] extends [never] ? true : false) : [T] extends [V | undefined] ? true : false

/** Puts a field together, its options included. */
export function makeField<T, O>(
  kind: Field['kind'],
  label: string,
  options: O | undefined,
  own: Pick<Field<T>, 'parse' | 'show'> & Partial<Field>,
): FieldWith<T, O> {
  return { ...options, ...own, label, kind } as FieldWith<T, O>
}

/** Whether a field's value is the key of a stored file. */
export function holdsFile({ kind }: Field): boolean {
  return kind === 'upload' || kind === 'image'
}

/** Whether a field's input says less than what is stored: sent back as it was shown, it means what is stored. */
export function isLossy({ kind }: Field): boolean {
  return kind === 'dateTime' || kind === 'richText' || kind === 'several'
}

/** A text as it is, nothing as an empty one. */
export const formatPlain = (value: unknown) => (value === null || value === undefined ? '' : String(value))
