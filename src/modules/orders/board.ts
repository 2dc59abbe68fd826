import type { FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { mayPerform, type Status, type Workflow } from '../../core/transition-rules.ts'
import { loadPage } from '../../web/list/rows.ts'
import { type List, readState } from '../../web/list/state.ts'
import { formatCount } from '../../web/view/format.ts'
import { page } from '../../web/view/page.ts'
import { loadWorkflow } from '../workflow/load.ts'
import type { OrderRow } from './list.ts'

/** More are in the list that the head of a column leads to. */
const cardLimit = 25

const boardPage = page<{ title: string; columns: ReturnType<typeof presentColumn>[]; once: string }>('orders/board.njk')

/** The statuses that this person moves orders out of or into, as columns of orders that have waited longest. */
export function showBoard(list: List<OrderRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const workflow = loadWorkflow(request.server.db)
    const columns = statusesOf(request, workflow).map((status) => presentColumn(request, list, workflow, status))
    return reply.page(boardPage, { title: request.t('Board'), columns, once: crypto.randomUUID() })
  }
}

function statusesOf({ actor }: FastifyRequest, { statuses, transitions }: Workflow): Status[] {
  const own = { dealer_id: actor.id, owner_manager_id: actor.id }
  const open = transitions.filter((transition) => actor.group_id === group.administrator || mayPerform(transition, actor, own))
  const shown = new Set(open.flatMap(({ parent_status_id, child_status_id }) => [parent_status_id, child_status_id]))
  return statuses.filter(({ id }) => shown.has(id))
}

function presentColumn({ server, actor }: FastifyRequest, list: List<OrderRow>, workflow: Workflow, status: Status) {
  const state = { ...readState(list, new URLSearchParams(`status=${status.id}&sort=since&dir=asc`)), size: cardLimit }
  const { rows, total } = loadPage(server.db, list, actor, state)
  return { status, total: formatCount(total), more: total > rows.length, cards: rows.map((row) => presentCard(row, workflow, actor)) }
}

function presentCard(row: OrderRow, { statuses, transitions }: Workflow, actor: FastifyRequest['actor']) {
  const open = transitions.filter((transition) => transition.parent_status_id === row.status_id && mayPerform(transition, actor, row))
  const steps = open.map(({ id, child_status_id, required_fields }) => ({
    id,
    to: statuses.find((status) => status.id === child_status_id),
    asks: required_fields.length > 0,
  }))
  return { ...row, steps }
}
