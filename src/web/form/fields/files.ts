import { type Common, type Field, plain } from './field.ts'

/** A file: the key under which it is stored. The bytes travel beside the form and are stored before it is read. */
export function upload(label: string, options: Common = {}): Field {
  return { label, kind: 'upload', ...options, parse: (typed) => typed.trim() || null, show: plain }
}

/** A square picture of a person: like an upload, the key of what was made of the picture that was sent. */
export function image(label: string, options: Common = {}): Field {
  return { ...upload(label, options), kind: 'image' }
}

/** Pictures in an order of their own: an array of keys. */
export function images(label: string, options: Common & { max: number }): Field {
  return { label, kind: 'images', ...options, parse: () => undefined, show: () => '' }
}
