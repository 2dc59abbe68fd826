import { and, desc, getTableName, notInArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, isGroup } from '../../core/access.ts'
import { changes } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { exportDescribed } from '../list/export.ts'
import { showList } from '../list/show.ts'
import { formatEntries } from './entries.ts'
import { joinRepeated, type ToldEntry } from './join-repeated.ts'
import { historyList, mayReadHistory } from './list.ts'
import { sheet } from './sheet.ts'
import { historySheetData } from './sheet-data.ts'
import { visibleEntries } from './subordinates.ts'

const latestPart = template<{ widget: { entries: ToldEntry[] } }>('history/latest.njk')

/** Of what belongs to a record, such as its documents, the record itself tells. */
const latestWidget = fragment(latestPart, (context: Context) => {
  const below = context.server.registry.subordinates.map(({ table }) => getTableName(table))
  const seen = and(visibleEntries(context.server, context.actor), notInArray(changes.entity, below))
  const latest = context.server.db.select({ id: changes.id }).from(changes).where(seen).orderBy(desc(changes.at)).limit(40).all()
  const ids = latest.map(({ id }) => id)
  const entries = formatEntries(context, ids).sort((a, b) => b.at - a.at)
  return { widget: { entries: joinRepeated(entries).slice(0, 8) } }
})

export async function historyRoutes(app: FastifyInstance): Promise<void> {
  app.registry.menu.push({
    path: '/activity',
    label: 'Change history',
    icon: 'history',
    section: 'System',
    rule: mayReadHistory,
    may: { list: mayReadHistory },
  })
  app.registry.widgets.push({ rule: allOf(mayReadHistory, anyOf(isGroup(group.administrator))), place: 'bottom', ...latestWidget })
  const listFor = (context: Context) => historyList(context, { name: 'activity', title: 'Change history' })
  app.get('/activity', { access: mayReadHistory }, (request, reply) => showList(listFor(request))(request, reply))
  app.get('/activity/export', { access: mayReadHistory, answers: 'spreadsheet' }, (request, reply) =>
    exportDescribed(listFor(request), sheet, historySheetData(request))(request, reply),
  )
}
