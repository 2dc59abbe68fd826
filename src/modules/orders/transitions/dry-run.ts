import { getTableColumns } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { isIssuable } from '../../../core/documents.ts'
import { orderAfter, planStatus, planStep } from '../../../core/plan-transition.ts'
import { fullName } from '../../../core/text.ts'
import { forcibleFields, outgoingTransitions, recipients, statusById, type Workflow } from '../../../core/transition-rules.ts'
import { paidTransition } from '../../../core/when-paid.ts'
import { type Role, roleNames, roles, standIn } from '../../../core/workflow-roles.ts'
import { orders, users, whereIn } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { today } from '../../../i18n/format.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { visibleOrderId } from '../access.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { findPartyMembers } from '../recipients.ts'
import { describeOutdated } from './describe-problems.ts'
import { describeStep } from './describe-step.ts'
import { stepFacts } from './step-facts.ts'

const maxSteps = 50

const dryRunPage = template<ReturnType<typeof viewOfDryRun>>('orders/dry-run.njk')

export function showDryRun(request: FastifyRequest, reply: FastifyReply) {
  return reply.page(dryRunPage, viewOfDryRun(request))
}

function viewOfDryRun(request: FastifyRequest) {
  const { t, server, language } = request
  const query = queryOf(request)
  const role = roleNames.find((name) => name === query.get('role')) ?? 'administrator'
  const orderId = visibleOrderId(request, query.get('order')?.replace(/[#№\s]/g, '') ?? null)
  const path = query
    .getAll('way')
    .map((text) => parseId(text) ?? -1)
    .slice(0, maxSteps)
  const result = dryRun(request, { orderId, role, transitionIds: path })
  const link = (way: number[]) => {
    const query = new URLSearchParams({ order: String(orderId ?? ''), role })
    for (const id of way) query.append('way', String(id))
    return `${url(server, '/orders/try')}?${query}`
  }
  const performed = result.steps.map(({ id }) => id)
  return {
    title: t('Test the workflow'),
    unknown: Boolean(query.get('order')) && orderId === undefined,
    order: orderId === undefined ? undefined : recordLabelFor(language, 'orders', orderLabel(result.order)),
    orderId,
    roles: roleNames.map((value) => ({ value, name: t(roles[value].label), current: value === role })),
    currentStatus: result.status,
    steps: result.steps.map((step) => ({
      ...step,
      forced: Object.keys(step.forced).map((field) => t(forcibleFields[field as keyof typeof forcibleFields])),
      notified: namesOf(request, step.notified),
    })),
    transitions: result.transitions.map((step) => ({ ...step, href: step.allowed ? link([...performed, step.id]) : undefined })),
    back: performed.length > 0 ? link(performed.slice(0, -1)) : undefined,
  }
}

function namesOf({ server: { db } }: Context, ids: number[]): string[] {
  const people = db.select().from(users).where(whereIn(users.id, ids)).orderBy(users.group_id, users.search).all()
  return people.map((person) => fullName(person))
}

interface DryRunOptions {
  orderId?: number
  role: Role
  transitionIds: readonly number[]
}

/** What transitions would do one after the other, were somebody in this role to make them: each is planned, none applied. */
export function dryRun(context: Context, { orderId, role, transitionIds }: DryRunOptions) {
  const workflow = loadWorkflow(context.server.db, context.language)
  let order = (orderId === undefined ? undefined : findOrder(context.server.db, orderId)) ?? emptyOrder(workflow)
  const steps: ReturnType<typeof tryStep>['step'][] = []
  for (const id of transitionIds) {
    const transition = outgoingTransitions(workflow, order.status_id).find((one) => one.id === id)
    if (!transition) break
    const tried = tryStep(context, workflow, order, transition, role)
    steps.push(tried.step)
    if (!tried.step.allowed) break
    order = tried.after
  }
  const transitions = outgoingTransitions(workflow, order.status_id).map((transition) =>
    describeFor(context, workflow, order, transition, role),
  )
  return { order, status: statusById(workflow, order.status_id), steps, transitions }
}

/** Requirements are taken as met: what the order lacks is said of the step. */
function tryStep(context: Context, workflow: Workflow, order: Order, transition: Workflow['transitions'][number], role: Role) {
  const step = describeFor(context, workflow, order, transition, role)
  const question = describeOutdated(order, step.problems)
  const filled = Object.fromEntries(step.missing.filter((field) => field !== 'prices').map((field) => [field, '?']))
  const plan = planStep(order, transition, filled, stepFacts(context, order, context.language))
  const done = step.allowed ? { forced: plan.forced, told: plan.told } : { forced: {}, told: [] }
  return {
    step: {
      ...step,
      outdated: question && context.t(question),
      forced: done.forced,
      notified: recipients(done.told, findPartyMembers(context.server.db, order)),
    },
    after: { ...orderAfter(order, plan), ...Object.fromEntries(plan.issues.filter(isIssuable).map((kind) => [kind, '?'])) },
  }
}

function describeFor(context: Context, workflow: Workflow, order: Order, transition: Workflow['transitions'][number], role: Role) {
  const { performer, owners } = standIn(role)
  const step = describeStep(context, { ...order, ...owners }, transition, { ...stepFacts(context, order, context.language), performer })
  return { ...step, whenPaid: paidTransition(workflow, order.status_id) === transition }
}

/** An order of nobody, just placed. */
function emptyOrder(workflow: Workflow): Order {
  const blank = Object.fromEntries(Object.keys(getTableColumns(orders)).map((name) => [name, null]))
  const order = {
    ...blank,
    ...{ id: 0, cost: 0, lacksPrices: false, hasPayment: false, statusPermissions: new Set() },
    ...{ owner_company_id: null, owner_manager_id: null, company_manufacture_id: null, company_stock_id: null },
    account: { charged: 0, paid: 0, balance: 0, credit_limit: null },
  } as unknown as Order
  const [first] = workflow.statuses
  return first ? orderAfter(order, planStatus(workflow, order, first, today())) : order
}
