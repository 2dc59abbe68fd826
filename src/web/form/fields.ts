import { z } from 'zod'
import { isCommonPassword } from '../../core/passwords.ts'
import { compose, firstCharacters, hasControlCharacters, isLongerThan, stripBidiControls } from '../../core/text.ts'
import {
  formatDateTime,
  formatDateTimeInput,
  formatDecimal,
  formatGrouped,
  formatRubles,
  largestAmount,
  parseDateTimeInput,
  parseKopecks,
} from '../view/format.ts'
import { FieldError, type FieldOptions, type FieldWith, formatPlain, kindOfField, makeField, orNull } from './field.ts'

export * from './field.ts'

export function text<const O extends FieldOptions & { max?: number }>(label: string, options?: O): FieldWith<string | null, O> {
  const max = options?.max ?? 255
  return makeField('text', label, options, { max, parse: (typed) => shortText(typed, max) })
}

/** A code of digits; spaces between them are no part of it. */
export function digits<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('text', label, options, { max: 255, parse: (typed) => codeOf(typed, /^\d+$/, 'Use digits only.') })
}

/** The KPP of an organization: two of its characters may be letters. */
export function kpp<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  const parse = (typed: string) => codeOf(typed, /^[\dA-Z]+$/, 'Use digits and capital Latin letters only.')
  return makeField('text', label, options, { max: 255, parse })
}

function codeOf(typed: string, characters: RegExp, problem: string): string | null {
  const code = shortText(typed.replace(/[\s\u200b]/g, ''), 255)
  if (code !== null && !characters.test(code)) throw new FieldError(problem)
  return code
}

export function paragraph<const O extends FieldOptions & { max: number }>(label: string, options: O): FieldWith<string | null, O> {
  return makeField('paragraph', label, options, { parse: (typed) => longText(normalizeLineFeeds(typed), options.max) })
}

export const phone = kindOfField<string | null>('phone', { max: 255, size: 18, parse: (typed) => shortText(typed, 255) })

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
  if (!isLongerThan(typed, 7) || isLongerThan(typed, 256)) throw new FieldError('Use 8 to 256 characters.')
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
  const value = compose(stripBidiControls(typed)).trim()
  if (hasControlCharacters(value)) throw new FieldError('Remove unsupported characters.')
  if (isLongerThan(value, max)) throw new FieldError('Up to {max} characters.', { max })
  return value === '' ? null : value
}

export function number<const O extends FieldOptions & { least: number; most: number }>(label: string, options: O) {
  const { least, most } = options
  const parse = orNull((typed) => {
    const value = Number(typed)
    if (!/^[+-]?\d+$/.test(typed) || value < least || value > most)
      throw new FieldError('Enter a whole number from {least} to {most}.', { least: formatGrouped(least), most: formatGrouped(most) })
    return value
  })
  return makeField('number', label, options, { size: Math.max(6, String(most).length), parse })
}

/** An amount from 0 to `most` kopecks, typed in rubles with comma or point, stored in whole kopecks. */
export function money<const O extends FieldOptions & { most?: number }>(label: string, options: O): FieldWith<number | null, O> {
  const { most = largestAmount } = options
  const parse = orNull((typed) => {
    const kopecks = parseKopecks(typed)
    if (kopecks === undefined || kopecks > most)
      throw new FieldError('Enter an amount from 0 to {most} with up to two decimal places.', { most: { kopecks: most, decimals: 2 } })
    return kopecks
  })
  return makeField('money', label, options, { size: 14, parse, show: (value) => (typeof value === 'number' ? formatRubles(value) : '') })
}

/** An amount that the page has shown; the page itself places the input that sends it back. */
export function shownMoney<const O extends FieldOptions>(label: string, options: O): FieldWith<number | null, O> {
  return { ...money(label, options), kind: 'hidden' }
}

/** A number typed with comma or point and up to two decimals, stored in whole hundredths, as its limits are given. */
export function decimal<const O extends FieldOptions & { least: number; most: number }>(
  label: string,
  options: O,
): FieldWith<number | null, O> {
  const { least, most } = options
  const parse = orNull((typed) => {
    const negative = /^[-−]/.test(typed)
    const hundredths = parseKopecks(typed.replace(/^[-−+]/, ''))
    const value = hundredths === undefined ? undefined : negative ? -hundredths : hundredths
    if (value === undefined || value < least || value > most)
      throw new FieldError('Enter a number from {least} to {most} with up to two decimal places.', {
        least: formatGrouped(least / 100),
        most: formatGrouped(most / 100),
      })
    return value
  })
  return makeField('decimal', label, options, { parse, show: (value) => (typeof value === 'number' ? formatDecimal(value) : '') })
}

export const date = kindOfField<string | null>('date', {
  parse: orNull((day) => {
    if (!z.iso.date().safeParse(day).success) throw new FieldError('Enter a valid date.')
    return day
  }),
})

export const dateTime = kindOfField<number | null>('dateTime', {
  parse: orNull((typed) => {
    const moment = parseDateTimeInput(typed)
    if (moment === undefined) throw new FieldError('Enter a valid date.')
    return moment
  }),
  show: (value) => formatDateTimeInput(value as number | null),
})

export const readOnlyDateTime = kindOfField<never>('read-only', {
  parse: () => undefined,
  show: (value) => formatDateTime(value as number | null),
})

export const toggle = kindOfField<boolean>('switch', { initial: false, parse: parseSwitch, show: (value) => (value ? '1' : '0') })

/** A switch that is off where its value is left out. */
export const optionalToggle = kindOfField<boolean>('switch', {
  initial: false,
  parse: (text) => text !== '' && parseSwitch(text),
  show: (value) => (value ? '1' : '0'),
})

/** The requested state of a switch, so that a repeated request changes nothing. */
export function parseSwitch(text: string | null): boolean {
  if (text !== '0' && text !== '1') throw new FieldError('Invalid value')
  return text === '1'
}

export function option<K extends string, const O extends FieldOptions & { none?: string }>(
  label: string,
  values: Readonly<Record<K, string>>,
  options?: O,
): FieldWith<K | null, O> {
  const parse = (typed: string) => {
    if (typed === '') return null
    if (!Object.hasOwn(values, typed)) throw new FieldError('Choose a value from the list.')
    return typed as K
  }
  return makeField('option', label, options, { values, parse })
}

export function several<K extends string, const O extends FieldOptions>(label: string, values: Readonly<Record<K, string>>, options?: O) {
  const ordered = (chosen: readonly string[]) => (Object.keys(values) as K[]).filter((key) => chosen.includes(key))
  const parse = (typed: string) => {
    const chosen = typed.split(',').filter(Boolean)
    const unknown = chosen.find((key) => !Object.hasOwn(values, key))
    if (unknown !== undefined) throw new FieldError('No option "{name}".', { name: firstCharacters(unknown, 50) })
    return ordered(chosen)
  }
  const show = (value: unknown) => ordered((value ?? []) as string[]).join(',')
  return makeField('several', label, options, { values, initial: [], parse, show })
}

export function choice<const O extends FieldOptions & { source?: string }>(label: string, options?: O): FieldWith<number | null, O> {
  const parse = orNull((typed) => {
    if (!/^\d{1,15}$/.test(typed)) throw new FieldError('Choose a value from the list.')
    return Number(typed)
  })
  return makeField('choice', label, options, { parse })
}
