import type { FastifyInstance, FastifyRequest } from 'fastify'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseFields, parseId } from '../../../http/request/input.ts'
import { linkNeighbors, type Neighbors, originQuery } from '../../../records/list/neighbors.ts'
import { readingPath } from '../../../records/list/record-paths.ts'
import { backToList } from '../../../records/list/show.ts'
import { visibleOrderId } from '../access.ts'
import { orderList } from '../list.ts'
import type { Order } from '../order.ts'

/** The board as somebody left it, which stands in `back` where otherwise the query of a list stands. */
const board = /^board(\?canceled=1)?$/

/** Before the query of a list: it was part of the home page, or of where something else is read. */
const partOf = /^(home|company|dealer|product)(?=\?)/

const places: Record<string, { list: string; label: string }> = {
  company: { list: 'companies', label: 'Company' },
  dealer: { list: 'dealers', label: 'Dealer' },
  product: { list: 'products', label: 'Product' },
}

/** Where somebody goes back to from an order: to the board, the list, or the page with a part of the list, as they were. */
export function placeBefore(request: FastifyRequest, back: string | undefined) {
  const { server, t } = request
  if (back && board.test(back)) return { back: url(server, `/orders/${back}`), place: t('Order board') }
  if (back?.startsWith('home?')) return { back: url(server, '/'), place: t('Dashboard') }
  const [, of = ''] = partOf.exec(back ?? '') ?? []
  const id = parseId(parseFields(back?.slice(of.length) ?? '').get(of))
  const read = places[of]
  if (read && id) return { back: url(server, readingPath(request, read.list, id)), place: t(read.label) }
  return { back: backToList(request, 'orders'), place: t('Orders') }
}

/**
 * The orders before and after this one in the list that the user came from. `next` in the query is the one that followed before a
 * transition, by which the order itself may have left the list; `home` that the user came from the home page.
 */
export function viewOfNeighbors(context: Context, order: Order, sent: URLSearchParams): Neighbors & { home?: true } {
  const { server } = context
  const back = sent.get('back')
  if (sent.has('home')) return { home: true }
  if (back && board.test(back)) return { back }
  const query = back?.replace(partOf, '')
  if (!back || !query?.startsWith('?')) return {}
  return linkNeighbors(context, orderList(server.db), order.id, { back, query, following: visibleOrderId(context, sent.get('next')) })
}

/** @param sent the body of a form on the page, which says from which list the user came */
export function pageAddress(app: FastifyInstance, order: Order, sent: URLSearchParams): string {
  return url(app, `/orders/${order.id}`) + originQuery(sent)
}

/** Where somebody goes on who has taken a step: on the home page, where they took it there. */
export function placeOfStep(app: FastifyInstance, order: Order, sent: URLSearchParams): string {
  return sent.has('home') ? url(app, '/') : pageAddress(app, order, sent)
}
