import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../../http/action.ts'
import type { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { findOrder, type Order } from '../order.ts'
import { undoStep } from '../transitions/undo-step.ts'
import { pageAddress, placeBehind } from './neighbors.ts'
import { showPage } from './order-page.ts'

/** POST of the form in the message after a step. */
export const undo = {
  perform: (request: FastifyRequest, order: Order): Done => {
    undoStep(request, order, parseId(bodyOf(request).get('step')) ?? -1)
    const location = placeBehind(request, order) ?? pageAddress(request.server, order, bodyOf(request))
    return { location, message: ['Step undone: order #{number}', { number: order.id }] }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, order: Order, problem: HttpError) =>
    showPage(request, reply, findOrder(request.server.db, order.id) ?? order, { problem: request.t(problem) }),
}
