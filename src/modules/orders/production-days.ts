import { addDays } from '../../core/days.ts'
import type { Context } from '../../http/request/context.ts'
import { shortDateFormatter, today } from '../../i18n/format.ts'

const longDates = { en: shortDateFormatter('en', 'long'), ru: shortDateFormatter('ru', 'long') }

/** The heading of an order where orders are sorted by production date: the day, and whether it has passed. */
export function productionDays({ t, language }: Pick<Context, 't' | 'language'>) {
  const now = today()
  const tomorrow = addDays(now, 1)
  return (date: string | null): { day: string; passed: boolean } => {
    if (date === null) return { day: t('No production date'), passed: false }
    if (date < now) return { day: t('Before today'), passed: true }
    const day = longDates[language](new Date(`${date}T12:00`).getTime())
    const named = date === now ? t('Today, {day}', { day }) : t('Tomorrow, {day}', { day })
    return { day: date > tomorrow ? day : named, passed: false }
  }
}
