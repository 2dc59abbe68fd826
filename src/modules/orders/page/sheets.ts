import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import type { Document } from '../../../documents/document.ts'
import { makePdf } from '../../../documents/make-pdf.ts'
import { reauthorize } from '../../../http/access/policy-hook.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { documents, twoAtATime } from '../../../http/access/two-at-a-time.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { sendPdf } from '../../../http/send-pdf.ts'
import { selectedRecords } from '../../../records/list/selection.ts'
import { listAddress } from '../../../records/list/state.ts'
import { orderAccess } from '../access.ts'
import { orderSheetOf, workSheetOf } from '../documents/sheets.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order } from '../order.ts'

interface Sheets {
  title: string
  back: { href: string; label: string }
  /** The file of the same; many are printed as one by a job. */
  pdf?: string
  documents: Document[]
}

const sheetsTemplate = template<Sheets>('documents/sheets.njk')

const sheetLimit = 200

/** Sheets of an order to print, and work sheets of the selected ones. */
export function sheetRoutes(app: FastifyInstance): void {
  const { view, viewWorkSheet: rule } = orderAccess
  app.registry.bulkActions.push({
    list: 'orders',
    path: '/orders/work-sheets',
    label: 'Work sheets',
    icon: 'printer',
    rule,
    document: true,
  })
  app.get('/orders/work-sheets', { access: view }, showWorkSheets)
  app.get('/orders/:id/sheet', onRecord({ access: view, record: findOrder }, showSheet))
  app.get('/orders/:id/work-sheet', onRecord({ access: view, record: findOrder }, showWorkSheet))
}

function showSheet(request: FastifyRequest, reply: FastifyReply, order: Order) {
  return sendSheet(request, reply, order, orderSheetOf(request, order))
}

/** The work sheet must not contain prices. */
function showWorkSheet(request: FastifyRequest, reply: FastifyReply, order: Order) {
  return sendSheet(request, reply, order, workSheetOf(request, order))
}

/** As a page, or as the file that the page leads to. */
async function sendSheet(request: FastifyRequest, reply: FastifyReply, order: Order, document: Document) {
  const { title } = document
  if (queryOf(request).get('format') === 'pdf') {
    const pdf = await twoAtATime(request, documents, () => makePdf([document]))
    // Access may have been lost meanwhile.
    reauthorize(request)
    return sendPdf(reply, pdf, title)
  }
  const [path] = request.url.split('?')
  return reply.page(sheetsTemplate, { title, back: backTo(request, order), pdf: `${path}?format=pdf`, documents: [document] })
}

function backTo({ server, t, language }: Context, order: Order) {
  return { href: url(server, `/orders/${order.id}`), label: `${t('Order')} ${recordLabelFor(language, 'orders', `#${order.id}`)}` }
}

/** Those of the selected orders in one document, a page each. */
async function showWorkSheets(request: FastifyRequest, reply: FastifyReply) {
  const { server, t } = request
  const query = queryOf(request)
  const tooMany = 'Print up to {limit} work sheets at a time.'
  const list = orderList(server.db)
  const orders = await selectedRecords(request, list, query, { find: findOrder, rule: orderAccess.view }, { most: sheetLimit, tooMany })
  const back = { href: listAddress(request, list, query), label: t('Orders') }
  const documents = orders.map((order) => workSheetOf(request, order))
  return reply.page(sheetsTemplate, { title: t('Work sheets'), back, documents })
}
