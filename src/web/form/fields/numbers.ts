import { formatRubles, parseKopecks } from '../../view/format.ts'
import { type Field, FieldError, type FieldOptions, formatPlain } from './field.ts'

export function number(label: string, options: FieldOptions & { least: number; most: number }): Field {
  const { least, most } = options
  const parse = (typed: string) => {
    const trimmed = typed.trim()
    if (trimmed === '') return null
    const value = Number(trimmed)
    if (!/^[+-]?\d+$/.test(trimmed) || value < least || value > most)
      throw new FieldError('Enter a whole number from {least} to {most}.', { least, most })
    return value
  }
  return { label, kind: 'number', ...options, parse, show: formatPlain }
}

/** A sum from nothing to `most`, typed in rubles with comma or point, stored in whole kopecks. */
export function money(label: string, options: FieldOptions & { most: number }): Field {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    const kopecks = parseKopecks(typed)
    if (kopecks === undefined || kopecks > options.most)
      throw new FieldError('Enter an amount from 0 to {most} with up to two decimal places.', { most: formatRubles(options.most) })
    return kopecks
  }
  return { label, kind: 'money', ...options, parse, show: (value) => (typeof value === 'number' ? formatRubles(value) : '') }
}
