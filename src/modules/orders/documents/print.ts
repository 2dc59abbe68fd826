import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { and, count, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import { allows } from '../../../core/access.ts'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { seesPrices } from '../../../core/prices.ts'
import { isOpenJob, jobs } from '../../../database/index.ts'
import type { Document } from '../../../documents/document.ts'
import { makeLongPdf } from '../../../documents/make-pdf.ts'
import { contextFor } from '../../../http/access/context-for.ts'
import { documents, requireTurn } from '../../../http/access/two-at-a-time.ts'
import { type ActionParts, action } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { incomingFolder } from '../../../http/uploads/folder.ts'
import { type AwaitedKind, addJob } from '../../../records/jobs/job.ts'
import type { BulkFormView } from '../../../records/list/bulk-form.ts'
import { hasChanged, selectedRecords, selectionFields } from '../../../records/list/selection.ts'
import { fileStamp } from '../../../records/spreadsheet/send-spreadsheet.ts'
import { orderAccess } from '../access.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { placeOfOrders } from '../transitions/bulk-page.ts'
import { contentOf, digestOf } from './content.ts'
import { currentDocument } from './document.ts'
import { workSheetOf } from './sheets.ts'

type Printable = 'work_sheets' | 'invoices'

interface View extends Omit<BulkFormView, 'form' | 'notice'> {
  seesInvoices: boolean
  problem?: string
  once: string
}

const printPage = template<View>('orders/print.njk')

const printLimit = 200

/** Documents of the selected orders in one file, which a job makes. */
export function printRoutes(app: FastifyInstance): void {
  const access = orderAccess.viewWorkSheet
  app.registry.jobKinds.set('print', printJob)
  app.registry.bulkActions.push({ list: 'orders', path: '/orders/print', label: 'Print as PDF…', icon: 'file-text', rule: access })
  app.get('/orders/print', { access }, showPrint)
  app.post('/orders/print', action({ access }, print))
}

/** Asks what of the selected orders is to be printed. */
const showPrint = async (request: FastifyRequest, reply: FastifyReply) => show(request, reply, queryOf(request))

async function show(request: FastifyRequest, reply: FastifyReply, source: URLSearchParams, problem?: string) {
  const orders = await readOrders(request, source)
  const { server, t, actor } = request
  const list = orderList(server.db)
  return reply.page(printPage, {
    title: t('Print as PDF: {count} orders', { count: orders.length }),
    names: namesOf(request, orders.slice(0, 10)),
    unnamed: orders.length - 10,
    action: url(server, '/orders/print'),
    back: placeOfOrders(request, source),
    fields: selectionFields(
      request,
      list,
      source,
      orders.map(({ id }) => id),
    ),
    seesInvoices: seesPrices(actor),
    problem,
    once: randomUUID(),
  })
}

function readOrders(request: FastifyRequest, source: URLSearchParams): Promise<Order[]> {
  const tooMany = 'Print up to {limit} orders at a time.'
  const authorization = { find: findOrder, rule: orderAccess.viewWorkSheet }
  return selectedRecords(request, orderList(request.server.db), source, authorization, { most: printLimit, tooMany })
}

const namesOf = ({ language }: Context, orders: Order[]) => orders.map((order) => recordLabelFor(language, 'orders', orderLabel(order)))

interface Printed {
  ids: number[]
  what: Printable
  back: string
  file_name: string
  file?: string
}

/** Adds the job that makes one file of them. */
const print: ActionParts<unknown, Order[]> = {
  async prepare(request) {
    const orders = await readOrders(request, bodyOf(request))
    const changed = hasChanged(
      bodyOf(request),
      orders.map(({ id }) => id),
    )
    if (changed) throw new HttpError(409, 'The list has changed. Review it and try again.')
    return orders
  },
  perform(request, _, orders) {
    const what = readPrintable(request)
    if (what === 'invoices') requireInvoices(request, orders)
    requireTurn(countPrinting(request), documents)
    const ids = orders.map(({ id }) => id)
    const payload: Printed = { ids, what, back: placeOfOrders(request, bodyOf(request)), file_name: `${what}_${fileStamp(new Date())}.pdf` }
    return { location: addJob(request, { kind: 'print', list: 'orders', total: 1, payload }) }
  },
  showAgain: (request, reply, _, problem) => show(request, reply, bodyOf(request), request.t(problem)),
}

function countPrinting({ server: { db }, actor }: Context): number {
  const open = and(eq(jobs.kind, 'print'), eq(jobs.user_id, actor.id), isOpenJob)
  return db.select({ open: count() }).from(jobs).where(open).get()?.open ?? 0
}

function readPrintable(request: FastifyRequest): Printable {
  const what = bodyOf(request).get('what')
  if (what === 'work_sheets' || (what === 'invoices' && seesPrices(request.actor))) return what
  throw new HttpError(422, 'Choose a value from the list.')
}

/** @throws HttpError that names the orders without an invoice that still says what they do */
function requireInvoices(context: Context, orders: Order[]): void {
  const without = orders.filter((order) => invoiceOf(context, order) === undefined)
  if (without.length === 0) return
  const [orderNames, more] = [namesOf(context, without.slice(0, 10)).join(', '), without.length > 10 ? ' …' : '']
  throw new HttpError(422, 'Issue invoices for these orders first, or reissue the outdated ones: {orders}', { orders: orderNames + more })
}

function invoiceOf({ server }: Context, order: Order): Document | undefined {
  const issued = currentDocument(server.db, order.id, 'invoice')
  if (issued?.content !== digestOf(server, order, 'invoice')) return undefined
  return contentOf(server, order, 'invoice', { number: issued.number, day: issued.date })
}

/** What its person may see when it is made; after a restart it is made anew. */
const printJob: AwaitedKind<Printed> = {
  async work(app, { id, author, authenticated_at, payload }) {
    const context = contextFor(app, author, authenticated_at)
    const printed: Document[] = []
    await eachInTurn(payload.ids, (order) => void printed.push(...documentOf(context, order, payload.what)))
    const file = `${randomUUID()}.pdf`
    const folder = incomingFolder(app.config.dataDir)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, file), await makeLongPdf(printed))
    return () => {
      app.db
        .update(jobs)
        .set({ done: 1, payload: { ...payload, file } })
        .where(eq(jobs.id, id))
        .run()
      return undefined
    }
  },
  end: (_, { payload: { file, file_name } }, state) =>
    state === 'stopped' ? undefined : { event: file ? 'export-ready' : 'export-failed', file, file_name },
  links: (_, { payload }) => ({ back: payload.back }),
}

function documentOf(context: Context, id: number, what: Printable): Document[] {
  const order = findOrder(context.server.db, id)
  if (!order || !allows(orderAccess.viewWorkSheet, context.actor, order)) return []
  if (what === 'work_sheets') return [workSheetOf(context, order)]
  const invoice = seesPrices(context.actor) ? invoiceOf(context, order) : undefined
  return invoice ? [invoice] : []
}
