import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { HttpError, pageNotFound } from '../../http/request/errors.ts'
import { listRecords } from '../../records/api/list.ts'
import { sendProblem } from '../../records/api/problem.ts'
import { recordAction } from '../../records/api/save.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { resourcesOf } from '../../records/kind/registry.ts'
import type { AnyResource } from '../../records/kind/resource.ts'
import { download } from '../files/routes.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder } from '../orders/order.ts'
import { deletionsRoute } from './deletions.ts'
import { documentRoutes } from './documents.ts'
import { uploadRoutes } from './files.ts'
import { sendDescription } from './openapi.ts'
import { paymentRoutes } from './payments.ts'
import { moveAction } from './transitions.ts'

/** For other programs: the records of the pages, under their rules, as JSON. */
export async function apiRoutes(app: FastifyInstance): Promise<void> {
  await app.register(
    async (scope) => {
      acceptOnlyJson(scope)
      scope.setErrorHandler(sendProblem)
      scope.setNotFoundHandler(refuseUnknownAddress)
      for (const resource of resourcesOf(app)) recordRoutes(scope, resource)
      scope.post('/v1/orders/:id/transitions', action({ access: orderAccess.act, record: findOrder, answers: 'json' }, moveAction))
      paymentRoutes(scope)
      documentRoutes(scope)
      scope.get('/v1/openapi.json', { access: 'signed-in', answers: 'json' }, sendDescription)
      deletionsRoute(scope)
      scope.get('/v1/files/:key', { access: 'signed-in', answers: 'file', compress: false }, download)
    },
    { prefix: '/api' },
  )
  await app.register(async (scope) => uploadRoutes(scope), { prefix: '/api' })
}

function recordRoutes(scope: FastifyInstance, resource: AnyResource): void {
  const { name, may, find: record, card } = resource
  const answers = 'json'
  scope.get(`/v1/${name}`, { access: may.list, answers }, listRecords(resource))
  scope.get(`/v1/${name}/:id`, onRecord({ access: may.view, record, answers }, showRecord(resource)))
  if (!card) return
  scope.post(`/v1/${name}`, action({ access: card.may.add, answers }, recordAction(resource, card, 'create')))
  scope.patch(`/v1/${name}/:id`, action({ access: card.may.edit, record, answers }, recordAction(resource, card, 'edit')))
}

function showRecord(resource: AnyResource) {
  return (request: FastifyRequest, reply: FastifyReply, record: unknown) => sendJson(reply, resource.json(request, record))
}

/** Nothing but JSON is taken in this scope: no form that a page of another site could send. */
function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(new HttpError(400, 'The body is not valid JSON.'))
    }
  })
}

function refuseUnknownAddress(): never {
  throw pageNotFound()
}
