import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Database, orderDrafts } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { bodyOf, inputOf, parseId } from '../../../http/request/input.ts'
import { SentOtherwise } from '../../../http/submissions/idempotency.ts'
import { cardAction } from '../../../records/card/save.ts'
import { acceptedFiles } from '../../../records/form/form.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import { addProducts, addToOrder, showAddProducts } from './add-products.ts'
import { type Draft, endDraft, findDraft, mayAddProducts, mayDraft, namedDraft, orderOfDraft, requireRoomForDraft } from './draft.ts'
import { keepDraft } from './keep-draft.ts'
import { showDrafts } from './list.ts'
import { showNewOrder } from './show-new-order.ts'

export function draftRoutes(app: FastifyInstance): void {
  app.registry.bulkActions.push(addToOrder)
  app.registry.commands.push({ path: '/orders/drafts', label: ['Drafts'], says: ['unfinished orders'], rule: mayDraft })
  app.get('/orders/drafts', { access: mayDraft }, showDrafts)
  app.post('/orders/drafts', action({ access: mayDraft, ...acceptedFiles(orderForm, 'create') }, keepDraft))
  app.get('/orders/drafts/products', { access: mayAddProducts }, showAddProducts)
  app.post('/orders/drafts/products', action({ access: mayAddProducts }, addProducts))
  app.post('/orders/drafts/:id/delete', action({ access: mayDraft, record: findDraft }, deleteDraft))
  app.post('/orders/drafts/:id/restore', action({ access: mayDraft, record: findDraft }, restoreDraft))
}

const newOrder = cardAction(orderCard, 'create')

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
  return { location: url(server, '/orders/drafts'), message: ['Draft deleted', {}, { undo }] }
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
