import type { FastifyRequest } from 'fastify'
import { lineLimits, type Size, sizesOf } from '../../../core/pricing.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { parseId, queryOf } from '../../../http/request/input.ts'
import type { Product } from '../../products/product.ts'
import type { Draft } from '../drafts/draft.ts'
import { readDraft } from '../drafts/show-new-order.ts'
import type { Order } from '../order.ts'
import { readCatalog } from '../pricing/catalog.ts'
import { itemsOf, type SentItem } from '../pricing/lines.ts'
import { limited, priceLines } from '../pricing/price-lines.ts'
import { type PricedItem, priceProduct } from '../pricing/product-line.ts'
import type { Subject } from './offer.ts'

export type SubjectOf<R> = (request: FastifyRequest, record: R) => Subject

export const subjectOfAsked: SubjectOf<Product> = (request, product) => subjectOfProduct(request, product, queryOf(request))

/** An order at the prices that it was written with. */
export const subjectOfOrder = ({ server }: Context, { id }: Order): Subject => ({ items: itemsOf(server.db, id), problems: [], number: id })

/** A draft at the prices of today. */
export function subjectOfDraft(context: Context, draft: Draft): Subject {
  const { entry } = readDraft(context, draft)
  const sent = ((entry.values.items ?? []) as SentItem[]).map((line) => ({ ...line, quantity: line.quantity ?? 0 }))
  const [unread] = Object.entries(entry.errors).filter(([place]) => place.startsWith('items.'))
  if (unread) return { items: [], problems: [context.t(unread[1])] }
  return subjectOf(context, priceLines(readCatalog(context, context.actor.company_id, sent), sent, []))
}

/** One product in the size and quantity that the address names. */
function subjectOfProduct(context: Context, product: Product, query: URLSearchParams): Subject {
  const sent = { product_id: product.id, quantity: quantityOf(query), ...sizeOf(product, query) }
  const catalog = readCatalog(context, context.actor.company_id, [sent])
  return subjectOf(context, [limited(() => priceProduct(catalog, sent, product.id, undefined, {}))])
}

export function quantityOf(query: URLSearchParams): number {
  const quantity = parseId(query.get('quantity')) ?? 1
  return Math.min(Math.max(quantity, 1), lineLimits.quantity)
}

/** The sides that a piece of a product has; nothing where the address does not name them. */
export function sizeOf({ basis }: Product, query: URLSearchParams): Partial<Size> {
  return Object.fromEntries(sizesOf(basis).map((side) => [side, parseId(query.get(side)) ?? null]))
}

export function subjectOf(context: Context, lines: readonly PricedItem[]): Subject {
  return {
    items: lines.flatMap((line) => ('item' in line ? line.item : [])),
    problems: lines.flatMap((line) => ('errors' in line ? Object.entries(line.errors).map((error) => describeAt(context, ...error)) : [])),
  }
}

const sides: Record<string, string> = { width: 'Width, mm', height: 'Height, mm' }

function describeAt(context: Context, part: string, problem: Problem): string {
  const side = sides[part]
  const text = context.t(problem)
  return side ? `${context.t(side)}: ${text}` : text
}
