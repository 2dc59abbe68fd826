import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../http/action.ts'
import { HttpError, ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { parseKopecks } from '../../i18n/format.ts'
import { creditOf, lackOf, payFromCredit } from '../ledger/allocations.ts'
import { companyOfEntries } from '../ledger/book.ts'
import type { Order } from '../orders/order.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { showPage } from '../orders/page/order-page.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'

/** POST of the button beside what is left to pay: the company's credit pays it, or the amount that is sent. */
export const payFromBalance = {
  perform(request: FastifyRequest, order: Order): Done {
    const { server, author } = request
    const company_id = companyOfEntries(server.db, order.id)
    if (company_id === null) throw new HttpError(422, 'This order belongs to no company.')
    const credit = creditOf(server.db, company_id)
    const amount = amountOf(bodyOf(request).get('amount')) ?? Math.min(credit, lackOf(server.db, order.id))
    if (amount > credit) throw amountRefused('The credit of the company is {amount}.', { amount: request.t.money(credit) })
    if (payFromCredit(server.db, { id: order.id, company_id }, amount, author) <= 0) throw amountRefused('There is nothing to pay.')
    moveWhenPaid(request, order.id)
    return { location: `${pageAddress(server, order, bodyOf(request))}#payments`, message: ['Paid from the balance'] }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, order: Order, { message, params }: HttpError) =>
    showPage(request, reply, order, { problem: request.t(message, params) }),
}

const amountRefused = (message: string, params: Record<string, unknown> = {}) => new ValidationFailed({ amount: { message, params } })

/** @throws ValidationFailed for what is no amount */
function amountOf(text: string | null): number | undefined {
  if (!text?.trim()) return undefined
  const kopecks = parseKopecks(text)
  if (!kopecks || kopecks < 0) throw amountRefused('Enter an amount of more than 0.')
  return kopecks
}
