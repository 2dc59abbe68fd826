import { fold } from '../../core/text.ts'
import { formatRubles, longestFigure, parseKopecks } from '../../i18n/format.ts'
import { usualSymbol } from '../../i18n/money.ts'
import { kopecks } from './json-schema.ts'
import { type BaseField, type CellReading, type Declared, FieldError, type FieldKind, type FieldOptions, orNull } from './kind.ts'
import { figureOf } from './number.ts'

/** The greatest amount that can be typed, in kopecks. */
const largestAmount = 99_999_999_999_999

export interface MoneyField extends BaseField {
  kind: 'money' | 'shownMoney'
  /** In kopecks. */
  most: number
  /** @throws FieldError for what must not be saved */
  check?: (kopecks: number) => void
}

type Options = FieldOptions & { most?: number; check?: MoneyField['check'] }

/** An amount from 0 to `most` kopecks, typed in rubles with comma or point, stored in whole kopecks. */
export function money<const O extends Options>(label: string, options: O) {
  return { most: largestAmount, size: 14, ...options, kind: 'money', label } as unknown as Declared<MoneyField, number | null, O>
}

/** An amount that the page has shown; the page itself places the input that sends it back. */
export function shownMoney<const O extends FieldOptions>(label: string, options: O) {
  return { most: largestAmount, unplaced: true, ...options, kind: 'shownMoney', label } as unknown as Declared<MoneyField, number | null, O>
}

const amount: FieldKind<MoneyField, number> = {
  parse: (typed, field) => orNull((text) => amountOf(text, field))(typed),
  show: (value) => (typeof value === 'number' ? formatRubles(value) : ''),
  describe: (value, _field, { t }) => t.money(value),
  missing: 'Enter an amount.',
  column: 'money',
  cell: { typed: amountOfCell },
  json: { schema: () => ({ ...kopecks, minimum: 0 }), show: (value) => value, read },
  input: { macro: 'line', type: 'text', view: (_field, text) => ({ inputMode: 'decimal', kopecks: parseKopecks(text), amount: true }) },
}

export const moneyKinds: Record<MoneyField['kind'], FieldKind<MoneyField, number>> = {
  money: amount,
  shownMoney: { ...amount, cell: undefined, json: { schema: amount.json.schema, read }, input: { macro: 'line' } },
}

const rubles = ['руб', 'р', 'рубль', 'рубля', 'рублей', 'rub', 'rur', usualSymbol]

/**
 * Without the currency, and without what computing has left of a fraction.
 * @throws FieldError for an amount in another currency, and for words
 */
function amountOfCell(cell: string, _field: MoneyField, { currency }: CellReading): string {
  if (cell.length > longestFigure) return cell
  const [, before = '', figure = cell, after = ''] = /^(\D*)(.*\d)(\D*)$/su.exec(figureOf(cell)) ?? []
  const known = (currency === usualSymbol ? rubles : [currency]).map(spelling)
  const named = [before, after].filter((text) => /[\p{L}\p{Sc}]/u.test(text))
  if (!named.every((text) => known.includes(spelling(text)))) throw new FieldError('Enter an amount in {currency}.', { currency })
  const typed = `${named.includes(before) ? '' : before}${figure}`.replace(/['’]/g, '')
  return /^\d+\.\d{7,}$/.test(typed) ? Number(typed).toFixed(2) : typed
}

const spelling = (currency: string) => fold(currency.trim().replace(/\.$/, ''))

/** Of a number, more digits than the greatest amount has. */
const tooManyDigits = /^\s*(?:\d\s*){13,}(?:[.,]\d{1,2})?\s*$/

function amountOf(typed: string, field: MoneyField): number {
  if (/^\s*[-−–]\s*\d/.test(typed)) refuseNegative(field)
  const isBeyond = typed.length <= longestFigure && tooManyDigits.test(typed)
  return within(isBeyond ? Number.POSITIVE_INFINITY : parseKopecks(typed), field)
}

/** Whole kopecks. */
function read(json: unknown, field: MoneyField): number | null | undefined {
  if (json === null) return null
  return Number.isSafeInteger(json) ? within(json as number, field) : undefined
}

/** @throws FieldError */
function refuseNegative({ check }: MoneyField): never {
  check?.(0)
  throw new FieldError('Enter an amount without a minus.')
}

function within(amount: number | undefined, field: MoneyField): number {
  const { most, check } = field
  if (amount !== undefined && amount < 0) refuseNegative(field)
  if (amount === undefined) throw new FieldError('Enter an amount, such as 12 500,50.')
  if (amount > most) throw new FieldError('Enter an amount of {most} or less.', { most: { kopecks: most, decimals: 2 } })
  check?.(amount)
  return amount
}
