import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, orderDrafts } from '../../../database/index.ts'
import { onRecord, writeRecord } from '../../../web/access/record-routes.ts'
import { create } from '../../../web/card/save.ts'
import { acceptedFiles } from '../../../web/form/form.ts'
import { flash, inputOf, url } from '../../../web/http.ts'
import type { FurtherAction } from '../../../web/list/state.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import { usesCatalog } from '../pricing/catalog.ts'
import { addProducts, showAddProducts } from './add-products.ts'
import { type Draft, endDraft, findDraft, mayAddProducts, mayDraft, namedDraft, requireRoomForDraft } from './draft.ts'
import { keepDraft } from './keep-draft.ts'
import { showDrafts } from './list.ts'
import { showNewOrder } from './show-new-order.ts'

const addToOrder: FurtherAction = {
  list: 'products',
  isOffered: usesCatalog,
  path: '/orders/drafts/products',
  label: 'Add to order…',
  icon: 'shopping-cart',
  rule: mayAddProducts,
}

export function draftRoutes(app: FastifyInstance): void {
  app.bulkActions.push(addToOrder)
  app.get('/orders/drafts', { access: mayDraft }, showDrafts)
  app.post('/orders/drafts', { access: mayDraft, ...acceptedFiles(orderForm, 'create') }, keepDraft)
  app.get('/orders/drafts/products', { access: mayAddProducts }, showAddProducts)
  app.post('/orders/drafts/products', { access: mayAddProducts }, addProducts)
  app.post('/orders/drafts/:id/delete', onRecord({ access: mayDraft, record: findDraft }, deleteDraft))
  app.post('/orders/drafts/:id/restore', onRecord({ access: mayDraft, record: findDraft }, restoreDraft))
}

/** A new order begins with a draft if one is named, which ends with it. */
export const newOrderHandlers = {
  showNew: showNewOrder,
  saveNew: (request: FastifyRequest, reply: FastifyReply) => create(cardEndingDraft(request))(request, reply),
}

function cardEndingDraft(request: FastifyRequest): typeof orderCard {
  const { db } = request.server
  return {
    ...orderCard,
    create: (acting, values) => {
      const id = orderCard.create(acting, values)
      const draft = namedDraft(request, inputOf(request))
      if (draft) endDraft(db, draft, id)
      return id
    },
  }
}

function deleteDraft(request: FastifyRequest, reply: FastifyReply, draft: Draft) {
  const { server } = request
  writeRecord(request, draft, ({ id }) => setDeleted(server.db, id, Date.now()))
  flash(request, 'Draft deleted', {}, { action: url(server, `/orders/drafts/${draft.id}/restore`) })
  return reply.redirect(url(server, '/orders/drafts'), 303)
}

function restoreDraft(request: FastifyRequest, reply: FastifyReply, draft: Draft) {
  const { db } = request.server
  writeRecord(request, draft, ({ id, user_id, deleted_at }) => {
    if (deleted_at === null) return
    requireRoomForDraft(db, user_id)
    setDeleted(db, id, null)
  })
  flash(request, 'Draft restored')
  return reply.redirect(url(request.server, '/orders/drafts'), 303)
}

function setDeleted(db: Database, id: number, deleted_at: number | null): void {
  db.update(orderDrafts).set({ deleted_at }).where(eq(orderDrafts.id, id)).run()
}
