import { z } from 'zod'
import { countCharacters, hasControlCharacters, stripBidiControls } from '../../../core/text.ts'
import { type Field, FieldError, type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

export function text<const O extends FieldOptions & { max?: number }>(label: string, options?: O): FieldWith<string | null, O> {
  const max = options?.max ?? 255
  return makeField('text', label, options, { max, parse: (typed) => shortText(typed, max), show: formatPlain })
}

export function paragraph<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string | null, O> {
  const parse = (typed: string) => longText(normalizeLineFeeds(typed), options.max)
  return makeField('paragraph', label, options, { parse, show: formatPlain })
}

export function phone<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return { ...text(label, options), kind: 'phone' }
}

export function email<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  const parse = (typed: string) => {
    const address = shortText(typed, 255)
    if (address !== null && !z.email().safeParse(address).success) throw new FieldError('Enter a valid email address.')
    return address
  }
  return makeField('email', label, options, { max: 255, parse, show: formatPlain })
}

export function richText<const O extends FieldOptions & { maxBytes: number; refuse?: (html: string) => string | undefined }>(
  label: string,
  options: O,
): FieldWith<string | null, O> {
  const parse = (typed: string) => {
    const html = normalizeLineFeeds(typed)
    if (html.includes('\0')) throw new FieldError('Remove unsupported characters.')
    if (Buffer.byteLength(html) > options.maxBytes)
      throw new FieldError('Text is limited to {max} MB.', { max: options.maxBytes / 1024 ** 2 })
    const problem = options.refuse?.(html)
    if (problem) throw new FieldError(problem)
    return html === '' ? null : html
  }
  return makeField('richText', label, options, { max: options.maxBytes, parse, show: (value) => normalizeLineFeeds(formatPlain(value)) })
}

export function color<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  const parse = (typed: string) => {
    const value = typed.trim()
    if (value === '') return null
    if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(value)) throw new FieldError('Enter a color like {example}.', { example: '#4299e1' })
    return value
  }
  return makeField('color', label, options, { max: 7, parse, show: formatPlain })
}

export function readOnlyText(label: string): Field<never> {
  return { label, kind: 'read-only', parse: () => undefined, show: formatPlain }
}

const normalizeLineFeeds = (text: string) => text.replace(/\r\n?/g, '\n')

function shortText(typed: string, max: number): string | null {
  if (/[\t\n\r]/.test(typed.trim())) throw new FieldError('Remove unsupported characters.')
  return longText(typed, max)
}

function longText(typed: string, max: number): string | null {
  const value = stripBidiControls(typed).normalize('NFC').trim()
  if (hasControlCharacters(value)) throw new FieldError('Remove unsupported characters.')
  if (countCharacters(value) > max) throw new FieldError('Up to {max} characters.', { max })
  return value === '' ? null : value
}
