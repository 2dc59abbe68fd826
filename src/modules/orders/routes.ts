import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, allOf, allows, anyOf, either, group, has, isGroup } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { namesFile } from '../../database/file-columns.ts'
import { orderItems, prepareOnce } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { HttpError } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { savedName } from '../../http/uploads/uploaded.ts'
import type { AttachmentSource } from '../../records/attachments.ts'
import { acceptedFiles } from '../../records/form/form.ts'
import { addRecord } from '../../records/record.ts'
import { orderAccess } from './access.ts'
import { showBoard } from './board.ts'
import { assignStatus, moveFromCard, orderCard } from './card.ts'
import { addOrderWidgets } from './dashboard.ts'
import { showDealers, showDiscounts } from './dealer-choices.ts'
import { printRoutes } from './documents/print.ts'
import { documentRoutes } from './documents/routes.ts'
import { draftAttachments } from './drafts/draft.ts'
import { draftRoutes, newOrderHandlers } from './drafts/routes.ts'
import { findSteps } from './find-steps.ts'
import { orderForm } from './form.ts'
import { orderDeletion, orderList } from './list.ts'
import { showTimeline } from './messages/discussion.ts'
import { showPeople } from './messages/mentions.ts'
import { messageFiles } from './messages/message.ts'
import { unreadOrders } from './messages/visits.ts'
import { messageRoutes } from './messages/write-message.ts'
import { offerRoutes } from './offers/routes.ts'
import { findOrder, type Order, orderMissing } from './order.ts'
import { showChoices } from './page/choices.ts'
import { sectionRoutes } from './page/edit-section.ts'
import { moveFromPage, showPage } from './page/order-page.ts'
import { sheetRoutes } from './page/sheets.ts'
import { undo } from './page/undo.ts'
import { itemsOf } from './pricing/lines.ts'
import { showPrices } from './pricing/show-prices.ts'
import { showProducts } from './pricing/show-products.ts'
import { remindRoutes } from './remind.ts'
import { orderResource } from './resource.ts'
import { orderSearch } from './search.ts'
import { orderTeller } from './tell.ts'
import { showDryRun } from './transitions/dry-run.ts'
import { bulkTransitionRoutes } from './transitions/move-orders.ts'

export async function orderRoutes(app: FastifyInstance): Promise<void> {
  const list = orderList(app.db)
  const record = findOrder
  app.registry.filesBesideCards.push(lineFiles, messageFiles, draftAttachments)
  const news = { label: 'Unread messages', count: ({ id }: Actor) => unreadOrders(app.db, id).size }
  app.registry.tellers.push(orderTeller)
  addOrderWidgets(app)
  const menu = { icon: 'shopping-cart', section: 'Sales', news, letter: 'o', says: ['requests, purchases'] } as const
  app.registry.commands.push({ path: '/orders/board', label: ['Order board'], says: ['kanban, columns, cards'], rule: orderAccess.list })
  const search = { ...orderSearch, acts: findSteps }
  addRecord(app, { list, card: orderCard, deletion: orderDeletion, search, api: orderResource, menu }, newOrderHandlers)
  draftRoutes(app)
  offerRoutes(app)
  bulkTransitionRoutes(app)
  remindRoutes(app)
  sheetRoutes(app)
  printRoutes(app)
  app.get('/orders/board', { access: orderAccess.list }, showBoard)
  app.get('/orders/dealers', { access: dealerChoiceRule, answers: 'fragment' }, showDealers)
  app.get('/orders/discounts', { access: allOf(dealerChoiceRule, anyOf(has(ofPrices.needs))), answers: 'fragment' }, showDiscounts)
  app.get('/orders/products', { access: lineRule, answers: 'fragment' }, showProducts)
  app.post('/orders/add/price', { access: lineRule, answers: 'fragment' }, showPrices)
  app.post('/orders/edit/:id/transition', action({ access: orderAccess.act, record, ...acceptedFiles(orderForm, 'edit') }, moveFromCard))
  app.post('/orders/edit/:id/status', action({ access: orderAccess.assignStatus, record }, assignStatus))
  app.get('/orders/try', { access: anyOf(has('status_can_view')) }, showDryRun)
  pageRoutes(app)
  sectionRoutes(app)
  documentRoutes(app)
}

function pageRoutes(app: FastifyInstance): void {
  const record = findOrder
  const { uploads } = acceptedFiles(orderForm, 'edit')
  app.get('/orders/:id', onRecord({ access: orderAccess.view, record, missing: orderMissing }, showPage))
  app.get('/orders/:id/timeline', onRecord({ access: orderAccess.view, record, answers: 'fragment', background: true }, showTimeline))
  app.get('/orders/:id/people', onRecord({ access: orderAccess.view, record, answers: 'fragment' }, showPeople))
  app.get('/orders/:id/steps', onRecord({ access: orderAccess.view, record }, showChoices))
  app.post('/orders/:id/transition', action({ access: orderAccess.act, record, uploads }, moveFromPage))
  app.post('/orders/:id/undo', action({ access: orderAccess.act, record }, undo))
  app.get('/orders/:id/files/:key', onRecord({ access: orderAccess.view, record, answers: 'file' }, openLineFile))
  messageRoutes(app)
}

const dealerChoiceRule = anyOf(has('order_can_add'), has('order_can_edit'), isGroup(group.manager))

/** Who may write lines, of which prices are a part. */
const lineRule = allOf(either(dealerChoiceRule, anyOf(isGroup(group.dealer))), anyOf(has(ofPrices.needs)))

/** Drawings and photos of lines, for whoever may see the order. */
const lineFiles: AttachmentSource = (db, key) =>
  ordersWith(db)
    .all({ key })
    .map(({ id }) => ({
      record: { entity: 'orders', id, field: 'items' },
      mayRead: (actor) => allows(orderAccess.view, actor, findOrder(db, id)),
    }))

const ordersWith = prepareOnce((db, params) =>
  db.selectDistinct({ id: orderItems.order_id }).from(orderItems).where(namesFile(orderItems.files, params.key)).prepare(),
)

/** To the file while a line has it: a page may have been open for long. */
function openLineFile(request: FastifyRequest, reply: FastifyReply, { id }: Order) {
  const { db } = request.server
  const key = paramOf(request, 'key')
  if (!itemsOf(db, id).some(({ files }) => files?.includes(key)))
    throw new HttpError(404, 'This file is no longer there: it was removed or replaced.')
  const name = savedName(db, { entity: 'orders', id, field: 'items' }, key)
  return reply.redirect(url(request.server, `/files/${key}${name ? `?${new URLSearchParams({ name })}` : ''}`), 303)
}
