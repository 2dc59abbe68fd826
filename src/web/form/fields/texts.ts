import { z } from 'zod'
import { countCharacters, hasControlCharacters, stripBidiControls } from '../../../core/text.ts'
import { type Field, FieldError, type FieldOptions, formatPlain } from './field.ts'

export function text(label: string, options: FieldOptions & { max?: number } = {}): Field {
  const max = options.max ?? 255
  return { label, kind: 'text', ...options, max, parse: (typed) => shortText(typed, max), show: formatPlain }
}

/** A text of several lines. */
export function paragraph(label: string, options: FieldOptions & { max: number }): Field {
  const parse = (typed: string) => longText(normalizeLineFeeds(typed), options.max)
  return { label, kind: 'paragraph', ...options, parse, show: formatPlain }
}

export function phone(label: string, options: FieldOptions = {}): Field {
  return { ...text(label, options), kind: 'phone' }
}

/** An address of our own people, which must be one. */
export function email(label: string, options: FieldOptions = {}): Field {
  const parse = (typed: string) => {
    const address = shortText(typed, 255)
    if (address !== null && !z.email().safeParse(address).success) throw new FieldError('Enter a valid email address.')
    return address
  }
  return { label, kind: 'email', ...options, max: 255, parse, show: formatPlain }
}

/** HTML as somebody wrote it, kept to the letter but for the form of its line ends; `refuse` names what is wrong with it. */
export function richText(
  label: string,
  options: FieldOptions & { maxBytes: number; refuse?: (html: string) => string | undefined },
): Field {
  const parse = (typed: string) => {
    const html = normalizeLineFeeds(typed)
    if (html.includes('\0')) throw new FieldError('Remove unsupported characters.')
    if (Buffer.byteLength(html) > options.maxBytes)
      throw new FieldError('Text is limited to {max} MB.', { max: options.maxBytes / 1024 ** 2 })
    const problem = options.refuse?.(html)
    if (problem) throw new FieldError(problem)
    return html === '' ? null : html
  }
  return { label, kind: 'richText', ...options, max: options.maxBytes, parse, show: (value) => normalizeLineFeeds(formatPlain(value)) }
}

/** A colour as `#rgb` or `#rrggbb`. */
export function color(label: string, options: FieldOptions = {}): Field {
  const parse = (typed: string) => {
    const value = typed.trim()
    if (value === '') return null
    if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(value)) throw new FieldError('Enter a color like {example}.', { example: '#4299e1' })
    return value
  }
  return { label, kind: 'color', ...options, max: 7, parse, show: formatPlain }
}

/** A text that is only shown: nothing that a body says of it counts. */
export function readOnlyText(label: string): Field {
  return { label, kind: 'shown', parse: () => undefined, show: formatPlain }
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
