import { and, asc, eq, inArray, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, group, isDealer } from '../../core/access.ts'
import { statusNameFor } from '../../core/default-workflow.ts'
import { unsentStatus } from '../../core/expected-actor.ts'
import { groupMemberNames } from '../../core/labels.ts'
import { isCanceled } from '../../core/payments.ts'
import { ofPrices } from '../../core/prices.ts'
import { type Flag, matchingFlags, onwardTransitions, type Workflow } from '../../core/transition-rules.ts'
import { companies, type Database, manufactures, orders, prepareOnce, selectRows, statuses, stocks } from '../../database/index.ts'
import { countLimit, parseKopecks } from '../../i18n/format.ts'
import { betweenDays, inPeriod, rangeFilters } from '../../records/list/common-filters.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import type { Filter } from '../../records/list/list.ts'
import { companyFilter, equalsId } from '../../records/list/record-filters.ts'
import { managerFilter } from '../companies/choices.ts'
import { loadWorkflow, ordersByStatus } from '../workflow/load.ts'
import { unreadOrders } from './messages/visits.ts'
import { byCategory, byDealer, byPlace, byProduct } from './record-filters.ts'
import { byRelease, hasOrderWithoutStatus } from './release.ts'
import { delayed, openStatuses, overdue, sinceBefore, stuckFor, turnOf, waitingFor } from './waiting.ts'

export function orderFilters(db: Database): Filter[] {
  return [
    byStatus,
    {
      ...flagFilter('waiting', 'Waiting for you', 'Orders waiting for you', (actor) => waitingFor(actor, loadWorkflow(db))),
      says: ['my turn'],
      nothingFound: 'All done: nothing waits for you',
    },
    { ...byTurn(db), further: true },
    { ...flagFilter('mine', 'I can move', 'Orders that I can move', (actor) => movableBy(actor, loadWorkflow(db))), further: true },
    {
      ...flagFilter('unsent', 'New, not sent', 'New orders that were not sent', () =>
        eq(orders.status_id, unsentStatus(loadWorkflow(db)) ?? 0),
      ),
      further: true,
    },
    {
      ...flagFilter('unread', 'Unread messages', 'Orders with unread messages', ({ id }) => inArray(orders.id, [...unreadOrders(db, id)])),
      further: true,
      nothingFound: 'All messages are read',
    },
    { ...byLack, further: true },
    byRelease(db),
    {
      ...flagFilter('open', 'In progress', 'Orders in progress', () => inArray(orders.status_id, openStatuses(loadWorkflow(db)))),
      nothingFound: 'No orders are in progress',
    },
    {
      ...flagFilter('not_canceled', 'Not canceled', 'Orders that were not canceled', () => notCanceled(loadWorkflow(db))),
      further: true,
    },
    {
      ...flagFilter('overdue', 'Overdue orders', 'Orders that are late', () => overdue(loadWorkflow(db))),
      says: ['late'],
      nothingFound: 'No orders are overdue',
    },
    {
      ...flagFilter('delayed', 'Delayed orders', 'Orders that are delayed', () => delayed(loadWorkflow(db))),
      further: true,
      nothingFound: 'No orders are delayed',
    },
    companyFilter(orders.owner_company_id),
    byDealer,
    byProduct,
    managerFilter(orders.owner_manager_id),
    byPlace('stock', 'Warehouse', stocks, companies.stock_id),
    byPlace('manufacture', 'Production site', manufactures, companies.manufacture_id),
    byCategory,
    {
      name: 'stuck',
      label: 'Days in status, at least',
      input: 'number',
      further: true,
      where: (days) => (daysPattern.test(days) ? stuckFor(Number(days), loadWorkflow(db)) : undefined),
      within: (days) => (daysPattern.test(days) ? sinceBefore(Number(days)) : undefined),
    },
    ...rangeFilters('created', ['Order created', 'Created from', 'Created to'], 'date', inPeriod(orders.created_at)),
    ...plannedFilters('date_make', ['Production date', 'Production date from', 'Production date to'], orders.date_make),
    ...plannedFilters('date_delivery', ['Delivery date', 'Delivery date from', 'Delivery date to'], orders.date_delivery),
    ...rangeFilters(
      'date_payment',
      ['Payment date', 'Payment date from', 'Payment date to'],
      'date',
      betweenDays(orders.date_payment),
      ofPrices,
    ),
    ...rangeFilters(
      'cost',
      ['Cost', 'Cost from', 'Cost to'],
      'number',
      (rubles, bound) => {
        const kopecks = parseKopecks(rubles)
        return kopecks === undefined ? undefined : sql`${orders.cost} ${sql.raw(bound)} ${kopecks}`
      },
      { ...ofPrices, amount: true },
    ),
  ]
}

/** By whom an order waits for, whoever that is. */
function byTurn(db: Database): Filter {
  const turns = Object.entries(group)
  return {
    name: 'turn',
    label: 'Whose turn',
    options: ({ t }) => turns.map(([value, group_id]) => ({ value, label: t(groupMemberNames[group_id]) })),
    where(value) {
      const group_id = Object.hasOwn(group, value) && group[value as keyof typeof group]
      return group_id ? turnOf({ group_id }, loadWorkflow(db)) : undefined
    },
  }
}

const lacks = {
  phone: { label: 'Without phone', where: isBlank(orders.phone) },
  address: { label: 'Without address', where: isBlank(orders.address) },
  date_make: { label: 'Without production date', where: isNull(orders.date_make) },
}

const byLack: Filter = {
  name: 'lacks',
  label: 'Lacks',
  options: ({ t }) => Object.entries(lacks).map(([value, { label }]) => ({ value, label: t(label) })),
  where: (value) => (Object.hasOwn(lacks, value) ? lacks[value as keyof typeof lacks].where : undefined),
}

function isBlank(column: SQLiteColumn): SQL {
  return sql`ifnull(${column}, '') = ''`
}

function flagFilter(name: string, label: string, listTitle: string, condition: (actor: Actor) => SQL): Filter {
  const where = (value: string, actor?: Actor) => (value !== '1' ? undefined : actor ? condition(actor) : sql`1`)
  return { name, label, listTitle, input: 'flag', where }
}

const daysPattern = /^\d{1,4}$/

const noStatus = 'none'

const byStatus: Filter = {
  name: 'status',
  label: 'Status',
  options: ({ server, t, language }) => [
    ...statusNames(server.db).map((status) => ({ value: String(status.id), label: statusNameFor(language, status) })),
    ...(hasOrderWithoutStatus(server.db) ? [{ value: noStatus, label: t('No status') }] : []),
  ],
  where: (value) => (value === noStatus ? sql`${orders.status_id} is null` : equalsId(orders.status_id, value)),
  counts: countByStatus,
}

/** Not counted when more orders match than are counted at all. */
function countByStatus(db: Database, where: SQL | undefined): Map<string, number> | undefined {
  if (!where) return new Map([...ordersByStatus(db)].map(([id, count]) => [String(id || noStatus), count]))
  if (countUpToLimit(db, orders, where) > countLimit) return undefined
  const statuses = sql`select ${orders.status_id} from ${orders} where ${where} limit -1`
  const rows = selectRows<[number | null, number]>(db, sql`select status_id, count(*) from (${statuses}) group by status_id`)
  return new Map(rows.map(([id, count]) => [String(id ?? noStatus), count]))
}

export function countPerStatus(db: Database, scope: SQL | undefined, ids: number[]): Map<number, number> {
  if (!scope) return ordersByStatus(db)
  return new Map(ids.map((id) => [id, countUpToLimit(db, orders, and(eq(orders.status_id, id), scope))]))
}

/** Orders that somebody can move forward; being able to cancel one does not count. */
function movableBy(actor: Actor, workflow: Workflow): SQL {
  if (actor.group_id === group.administrator) return inArray(orders.status_id, openStatuses(workflow))
  const own = statusesWithTransition(workflow, matchingFlags(actor, { dealer_id: actor.id, owner_manager_id: actor.id }))
  const others = statusesWithTransition(workflow, matchingFlags(actor, { dealer_id: null, owner_manager_id: null }))
  const theirs = isDealer(actor) ? eq(orders.dealer_id, actor.id) : inArray(orders.owner_manager_id, actor.managers)
  const notRead =
    actor.reading.length > 0
      ? sql`${orders.owner_manager_id} is null or ${notInArray(orders.owner_manager_id, [...actor.reading])}`
      : undefined
  return or(and(theirs, inArray(orders.status_id, own)), and(inArray(orders.status_id, others), notRead)) as SQL
}

function notCanceled(workflow: Workflow): SQL {
  const canceled = workflow.statuses.filter(isCanceled).map(({ id }) => id)
  return or(isNull(orders.status_id), notInArray(orders.status_id, canceled)) as SQL
}

function statusesWithTransition(workflow: Workflow, matching: Flag[]): number[] {
  return workflow.statuses
    .map(({ id }) => id)
    .filter((id) => onwardTransitions(workflow, id).some((transition) => matching.some((flag) => transition[flag])))
}

/** Ranges of days that are planned. */
function plannedFilters(name: string, labels: [range: string, from: string, until: string], column: SQLiteColumn): Filter[] {
  const filters = rangeFilters(name, labels, 'date', betweenDays(column))
  return filters.map((filter) => ({ ...filter, ...(filter.range && { range: { ...filter.range, ahead: true } }) }))
}

function statusNames(db: Database): { id: number; name: string; seed_key: string | null }[] {
  return namedStatuses(db).all()
}

const namedStatuses = prepareOnce((db) =>
  db
    .select({ id: statuses.id, name: statuses.name, seed_key: statuses.seed_key })
    .from(statuses)
    .orderBy(asc(statuses.index), asc(statuses.id))
    .prepare(),
)
