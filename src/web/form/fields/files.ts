import { type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

/** A file: the key under which it is stored. The bytes travel beside the form and are stored before it is read. */
export function upload<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('upload', label, options, { parse: (typed) => typed.trim() || null, show: formatPlain })
}

/** A square picture of a person: like an upload, the key of what was made of the picture that was sent. */
export function image<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return { ...upload(label, options), kind: 'image' }
}

/** Pictures in an order of their own: an array of keys. */
export function images<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string[], O> {
  return makeField<string[], O>('images', label, options, { parse: () => undefined, show: () => '' })
}
