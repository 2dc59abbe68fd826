import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DocumentKind, isDocumentKind } from '../../../core/documents.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { type ActionParts, action } from '../../../http/action.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf } from '../../../http/request/input.ts'
import { pdfHeaders } from '../../../http/send-pdf.ts'
import { cleanName } from '../../../http/uploads/file-name.ts'
import { folderOf } from '../../../http/uploads/folder.ts'
import { savedName } from '../../../http/uploads/uploaded.ts'
import { addRecord } from '../../../records/record.ts'
import { findOrder, type Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/order-page.ts'
import { documentAccess, mayIssue } from './access.ts'
import { documentFiles, findDocument, type Issued } from './document.ts'
import { documentRecords } from './history.ts'
import { issueDocument, type Paper, preparePaper, withIssueQueue } from './issue.ts'
import { documentList } from './list.ts'
import { Incomplete } from './missing.ts'
import { documentResource } from './resource.ts'
import { filesOfStep } from './step-files.ts'

export function documentRoutes(app: FastifyInstance): void {
  app.registry.filesBesideCards.push(documentFiles)
  app.registry.subordinates.push(documentRecords)
  app.registry.filesOfSteps.push(filesOfStep)
  addRecord(app, {
    list: documentList(app.db),
    api: documentResource,
    menu: { label: 'Documents', icon: 'file-text', section: 'Sales', letter: 'f', says: ['invoices, specifications, offers'] },
  })
  const file = { access: documentAccess.view, record: findDocument, answers: 'file', compress: false } as const
  app.get('/documents/:id/file', onRecord(file, sendDocument))
  app.post('/orders/:id/issue', action({ access: mayIssue, record: findOrder }, issueFromPage))
}

/** POST of a button beside the documents of an order. One that holds still is not issued again. */
const issueFromPage: ActionParts<Order, Paper | undefined> = {
  around: (request, carryOn) => withIssueQueue(request.server, carryOn),
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
        : { problem: request.t(problem) },
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
