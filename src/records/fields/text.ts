import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { isWholePhone } from '../../core/phone.ts'
import { compose, hasControlCharacters, isLongerThan, stripBidiControls } from '../../core/text.ts'
import { string } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions, formatPlain, orNull, readText } from './kind.ts'

export interface TextField extends BaseField {
  kind: 'text' | 'paragraph' | 'phone' | 'email' | 'color'
  max: number
  /** A code of these characters; spaces between them are no part of it. */
  code?: { characters: RegExp; problem: string }
  /** No other record of the table may have the same. */
  distinct?: Distinct
  /** @throws FieldError for what must not be saved */
  check?: (text: string) => void
}

interface Distinct {
  problem: string
  /** Which records have the same, where that is more than an equal value. */
  same?: (value: string) => SQL
}

export function text<const O extends FieldOptions & Partial<Pick<TextField, 'max' | 'check' | 'distinct'>>>(label: string, options?: O) {
  return textField<O>('text', label, { max: 255 }, options)
}

const onlyDigits = { characters: /^\d+$/, problem: 'Use digits only.' }

/** A code of digits; spaces between them are no part of it. */
export function digits<const O extends FieldOptions>(label: string, options?: O) {
  return textField<O>('text', label, { max: 255, code: onlyDigits }, options)
}

/** The KPP of an organization: two of its characters may be letters. */
export function kpp<const O extends FieldOptions>(label: string, options?: O) {
  const code = { characters: /^[\dA-Z]+$/, problem: 'Use digits and capital Latin letters only.' }
  return textField<O>('text', label, { max: 255, code }, options)
}

export function paragraph<const O extends FieldOptions & { max: number }>(label: string, options: O) {
  return textField<O>('paragraph', label, { max: options.max }, options)
}

export function phone<const O extends FieldOptions>(label: string, options?: O) {
  return textField<O>('phone', label, { max: 255, size: 18 }, options)
}

export function email<const O extends FieldOptions & Partial<Pick<TextField, 'distinct'>>>(label: string, options?: O) {
  return textField<O>('email', label, { max: 255 }, options)
}

export function color<const O extends FieldOptions>(label: string, options?: O) {
  return textField<O>('color', label, { max: 7 }, options)
}

function textField<O>(kind: TextField['kind'], label: string, own: Pick<TextField, 'max' | 'size' | 'code'>, options: O | undefined) {
  return { kind, label, ...own, ...options } as Declared<TextField, string | null, O>
}

type Parse = FieldKind<TextField, string>['parse']

const textKind = (parse: Parse, input: FieldKind<TextField, string>['input']): FieldKind<TextField, string> => ({
  parse,
  show: formatPlain,
  describe: String,
  column: 'text',
  json: { schema: ({ max }) => ({ ...string, maxLength: max }), show: (value) => value, read: readText(parse) },
  input,
})

const maxOf = ({ max }: TextField) => ({ max })

const lineInput = {
  macro: 'line',
  view: ({ max, code, check }: TextField) => ({
    max,
    ...(code === onlyDigits && { inputMode: 'numeric' }),
    ...(check === requireAddresses && { inputMode: 'email' }),
  }),
}

const line = {
  ...textKind(parseLine, { ...lineInput, type: 'text' }),
  cell: { asShown: true as const, typed: (cell: string) => wholeNumber(inOneLine(cell)) },
}

const asTyped = { asShown: true as const, typed: (cell: string) => cell }

export const textKinds: Record<TextField['kind'], FieldKind<TextField, string>> = {
  text: line,
  paragraph: {
    ...textKind((typed, { max }) => longText(normalizeLineFeeds(typed), max), { macro: 'paragraph', view: maxOf }),
    cell: asTyped,
  },
  phone: {
    ...line,
    missing: 'Enter a phone number.',
    review: reviewPhone,
    column: 'phone',
    cell: {
      ...line.cell,
      several: (cell) =>
        cell
          .split(/[,;\n]|\s\/\s/)
          .map((one) => one.trim())
          .filter(Boolean),
    },
    input: {
      macro: 'line',
      type: 'tel',
      view: ({ max }) => ({ max, mask: '+7(000) 000 00 00', placeholder: '+7(999) 999 99 99' }),
    },
  },
  email: { missing: 'Enter an email address.', ...textKind(parseEmail, { ...lineInput, type: 'email' }), cell: asTyped },
  color: textKind(orNull(parseColor), { macro: 'color', view: maxOf }),
}

function parseLine(typed: string, { max, code, check }: TextField): string | null {
  const value = shortText(code ? typed.replace(/[\s\u200b]/g, '') : typed, max)
  if (value !== null && code && !code.characters.test(value)) throw new FieldError(code.problem)
  if (value !== null) check?.(value)
  return value
}

function reviewPhone(typed: string): void {
  if (typed.trim() && !isWholePhone(typed))
    throw new FieldError('Enter the whole phone number, such as {example}.', { example: '+7(912) 345 67 89' })
}

function parseEmail(typed: string, { max }: TextField): string | null {
  const address = shortText(typed, max)
  if (address !== null) requireAddress(address)
  return address
}

function requireAddress(text: string): void {
  if (!z.email().safeParse(text).success) throw new FieldError('Enter a valid email address.')
}

/** One email address, or several with commas between them: the check of a text. */
export function requireAddresses(text: string): void {
  for (const address of text.split(/[\s,;]+/).filter(Boolean)) requireAddress(address)
}

function parseColor(typed: string): string {
  if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(typed)) throw new FieldError('Enter a color like {example}.', { example: '#4299e1' })
  return typed
}

export function normalizeLineFeeds(text: string): string {
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

/** Cells are broken into lines to be narrow. */
const inOneLine = (cell: string) =>
  cell
    .split(/[\t\n\r]/)
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

/** Spreadsheet programs turn tax and account numbers into 7.70112E+11 or 770112345678.0; digits that are gone are not made up. */
function wholeNumber(cell: string): string {
  const [, first = '', decimals = '', exponent] = /^(\d)(?:[.,](\d+))?e\+?(\d{1,3})$/i.exec(cell) ?? []
  if (exponent === undefined) return cell.replace(/^(\d{5,})[.,]0+$/, '$1')
  if (decimals.length < Number(exponent)) throw new FieldError('The spreadsheet has lost digits of this number. Format the column as text.')
  return decimals.length === Number(exponent) ? first + decimals : cell
}
