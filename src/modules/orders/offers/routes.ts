import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, group, has, isGroup } from '../../../core/access.ts'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { ofPrices } from '../../../core/prices.ts'
import { sizesOf } from '../../../core/pricing.ts'
import type { Document } from '../../../documents/document.ts'
import { makePdf } from '../../../documents/make-pdf.ts'
import { reauthorize } from '../../../http/access/policy-hook.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { documents, twoAtATime } from '../../../http/access/two-at-a-time.ts'
import { url } from '../../../http/request/addresses.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { queryOf } from '../../../http/request/input.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { template } from '../../../http/request/template.ts'
import { sendPdf } from '../../../http/send-pdf.ts'
import { recordPath } from '../../../records/list/record-paths.ts'
import { productAccess } from '../../products/access.ts'
import { productCard } from '../../products/card.ts'
import { findProduct, type Product } from '../../products/product.ts'
import { orderAccess } from '../access.ts'
import { type Draft, findDraft, mayOfferDraft } from '../drafts/draft.ts'
import { findOrder } from '../order.ts'
import { customerOffer, type Missing, type Offer, withFiles } from './offer.ts'
import { quantityOf, type SubjectOf, sizeOf, subjectOfAsked, subjectOfDraft, subjectOfOrder } from './subjects.ts'

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
    const offer = customerOffer(request, subjectOf(request, record))
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
  const pdf = await twoAtATime(request, documents, () => makePdf([withFiles(request.server, offer)]))
  // Access may have been lost meanwhile.
  reauthorize(request)
  return sendPdf(reply, pdf, offer.document.title)
}
