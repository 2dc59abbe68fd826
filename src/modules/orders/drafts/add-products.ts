import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDealer } from '../../../core/access.ts'
import type { Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf, parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { SentOtherwise } from '../../../http/submissions/idempotency.ts'
import type { BulkAction } from '../../../records/list/list.ts'
import { selectedRecords, selectionFields } from '../../../records/list/selection.ts'
import { listAddress } from '../../../records/list/state.ts'
import { productAccess as productMay } from '../../products/access.ts'
import { dealerProductList, productList } from '../../products/list.ts'
import { findProduct, type Product, productLabel } from '../../products/product.ts'
import { usesCatalog } from '../pricing/catalog.ts'
import { type Draft, draftsOf, mayAddProducts, ownDraft, saveDraft } from './draft.ts'
import { viewOfDrafts } from './list.ts'

export const addToOrder: BulkAction = {
  list: 'products',
  isOffered: usesCatalog,
  path: '/orders/drafts/products',
  label: 'Add to order…',
  icon: 'shopping-cart',
  rule: mayAddProducts,
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
export async function showAddProducts(request: FastifyRequest, reply: FastifyReply, source = queryOf(request)) {
  const { server, actor, t } = request
  const list = listOf(request)
  const products = await selectedProducts(request, source)
  const ids = products.map(({ id }) => id)
  return reply.page(addPage, {
    title: t('Add {count} products to an order', { count: products.length }),
    names: products.slice(0, 10).map(productLabel),
    more: products.length - 10,
    action: url(server, '/orders/drafts/products'),
    back: listAddress(request, list, source),
    once: crypto.randomUUID(),
    fields: selectionFields(request, list, source, ids),
    drafts: viewOfDrafts(server.db, draftsOf(server.db, actor.id)),
  })
}

/** Each product becomes a line of the draft `draft`, or of a new one. */
export const addProducts = {
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
