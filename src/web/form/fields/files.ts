import { type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

export function upload<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('upload', label, options, { parse: (typed) => typed.trim() || null, show: formatPlain })
}

export function image<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return { ...upload(label, options), kind: 'image' }
}

/** A picture of any shape, made anew by the server like those of news. */
export function picture<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return { ...upload(label, options), kind: 'picture' }
}

export function images<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string[], O> {
  return makeField<string[], O>('images', label, options, { parse: () => undefined, show: () => '' })
}
