import type { Guarded } from '../../core/access.ts'
import { HttpError } from '../http.ts'

export class FieldError extends HttpError {
  constructor(message: string, params?: Record<string, unknown>) {
    super(422, message, params)
  }
}

export interface Choice {
  id: number
  name: string
}

export interface FieldOptions extends Guarded {
  /** Required always, or only for a new record because the value of a stored one may have been deleted since. */
  required?: boolean | 'create'
  only?: 'create' | 'edit'
  hint?: string
  autocomplete?: string
  /** How many characters it usually holds: its width. */
  size?: number
}

export interface Field<T = unknown, Required = FieldOptions['required'], Only = FieldOptions['only']> extends FieldOptions {
  required?: Required & FieldOptions['required']
  only?: Only & FieldOptions['only']
  label: string
  kind:
    | 'text'
    | 'paragraph'
    | 'money'
    | 'decimal'
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
    | 'picture'
    | 'images'
    | 'repeater'
    | 'read-only'
    | 'hidden'
  max?: number
  values?: Record<string, string>
  none?: string
  rows?: Fields
  key?: 'id' | 'file'
  addLabel?: string
  rowTemplate?: string
  unique?: string
  duplicateWarning?: { part: string; warning: string }
  /** New rows in which nothing was typed are none. */
  ignoresBlank?: boolean
  initial?: unknown
  source?: string
  parse: (text: string) => T | undefined
  show: (value: unknown) => string
}

export type Fields = Record<string, Field>

export type FieldSet = Partial<Fields>

export type FieldWith<T, Options> = Field<T, OptionOf<Options, 'required'>, OptionOf<Options, 'only'>>
type OptionOf<Options, Name extends string> = Options extends { readonly [name in Name]: infer Value } ? Value : undefined

export type ValueOf<F extends Field> = IsOneOf<F['required'], true> extends true ? NonNullable<Parsed<F>> : Parsed<F>
type Parsed<F extends Field> = Exclude<ReturnType<F['parse']>, undefined>

export type StoredKeys<S extends FieldSet> = KeysWhere<{ [K in keyof S]-?: IsOneOf<ReturnType<NonNullable<S[K]>['parse']>, never> }, false>
export type RequiredKeys<S extends FieldSet> = KeysWhere<
  { [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['required'], true | 'create'> },
  true
>
export type KeysOnly<S extends FieldSet, M> = KeysWhere<{ [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['only'], M> }, true>
type KeysWhere<S, V> = { [K in keyof S]-?: S[K] extends V ? K : never }[keyof S]
type IsOneOf<T, V> = [T] extends [undefined] ? ([V] extends [never] ? true : false) : [T] extends [V | undefined] ? true : false

export function makeField<T, O>(kind: Field['kind'], label: string, options: O | undefined, own: Pick<Field<T>, 'parse'> & Partial<Field>) {
  return { show: formatPlain, ...options, ...own, label, kind } as FieldWith<T, O>
}

export function kindOfField<T>(kind: Field['kind'], own: Pick<Field<T>, 'parse'> & Partial<Field>) {
  return <const O extends FieldOptions>(label: string, options?: O) => makeField<T, O>(kind, label, options, own)
}

export function orNull<T>(parse: (typed: string) => T): (typed: string) => T | null {
  return (typed) => (typed.trim() === '' ? null : parse(typed.trim()))
}

export function holdsFile({ kind }: Pick<Field, 'kind'>): boolean {
  return kind === 'upload' || kind === 'image' || kind === 'picture'
}

/** Whether the input loses information, so that an unchanged input must keep the stored value. */
export function isLossy({ kind }: Field): boolean {
  return kind === 'dateTime' || kind === 'richText' || kind === 'several'
}

export const formatPlain = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const storedFile = { parse: (typed: string) => typed.trim() || null }

export const upload = kindOfField<string | null>('upload', storedFile)

export const image = kindOfField<string | null>('image', storedFile)

export const picture = kindOfField<string | null>('picture', storedFile)

export function images<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string[], O> {
  return makeField<string[], O>('images', label, options, { parse: () => undefined, show: () => '' })
}

type RepeaterOptions<S extends Fields> = FieldOptions & {
  key: 'id' | 'file'
  addLabel?: string
  /** A template that shows a row by the names of its parts; without one they stand beside each other. */
  rowTemplate?: string
  ignoresBlank?: true
  unique?: keyof S & string
  duplicateWarning?: Field['duplicateWarning'] & { part: keyof S }
}

export type RowOf<S extends Fields, O = unknown> = (O extends { readonly key: 'id' } ? { id?: number } : unknown) & {
  [K in StoredKeys<S>]: ValueOf<S[K]>
}

export function repeater<S extends Fields, const O extends RepeaterOptions<S>>(label: string, rows: S, options: O) {
  return makeField<RowOf<S, O>[], O>('repeater', label, options, { rows, parse: () => undefined, show: () => '' })
}
