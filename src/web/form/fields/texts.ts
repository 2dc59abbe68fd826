import { z } from 'zod'
import { isCommonPassword } from '../../../core/passwords.ts'
import { countCharacters, hasControlCharacters, stripBidiControls } from '../../../core/text.ts'
import { FieldError, type FieldOptions, type FieldWith, formatPlain, kindOfField, makeField, orNull } from './field.ts'

export function text<const O extends FieldOptions & { max?: number }>(label: string, options?: O): FieldWith<string | null, O> {
  const max = options?.max ?? 255
  return makeField('text', label, options, { max, parse: (typed) => shortText(typed, max) })
}

export function paragraph<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string | null, O> {
  return makeField('paragraph', label, options, { parse: (typed) => longText(normalizeLineFeeds(typed), options.max) })
}

export const phone = kindOfField<string | null>('phone', { max: 255, parse: (typed) => shortText(typed, 255) })

export const email = kindOfField<string | null>('email', {
  max: 255,
  parse: (typed) => {
    const address = shortText(typed, 255)
    if (address !== null && !z.email().safeParse(address).success) throw new FieldError('Enter a valid email address.')
    return address
  },
})

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

export const color = kindOfField<string | null>('color', {
  max: 7,
  parse: orNull((value) => {
    if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(value)) throw new FieldError('Enter a color like {example}.', { example: '#4299e1' })
    return value
  }),
})

export const readOnlyText = kindOfField<never>('read-only', { parse: () => undefined })

/** Saved only when filled, hashed before the transaction, and never shown again. */
export const password = kindOfField<string | null>('password', { parse: parsePassword, show: () => '' })

/** Verifies who submits the form; the caller compares it and it is never stored. */
export const currentPassword = kindOfField<string | null>('proof', { parse: (typed) => typed || null, show: () => '' })

function parsePassword(typed: string): string | null {
  if (typed === '') return null
  if (countCharacters(typed) < 8 || countCharacters(typed) > 256) throw new FieldError('Use 8 to 256 characters.')
  if (isCommonPassword(typed)) throw new FieldError('This password is too common. Choose another.')
  return typed
}

function normalizeLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

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
