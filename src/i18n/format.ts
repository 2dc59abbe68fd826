import { groupDigits } from './group-digits.ts'
import { type Language, translator } from './translate.ts'

const pad = (value: number) => String(value).padStart(2, '0')

export function formatDate(moment: number | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  return `${pad(date.getDate())}.${pad(date.getMonth() + 1)}.${date.getFullYear()}`
}

export function formatDateTime(moment: number | null): string {
  return moment === null ? '' : `${formatDate(moment)} ${formatTime(moment)}`
}

export function formatTime(moment: number): string {
  const date = new Date(moment)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`
}

export function formatCalendarDate(day: string | null): string {
  return day ? day.split('-').reverse().join('.') : ''
}

/** Days of a month in words: `1–28 Oct`; one day alone takes a twentieth of the time. */
export function formatPeriod(from: string, until: string, language: Language): string {
  const [first, last] = [from, until].map((day) => new Date(`${day}T12:00`)) as [Date, Date]
  return from === until ? daysOfMonth[language].format(first) : daysOfMonth[language].formatRange(first, last)
}

// A formatter takes longer to make than all dates of a page to write.
const daysOfMonth: Record<Language, Intl.DateTimeFormat> = {
  en: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
  ru: new Intl.DateTimeFormat('ru', { day: 'numeric', month: 'short' }),
}

/** The day of a moment in words as short as a list allows: `30 Oct`, with the year unless it is this one; `30 October` with a long month. */
export function shortDateFormatter(language: Language, month: 'short' | 'long' = 'short'): (moment: number | null) => string {
  const monthOf = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { day: 'numeric', month })
  const months = Array.from({ length: 12 }, (_, month) =>
    monthOf.formatToParts(new Date(2000, month, 15)).find(({ type }) => type === 'month'),
  )
  return (moment) => {
    if (moment === null) return ''
    const date = new Date(moment)
    const year = date.getFullYear()
    const day = `${date.getDate()}\u00a0${months[date.getMonth()]?.value}`
    return year === new Date().getFullYear() ? day : `${day} ${year}`
  }
}

const minute = 60_000
const hour = 60 * minute

/** How long ago a moment within a week is, or how long it will be until then, and the day of any other: `5 minutes ago`, `yesterday at 14:20`. */
export function recentFormatter(language: Language, dayOf: (moment: number | null) => string): (moment: number | null) => string {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const t = translator(language)
  return (moment) => {
    if (moment === null) return ''
    const distance = moment - Date.now()
    const days = -daysSince(moment)
    const inWords = (count: number, unit: 'second' | 'minute' | 'hour' | 'day') =>
      relative.format(Math.trunc(count), unit).replace(/(?<=\d) /, '\u00a0')
    if (Math.abs(distance) < minute) return inWords(0, 'second')
    if (Math.abs(distance) < hour) return inWords(distance / minute, 'minute')
    if (days === 0) return inWords(distance / hour, 'hour')
    if (Math.abs(days) === 1) return t('{day} at {time}', { day: inWords(days, 'day'), time: formatTime(moment) })
    return Math.abs(days) < 7 ? inWords(days, 'day') : dayOf(moment)
  }
}

/** Midnights between then and now; those of summer and winter time are not 24 hours apart. */
export function daysSince(moment: number): number {
  return Math.round((startOfDay(0) - new Date(moment).setHours(0, 0, 0, 0)) / (24 * hour))
}

/** The midnight with which the day so many days ago began. */
export function startOfDay(daysAgo: number): number {
  const now = new Date(Date.now())
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
}

export function formatDateTimeInput(moment: number | null | undefined): string {
  if (moment == null) return ''
  const date = new Date(moment)
  const day = [String(date.getFullYear()).padStart(4, '0'), pad(date.getMonth() + 1), pad(date.getDate())].join('-')
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** The day it is, as `YYYY-MM-DD`. */
export function today(): string {
  return formatDateTimeInput(Date.now()).slice(0, 10)
}

export function parseDateTimeInput(text: string): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?$/.exec(text)?.slice(1)
  if (!parts) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0))
  const moment = new Date(year, month - 1, day, hour, minute, second).getTime()
  return second < 60 && formatDateTimeInput(moment) === text.slice(0, 16) ? moment : undefined
}

/** Kopecks as an input shows them: `12345,67`. */
export function formatRubles(kopecks: number): string {
  return (kopecks / 100).toFixed(2).replace('.', ',')
}

/** Hundredths as `0,5`. */
export function formatDecimal(hundredths: number): string {
  return String(hundredths / 100).replace('.', ',')
}

/** Nobody writes a number, an amount or a day longer than this; what is longer is not searched, which can take long. */
export const longestFigure = 60

/** A currency sign before or after an amount, or a word after it that does not change it, as thousands would. */
const currencySign = /^\p{Sc}\s*|\s*\p{Sc}$|\s(?!(?:т|т\.?\s?р|тыс|млн|млрд|k|m|mln|bn)\.?$)\p{L}[\p{L}.]{0,4}$/iu

/** Kopecks of an amount in rubles with comma or point, with or without a currency; undefined when invalid, negative or above the greatest. */
export function parseKopecks(text: string): number | undefined {
  return text.length > longestFigure ? undefined : parseHundredths(text.trim().replace(currencySign, ''))
}

/** Hundredths of a number with comma or point; undefined when invalid, negative or above the greatest amount. */
export function parseHundredths(text: string): number | undefined {
  const number = text.replace(/\s/g, '')
  const [whole, part = ''] = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(number)?.slice(1) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

/** Counting stops here, as it would take too long. */
export const countLimit = 10_000

export function formatCount(count: number): string {
  return count > countLimit ? `${groupDigits(String(countLimit))}+` : groupDigits(String(count))
}
