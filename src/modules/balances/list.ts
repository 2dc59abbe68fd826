import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import { addDays } from '../../core/days.ts'
import { cachedUntilWrite, companies, companyBalances, type Database, prepareOnce, whereIn } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import { isDay, periodFilters } from '../../records/list/common-filters.ts'
import { conditionOf, whereClause } from '../../records/list/conditions.ts'
import { countUpTo, readAllIds } from '../../records/list/ids.ts'
import type { Column, Filter, List, ListState } from '../../records/list/list.ts'
import type { Total } from '../../records/list/totals.ts'
import { managerFilter } from '../companies/choices.ts'
import { mayReadBalances } from './access.ts'
import { type FigureName, type Figures, figureNames, figuresOf, noFigures } from './figures.ts'
import type { Period } from './period.ts'

const notes = template<{ period: Period }>('balances/notes.njk')

type BalanceRow = ReturnType<typeof loadBalances>[number]

export const figureLabels: Record<FigureName, string> = {
  opening: 'Opening balance',
  charges: 'Charged',
  payments: 'Paid',
  corrections: 'Corrections',
  closing: 'Closing balance',
  owed: 'Owed',
  overdue: 'Overdue debt',
  age_30: '1–30 days',
  age_60: '31–60 days',
  age_90: '61–90 days',
  age_over: 'Over 90 days',
}

const figure = { kind: 'money', cell: 'debt', told: true, sort: sql`null` } as const

/** How a company stands is never left out; how it came to that, and since when, where there is room or somebody asks. */
const standing: readonly FigureName[] = ['closing', 'owed', 'overdue']
const asSpare = (key: FigureName) => (standing.includes(key) ? {} : { spare: true as const })

const columns: Column[] = [
  { key: 'company', label: 'Company', kind: 'name', sort: companies.search, opens: true },
  // Sorted by `findByFigures`: no query knows what they are.
  ...figureNames.map((key) => ({ ...figure, key, label: figureLabels[key], ...asSpare(key) })),
  { key: 'limit', label: 'Credit limit', kind: 'money', told: true, spare: true },
  { key: 'last_payment', label: 'Last payment', kind: 'date', told: true, spare: true },
]

/** The companies that somebody sees with entries in their ledger, and what they owed in a period and on its last day. */
export function balanceList(period: Period): List<BalanceRow> {
  return {
    name: 'balances',
    path: '/ledger/balances',
    title: 'Balances',
    empty: { title: 'No balances yet', text: 'What companies owe, and for how long, appears here with the first entries of the ledger.' },
    columns,
    sizes: [25, 50, 100],
    sort: { key: 'company', dir: 'asc' },
    table: companies,
    baseCondition: sql`${companies.id} in (select ${companyBalances.company_id} from ${companyBalances})`,
    may: { list: mayReadBalances, view: mayReadBalances },
    filters: [onDay, ...periodFilters((day) => always(isDay(day))).map(asFurther), managerFilter(companies.manager_id), ...ofFigures],
    searchHint: 'organization, manager',
    find: 'companies',
    around: { below: fragment(notes, () => ({ period })) },
    rows: {
      load: (ids, context) => loadBalances(context, ids, period),
      template: 'balances/rows.njk',
    },
  }
}

const always = (valid: boolean) => (valid ? sql`1` : undefined)

const onDay: Filter = { name: 'on', label: 'On', input: 'date', where: (day) => always(isDay(day)) }

const asFurther = (filter: Filter): Filter => ({ ...filter, further: true })

/** Met by `findByFigures`: no query knows what they ask. */
const ofFigures: Filter[] = [
  { name: 'overdue', label: 'Overdue debt', input: 'flag', where: (value) => always(value === '1') },
  { name: 'over_limit', label: 'Over the credit limit', input: 'flag', where: (value) => always(value === '1') },
]

const isFigure = (key: string): key is FigureName => (figureNames as readonly string[]).includes(key)

const isByFigures = ({ sort, filters }: ListState) => isFigure(sort) || ofFigures.some(({ name }) => filters[name])

/** All companies that the list finds, in their order, where their figures filter or sort them; else nothing. */
export async function findByFigures(
  context: Context,
  list: List<BalanceRow>,
  period: Period,
  state: ListState,
): Promise<number[] | undefined> {
  if (!isByFigures(state)) return undefined
  const figures = await figuresOfAll(context, list, period, state)
  const { sort, dir, filters } = state
  const limits = filters.over_limit ? limitsOf(context.server.db) : undefined
  const found = [...figures].filter(
    ([id, { overdue, owed }]) => (!filters.overdue || overdue > 0) && (!limits || owed > (limits.get(id) ?? Number.POSITIVE_INFINITY)),
  )
  const sign = dir === 'asc' ? 1 : -1
  if (isFigure(sort)) found.sort(([id, one], [other, two]) => sign * (one[sort] - two[sort] || id - other))
  return found.map(([id]) => id)
}

const limitsOf = (db: Database) =>
  new Map(
    db
      .select({ id: companies.id, limit: companies.credit_limit })
      .from(companies)
      .where(sql`${companies.credit_limit} is not null`)
      .all()
      .map(({ id, limit }) => [id, limit as number]),
  )

/** Of those with very many entries they take as long as anybody should wait. */
const companiesAtOnce = 5

/** The figures of all companies that the list finds but for those filters, in the order of their names; others are served meanwhile. */
function figuresOfAll(context: Context, list: List<BalanceRow>, period: Period, state: ListState): Promise<Map<number, Figures>> {
  const { db } = context.server
  const { overdue, over_limit, ...filters } = state.filters
  const sort = isFigure(state.sort) ? list.sort : { key: state.sort, dir: state.dir }
  const key = JSON.stringify(['balances', context.actor.id, period, state.q, filters, sort])
  return cachedUntilWrite(db, key, async () => {
    const ids = await readAllIds(context, list, { ...state, filters, sort: sort.key, dir: sort.dir })
    const all = new Map(ids.map((id) => [id, noFigures]))
    const starts = Array.from({ length: Math.ceil(ids.length / companiesAtOnce) }, (_, index) => index * companiesAtOnce)
    await eachInTurn(starts, (start) => {
      for (const [id, figures] of figuresOf(db, ids.slice(start, start + companiesAtOnce), period)) all.set(id, figures)
    })
    return all
  })
}

const soonSummed = 1000

/** The sums of all that the list finds. */
export async function totalsOf(
  request: FastifyRequest,
  list: List<BalanceRow>,
  period: Period,
  state: ListState,
): Promise<Record<FigureName, Total> | 'later'> {
  const { server, actor } = request
  const found = sql`select 1 from ${companies} ${whereClause(conditionOf(list, actor))}`
  if (!queryOf(request).has('totals') && countUpTo(server.db, found, soonSummed + 1) > soonSummed) return 'later'
  const figures = await figuresOfAll(request, list, period, state)
  const ids = (await findByFigures(request, list, period, state)) ?? figures.keys()
  const sums = { ...noFigures }
  for (const id of ids) for (const name of figureNames) sums[name] += figures.get(id)?.[name] ?? 0
  const { on, from, until, ...others } = state.filters
  const addresses = state.q === '' && Object.keys(others).length === 0 ? addressesOf(period) : undefined
  const total = (name: FigureName): Total => ({ kopecks: sums[name], ...(addresses?.[name] && { href: url(server, addresses[name]) }) })
  return Object.fromEntries(figureNames.map((name) => [name, total(name)])) as Record<FigureName, Total>
}

function loadBalances({ server }: Pick<Context, 'server'>, ids: number[], period: Period) {
  return rowsOn(server.db, ids, period).map(({ payment_days, ...row }) => {
    const addresses = addressesOf(period, { company: row.id, payment_days })
    const all = { ...addresses, company: `/company/edit/${row.id}?tab=ledger` }
    const hrefs = Object.fromEntries(Object.entries(all).map(([name, address]) => [name, url(server, address)]))
    return { ...row, hrefs, act: url(server, `/company/${row.id}/reconciliation?from=${period.from}&until=${period.until}`) }
  })
}

/** The rows of companies with their figures, also for spreadsheets. */
export function rowsOn(db: Database, ids: number[], period: Period) {
  const figures = figuresOf(db, ids, period)
  const paid = new Map(
    lastPayments(db)
      .all({ ids: JSON.stringify(ids), until: period.until })
      .map(({ id, date }) => [id, date]),
  )
  const { id, org, manager_id, credit_limit, payment_days } = companies
  const selected = db
    .select({ id, company: org, manager_id, limit: credit_limit, payment_days })
    .from(companies)
    .where(whereIn(id, ids))
    .all()
  return selected.map((row) => ({ ...row, ...(figures.get(row.id) ?? noFigures), last_payment: paid.get(row.id) ?? null }))
}

const lastPayments = prepareOnce((db) =>
  db.$client.prepare<{ ids: string; until: string }, { id: number; date: string | null }>(
    `select value as id, (select date from payments where company_id = value and direction = 'incoming' and date <= @until
      and (state = 'confirmed' or state = 'reversed' and reversed_on > @until) order by date desc, id desc limit 1) as date
      from json_each(@ids)`,
  ),
)

interface Company {
  company: number
  payment_days: number | null
}

/** Where the entries of each figure are, of a company or of all. Of those past their days it depends on the company when they were charged. */
function addressesOf({ from, until }: Period, company?: Company): Partial<Record<FigureName, string>> {
  const entries = (of: Record<string, string>) =>
    `/ledger?${new URLSearchParams({ ...(company && { company: String(company.company) }), ...of })}`
  const charged = (youngest: number, oldest?: number) => {
    const due = (days: number) => addDays(until, -days - (company?.payment_days ?? 0))
    return company && entries({ kind: 'charges', ...(oldest && { from: due(oldest) }), until: due(youngest) })
  }
  return {
    opening: entries({ until: addDays(from, -1) }),
    charges: entries({ kind: 'charges', from, until }),
    payments: entries({ kind: 'payments', from, until }),
    corrections: entries({ kind: 'correction', from, until }),
    closing: entries({ until }),
    owed: entries({ kind: 'charges', until }),
    overdue: charged(1),
    age_30: charged(1, 30),
    age_60: charged(31, 60),
    age_90: charged(61, 90),
    age_over: charged(91),
  }
}
