import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DocumentKind, documentKinds, documentStates, isDocumentKind } from '../../../core/documents.ts'
import { documentKindLabels, documentStateLabels } from '../../../core/labels.ts'
import { ofPrices } from '../../../core/prices.ts'
import { companies, documents, orders, prepareOnce, whereIn } from '../../../database/index.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { type ActionSteps, action } from '../../../http/action.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf } from '../../../http/request/input.ts'
import { pdfHeaders } from '../../../http/send-pdf.ts'
import { cleanName } from '../../../http/uploads/file-name.ts'
import { folderOf } from '../../../http/uploads/folder.ts'
import { savedName } from '../../../http/uploads/uploaded.ts'
import { idsOf } from '../../../records/api/resource.ts'
import { choice, date, money, number, option, text, upload } from '../../../records/fields/index.ts'
import { day, integer, kopecks, moment, objectOf, orNull, string } from '../../../records/fields/json-schema.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { listRoutes } from '../../../records/list/routes.ts'
import { findOrder, type Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/order-page.ts'
import { documentAccess, mayIssue } from './access.ts'
import { documentFiles, findDocument, type Issued, selectDocuments } from './document.ts'
import { issueDocument, issuing, type Paper, preparePaper } from './issue.ts'
import { jsonOfDocument } from './json.ts'
import { documentList } from './list.ts'
import { Incomplete } from './missing.ts'
import { filesOfStep } from './step-files.ts'

export function documentRoutes(app: FastifyInstance): void {
  app.registry.filesBesideCards.push(documentFiles)
  app.registry.subordinates.push(documentRecords)
  app.registry.filesOfSteps.push(filesOfStep)
  listRoutes(app, documentList(app.db), { label: 'Documents', icon: 'file-text', section: 'Sales', letter: 'f' })
  app.records.set('documents', { list: documentList(app.db), api: documentResource })
  const file = { access: documentAccess.view, record: findDocument, answers: 'file', compress: false } as const
  app.get('/documents/:id/file', onRecord(file, sendDocument))
  app.post('/orders/:id/issue', action({ access: mayIssue, record: findOrder }, issueFromPage))
}

/** POST of a button beside the documents of an order. One that holds still is not issued again. */
const issueFromPage: ActionSteps<Order, Paper | undefined> = {
  around: (request, attempt) => issuing(request.server, attempt),
  prepare: (request, order) => preparePaper(request, order, namedKind(request)),
  perform(request, order, paper) {
    const { number, kind } = issueDocument(request, order, namedKind(request), paper)
    return {
      location: `${pageAddress(request.server, order, bodyOf(request))}#issued`,
      message: ['Issued: {kind} {number}', { kind: request.t(documentKindLabels[kind]), number }],
    }
  },
  showAgain: (request, reply, order, problem) =>
    showPage(
      request,
      reply,
      order,
      problem instanceof Incomplete
        ? { problem: request.t('Nothing was issued. Fill in first:'), missing: problem.missing }
        : { problem: request.t(problem.message, problem.params) },
    ),
}

function namedKind(request: FastifyRequest): DocumentKind {
  const kind = bodyOf(request).get('kind')
  if (!isDocumentKind(kind)) throw new HttpError(422, 'Choose a value from the list.')
  return kind
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { id, file, number }: Issued): FastifyReply {
  const { db, config } = request.server
  const folder = folderOf(config.dataDir, file)
  if (!existsSync(join(folder, file))) throw notFound()
  const name = savedName(db, { entity: 'documents', id, field: 'file' }, file) ?? `${cleanName(number)}.pdf`
  return reply.headers(pdfHeaders(name)).sendFile(file, folder, { contentType: false })
}

const byIds = prepareOnce((db, params) => selectDocuments(db).where(whereIn(documents.id, params.ids)).prepare())

/** Issued at their order; here they are read. */
const documentResource: Resource<Issued, Issued> = {
  name: 'documents',
  schema: 'Document',
  table: documents,
  find: findDocument,
  may: documentAccess,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfDocument,
  json: jsonOfDocument,
  fields: {
    ...{ id: integer, version: integer, kind: { ...string, enum: [...documentKinds] }, number: string, date: day },
    ...{ order_id: orNull(integer), company_id: orNull(integer), amount: orNull(kopecks), state: { ...string, enum: [...documentStates] } },
    ...{ order_version: integer, replaced_by_id: orNull(integer), issuer_id: orNull(integer), issuer: string },
    file: objectOf({ key: string, name: string, url: string }),
    ...{ created_at: moment, updated_at: moment },
  },
}

/** What the history tells of documents. */
const documentRecords: Subordinate = {
  ...ofPrices,
  table: documents,
  title: 'Issued documents',
  fields: {
    kind: option('Document', documentKindLabels),
    number: text('Number'),
    date: date('Date'),
    order_id: choice('Order'),
    company_id: choice('Company'),
    amount: money('Amount', {}),
    state: option('State', documentStateLabels),
    file: upload('File'),
    replaced_by_id: number('Replaced by', { least: 1, most: Number.MAX_SAFE_INTEGER }),
  },
  owners: [
    { table: orders, column: documents.order_id },
    { table: companies, column: documents.company_id },
  ],
}
