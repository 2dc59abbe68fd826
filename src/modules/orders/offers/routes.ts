import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, group, has, isGroup } from '../../../core/access.ts'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { ofPrices } from '../../../core/prices.ts'
import { lineLimits, type Size, sizesOf } from '../../../core/pricing.ts'
import type { Document } from '../../../documents/document.ts'
import { reauthorize } from '../../../http/access/policy-hook.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, type Problem } from '../../../http/request/errors.ts'
import { parseId, queryOf } from '../../../http/request/input.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { template } from '../../../http/request/template.ts'
import { sendPdf } from '../../../http/send-pdf.ts'
import { recordPath } from '../../../records/kind/card.ts'
import { productAccess } from '../../products/access.ts'
import { productCard } from '../../products/card.ts'
import { findProduct, type Product } from '../../products/product.ts'
import { orderAccess } from '../access.ts'
import { type Draft, findDraft, mayOfferDraft } from '../drafts/draft.ts'
import { readDraft } from '../drafts/show-new-order.ts'
import { findOrder, type Order } from '../order.ts'
import { readCatalog } from '../pricing/catalog.ts'
import { itemsOf, type SentItem } from '../pricing/lines.ts'
import { limited, priceLines } from '../pricing/price-lines.ts'
import { type PricedItem, priceProduct } from '../pricing/product-line.ts'
import { makeOfferPdf } from './make-offer-pdf.ts'
import { type Missing, type Offer, offerOf, type Subject, withFiles } from './offer.ts'

type SubjectOf<R> = (request: FastifyRequest, record: R) => Subject

interface Place {
  /** Whence somebody comes. */
  back: { href: string; label: string }
  /** The page itself. */
  path: string
  /** What of a product the address says. */
  asked?: { name: string; label: string; value: number | null }[]
}

type PlaceOf<R> = (request: FastifyRequest, record: R) => Place

const mayOffer = anyOf(isGroup(group.dealer))

/** Offers of dealers to their customers, as a page to print and as a file. */
export function offerRoutes(app: FastifyInstance): void {
  const prices = anyOf(has(ofPrices.needs))
  const order = { access: orderAccess.offer, record: findOrder }
  app.get('/orders/:id/customer-offer', onRecord(order, showOffer(subjectOfOrder, placeOfOrder)))
  const draft = { access: mayOfferDraft, record: findKeptDraft }
  app.get('/orders/drafts/:id/customer-offer', onRecord(draft, showOffer(subjectOfDraft, placeOfDraft)))
  const product = { access: allOf(productAccess.view, mayOffer, prices), record: findProduct }
  app.get('/products/:id/customer-offer', onRecord(product, showOffer(subjectOfAsked, placeOfProduct)))
}

const findKeptDraft: FindRecord<Draft> = (db, id, actor) => {
  const draft = findDraft(db, id, actor)
  return draft?.deleted_at === null ? draft : undefined
}

const subjectOfAsked: SubjectOf<Product> = (request, product) => subjectOfProduct(request, product, queryOf(request))

const placeOfOrder: PlaceOf<{ id: number }> = ({ server, t, language }, { id }) => {
  const back = url(server, `/orders/${id}`)
  return {
    path: `${back}/customer-offer`,
    back: { href: back, label: t('Order {name}', { name: recordLabelFor(language, 'orders', `#${id}`) }) },
  }
}

const placeOfDraft: PlaceOf<Draft> = ({ server, t }, { id }) => ({
  path: url(server, `/orders/drafts/${id}/customer-offer`),
  back: { href: url(server, `/orders/add?draft=${id}`), label: t('New order') },
})

const placeOfProduct: PlaceOf<Product> = (request, product) => {
  const { server, t } = request
  const query = queryOf(request)
  const size = sizeOf(product, query)
  const labels = { width: product.basis === 'length' ? 'Length, mm' : 'Width, mm', height: 'Height, mm' }
  return {
    path: url(server, `/products/${product.id}/customer-offer`),
    back: { href: url(server, recordPath(productCard, product.id)), label: product.article },
    asked: [
      ...sizesOf(product.basis).map((name) => ({ name, label: t(labels[name]), value: size[name] ?? null })),
      { name: 'quantity', label: t('Quantity'), value: quantityOf(query) },
    ],
  }
}

type Page = Place & {
  title: string
  missing?: Missing[]
  pdf?: string
  document?: Document
  logo?: string
  pictures?: (string | undefined)[]
}

const offerPage = template<Page>('orders/offers/page.njk')

function showOffer<R>(subjectOf: SubjectOf<R>, placeOf: PlaceOf<R>) {
  return (request: FastifyRequest, reply: FastifyReply, record: R) => {
    const { server, t } = request
    const place = placeOf(request, record)
    const offer = offerOf(request, subjectOf(request, record))
    if (queryOf(request).get('format') === 'pdf') return sendOffer(request, reply, offer)
    if (offer.missing) return reply.page(offerPage, { ...place, title: t('Offer for the customer'), missing: offer.missing })
    const { document, logo, pictures } = offer
    const asked = place.asked ?? []
    const query = new URLSearchParams([...asked.map(({ name, value }): [string, string] => [name, String(value)]), ['format', 'pdf']])
    return reply.page(offerPage, {
      ...place,
      title: document.title,
      pdf: `${place.path}?${query}`,
      document,
      logo: logo ? url(server, `/files/${logo}/preview`) : undefined,
      pictures: pictures.map((key) => (key ? url(server, `/products/images/${key}`) : undefined)),
    })
  }
}

async function sendOffer(request: FastifyRequest, reply: FastifyReply, offer: Offer): Promise<FastifyReply> {
  if (offer.missing) {
    const reasons = offer.missing.map(({ label }) => label).join(' ')
    throw new HttpError(422, 'The offer cannot be made yet. {reasons}', { reasons })
  }
  const pdf = await makeOfferPdf(request, withFiles(request.server, offer))
  // Access may have been lost meanwhile.
  reauthorize(request)
  return sendPdf(reply, pdf, offer.document.title)
}

/** An order at the prices that it was written with. */
const subjectOfOrder = ({ server }: Context, { id }: Order): Subject => ({ items: itemsOf(server.db, id), problems: [], number: id })

/** A draft at the prices of today. */
function subjectOfDraft(context: Context, draft: Draft): Subject {
  const { entry } = readDraft(context, draft)
  const sent = ((entry.values.items ?? []) as SentItem[]).map((line) => ({ ...line, quantity: line.quantity ?? 0 }))
  const [unread] = Object.entries(entry.errors).filter(([place]) => place.startsWith('items.'))
  if (unread) return { items: [], problems: [describe(context, unread[1])] }
  return subjectOf(context, priceLines(readCatalog(context, context.actor.company_id, sent), sent, []))
}

/** One product in the size and quantity that the address names. */
function subjectOfProduct(context: Context, product: Product, query: URLSearchParams): Subject {
  const sent = { product_id: product.id, quantity: quantityOf(query), ...sizeOf(product, query) }
  const catalog = readCatalog(context, context.actor.company_id, [sent])
  return subjectOf(context, [limited(() => priceProduct(catalog, sent, product.id, undefined, {}))])
}

function quantityOf(query: URLSearchParams): number {
  const quantity = parseId(query.get('quantity')) ?? 1
  return Math.min(Math.max(quantity, 1), lineLimits.quantity)
}

/** The sides that a piece of a product has; nothing where the address does not name them. */
function sizeOf({ basis }: Product, query: URLSearchParams): Partial<Size> {
  return Object.fromEntries(sizesOf(basis).map((side) => [side, parseId(query.get(side)) ?? null]))
}

function subjectOf(context: Context, lines: readonly PricedItem[]): Subject {
  return {
    items: lines.flatMap((line) => ('item' in line ? line.item : [])),
    problems: lines.flatMap((line) => ('errors' in line ? Object.entries(line.errors).map((error) => describeAt(context, ...error)) : [])),
  }
}

const sides: Record<string, string> = { width: 'Width, mm', height: 'Height, mm' }

function describeAt(context: Context, part: string, problem: Problem): string {
  const side = sides[part]
  const text = describe(context, problem)
  return side ? `${context.t(side)}: ${text}` : text
}

const describe = ({ t }: Context, { message, params }: Problem) => t(message, params)
