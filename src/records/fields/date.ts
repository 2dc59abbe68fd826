import * as z from 'zod'
import { formatCalendarDate, formatDateTime, formatDateTimeInput, longestFigure, parseDateTimeInput } from '../../i18n/format.ts'
import { day, moment } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions, formatPlain, orNull, readText } from './kind.ts'

export interface DateField extends BaseField {
  kind: 'date'
  /** @throws FieldError for what must not be saved */
  check?: (day: string) => void
}

export interface DateTimeField extends BaseField {
  kind: 'dateTime'
}

export function date<const O extends FieldOptions & { check?: DateField['check'] }>(label: string, options?: O) {
  return { ...options, kind: 'date', label } as Declared<DateField, string | null, O>
}

export function dateTime<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'dateTime', label } as Declared<DateTimeField, number | null, O>
}

export const dateKind: FieldKind<DateField, string> = {
  parse: parseDay,
  show: formatPlain,
  describe: formatCalendarDate,
  missing: 'Enter a date.',
  column: 'date',
  json: { schema: () => day, show: (value) => value, read: readText(parseDay) },
  cell: { typed: dayOfCell, example: '2027-01-01: 100; 2027-02-01: 110' },
  input: {
    macro: 'date',
    type: 'date',
    view: (field, text) => ({ type: isTyped((typed) => parseDay(typed, field), text) ? 'date' : 'text' }),
  },
}

export const dateTimeKind: FieldKind<DateTimeField, number> = {
  parse: orNull(momentOf),
  show: (value) => formatDateTimeInput(value),
  describe: formatDateTime,
  column: 'moment',
  // An input has no seconds, so that an unchanged one must keep the stored moment.
  accept: (value, stored) => (formatDateTimeInput(value) === formatDateTimeInput(stored as number | null) ? stored : value),
  json: { schema: () => moment, show: (value) => new Date(value).toISOString(), read: readMoment },
  input: {
    macro: 'date',
    type: 'datetime-local',
    view: (_field, text) => ({ type: isTyped(orNull(momentOf), text) ? 'datetime-local' : 'text', isMoment: true }),
  },
}

function parseDay(typed: string, { check }: DateField): string | null {
  const day = orNull(calendarDay)(typed)
  if (day !== null) check?.(day)
  return day
}

function calendarDay(day: string): string {
  if (!z.iso.date().safeParse(day).success) throw new FieldError('Enter a valid date.')
  return day
}

/** To the minute, as an input has it. */
function readMoment(json: unknown): number | null | undefined {
  if (json === null) return null
  return typeof json === 'string' ? momentOf(formatDateTimeInput(Date.parse(json))) : undefined
}

function momentOf(typed: string): number {
  const moment = parseDateTimeInput(typed)
  if (moment === undefined) throw new FieldError('Enter a valid date.')
  return moment
}

/** A browser's own field of a date would not show what was typed instead of one. */
function isTyped(parse: (typed: string) => unknown, text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function dayOfCell(cell: string): string {
  if (cell.length > longestFigure) return cell
  const text = cell.replace(/\s*г(?:\.|ода)?$/i, '')
  const [, day = '', month = '', year] = /^(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)(?:[ T].*)?$/.exec(text) ?? inWords(text)
  return year
    ? `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    : text.replace(/^(\d{4}-\d\d-\d\d)[ T].*$/, '$1')
}

const months = ['январ', 'феврал', 'март', 'апрел', 'ма', 'июн', 'июл', 'август', 'сентябр', 'октябр', 'ноябр', 'декабр']

/** As in `«5» марта 2026`. */
function inWords(text: string): string[] {
  const [, day = '', word = '', year = ''] = /^["«]?(\d{1,2})["»]?\s+([а-я]{3,8})\s+(\d{4})$/i.exec(text) ?? []
  const stem = word.toLowerCase().replace(/[аейья]$/, '')
  const month = months.findIndex((name) => name === stem || (stem.length > 2 && name.startsWith(stem))) + 1
  return month > 0 ? [text, day, String(month), year] : []
}
