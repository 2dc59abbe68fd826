import { and } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, allows, anyOf, either, group, has, isDealer, isGroup } from '../../core/access.ts'
import { unitNames } from '../../core/labels.ts'
import { seesPrices } from '../../core/prices.ts'
import type { Workflow } from '../../core/transition-rules.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { countOf } from '../../records/list/count.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { findPage } from '../../records/list/page.ts'
import { loadRows } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { findCompany } from '../companies/company.ts'
import { rejectedOf } from '../ledger/payment.ts'
import { productAccess } from '../products/access.ts'
import { dealerProductList, type ProductRow } from '../products/list.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { figuresWidget } from './dashboard-figures.ts'
import { finishedWidget, inProgressWidget } from './dealer-orders.ts'
import { delayedWidget } from './delayed.ts'
import { emptyOrders, nothingToOrder } from './empty.ts'
import { firstLines } from './first-lines.ts'
import { orderList, type SeenOrder, withoutUnseen } from './list.ts'
import { lacksProducts } from './needed-first.ts'
import { findOrders, type Order } from './order.ts'
import { creditFor, openAmounts } from './payments/amounts.ts'
import { pipelineWidget } from './pipeline.ts'
import { withProducts } from './pricing/lines.ts'
import { type DayTotal, totalsByDay } from './production-days.ts'
import { productionWidget } from './production-figures.ts'
import { isNotToConfirm, oldestInStatus, seenOrders } from './queues.ts'
import { rowSteps } from './row-steps.ts'
import { seesOrders } from './sees-orders.ts'
import { plannedDay, statusesWaitingFor } from './waiting.ts'

export function addOrderWidgets(app: FastifyInstance): void {
  const managers = allOf(orderAccess.list, anyOf(isGroup(group.manager)))
  const dealers = allOf(orderAccess.list, anyOf(isGroup(group.dealer)))
  const production = allOf(orderAccess.list, anyOf(isGroup(group.production)))
  const administrators = allOf(anyOf(has('order_can_view')), anyOf(isGroup(group.administrator)))
  app.registry.widgets.push(
    { rule: dealers, place: 'due', ...firstOrderWidget },
    { rule: production, place: 'above', ...productionWidget },
    { rule: either(managers, production), place: 'due', ...emptyWidget },
    { rule: orderAccess.list, place: 'due', ...waitingWidget },
    { rule: either(managers, administrators), place: 'late', ...delayedWidget },
    { rule: administrators, place: 'aside', ...figuresWidget },
    { rule: administrators, place: 'aside', ...pipelineWidget },
    { rule: managers, ...figuresWidget },
    { rule: managers, ...pipelineWidget },
    { rule: dealers, ...inProgressWidget },
    { rule: dealers, place: 'last', ...finishedWidget },
  )
}

interface Queue {
  count: number
  from: string
  rows: (SeenOrder & {
    steps: ReturnType<typeof rowSteps>
    once: string
    product?: string
    due?: ReturnType<typeof plannedDay>
    /** In kopecks. */
    toPay?: number
    /** The balance is enough for that. */
    fromBalance: boolean
    /** Its last payment was. */
    rejected: boolean
    /** Of the day that begins with it. */
    total?: DayTotal
  })[]
  /** How many of them have no row. */
  more: number
  ofOneCompany: boolean
  byDay: boolean
  /** Where all wait in one status, nobody has to read it. */
  oneStatus: boolean
}

const waitingPart = template<{ widget: Queue | undefined }>('orders/dashboard/waiting.njk')

const waitingWidget = fragment(waitingPart, (context: Context) => {
  const { server, actor } = context
  const workflow = loadWorkflow(server.db, context.language)
  const statuses = statusesWaitingFor(actor, workflow)
  const produces = actor.group_id === group.production
  const rows = produces
    ? firstToMake(context)
    : oldestInStatus(context, and(seenOrders(context, { waiting: '1' }), isNotToConfirm(context)), statuses, waitingShown)
  if (rows.length === 0) return { widget: undefined }
  const count = countOf(server.db, orderList(server.db), actor, 'waiting=1')
  const from = produces ? productionQueue : '?waiting=1&sort=since&dir=asc&cols=since'
  const stored = findOrders(
    server.db,
    rows.map(({ id }) => id),
  )
  const once = crypto.randomUUID()
  const ofOneCompany = isDealer(actor)
  const toPay = ofOneCompany ? openAmounts(context, [...stored.values()]) : undefined
  const rejected = rejectedOf(server.db, [...(toPay?.keys() ?? [])])
  const steps = rows.map((row) => {
    const order = stored.get(row.id) as Order
    const open = toPay?.get(row.id)
    const fromBalance = open !== undefined && creditFor(context, order, open).settles
    return {
      ...row,
      steps: rowSteps(context, order, fromBalance),
      once: `${once} ${row.id}`,
      toPay: open,
      fromBalance,
      rejected: rejected.has(row.id),
    }
  })
  const named = produces ? withWork(context, steps, workflow) : withProducts(server.db, steps)
  const oneStatus = produces && statuses.length === 1
  return { widget: { count, from, rows: named, more: count - rows.length, ofOneCompany, byDay: produces, oneStatus } }
})

/** Orders with what is to be made, how many of it, and by when where no heading says so. */
function withWork<Row extends SeenOrder>(context: Context, rows: Row[], workflow: Workflow) {
  const ids = rows.map(({ id }) => id)
  const products = firstLines(ids, context)
  const totalOf = totalsByDay(context.server.db, seenOrders(context, { waiting: '1' }))
  return rows.map((row, at) => {
    const { lines, more } = products.get(row.id) ?? { lines: [], more: 0 }
    const product = [...lines, ...(more > 0 ? [context.t('and {count} more', { count: more })] : [])].join('; ')
    const due = plannedDay(workflow, row)
    const total = row.day !== rows[at - 1]?.day ? totalOf(row.date_make) : undefined
    return { ...row, product, total, ...((row.passed || due?.day !== row.date_make) && { due }) }
  })
}

const emptyPart = template<{ widget: EmptyList | undefined }>('orders/dashboard/empty.njk')

/** What will stand here, for whom no order is to be seen yet. */
const emptyWidget = fragment(emptyPart, (context: Context) => {
  if (seesOrders(context)) return { widget: undefined }
  const { add, ...words } = emptyOrders(context)
  return { widget: { ...words, add: add && allows(add.rule, context.actor) ? add : undefined } }
})

const firstOrderPart = template<{ widget: FirstOrder | undefined }>('orders/dashboard/first-order.njk')

interface FirstOrder {
  company?: string
  readsPrices: boolean
  mayAdd: boolean
  /** Some of what there is, with what the dealer pays. */
  products: (ProductRow & { unitName: string })[]
  /** Why nobody can order yet. */
  lacking?: string
}

/** How ordering goes, for dealers who see no order yet. */
const firstOrderWidget = fragment(firstOrderPart, (context: Context) => {
  const { server, actor } = context
  if (seesOrders(context)) return { widget: undefined }
  const lacking = lacksProducts(server.db) ? nothingToOrder : undefined
  const company = findCompany(server.db, actor.company_id ?? 0)?.org
  const readsPrices = seesPrices(actor) && allows(productAccess.list, actor)
  const products = readsPrices ? firstProducts(context) : []
  return { widget: { company, readsPrices, mayAdd: !lacking && allows(orderAccess.add, actor), products, lacking } }
})

const productsShown = 6

function firstProducts(context: Context): FirstOrder['products'] {
  const list = dealerProductList(context.server.db)
  const { ids } = findPage(context, list, readState(list, new URLSearchParams(), context.actor))
  const rows = loadRows(context, list, ids.slice(0, productsShown))
  return rows.map((row) => ({ ...row, unitName: context.t(unitNames[row.unit]) }))
}

const waitingShown = 10
const productionQueue = '?waiting=1&sort=date_make&dir=asc&cols=date_make,since'

/** By production date. */
function firstToMake(context: Context): SeenOrder[] {
  const { server, actor } = context
  const list = orderList(server.db)
  const state = readState(list, new URLSearchParams(productionQueue), actor)
  return withoutUnseen(context, loadRows(context, list, findPage(context, list, state).ids.slice(0, waitingShown)))
}
