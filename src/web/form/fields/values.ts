import { z } from 'zod'
import { formatDateTime, formatDateTimeInput, formatRubles, parseDateTimeInput, parseKopecks } from '../../view/format.ts'
import { FieldError, type FieldOptions, type FieldWith, kindOfField, makeField, orNull } from './field.ts'

export function number<const O extends FieldOptions & { least: number; most: number }>(label: string, options: O) {
  const { least, most } = options
  const parse = orNull((typed) => {
    const value = Number(typed)
    if (!/^[+-]?\d+$/.test(typed) || value < least || value > most)
      throw new FieldError('Enter a whole number from {least} to {most}.', { least, most })
    return value
  })
  return makeField('number', label, options, { parse })
}

/** An amount from 0 to `most`, typed in rubles with comma or point, stored in whole kopecks. */
export function money<const O extends FieldOptions & { most: number }>(label: string, options: O): FieldWith<number | null, O> {
  const parse = orNull((typed) => {
    const kopecks = parseKopecks(typed)
    if (kopecks === undefined || kopecks > options.most)
      throw new FieldError('Enter an amount from 0 to {most} with up to two decimal places.', { most: formatRubles(options.most) })
    return kopecks
  })
  return makeField('money', label, options, { parse, show: (value) => (typeof value === 'number' ? formatRubles(value) : '') })
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
