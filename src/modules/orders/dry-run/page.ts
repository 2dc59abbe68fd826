import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { forcibleFields, requirableFields } from '../../../core/transition-rules.ts'
import { roleNames, roles } from '../../../core/workflow-roles.ts'
import { users, whereIn } from '../../../database/index.ts'
import { page, parseId, queryOf, url } from '../../../web/http.ts'
import { may } from '../access.ts'
import { findOrder, orderLabel } from '../order.ts'
import { describePerformers } from '../present-transitions.ts'
import { type DryRunStep, performDryRun } from './dry-run.ts'

const maxSteps = 50

const dryRunPage = page<ReturnType<typeof presentDryRun>>('orders/dry-run.njk')

export function showDryRun(request: FastifyRequest, reply: FastifyReply) {
  return reply.page(dryRunPage, presentDryRun(request))
}

function presentDryRun(request: FastifyRequest) {
  const { t, server } = request
  const query = queryOf(request)
  const role = roleNames.find((name) => name === query.get('role')) ?? 'administrator'
  const orderId = visibleOrder(request, query.get('order'))
  const path = query
    .getAll('way')
    .map((text) => parseId(text) ?? -1)
    .slice(0, maxSteps)
  const result = performDryRun(server, { orderId, role, transitionIds: path })
  const link = (transitionIds: number[]) =>
    `${url(server, '/orders/try')}?${dryRunQuery({ order: String(orderId ?? ''), role }, transitionIds)}`
  const performed = result.steps.map(({ transition }) => transition.id)
  return {
    title: t('Test the workflow'),
    unknown: Boolean(query.get('order')) && orderId === undefined,
    order: orderId === undefined ? undefined : orderLabel(result.order),
    orderId,
    roles: roleNames.map((value) => ({ value, name: t(roles[value].label), current: value === role })),
    currentStatus: result.currentStatus,
    steps: result.steps.map((step) => presentStep(request, step)),
    transitions: result.transitions.map(({ transition, to, allowed }) => ({
      to,
      href: allowed ? link([...performed, transition.id]) : undefined,
      reason: allowed ? '' : t('Only {who} can do this.', { who: describePerformers(request, transition) }),
    })),
    back: performed.length > 0 ? link(performed.slice(0, -1)) : undefined,
  }
}

function dryRunQuery(chosen: Record<string, string>, transitionIds: number[]): URLSearchParams {
  const query = new URLSearchParams(chosen)
  for (const id of transitionIds) query.append('way', String(id))
  return query
}

function visibleOrder({ server, actor }: FastifyRequest, text: string | null): number | undefined {
  const order = findOrder(server.db, parseId(text?.trim().replace('#', '')) ?? -1)
  return order && allows(may.view, actor, order) ? order.id : undefined
}

function presentStep(request: FastifyRequest, { from, to, transition, allowed, missing, forced, notified }: DryRunStep) {
  const { t, server } = request
  const people = server.db.select().from(users).where(whereIn(users.id, notified)).orderBy(users.group_id, users.search).all()
  return {
    from,
    to,
    denied: allowed ? undefined : t('Only {who} can do this.', { who: describePerformers(request, transition) }),
    missing: missing.map((field) => t(requirableFields[field])),
    forced: Object.keys(forced).map((field) => t(forcibleFields[field as keyof typeof forcibleFields])),
    notified: people.map((person) => fullName(person)),
  }
}
