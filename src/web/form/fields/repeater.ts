import { type Field, type FieldOptions, type Fields, type FieldWith, makeField, type StoredKeys, type ValueOf } from './field.ts'

type RepeaterOptions<S extends Fields> = FieldOptions & {
  key: 'id' | 'file'
  addLabel?: string
  unique?: keyof S & string
  duplicateWarning?: Field['duplicateWarning'] & { part: keyof S }
}

/** A row of a repeater, always whole: what a body does not name it had before. Those that are new have no id yet. */
export type RowOf<S extends Fields, O = unknown> = (O extends { readonly key: 'id' } ? { id?: number } : unknown) & {
  [K in StoredKeys<S>]: ValueOf<S[K]>
}

/** Rows of fields, added and removed at will; its value is an array of rows, each with its key. */
export function repeater<S extends Fields, const O extends RepeaterOptions<S>>(
  label: string,
  rows: S,
  options: O,
): FieldWith<RowOf<S, O>[], O> {
  return makeField<RowOf<S, O>[], O>('repeater', label, options, { rows, parse: () => undefined, show: () => '' })
}
