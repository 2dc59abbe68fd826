import { asc, inArray } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { orders } from '../../database/schema/index.ts'
import { authorOf, HttpError } from '../../web/http.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { changeStatus } from './change-status.ts'
import { findOrder, type Order } from './order.ts'

export function reassignOrders(request: FastifyRequest, from: number[], target: number): number {
  const { server } = request
  const workflow = loadWorkflow(server.db)
  const to = workflow.statuses.find(({ id }) => id === target)
  if (!to || from.includes(target)) throw new HttpError(422, 'Choose a different status for these orders.')
  const rows = server.db.select({ id: orders.id }).from(orders).where(inArray(orders.status_id, from)).orderBy(asc(orders.id)).all()
  for (const { id } of rows) changeStatus(server, findOrder(server.db, id) as Order, { workflow, to }, authorOf(request))
  return rows.length
}
