import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, orderDrafts } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf, inputOf, parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { SentOtherwise } from '../../../http/submissions/idempotency.ts'
import { cardSteps } from '../../../records/card/save.ts'
import { acceptedFiles } from '../../../records/form/form.ts'
import type { BulkAction } from '../../../records/list/list.ts'
import { selectedRecords, selectionFields } from '../../../records/list/selection.ts'
import { readState, stateQuery } from '../../../records/list/state.ts'
import { productAccess as productMay } from '../../products/access.ts'
import { dealerProductList, productList } from '../../products/list.ts'
import { findProduct, type Product, productLabel } from '../../products/product.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import { isDealer, usesCatalog } from '../pricing/catalog.ts'
import {
  type Draft,
  draftsOf,
  endDraft,
  findDraft,
  mayAddProducts,
  mayDraft,
  namedDraft,
  orderOfDraft,
  ownDraft,
  requireRoomForDraft,
  saveDraft,
} from './draft.ts'
import { keepDraft } from './keep-draft.ts'
import { showDrafts, viewOfDrafts } from './list.ts'
import { showNewOrder } from './show-new-order.ts'

const addToOrder: BulkAction = {
  list: 'products',
  isOffered: usesCatalog,
  path: '/orders/drafts/products',
  label: 'Add to order…',
  icon: 'shopping-cart',
  rule: mayAddProducts,
}

export function draftRoutes(app: FastifyInstance): void {
  app.registry.bulkActions.push(addToOrder)
  app.get('/orders/drafts', { access: mayDraft }, showDrafts)
  app.post('/orders/drafts', action({ access: mayDraft, ...acceptedFiles(orderForm, 'create') }, keepDraft))
  app.get('/orders/drafts/products', { access: mayAddProducts }, showAddProducts)
  app.post('/orders/drafts/products', action({ access: mayAddProducts }, addProducts))
  app.post('/orders/drafts/:id/delete', action({ access: mayDraft, record: findDraft }, deleteDraft))
  app.post('/orders/drafts/:id/restore', action({ access: mayDraft, record: findDraft }, restoreDraft))
}

const newOrder = cardSteps(orderCard, 'create')

const newOrderEndingDraft: typeof newOrder = {
  ...newOrder,
  perform(request, record, prepared, sent) {
    refusePlacedDraft(request)
    const done = newOrder.perform(request, record, prepared, sent)
    const draft = namedDraft(request, inputOf(request))
    if (draft && done.record_id) endDraft(request.server.db, draft, done.record_id)
    return done
  },
}

/** In another tab somebody may have placed what they are writing here. @throws SentOtherwise, which leads to that order */
function refusePlacedDraft(request: FastifyRequest): void {
  const order = orderOfDraft(request, parseId(bodyOf(request).get('draft')))
  if (order === undefined) return
  const message = 'An order was already placed from this draft. What stands here now is not saved yet.'
  request.whyUnsaved = new SentOtherwise(url(request.server, `/orders/${order}`), message)
  throw request.whyUnsaved
}

/** A new order begins with a draft if one is named, which ends with it. */
export const newOrderHandlers = { showNew: showNewOrder, saveNew: newOrderEndingDraft }

function deleteDraft({ server }: Context, { id }: Draft): Done {
  setDeleted(server.db, id, Date.now())
  const undo = { action: url(server, `/orders/drafts/${id}/restore`) }
  return { location: url(server, '/orders/drafts'), message: ['Draft deleted', {}, undo] }
}

function restoreDraft({ server }: Context, { id, user_id, deleted_at }: Draft): Done {
  if (deleted_at !== null) {
    requireRoomForDraft(server.db, user_id)
    setDeleted(server.db, id, null)
  }
  return { location: url(server, '/orders/drafts'), message: ['Draft restored'] }
}

function setDeleted(db: Database, id: number, deleted_at: number | null): void {
  db.update(orderDrafts).set({ deleted_at }).where(eq(orderDrafts.id, id)).run()
}

const lineLimit = 200

interface AddView {
  title: string
  names: string[]
  more: number
  action: string
  back: string
  once: string
  fields: [name: string, value: string][]
  drafts: ReturnType<typeof viewOfDrafts>
}

const addPage = template<AddView>('orders/drafts/add-products.njk')

/** Asks for which order the selected products are. */
async function showAddProducts(request: FastifyRequest, reply: FastifyReply, source = queryOf(request)) {
  const { server, actor, t } = request
  const list = listOf(request)
  const products = await selectedProducts(request, source)
  const ids = products.map(({ id }) => id)
  return reply.page(addPage, {
    title: t('Add {count} products to an order', { count: products.length }),
    names: products.slice(0, 10).map(productLabel),
    more: products.length - 10,
    action: url(server, '/orders/drafts/products'),
    back: url(server, `/products${stateQuery(list, readState(list, source, actor))}`),
    once: crypto.randomUUID(),
    fields: selectionFields(request, list, source, ids),
    drafts: viewOfDrafts(server.db, draftsOf(server.db, actor.id)),
  })
}

/** Each product becomes a line of the draft `draft`, or of a new one. */
const addProducts = {
  prepare: (request: FastifyRequest) => selectedProducts(request, bodyOf(request)),
  perform: (request: FastifyRequest, _: unknown, products: Product[]): Done => {
    const draft = findChosen(request, bodyOf(request).get('draft'))
    const { id } = saveDraft(request, withProducts(draft?.fields ?? [['items', '']], products), draft)
    return { location: url(request.server, `/orders/add?draft=${id}`), message: ['{count} products added', { count: products.length }] }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, _: unknown, problem: HttpError) => {
    if (!(problem instanceof SentOtherwise)) throw problem
    return showAddProducts(request, reply, bodyOf(request))
  },
}

function listOf({ server: { db }, actor }: Context) {
  return isDealer(actor) ? dealerProductList(db) : productList(db)
}

function selectedProducts(context: Context, source: URLSearchParams): Promise<Product[]> {
  if (!usesCatalog(context.server.db)) throw new HttpError(422, 'The product catalog is off.')
  const tooMany = 'An order has up to {limit} lines. Select fewer products.'
  return selectedRecords(context, listOf(context), source, { find: findProduct, rule: productMay.view }, { most: lineLimit, tooMany })
}

function findChosen(context: Context, id: string | null): Draft | undefined {
  if (!id) return undefined
  const draft = ownDraft(context, parseId(id))
  if (!draft) throw notFound()
  return draft
}

/** Lines in which nothing was chosen yet make room for them. */
function withProducts(fields: Draft['fields'], products: Product[]): Draft['fields'] {
  const begun = new Set(fields.flatMap(([name, value]) => (isChoice(name) && value.trim() ? indexOf(name) : [])))
  const kept = fields.filter(([name]) => name !== 'items' && (!indexOf(name) || begun.has(indexOf(name))))
  if (begun.size + products.length > lineLimit) throw new HttpError(422, 'Up to {max} lines.', { max: lineLimit })
  const next = Math.max(-1, ...[...begun].map(Number)) + 1
  const lines = products.flatMap(({ id }, at): Draft['fields'] => [
    [`items[${next + at}][product_id]`, String(id)],
    [`items[${next + at}][quantity]`, '1'],
  ])
  return [['items', ''], ...kept, ...lines]
}

const indexOf = (name: string) => /^items\[(\d{1,4})\]/.exec(name)?.[1] ?? ''

const isChoice = (name: string) => indexOf(name) !== '' && !name.endsWith('[quantity]')
