import type { FastifyInstance } from 'fastify'
import { type Actor, allOf, anyOf, either, group, has, isGroup } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { showChoices } from '../../records/form/choices.ts'
import { acceptedFiles } from '../../records/form/form.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { addRecord } from '../../records/record.ts'
import { findPricedProducts } from '../products/product-choices.ts'
import { orderAccess } from './access.ts'
import { showBoard } from './board.ts'
import { assignStatus, moveFromCard, orderCard } from './card.ts'
import { addOrderWidgets } from './dashboard.ts'
import { showDealers, showDiscounts } from './dealer-choices.ts'
import { documentAccess, mayIssue } from './documents/access.ts'
import { documentFiles, findDocument } from './documents/document.ts'
import { documentList } from './documents/list.ts'
import { issueFromPage, sendDocument } from './documents/page.ts'
import { print, printJob, showPrint } from './documents/print.ts'
import { documentRecords } from './documents/records.ts'
import { documentResource } from './documents/resource.ts'
import { filesOfStep } from './documents/step-files.ts'
import { draftAttachments } from './drafts/draft.ts'
import { draftRoutes, newOrderHandlers } from './drafts/routes.ts'
import { findSteps } from './find-steps.ts'
import { orderForm } from './form.ts'
import { lineFiles, openLineFile } from './line-files.ts'
import { orderDeletion, orderList, orderSearch } from './list.ts'
import { showTimeline } from './messages/discussion.ts'
import { showPeople } from './messages/mentions.ts'
import { findMessage, mayChangeMessage, messageFiles } from './messages/message.ts'
import { unreadOrders } from './messages/visits.ts'
import { editMessage, sendMessage, withdrawMessage } from './messages/write-message.ts'
import { offerRoutes } from './offers/routes.ts'
import { findOrder } from './order.ts'
import { saveSection, showSection } from './page/edit-section.ts'
import { moveFromPage, showPage } from './page/order-page.ts'
import { showSheet, showWorkSheet, showWorkSheets } from './page/sheets.ts'
import { undo } from './page/undo.ts'
import { showPrices } from './pricing/show-prices.ts'
import { remindRoutes } from './remind.ts'
import { orderResource } from './resource.ts'
import { orderSections, sectionPath } from './sections.ts'
import { orderFileInputs } from './transitions/bulk-form.ts'
import { showDryRun } from './transitions/dry-run.ts'
import { moveJob, moveSelected, showBulkTransition } from './transitions/move-orders.ts'

export async function orderRoutes(app: FastifyInstance): Promise<void> {
  const list = orderList(app.db)
  const record = findOrder
  app.registry.filesBesideCards.push(lineFiles, messageFiles, draftAttachments, documentFiles)
  app.registry.subordinates.push(documentRecords)
  app.registry.filesOfSteps.push(filesOfStep)
  const news = { label: 'Unread messages', count: ({ id }: Actor) => unreadOrders(app.db, id).size }
  addOrderWidgets(app)
  const menu = { icon: 'shopping-cart', section: 'Sales', news, letter: 'o' } as const
  const search = { ...orderSearch, acts: findSteps }
  addRecord(app, { list, card: orderCard, deletion: orderDeletion, search, api: orderResource, menu }, newOrderHandlers)
  draftRoutes(app)
  offerRoutes(app)
  app.registry.jobKinds.set('move', moveJob)
  const { act, viewWorkSheet } = orderAccess
  app.registry.bulkActions.push({ list: 'orders', path: '/orders/transitions', label: 'Move to…', icon: 'arrow-right', rule: act })
  app.get('/orders/transitions', { access: act }, showBulkTransition)
  app.post('/orders/transitions', action({ access: act, uploads: orderFileInputs }, moveSelected))
  remindRoutes(app)
  app.registry.bulkActions.push(
    { list: 'orders', path: '/orders/work-sheets', label: 'Work sheets', icon: 'printer', rule: viewWorkSheet, document: true },
    { list: 'orders', path: '/orders/print', label: 'Print as PDF…', icon: 'file-text', rule: viewWorkSheet },
  )
  app.get('/orders/work-sheets', { access: orderAccess.view }, showWorkSheets)
  app.registry.jobKinds.set('print', printJob)
  app.get('/orders/print', { access: viewWorkSheet }, showPrint)
  app.post('/orders/print', action({ access: viewWorkSheet }, print))
  app.get('/orders/board', { access: orderAccess.list }, showBoard)
  app.get('/orders/dealers', { access: dealerChoiceRule, answers: 'fragment' }, showDealers)
  app.get('/orders/discounts', { access: allOf(dealerChoiceRule, anyOf(has(ofPrices.needs))), answers: 'fragment' }, showDiscounts)
  app.get('/orders/products', { access: lineRule, answers: 'fragment' }, showChoices(findPricedProducts))
  app.post('/orders/add/price', { access: lineRule, answers: 'fragment' }, showPrices)
  app.post('/orders/edit/:id/transition', action({ access: orderAccess.act, record, ...acceptedFiles(orderForm, 'edit') }, moveFromCard))
  app.post('/orders/edit/:id/status', action({ access: orderAccess.assignStatus, record }, assignStatus))
  app.get('/orders/try', { access: anyOf(has('status_can_view')) }, showDryRun)
  pageRoutes(app)
  sectionRoutes(app)
  documentRoutes(app)
}

function documentRoutes(app: FastifyInstance): void {
  listRoutes(app, documentList(app.db), { label: 'Documents', icon: 'file-text', section: 'Sales', letter: 'f' })
  app.records.set('documents', { list: documentList(app.db), api: documentResource })
  const file = { access: documentAccess.view, record: findDocument, answers: 'file', compress: false } as const
  app.get('/documents/:id/file', onRecord(file, sendDocument))
  app.post('/orders/:id/issue', action({ access: mayIssue, record: findOrder }, issueFromPage))
}

function pageRoutes(app: FastifyInstance): void {
  const record = findOrder
  const { uploads } = acceptedFiles(orderForm, 'edit')
  app.get('/orders/:id', onRecord({ access: orderAccess.view, record }, showPage))
  app.get('/orders/:id/timeline', onRecord({ access: orderAccess.view, record, answers: 'fragment', background: true }, showTimeline))
  app.get('/orders/:id/people', onRecord({ access: orderAccess.view, record, answers: 'fragment' }, showPeople))
  app.get('/orders/:id/sheet', onRecord({ access: orderAccess.view, record }, showSheet))
  app.get('/orders/:id/work-sheet', onRecord({ access: orderAccess.view, record }, showWorkSheet))
  app.post('/orders/:id/transition', action({ access: orderAccess.act, record, uploads }, moveFromPage))
  app.post('/orders/:id/undo', action({ access: orderAccess.act, record }, undo))
  app.get('/orders/:id/files/:key', onRecord({ access: orderAccess.view, record, answers: 'file' }, openLineFile))
  app.post('/orders/:id/messages', action({ access: orderAccess.act, record, uploads: /^files$/ }, sendMessage))
  app.post('/orders/:order/messages/:id', action({ access: mayChangeMessage, record: findMessage }, editMessage))
  app.post('/orders/:order/messages/:id/withdraw', action({ access: mayChangeMessage, record: findMessage }, withdrawMessage))
}

/** Each section of an order is edited by itself, under the rule of its fields. */
function sectionRoutes(app: FastifyInstance): void {
  const record = findOrder
  for (const section of orderSections) {
    const { name, access, form } = section
    const path = sectionPath(':id', name)
    const save = action({ access, record, ...acceptedFiles(form, 'edit') }, saveSection(section))
    app.get(path, onRecord({ access, record }, showSection(section)))
    app.post(path, save)
    // Where a document is missing, the page takes it.
    if (name === 'documents') app.post('/orders/:id/documents', save)
  }
}

const dealerChoiceRule = anyOf(has('order_can_add'), has('order_can_edit'), isGroup(group.manager))

/** Who may write lines, of which prices are a part. */
const lineRule = allOf(either(dealerChoiceRule, anyOf(isGroup(group.dealer))), anyOf(has(ofPrices.needs)))
