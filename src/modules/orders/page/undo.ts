import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../../web/access/record-routes.ts'
import { bodyOf, flash, parseId, refererPath, url } from '../../../web/http.ts'
import { carryOutOnce } from '../../../web/submissions/idempotency.ts'
import { findOrder, type Order } from '../order.ts'
import { UndoRefused, undoStep } from '../undo-step.ts'
import { pageAddress } from './neighbors.ts'
import { showPage } from './page.ts'

/** POST of the form in the message after a step. */
export function undo(request: FastifyRequest, reply: FastifyReply, order: Order) {
  const { server, t } = request
  const body = bodyOf(request)
  const location = returnAddress(request, order)
  try {
    writeRecord(request, order, (current) =>
      carryOutOnce(request, body, () => {
        undoStep(request, current, parseId(body.get('step')) ?? -1)
        return { location }
      }),
    )
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error
    const current = findOrder(server.db, order.id) ?? order
    return showPage(request, reply.code(error.status), current, { problem: t(error.message, error.params) })
  }
  flash(request, 'Step undone: order #{number}', { number: order.id })
  return reply.redirect(location, 303)
}

/** To where the step was made. */
function returnAddress(request: FastifyRequest, order: Order): string {
  const { server } = request
  const from = refererPath(request)?.split('?')[0]
  const places = [url(server, '/orders/board'), url(server, `/orders/edit/${order.id}`)]
  return places.find((place) => place === from) ?? pageAddress(server, order, bodyOf(request))
}
