import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDealer } from '../../../core/access.ts'
import { queryOf } from '../../../http/request/input.ts'
import { showChoices } from '../../../records/form/choices.ts'
import { findPricedProducts } from '../../products/product-choices.ts'
import { chosenDealer, companyOfDealer } from '../dealer-choices.ts'
import { findEdited } from './show-prices.ts'

/** The products that a line may choose, at the prices of the company that the order is for. */
export function showProducts(request: FastifyRequest, reply: FastifyReply) {
  const companyId = companyOfSearch(request)
  return showChoices((context, by) => findPricedProducts(context, by, companyId))(request, reply)
}

/** As the form would have it: that of the edited order, until another dealer is chosen. */
function companyOfSearch(request: FastifyRequest): number | null {
  const { server, actor } = request
  const query = queryOf(request)
  const order = findEdited(request, query)
  const dealer = isDealer(actor) ? undefined : chosenDealer(request, query)
  if (order && (!dealer || dealer.id === order.dealer_id)) return order.owner_company_id
  return companyOfDealer(server.db, dealer?.id ?? actor.id)
}
