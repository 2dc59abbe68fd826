import { listOf, string } from './json-schema.ts'
import type { BaseField, Declared, Description, FieldKind, FieldOptions } from './kind.ts'
import { FieldError, formatPlain, readText } from './kind.ts'

export interface FileField extends BaseField {
  kind: 'upload' | 'image' | 'picture'
}

/** Up to `max` files, in a row of a repeater. */
export interface FilesField extends BaseField {
  kind: 'uploads'
  max: number
}

export interface ImagesField extends BaseField {
  kind: 'images'
  max: number
}

export function upload<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'upload', label } as Declared<FileField, string | null, O>
}

export function uploads<const O extends FieldOptions & { max: number }>(label: string, options: O) {
  return { ...options, kind: 'uploads', label } as unknown as Declared<FilesField, string[], O>
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
    missing: 'Choose a file.',
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

export const filesKind: FieldKind<FilesField, string[]> = {
  parse: keysOf,
  show: (keys) => (keys ?? []).join(' '),
  describe: (keys, _field, { name, t, fileName }) => keys.map((key) => fileName?.(key, name) ?? t('File')).join(', '),
  initial: [],
  file: { of: 'files', each: true },
  json: { schema: () => listOf(string), filled: true, show: (keys) => keys, read: readKeys },
  input: { macro: 'files', labelled: 'own', whenDisabled: true },
}

/** @throws FieldError */
function keysOf(typed: string, { max }: FilesField): string[] {
  const keys = [...new Set(typed.split(' ').filter(Boolean))]
  if (keys.length > max) throw new FieldError('Up to {max} files.', { max })
  return keys
}

function readKeys(json: unknown, field: FilesField): string[] | undefined {
  return Array.isArray(json) && json.every((key) => typeof key === 'string') ? keysOf(json.join(' '), field) : undefined
}

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
