import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../../http/action.ts'
import { refererPath, url } from '../../../http/request/addresses.ts'
import type { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { findOrder, type Order } from '../order.ts'
import { undoStep } from '../transitions/undo-step.ts'
import { pageAddress } from './neighbors.ts'
import { showPage } from './order-page.ts'

/** POST of the form in the message after a step. */
export const undo = {
  perform: (request: FastifyRequest, order: Order): Done => {
    undoStep(request, order, parseId(bodyOf(request).get('step')) ?? -1)
    return { location: returnAddress(request, order), message: ['Step undone: order #{number}', { number: order.id }] }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, order: Order, problem: HttpError) =>
    showPage(request, reply, findOrder(request.server.db, order.id) ?? order, { problem: request.t(problem) }),
}

/** To where the step was made. */
function returnAddress(request: FastifyRequest, order: Order): string {
  const { server } = request
  const address = refererPath(request)
  const from = address?.split('?')[0]
  if (from === url(server, '/orders')) return `${address}#orders-${order.id}`
  const places = [url(server, '/'), url(server, '/orders/board'), url(server, `/orders/edit/${order.id}`)]
  return places.find((place) => place === from) ?? pageAddress(server, order, bodyOf(request))
}
