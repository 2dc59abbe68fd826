import { formatRubles, parseKopecks } from '../../view/format.ts'
import { FieldError, type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

export function number<const O extends FieldOptions & { least: number; most: number }>(
  label: string,
  options: O,
): FieldWith<number | null, O> {
  const { least, most } = options
  const parse = (typed: string) => {
    const trimmed = typed.trim()
    if (trimmed === '') return null
    const value = Number(trimmed)
    if (!/^[+-]?\d+$/.test(trimmed) || value < least || value > most)
      throw new FieldError('Enter a whole number from {least} to {most}.', { least, most })
    return value
  }
  return makeField('number', label, options, { parse, show: formatPlain })
}

/** An amount from 0 to `most`, typed in rubles with comma or point, stored in whole kopecks. */
export function money<const O extends FieldOptions & { most: number }>(label: string, options: O): FieldWith<number | null, O> {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    const kopecks = parseKopecks(typed)
    if (kopecks === undefined || kopecks > options.most)
      throw new FieldError('Enter an amount from 0 to {most} with up to two decimal places.', { most: formatRubles(options.most) })
    return kopecks
  }
  return makeField('money', label, options, { parse, show: (value) => (typeof value === 'number' ? formatRubles(value) : '') })
}
