import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import { readForm } from '../../web/form/read.ts'
import { readSubmittedForm } from '../../web/form/submit.ts'
import { presentForm } from '../../web/form/view.ts'
import { inputOf, notFound, page, parseId, queryOf } from '../../web/http.ts'
import { may } from './access.ts'
import { isDealer } from './catalog.ts'
import { orderForm, orderFormState } from './form.ts'
import { type Item, itemsOf } from './items.ts'
import { findOrder, type Order } from './order.ts'
import { priceItems } from './price-items.ts'
import { type PricedLines, presentPricedLines, pricingCompany } from './priced-lines.ts'
import type { SentItem } from './pricing.ts'

const pricesFragment = page<PricedLines>('orders/prices.njk')

/** Prices the lines of a form that is being filled in; saves nothing. */
export function showPrices(request: FastifyRequest, reply: FastifyReply) {
  const { server, t } = request
  const order = findEdited(request, queryOf(request))
  const formState = orderFormState(request, order, inputOf(request))
  const entry = readForm(orderForm, formState, readSubmittedForm(request))
  const form = presentForm(orderForm, formState, t, { ...entry, errors: {} })
  const written = order ? itemsOf(server.db, order.id) : []
  refuseForeignPrices(request, pricingCompany(request, order, form), entry.values.items ?? [], written)
  return reply.page(pricesFragment, presentPricedLines(request, form, order, written))
}

/** Forms of dealers show neither prices nor agreed discounts of lines; a body may name them. */
function refuseForeignPrices(acting: Acting, companyId: number | null, sent: readonly SentItem[], written: readonly Item[]): void {
  const named = sent.filter(({ price, agreed }) => price != null || agreed != null)
  if (isDealer(acting.actor) && named.length > 0) priceItems(acting, companyId, named, written)
}

/** The order whose lines keep their prices, if one is edited. */
function findEdited({ server, actor }: Acting, query: URLSearchParams): Order | undefined {
  if (!query.has('order')) return undefined
  const order = findOrder(server.db, parseId(query.get('order')) ?? -1)
  if (!order) throw notFound()
  authorize(may.edit, actor, order)
  return order
}
