import { and, getTableName, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, isGroup } from '../../core/access.ts'
import { dialect } from '../../database/prepare-once.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Context } from '../../http/request/context.ts'
import type { FieldWords } from '../form/describe-value.ts'
import type { AnyCard } from '../kind/card.ts'
import { cardsOf, kindTitle } from '../kind/registry.ts'
import { exportDescribed } from '../list/export.ts'
import { showList } from '../list/show.ts'
import { people } from './describe-entries.ts'
import { cardsOfTable, visibleFields } from './entries.ts'
import { latestWidget } from './latest.ts'
import { historyList, mayReadHistory } from './list.ts'
import { type HistorySheetData, sheet, type Titles } from './sheet.ts'

export async function historyRoutes(app: FastifyInstance): Promise<void> {
  app.registry.menu.push({
    path: '/activity',
    label: 'Change history',
    icon: 'history',
    letter: 'y',
    section: 'System',
    says: ['log, audit, who changed'],
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

/** What the thread that exports the change history has to know: the fields that this person may see and what records are called. */
function historySheetData(context: Context): HistorySheetData {
  const { server } = context
  const tables = [...new Set(cardsOf(server).map(({ form }) => getTableName(form.table)))]
  const below = server.registry.subordinates.map(({ table, title }) => [getTableName(table), { groups: [], others: title }] as const)
  return {
    fields: new Map([...tables, ...below.map(([table]) => table)].map((table) => [table, wordsOfAll(visibleFields(context, table))])),
    titles: new Map([...tables.map((table) => [table, titlesOf(server, cardsOfTable(server, table))] as const), ...below]),
  }
}

function wordsOfAll(fields: Iterable<[string, FieldWords]>): Map<string, FieldWords> {
  return new Map([...fields].map(([name, field]) => [name, wordsOf(field)]))
}

/** Without the functions of a field, which no thread can be sent. */
function wordsOf({ kind, label, none, values, rows }: FieldWords): FieldWords {
  return { kind, label, none, values, ...(rows && { rows: Object.fromEntries(wordsOfAll(Object.entries(rows))) }) }
}

function titlesOf(server: Context['server'], cards: AnyCard[]): Titles {
  const [only] = cards
  if (only && cards.length === 1) return { groups: [], others: kindTitle(server, only) }
  const groups = cards.map((card) => {
    const { list, form } = card
    const table: RecordTable = form.table
    const found = sql`select ${table.id} from ${table} where ${and(server.records.get(list)?.list?.baseCondition, sql`${table.id} = ${sql.placeholder('id')}`)}`
    const query = dialect.sqlToQuery(found)
    return { title: kindTitle(server, card), sql: query.sql, params: query.params.slice(0, -1) }
  })
  return { groups, others: people }
}
