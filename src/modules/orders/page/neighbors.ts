import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pageBehind, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseFields, parseId } from '../../../http/request/input.ts'
import { aroundIn, linkNeighbors, type Neighbors, originQuery } from '../../../records/list/neighbors.ts'
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

/** On which page somebody goes on, too: on the home page, or on the one behind the dialog. */
export interface Origin extends Neighbors {
  home?: true
  stays?: true
}

/**
 * The orders before and after this one in the list that the user came from. `prev` and `next` in the query are those around it before
 * a transition, by which the order itself may have left the list; `home` that the user came from the home page, `stays` that the page
 * behind the dialog is another one.
 */
export function viewOfNeighbors(context: Context, order: Order, sent: URLSearchParams): Origin {
  const { server } = context
  const back = sent.get('back')
  if (sent.has('home')) return { home: true }
  if (sent.has('stays')) return { stays: true }
  if (back && board.test(back)) return { back }
  const query = back?.replace(partOf, '')
  if (!back || !query?.startsWith('?')) return {}
  const around = aroundIn(sent, (id) => visibleOrderId(context, id))
  return linkNeighbors(context, orderList(server.db), order.id, { back, query, around })
}

/** @param sent the body of a form on the page, which says from which list the user came */
export function pageAddress(app: FastifyInstance, order: Order, sent: URLSearchParams): string {
  return url(app, `/orders/${order.id}`) + originQuery(sent)
}

/** Where somebody goes on who has taken a step: where they took it. */
export function placeOfStep(request: FastifyRequest, order: Order, sent: URLSearchParams): string {
  if (sent.has('home')) return url(request.server, '/')
  return (sent.has('stays') && placeBehind(request, order)) || pageAddress(request.server, order, sent)
}

/** The page that somebody has open, at the row or card of an order; undefined where it is that of the order itself. */
export function placeBehind(request: FastifyRequest, { id }: Order): string | undefined {
  const { server } = request
  const address = pageBehind(request, `/orders/${id}`)
  const [path, query] = address?.split('?') ?? []
  if (path === url(server, '/orders')) return `${address}#orders-${id}`
  if (path !== url(server, '/orders/board')) return address
  const shown = parseFields(query ?? '')
  shown.set('moved', String(id))
  return `${path}?${shown}`
}
