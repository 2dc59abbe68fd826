import t from 'tap'
import { recentFormatter } from '../../src/i18n/format.ts'
import { lastMonths, lastWeeks } from '../../src/view/chart.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { at } from '../support/later.ts'
import { notifyRecipients } from '../support/notify.ts'
import { setTimeZone } from '../support/time-zone.ts'

const formatters = { en: recentFormatter('en', () => 'the day'), ru: recentFormatter('ru', () => 'день') }
const momentOf = (text: string) => new Date(text).getTime()
const now = '2026-03-12T00:30'

const shown = [
  ['2026-03-12T00:29:31', 'now', 'сейчас'],
  ['2026-03-12T00:29', '1 minute ago', '1 минуту назад'],
  ['2026-03-11T23:31', '59 minutes ago', '59 минут назад'],
  ['2026-03-11T23:30', 'yesterday at 23:30', 'вчера в 23:30'],
  ['2026-03-11T00:05', 'yesterday at 00:05', 'вчера в 00:05'],
  ['2026-03-10T23:59', '2 days ago', 'позавчера'],
  ['2026-03-09T12:00', '3 days ago', '3 дня назад'],
  ['2026-03-06T00:00', '6 days ago', '6 дней назад'],
  ['2026-03-05T23:59', 'the day', 'день'],
  ['2025-03-12T00:30', 'the day', 'день'],
  ['2026-03-12T00:35', 'in 5 minutes', 'через 5 минут'],
  ['2026-03-12T14:20', 'in 13 hours', 'через 13 часов'],
  ['2026-03-13T14:20', 'tomorrow at 14:20', 'завтра в 14:20'],
  ['2026-03-18T00:00', 'in 6 days', 'через 6 дней'],
  ['2026-03-19T00:00', 'the day', 'день'],
] as const

t.test('whichever day it is, a week is from Monday to Sunday, and a month ends with its last day', async (t) => {
  const days = (periods: { from: string; until: string }[]) => periods.map(({ from, until }) => `${from} ${until}`)
  for (let day = 2; day <= 8; day++)
    await at(new Date(2026, 2, day, 12).getTime(), () =>
      t.same(days(lastWeeks(2)), ['2026-02-23 2026-03-01', '2026-03-02 2026-03-08'], `March ${day}`),
    )
  await at(new Date(2026, 2, 31, 12).getTime(), () => t.same(days(lastMonths(2)), ['2026-02-01 2026-02-28', '2026-03-01 2026-03-31']))
})

t.test('within a week a moment is told as how long ago it was', async (t) => {
  for (const [moment, english, russian] of shown)
    await at(momentOf(now), () => {
      t.equal(formatters.en(momentOf(moment)).replaceAll('\u00a0', ' '), english, moment)
      t.equal(formatters.ru(momentOf(moment)).replaceAll('\u00a0', ' '), russian, moment)
    })
  await at(momentOf('2026-03-12T18:00'), () =>
    t.equal(formatters.en(momentOf('2026-03-12T09:30')), '8\u00a0hours ago', 'a number keeps to its unit'),
  )
  t.equal(formatters.en(null), '')
})

t.test('a day is counted at midnight, also where clocks are changed', async (t) => {
  setTimeZone(t, 'Europe/Berlin')
  await at(momentOf('2026-03-30T09:00'), () =>
    t.equal(formatters.en(momentOf('2026-03-29T01:00')), 'yesterday at 01:00', 'a day of 23 hours'),
  )
  await at(momentOf('2026-10-26T09:00'), () =>
    t.equal(formatters.en(momentOf('2026-10-25T00:30')), 'yesterday at 00:30', 'a day of 25 hours'),
  )
})

t.test('lists, bell and discussion say how long ago it was, and have the whole moment at hand', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  await root.post(`/orders/${cabinet.cast.order}/messages`, { text: 'Hello' })
  notifyRecipients(cabinet, [cabinet.cast.root])
  const [cell] = elementsOf((await root.get('/notifications')).body, 'tr[data-notification] td[data-col=created_at]')
  t.equal(textOf(cell ?? ''), 'now')
  t.match(parseHtml((await root.get('/notifications')).body)('td[data-col=created_at]').attr('title'), /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/)
  for (const address of [`/orders/${cabinet.cast.order}`, '/notifications/latest']) {
    const time = parseHtml((await root.get(address)).body)('time').last()
    t.equal(time.text().trim(), 'now', address)
    t.match(time.attr('title'), /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/)
    t.match(time.attr('datetime'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  const csv = (await root.get('/activity/export?format=csv')).body
  t.match(csv, /\d{4}-\d\d-\d\d \d\d:\d\d/, 'a file has whole moments')
})
