import { and, desc, getTableName, notInArray, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, isGroup } from '../../core/access.ts'
import { changes } from '../../database/index.ts'
import { dialect } from '../../database/prepare-once.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import type { FieldWords } from '../form/describe-value.ts'
import type { AnyCard } from '../kind/card.ts'
import { cardsOf, kindTitle } from '../kind/registry.ts'
import { exportDescribed } from '../list/export.ts'
import { showList } from '../list/show.ts'
import { people } from './describe-entries.ts'
import { cardsOfTable, formatEntries, type HistoryEntry, visibleFields } from './entries.ts'
import { historyList, mayReadHistory } from './list.ts'
import { type HistorySheetData, sheet, type Titles } from './sheet.ts'
import { visibleEntries } from './subordinates.ts'

const latestPart = template<{ widget: { entries: ToldEntry[] } }>('history/latest.njk')

/** Rights are looked at where they are given: between them nobody would find what happened. */
const withoutRights = sql`${changes.fields} not like '{"rights.%'`

/** Of what belongs to a record, such as its documents, the record itself tells. */
const latestWidget = fragment(latestPart, (context: Context) => {
  const below = context.server.registry.subordinates.map(({ table }) => getTableName(table))
  const seen = and(visibleEntries(context.server, context.actor), notInArray(changes.entity, below), withoutRights)
  const latest = context.server.db.select({ id: changes.id }).from(changes).where(seen).orderBy(desc(changes.at)).limit(40).all()
  const ids = latest.map(({ id }) => id)
  const entries = formatEntries(context, ids).sort((a, b) => b.at - a.at)
  return { widget: { entries: joinRepeated(entries).slice(0, 6) } }
})

export async function historyRoutes(app: FastifyInstance): Promise<void> {
  app.registry.menu.push({
    path: '/activity',
    label: 'Change history',
    icon: 'history',
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

type FieldChange = HistoryEntry['fields'][number]

/** With what was changed, each field once. */
type ToldEntry = HistoryEntry & { changed: FieldChange[] }

/**
 * What one person did to one record, one right after the other, as one entry: the latest, with what was changed in all of them.
 * What is created and filled in at once, such as an order that gets its first status, was created.
 */
function joinRepeated(entries: HistoryEntry[]): ToldEntry[] {
  const told: ToldEntry[] = []
  for (const entry of entries) {
    const changed = entry.action === 'update' ? entry.fields : []
    const last = told.at(-1)
    const isSame = last && same.every((key) => last[key] === entry[key])
    if (isSame && last.action === entry.action) last.changed = joinChanges(last.changed, changed)
    else if (isSame && isFillingIn(last, entry)) told[told.length - 1] = { ...entry, changed }
    else told.push({ ...entry, changed })
  }
  return told
}

const same = ['entity', 'record_id', 'actor_id', 'actor_name', 'impersonator_name'] as const

/** Within a minute of its creation. */
const isFillingIn = (later: HistoryEntry, earlier: HistoryEntry) =>
  later.action === 'update' && earlier.action === 'create' && later.at - earlier.at < 60_000

/** Of a field changed twice, from what it was at first to what it is now; nothing where that is the same again. */
function joinChanges(later: FieldChange[], earlier: FieldChange[]): FieldChange[] {
  const first = new Map(earlier.map((change) => [change.label, change]))
  const joined = later.map((change) => ({ ...change, before: first.get(change.label)?.before ?? change.before }))
  const differing = joined.filter(({ secret, before, after }) => secret || before !== after)
  const known = new Set(later.map(({ label }) => label))
  return [...differing, ...earlier.filter(({ label }) => !known.has(label))]
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
