import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorizer } from '../../core/access.ts'
import type { DocumentKind } from '../../core/documents.ts'
import { documentKindLabels } from '../../core/labels.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { type ActionParts, action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { invalid } from '../../records/api/problem.ts'
import { readJson } from '../../records/api/read-json.ts'
import { sendCreated, sendJson } from '../../records/api/send-json.ts'
import { option } from '../../records/fields/index.ts'
import { blankState, formWithoutTable, isValid } from '../../records/form/form.ts'
import { readForm } from '../../records/form/read.ts'
import type { Sent } from '../../records/form/sent.ts'
import { orderAccess } from '../orders/access.ts'
import { documentAccess, mayIssue } from '../orders/documents/access.ts'
import { documentsOf, findDocument, type Issued } from '../orders/documents/document.ts'
import { issueDocument, type Paper, preparePaper, withIssueQueue } from '../orders/documents/issue.ts'
import { jsonOfDocument } from '../orders/documents/json.ts'
import { findOrder, type Order } from '../orders/order.ts'

/** Documents of an order: listed, and issued as on its page. */
export function documentRoutes(scope: FastifyInstance): void {
  const answers = 'json'
  scope.get('/v1/orders/:id/documents', onRecord({ access: orderAccess.view, record: findOrder, answers }, listDocuments))
  scope.post('/v1/orders/:id/documents', action({ access: mayIssue, record: findOrder, answers }, issue))
}

function listDocuments(request: FastifyRequest, reply: FastifyReply, { id }: Order): FastifyReply {
  const sees = authorizer(documentAccess.view, request.actor)
  const items = documentsOf(request.server.db, id).filter(sees)
  return sendJson(reply, { items: items.map((document) => jsonOfDocument(request, document)), next: null })
}

export const issueForm = formWithoutTable([
  { title: 'Documents', fields: { kind: option('Document', documentKindLabels, { required: true }) } },
])

const issue: ActionParts<Order, Paper | undefined, Sent> = {
  read: (request) => readJson(request, issueForm, 'create'),
  around: (request, carryOn) => withIssueQueue(request.server, carryOn),
  prepare: (request, order, sent) => preparePaper(request, order, readKind(request, sent)),
  perform(request, order, paper, sent) {
    const { id } = issueDocument(request, order, readKind(request, sent), paper)
    return { location: url(request.server, `/api/v1/documents/${id}`), record_id: id }
  },
  answer: (request, reply, _, done) =>
    sendCreated(reply, done.location, jsonOfDocument(request, findDocument(request.server.db, done.record_id ?? -1) as Issued)),
}

function readKind(context: Context, sent: Sent): DocumentKind {
  const entry = readForm(issueForm, blankState, sent)
  if (!isValid(entry)) throw invalid(context, entry.errors)
  return entry.values.kind as DocumentKind
}
