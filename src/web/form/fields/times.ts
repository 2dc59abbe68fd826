import { z } from 'zod'
import { formatDateTime, formatDateTimeInput, parseDateTimeInput } from '../../view/format.ts'
import { type Field, FieldError, type FieldOptions, type FieldWith, formatPlain, makeField } from './field.ts'

export function date<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  const parse = (typed: string) => {
    const day = typed.trim()
    if (day === '') return null
    if (!z.iso.date().safeParse(day).success) throw new FieldError('Enter a valid date.')
    return day
  }
  return makeField('date', label, options, { parse, show: formatPlain })
}

export function dateTime<const O extends FieldOptions>(label: string, options?: O): FieldWith<number | null, O> {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    const moment = parseDateTimeInput(typed.trim())
    if (moment === undefined) throw new FieldError('Enter a valid date.')
    return moment
  }
  return makeField('dateTime', label, options, { parse, show: (value) => formatDateTimeInput(value as number | null) })
}

export function readOnlyDateTime(label: string, options: FieldOptions = {}): Field<never> {
  return makeField<never, FieldOptions>('read-only', label, options, {
    parse: () => undefined,
    show: (value) => formatDateTime(value as number | null),
  })
}
