import { addDays } from '../../core/days.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import { countOf } from '../../records/list/count.ts'
import { countedTile, figuresPart } from './dashboard-figures.ts'
import { orderList } from './list.ts'

/** What is to be made today and in this week, and what is to be delivered in it: only what there is. What is late begins the queue. */
export const productionWidget = fragment(figuresPart, (context: Context) => {
  const tiles = tilesFor(context).filter(({ value }) => value !== '0')
  return { widget: tiles.length > 0 ? { tiles, curves: [], weeks: undefined } : undefined }
})

function tilesFor(context: Context) {
  const { server, actor, t } = context
  const [day, sunday] = [today(), sundayAfter(today())]
  const overdue = countOf(server.db, orderList(server.db), actor, `waiting=1&date_make_until=${addDays(day, -1)}`)
  const note = overdue > 0 ? t('besides what is overdue') : undefined
  return [
    countedTile(context, t('To make today'), `waiting=1&date_make_from=${day}&date_make_until=${day}`),
    { ...countedTile(context, t('To make this week'), `waiting=1&date_make_from=${day}&date_make_until=${sunday}`), note },
    countedTile(context, t('To deliver this week'), `open=1&released=1&date_delivery_from=${day}&date_delivery_until=${sunday}`),
  ]
}

/** The last day of a week, which begins on Monday. */
const sundayAfter = (day: string) => addDays(day, (7 - new Date(day).getUTCDay()) % 7)
