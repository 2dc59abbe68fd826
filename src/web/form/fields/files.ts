import { type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

export function upload<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('upload', label, options, { parse: (typed) => typed.trim() || null, show: formatPlain })
}

export function image<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return { ...upload(label, options), kind: 'image' }
}

export function images<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string[], O> {
  return makeField<string[], O>('images', label, options, { parse: () => undefined, show: () => '' })
}
