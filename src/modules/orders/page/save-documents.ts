import type { FastifyReply, FastifyRequest } from 'fastify'
import { orders } from '../../../database/schema/index.ts'
import { writeRecord } from '../../../web/access/policy-hook.ts'
import { flashSaved, submit } from '../../../web/form/submit.ts'
import { url } from '../../../web/http.ts'
import { saveOrder } from '../card.ts'
import { orderForm, orderPage } from '../form.ts'
import { type Order, orderLabel } from '../order.ts'
import { renderPage } from './page.ts'

export function saveDocuments(request: FastifyRequest, reply: FastifyReply) {
  const order = request.record as Order
  let current = order
  return submit(request, reply, {
    form: orderForm,
    mode: 'edit',
    table: orders,
    page: () => orderPage(request, order),
    transaction: (work) =>
      writeRecord(request, (record: Order) => {
        current = record
        return work(orderPage(request, record))
      }),
    save: (values) => {
      saveOrder(request, current, values)
      return url(request.server, `/orders/${order.id}`)
    },
    saved: (saved) => flashSaved(request, orderForm, saved, request.t('Order {name}', { name: orderLabel(order) })),
    rerender: ({ errors }) => {
      const [problem] = Object.values(errors)
      return renderPage(request, reply, { problem: problem && request.t(problem.message, problem.params) })
    },
  })
}
