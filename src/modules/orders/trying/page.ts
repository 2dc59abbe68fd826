import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { forcibleFields, requirableFields } from '../../../core/transition.ts'
import { roleNames, roles } from '../../../core/workflow-roles.ts'
import { among } from '../../../database/among.ts'
import { users } from '../../../database/schema/index.ts'
import { url } from '../../../web/http.ts'
import { queryOf } from '../../../web/list/state.ts'
import { parseId } from '../../../web/policy.ts'
import { may } from '../access.ts'
import { findOrder, orderLabel } from '../order.ts'
import { whoMay } from '../steps.ts'
import { type TriedStep, tryOut } from './trial.ts'

const longest = 50

/** GET of the dry run: its address holds the order, the role and the way taken so far. */
export function showTrial(request: FastifyRequest, reply: FastifyReply) {
  const { t, server } = request
  const query = queryOf(request)
  const role = roleNames.find((name) => name === query.get('role')) ?? 'administrator'
  const orderId = visibleOrder(request, query.get('order'))
  const path = query
    .getAll('way')
    .map((text) => parseId(text) ?? -1)
    .slice(0, longest)
  const tried = tryOut(server, { orderId, role, path })
  const link = (ways: number[]) => `${url(server, '/orders/try')}?${addressOf({ order: String(orderId ?? ''), role }, ways)}`
  const taken = tried.steps.map(({ transition }) => transition.id)
  return reply.page('orders/trying.njk', {
    title: t('Try the workflow out'),
    unknown: query.get('order') && orderId === undefined,
    order: orderId === undefined ? undefined : orderLabel(tried.order),
    orderId,
    role,
    roles: roleNames.map((value) => ({ value, name: t(roles[value].label), current: value === role })),
    at: tried.at,
    steps: tried.steps.map((step) => viewStep(request, step)),
    ways: tried.ways.map(({ transition, to, allowed }) => ({
      to,
      href: allowed && link([...taken, transition.id]),
      reason: allowed ? '' : t('Only {who} may do this.', { who: whoMay(request, transition) }),
    })),
    back: taken.length > 0 && link(taken.slice(0, -1)),
  })
}

function addressOf(chosen: Record<string, string>, ways: number[]): URLSearchParams {
  const query = new URLSearchParams(chosen)
  for (const way of ways) query.append('way', String(way))
  return query
}

/** The order to try it with, when there is one and this person may see it. */
function visibleOrder({ server, actor }: FastifyRequest, text: string | null): number | undefined {
  const order = findOrder(server.db, parseId(text?.trim().replace('#', '')) ?? -1)
  return order && allows(may.view, actor, order) ? order.id : undefined
}

function viewStep(request: FastifyRequest, { from, to, transition, allowed, asked, forced, told }: TriedStep) {
  const { t, server } = request
  const people = server.db.select().from(users).where(among(users.id, told)).orderBy(users.group_id, users.search).all()
  return {
    from,
    to,
    refused: allowed ? undefined : t('Only {who} may do this.', { who: whoMay(request, transition) }),
    asked: asked.map((field) => t(requirableFields[field])),
    forced: Object.keys(forced).map((field) => t(forcibleFields[field as keyof typeof forcibleFields])),
    told: people.map((person) => fullName(person)),
  }
}
