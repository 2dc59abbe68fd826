import { type Field, type FieldOptions, formatPlain } from './field.ts'

/** A file: the key under which it is stored. The bytes travel beside the form and are stored before it is read. */
export function upload(label: string, options: FieldOptions = {}): Field {
  return { label, kind: 'upload', ...options, parse: (typed) => typed.trim() || null, show: formatPlain }
}

/** A square picture of a person: like an upload, the key of what was made of the picture that was sent. */
export function image(label: string, options: FieldOptions = {}): Field {
  return { ...upload(label, options), kind: 'image' }
}

/** Pictures in an order of their own: an array of keys. */
export function images(label: string, options: FieldOptions & { max: number }): Field {
  return { label, kind: 'images', ...options, parse: () => undefined, show: () => '' }
}
