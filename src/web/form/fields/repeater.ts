import { type Field, type FieldOptions, type Fields, makeField, type StoredKeys, type ValueOf } from './field.ts'

type RepeaterOptions<S extends Fields> = FieldOptions & {
  key: 'id' | 'file'
  addLabel?: string
  unique?: keyof S & string
  duplicateWarning?: Field['duplicateWarning'] & { part: keyof S }
}

export type RowOf<S extends Fields, O = unknown> = (O extends { readonly key: 'id' } ? { id?: number } : unknown) & {
  [K in StoredKeys<S>]: ValueOf<S[K]>
}

export function repeater<S extends Fields, const O extends RepeaterOptions<S>>(label: string, rows: S, options: O) {
  return makeField<RowOf<S, O>[], O>('repeater', label, options, { rows, parse: () => undefined, show: () => '' })
}
