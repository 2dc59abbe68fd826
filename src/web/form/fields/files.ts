import { type FieldOptions, type FieldWith, kindOfField, makeField } from './field.ts'

const storedFile = { parse: (typed: string) => typed.trim() || null }

export const upload = kindOfField<string | null>('upload', storedFile)

export const image = kindOfField<string | null>('image', storedFile)

export const picture = kindOfField<string | null>('picture', storedFile)

export function images<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string[], O> {
  return makeField<string[], O>('images', label, options, { parse: () => undefined, show: () => '' })
}
