import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseId, writeRecord } from '../../web/access/policy-hook.ts'
import { authorOf, bodyOf, HttpError } from '../../web/http.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { renderDone } from './card.ts'
import { changeStatus } from './change-status.ts'
import type { Order } from './order.ts'

/** An order whose status was deleted may get any status (decisions, foreign keys). */
export function assignStatus(request: FastifyRequest, reply: FastifyReply) {
  const { server } = request
  const id = parseId(bodyOf(request).get('status_id'))
  writeRecord(request, (order: Order) => {
    const workflow = loadWorkflow(server.db)
    const to = workflow.statuses.find((status) => status.id === id)
    if (!to) throw new HttpError(422, 'Choose a value from the list.')
    changeStatus(server, order, { workflow, to }, authorOf(request))
  })
  return renderDone(request, reply)
}
