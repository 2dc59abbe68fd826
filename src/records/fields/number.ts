import { firstCharacters } from '../../core/text.ts'
import { formatDecimal, parseHundredths } from '../../i18n/format.ts'
import { groupDigits } from '../../i18n/group-digits.ts'
import { integer } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions, formatPlain, orNull, readNumber } from './kind.ts'

export interface NumberField extends BaseField {
  kind: 'number' | 'decimal'
  least: number
  most: number
}

export function number<const O extends FieldOptions & { least: number; most: number }>(label: string, options: O) {
  const size = Math.max(6, String(options.most).length)
  return { ...options, size, kind: 'number', label } as unknown as Declared<NumberField, number | null, O>
}

/** A number typed with comma or point and up to two decimals, stored in whole hundredths, as its limits are given. */
export function decimal<const O extends FieldOptions & { least: number; most: number }>(label: string, options: O) {
  return { ...options, kind: 'decimal', label } as unknown as Declared<NumberField, number | null, O>
}

export const numberKinds = {
  number: {
    missing: 'Enter a number.',
    parse: parseWhole,
    show: formatPlain,
    describe: String,
    column: 'number',
    json: { schema: () => integer, show: (value) => value, read: readNumber(parseWhole) },
    cell: {
      typed: (cell) =>
        withoutUnit(figureOf(cell))
          .replace(/\s/g, '')
          // Three zeros may be thousands.
          .replace(/[.,](?!000$)0+$/, ''),
    },
    input: { macro: 'line', type: 'text', view: () => ({ inputMode: 'numeric' }) },
  },
  decimal: {
    missing: 'Enter a number.',
    parse: parseDecimal,
    show: (value) => (typeof value === 'number' ? formatDecimal(value) : ''),
    describe: formatDecimal,
    json: { schema: () => ({ type: 'number' }), show: (value) => value / 100, read: readNumber(parseDecimal) },
    cell: { typed: (cell) => withoutUnit(figureOf(cell)) },
    input: { macro: 'line', type: 'text', view: () => ({ inputMode: 'decimal' }) },
  },
} satisfies Record<NumberField['kind'], FieldKind<NumberField, number>>

/** @throws FieldError for words, which none of its digits could mend */
export function figureOf(cell: string): string {
  if (cell && !/\d/.test(cell)) throw new FieldError('“{text}” is not a number.', { text: firstCharacters(cell, 50) })
  return cell
}

/** Percent, lengths, areas, pieces and days are what the field counts in. */
function withoutUnit(cell: string): string {
  return cell.replace(/(?<=\d)\s*(?:%|мм|mm|м|m|м2|м²|m²|m2|кв\.?\s?м|шт|pcs|дн(?:я|ей)?|days?)\.?$/iu, '')
}

function parseWhole(typed: string, field: NumberField): number | null {
  return orNull((text) => wholeNumber(text, field))(typed)
}

function parseDecimal(typed: string, field: NumberField): number | null {
  return orNull((text) => hundredths(text, field))(typed)
}

function wholeNumber(typed: string, { least, most }: NumberField): number {
  const value = Number(typed)
  if (!/^[+-]?\d+$/.test(typed) || value < least || value > most)
    throw new FieldError('Enter a whole number from {least} to {most}.', { least: formatGrouped(least), most: formatGrouped(most) })
  return value
}

function hundredths(typed: string, { least, most }: NumberField): number {
  const size = parseHundredths(typed.replace(/^[-−+]/, ''))
  const value = size === undefined ? undefined : /^[-−]/.test(typed) ? -size : size
  if (value === undefined || value < least || value > most)
    throw new FieldError('Enter a number from {least} to {most} with up to two decimal places.', {
      least: formatGrouped(least / 100),
      most: formatGrouped(most / 100),
    })
  return value
}

/** A number as `−12 345,5`. */
function formatGrouped(value: number): string {
  const [whole = '', part] = String(Math.abs(value)).split('.')
  return `${value < 0 ? '−' : ''}${groupDigits(whole)}${part ? `,${part}` : ''}`
}
