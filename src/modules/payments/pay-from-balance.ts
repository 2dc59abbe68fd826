import type { FastifyRequest } from 'fastify'
import { authorize } from '../../http/access/authorize.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { formWithoutTable } from '../../records/form/form.ts'
import { formSteps } from '../../records/form/steps.ts'
import { paymentAccess } from '../ledger/access.ts'
import { payFromCredit } from '../ledger/allocations.ts'
import { companyBalance, companyOfEntries } from '../ledger/balance.ts'
import { findPayer } from '../ledger/payer.ts'
import { paidAmount } from '../ledger/payment-form.ts'
import type { Order } from '../orders/order.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { showPage } from '../orders/page/order-page.ts'
import { amountsOf, openOf } from '../orders/payments/amounts.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'

const amountForm = formWithoutTable([{ title: 'Payment', fields: { amount: paidAmount('Amount', {}) } }])

/** POST of the button beside what is left to pay: the company's credit pays it, or the amount that is sent. What is refused is said on the page. */
export const payFromBalance = formSteps({
  form: amountForm,
  mode: 'create',
  state: () => ({ mode: 'create' as const, stored: {}, choices: {} }),
  save(request, { amount }, order: Order) {
    pay(request, order, amount ?? undefined)
    return { location: `${pageAddress(request.server, order, bodyOf(request))}#payments`, message: ['Paid from the balance'] }
  },
  showAgain(request, reply, order, { errors }) {
    const [problem] = Object.values(errors)
    return showPage(request, reply, order, { problem: problem && request.t(problem.message, problem.params) })
  },
})

function pay(request: FastifyRequest, order: Order, named: number | undefined): void {
  const { server, actor, author, t } = request
  const { id } = order
  const payer = findPayer(server.db, companyOfEntries(server.db, id) ?? 0)
  if (!payer) throw new ValidationFailed({ amount: 'This order belongs to no company.' })
  // An order that moved to another company is still paid by the one that it was charged to.
  authorize(paymentAccess.report, actor, payer)
  const { credit } = companyBalance(server.db, payer.id)
  if ((named ?? 0) > credit)
    throw new ValidationFailed({ amount: { message: 'The credit of the company is {amount}.', params: { amount: t.money(credit) } } })
  const paid = payFromCredit(server.db, { id, company_id: payer.id }, named ?? openOf(amountsOf(server.db, order)), author)
  if (paid <= 0) throw new ValidationFailed({ amount: 'There is nothing to pay.' })
  moveWhenPaid(request, id)
}
