import { and, eq, isNull } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { seesPrices } from '../../core/prices.ts'
import { fullName } from '../../core/text.ts'
import {
  forcibleFields,
  missingFields,
  outgoingTransitions,
  statusById,
  type Transition,
  type Workflow,
} from '../../core/transition-rules.ts'
import { type Role, roleMayPerform, roleNames, roles } from '../../core/workflow-roles.ts'
import { type Database, orderItems, orders, users, whereIn, writeAndRollBack } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { parseId, queryOf, template, url } from '../../web/http.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { visibleOrderId } from './access.ts'
import { applyInitialStatus, changeStatus } from './change-status.ts'
import { describeStep } from './describe-step.ts'
import { findOrder, type Order, orderLabel } from './order.ts'
import { describeOutdated, findOutdatedPrices, type OutdatedPrices, unconfirmed } from './pricing/outdated-prices.ts'

const maxSteps = 50

const dryRunPage = template<ReturnType<typeof presentDryRun>>('orders/dry-run.njk')

export function showDryRun(request: FastifyRequest, reply: FastifyReply) {
  return reply.page(dryRunPage, presentDryRun(request))
}

function presentDryRun(request: FastifyRequest) {
  const { t, server, language } = request
  const query = queryOf(request)
  const role = roleNames.find((name) => name === query.get('role')) ?? 'administrator'
  const orderId = visibleOrderId(request, query.get('order')?.replace(/[#№\s]/g, '') ?? null)
  const path = query
    .getAll('way')
    .map((text) => parseId(text) ?? -1)
    .slice(0, maxSteps)
  const workflow = loadWorkflow(server.db, request.language)
  const result = performDryRun(server, { orderId, role, transitionIds: path })
  const link = (way: number[]) => {
    const query = new URLSearchParams({ order: String(orderId ?? ''), role })
    for (const id of way) query.append('way', String(id))
    return `${url(server, '/orders/try')}?${query}`
  }
  const performed = result.steps.map(({ transition }) => transition.id)
  return {
    title: t('Test the workflow'),
    unknown: Boolean(query.get('order')) && orderId === undefined,
    order: orderId === undefined ? undefined : recordLabelFor(language, 'orders', orderLabel(result.order)),
    orderId,
    roles: roleNames.map((value) => ({ value, name: t(roles[value].label), current: value === role })),
    currentStatus: statusById(workflow, result.order.status_id),
    steps: result.steps.map((step) => presentStep(request, workflow, step)),
    transitions: result.transitions.map(({ transition, allowed }) => ({
      ...describeStep(request, workflow, transition, result.order, allowed),
      href: allowed ? link([...performed, transition.id]) : undefined,
    })),
    back: performed.length > 0 ? link(performed.slice(0, -1)) : undefined,
  }
}

function presentStep(acting: Acting, workflow: Workflow, { order, transition, allowed, forced, notified, outdated }: DryRunStep) {
  const { t, server } = acting
  const people = server.db.select().from(users).where(whereIn(users.id, notified)).orderBy(users.group_id, users.search).all()
  return {
    ...describeStep(acting, workflow, transition, order, allowed),
    forced: Object.keys(forced).map((field) => t(forcibleFields[field as keyof typeof forcibleFields])),
    notified: people.map((person) => fullName(person)),
    outdated: describePrices(acting, order, outdated),
  }
}

/** What the step asks about prices. */
function describePrices({ actor, t }: Acting, order: Order, outdated: OutdatedPrices | undefined): string | undefined {
  if (!outdated) return undefined
  const { message, params } = seesPrices(actor) ? describeOutdated(order, outdated) : unconfirmed
  return t(message, params)
}

interface DryRunOptions {
  orderId?: number
  role: Role
  transitionIds: readonly number[]
}

type DryRunStep = ReturnType<typeof performStep>

/** Performs the transitions for real, in a transaction that is rolled back. */
export function performDryRun(app: FastifyInstance, options: DryRunOptions) {
  return writeAndRollBack(app.db, () => performTransitions(app, options))
}

function performTransitions(app: FastifyInstance, { orderId, role, transitionIds }: DryRunOptions) {
  const workflow = loadWorkflow(app.db)
  const id = orderId ?? createEmptyOrder(app, workflow)
  const steps: DryRunStep[] = []
  for (const transitionId of transitionIds) {
    const order = findOrder(app.db, id) as Order
    const transition = workflow.transitions.find(({ id, parent_status_id }) => id === transitionId && parent_status_id === order.status_id)
    if (!transition) break
    const result = performStep(app, workflow, order, transition, role)
    steps.push(result)
    if (!result.allowed) break
  }
  const order = findOrder(app.db, id) as Order
  const transitions = outgoingTransitions(workflow, order.status_id).map((transition) => ({
    transition,
    allowed: roleMayPerform(role, transition),
  }))
  return { order, steps, transitions }
}

function createEmptyOrder(app: FastifyInstance, workflow: Workflow): number {
  const id = Number(app.db.insert(orders).values({}).run().lastInsertRowid)
  applyInitialStatus(app, id, workflow, author)
  return id
}

const author = { id: null, name: '' }

function performStep(app: FastifyInstance, workflow: Workflow, order: Order, transition: Transition, role: Role) {
  const to = statusById(workflow, transition.child_status_id)
  const allowed = roleMayPerform(role, transition)
  const missing = allowed ? missingFields(transition, order) : []
  if (!to || !allowed) return { order, transition, allowed, missing, outdated: undefined, forced: {}, notified: [] }
  const outdated = findOutdatedPrices(app.db, order)
  const filled = Object.fromEntries(missing.filter((field) => field !== 'prices').map((field) => [field, '?']))
  if (missing.includes('prices')) priceLines(app.db, order.id)
  return { order, transition, allowed, missing, outdated, ...changeStatus(app, order, { workflow, to, transition, filled }, author) }
}

function priceLines(db: Database, orderId: number): void {
  db.update(orderItems)
    .set({ price: 0 })
    .where(and(eq(orderItems.order_id, orderId), isNull(orderItems.price)))
    .run()
}
