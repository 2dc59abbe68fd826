import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDealer } from '../../../core/access.ts'
import { authorize } from '../../../http/access/authorize.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound } from '../../../http/request/errors.ts'
import { inputOf, parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { isLocked } from '../../../records/form/form.ts'
import { readForm } from '../../../records/form/read.ts'
import { readSubmittedForm } from '../../../records/form/sent.ts'
import { viewOfRows } from '../../../records/form/view.ts'
import { orderAccess } from '../access.ts'
import { orderForm } from '../form.ts'
import { orderFormState } from '../form-state.ts'
import { findOrder, type Order } from '../order.ts'
import { readCatalog } from './catalog.ts'
import { type FormPrices, priceForm } from './form-prices.ts'
import { type Item, itemsOf, type SentItem } from './lines.ts'
import { priceLines } from './price-lines.ts'
import { companyOfForm } from './typed-lines.ts'

const pricesFragment = template<{ rows: ReturnType<typeof viewOfRows> } & Omit<FormPrices, 'inputs'>>('orders/prices.njk')

/** Prices the lines of a form that is being filled in; saves nothing. */
export function showPrices(request: FastifyRequest, reply: FastifyReply) {
  const { server, t } = request
  const order = findEdited(request, queryOf(request))
  const formState = orderFormState(request, order, inputOf(request))
  const entry = { ...readForm(orderForm, formState, readSubmittedForm(request)), errors: {} }
  const written = order ? itemsOf(server.db, order.id) : []
  refuseForeignPrices(request, companyOfForm(request, order, formState, entry), entry.values.items ?? [], written)
  const open = !isLocked(formState, 'items')
  const { inputs, ...sum } = priceForm(request, { order, written, open }, formState, entry)
  return reply.page(pricesFragment, { rows: viewOfRows(orderForm, 'items', { ...formState, ...inputs }, t, entry), ...sum })
}

/** Forms of dealers show neither prices nor agreed discounts of lines; a body may name them. */
function refuseForeignPrices(context: Context, companyId: number | null, sent: readonly SentItem[], written: readonly Item[]): void {
  const named = sent.filter(({ price, agreed }) => price != null || agreed != null)
  if (isDealer(context.actor) && named.length > 0) priceLines(readCatalog(context, companyId, named), named, written)
}

/** The order whose lines keep their prices, if one is edited. */
export function findEdited({ server, actor }: Context, query: URLSearchParams): Order | undefined {
  if (!query.has('order')) return undefined
  const order = findOrder(server.db, parseId(query.get('order')) ?? -1)
  if (!order) throw notFound()
  authorize(orderAccess.edit, actor, order)
  return order
}
