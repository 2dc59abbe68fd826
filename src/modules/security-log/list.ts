import { desc, eq, or, type SQL, sql } from 'drizzle-orm'
import { anyOf, superadministrator } from '../../core/access.ts'
import { securityEventLabels } from '../../core/labels.ts'
import { type PolicyKey, policyCatalog } from '../../core/policies.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { type Database, findSettings, longestDetail, securityEvents, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import type { Translate } from '../../i18n/translate.ts'
import { inPeriod, periodFilters, wordFilter } from '../../records/list/common-filters.ts'
import { impersonatedBy } from '../../records/list/impersonated-by.ts'
import type { ExportColumn, Filter, List } from '../../records/list/list.ts'
import type { ListView } from '../../records/list/view.ts'

export const mayReadSecurityLog = anyOf(superadministrator)

const heading = template<{ keepsViews: boolean; list?: ListView }>('security-log/heading.njk')
const logHeading = fragment(heading, ({ server }: Context) => ({ keepsViews: findSettings(server.db).keeps_views }))

type Row = ReturnType<typeof loadEvents>[number]

const exportColumns: ExportColumn[] = [
  { label: 'When', value: securityEvents.at, kind: 'moment' },
  { label: 'Event', value: securityEvents.event, words: securityEventLabels },
  { label: 'User', width: 36, value: securityEvents.user_name },
  { label: 'Who', width: 36, value: securityEvents.actor_name },
  { label: 'Impersonation', width: 36, value: securityEvents.impersonator_name },
  { label: 'IP address', value: securityEvents.address },
  { label: 'Browser', width: 36, value: sql`browser(${securityEvents.user_agent})` },
  { label: 'Details', width: 40, value: securityEvents.detail },
]

export function securityLogList(
  db: Database,
  place: Pick<List<Row>, 'name' | 'title' | 'place' | 'baseCondition'> = { name: 'security-log', title: 'Security log' },
): List<Row> {
  return {
    ...place,
    around: { heading: logHeading },
    empty: {
      title: 'No events yet',
      text: 'Sign-ins, password and permission changes, and denied requests appear here.',
      // On the tab of a person the whole log is elsewhere.
      ...(place.place && { way: { path: '/security-log', label: 'Security log', rule: mayReadSecurityLog } }),
    },
    columns: [
      { key: 'at', label: 'When', kind: 'recent', sort: securityEvents.at },
      { key: 'event', label: 'Event', kind: 'short', words: securityEventLabels },
      { key: 'user', label: 'User', kind: 'person', cell: 'text', narrows: { filter: 'user', by: 'user_id' } },
      { key: 'actor', label: 'Who', kind: 'person', cell: 'text', sparse: true },
      { key: 'address', label: 'IP address', kind: 'text' },
      { key: 'browser', label: 'Browser', kind: 'short' },
      { key: 'detail', label: 'Details', kind: 'text', sparse: true },
    ],
    sheet: { columns: exportColumns },
    sizes: [25, 50, 100],
    sort: { key: 'at', dir: 'desc' },
    table: securityEvents,
    may: { list: mayReadSecurityLog },
    filters: [
      wordFilter('event', 'Event', securityEventLabels, securityEvents.event),
      byUser,
      ...periodFilters(inPeriod(securityEvents.at)),
    ],
    searchHint: 'person, address',
    find: [user_name, actor_name, impersonator_name, address, detail],
    rows: { load: (ids, context) => loadEvents(db, ids, context), events: true },
  }
}

export function ofUser(id: number): SQL | undefined {
  return or(eq(securityEvents.user_id, id), eq(securityEvents.actor_id, id), eq(securityEvents.impersonator_id, id))
}

const { user_name, actor_name, impersonator_name, address, detail } = securityEvents

/** Chosen by a click on a name: there may be very many people. */
const byUser: Filter = {
  name: 'user',
  label: 'User',
  nameOf: (request, value) => nameOf(request, Number(value)),
  where: (value) => {
    const id = parseId(value)
    return id === undefined ? undefined : ofUser(id)
  },
}

function nameOf({ server }: Context, id: number): string {
  const latest = server.db.select().from(securityEvents).where(eq(securityEvents.user_id, id)).orderBy(desc(securityEvents.id)).limit(1)
  return latest.get()?.user_name ?? `#${id}`
}

function loadEvents(db: Database, ids: number[], { t }: Context) {
  const rows = db.select().from(securityEvents).where(whereIn(securityEvents.id, ids)).all()
  return rows.map((row) => ({
    ...row,
    user: row.user_name,
    // Most do something with their own account, which their name says once.
    actor: row.actor_id === row.user_id && !row.impersonator_id ? null : row.actor_name,
    browser: describeUserAgent(row.user_agent) || t('Unknown browser'),
    detail: row.event === 'rights-changed' ? describeRights(row.detail, t) : row.detail,
    titles: { browser: row.user_agent ?? undefined },
    notes: { actor: impersonatedBy(row, t) },
    data: { event: row.event },
  }))
}

/** Kept are keys with what became of each, cut off where there are many. */
function describeRights(detail: string, t: Translate): string {
  const changed = [...detail.matchAll(/(\w+): (true|false)/g)]
  const named = (value: string) => changed.flatMap(([, key = '', became]) => (became === value ? nameOfRight(key, t) : []))
  const [given, taken] = [named('true').join(', '), named('false').join(', ')]
  const words = [given && t('Granted: {rights}', { rights: given }), taken && t('Revoked: {rights}', { rights: taken })]
  return words.filter(Boolean).join('. ') + (detail.length === longestDetail ? '…' : '')
}

function nameOfRight(key: string, t: Translate): string {
  if (key === 'superadmin') return t('Superadministrator')
  return Object.hasOwn(policyCatalog, key) ? t(policyCatalog[key as PolicyKey].name) : key
}
