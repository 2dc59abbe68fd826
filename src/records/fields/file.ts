import { listOf, string } from './json-schema.ts'
import type { BaseField, Declared, Description, FieldKind, FieldOptions } from './kind.ts'
import { formatPlain, readText } from './kind.ts'

export interface FileField extends BaseField {
  kind: 'upload' | 'image' | 'picture'
}

export interface ImagesField extends BaseField {
  kind: 'images'
  max: number
}

export function upload<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'upload', label } as Declared<FileField, string | null, O>
}

/** A picture of a person. */
export function image<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'image', label } as Declared<FileField, string | null, O>
}

export function picture<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'picture', label } as Declared<FileField, string | null, O>
}

export function images<const O extends FieldOptions & { max: number }>(label: string, options: O) {
  return { ...options, kind: 'images', label } as unknown as Declared<ImagesField, string[], O>
}

type OfFile = Pick<FieldKind<FileField, string>, 'file' | 'column' | 'input'> & { called?: string }

function fileKind({ called = 'File', ...own }: OfFile): FieldKind<FileField, string> {
  return {
    parse: keyOf,
    show: formatPlain,
    describe: (key, _field, { name, t, fileName }) => fileName?.(key, name) ?? t(called),
    json: { schema: () => string, show: (value) => value, read: readText(keyOf) },
    ...own,
  }
}

const keyOf = (typed: string) => typed.trim() || null

export const fileKinds = {
  upload: fileKind({ file: { of: 'files' }, input: { macro: 'file', whenDisabled: true } }),
  image: fileKind({
    called: 'Photo',
    file: { of: 'avatar' },
    column: 'image',
    input: { macro: 'image', wide: true, whenDisabled: true, loads: 'crops' },
  }),
  picture: fileKind({
    file: { of: 'gallery' },
    input: { macro: 'file', view: () => ({ isPicture: true, accept: 'image/jpeg,image/png,image/webp,image/gif,image/avif' }) },
  }),
} satisfies Record<FileField['kind'], FieldKind<FileField, string>>

export const imagesKind: FieldKind<ImagesField, string[]> = {
  parse: () => undefined,
  show: () => '',
  describe: describeImages,
  file: { of: 'gallery', several: true },
  json: { schema: () => listOf(string), filled: true, show: (value) => value },
  input: { macro: 'images', alone: true, whenDisabled: true, view: ({ max }) => ({ max }) },
}

function describeImages(keys: string[], _field: ImagesField, { name, t, fileName }: Description): string {
  return fileName ? keys.map((key) => fileName(key, name) ?? t('Photo')).join(', ') : t('{count} images', { count: keys.length })
}
