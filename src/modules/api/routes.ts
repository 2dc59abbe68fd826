import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../web/access/record-routes.ts'
import { acceptOnlyJson } from './json-body.ts'
import { listRecords } from './list.ts'
import { refuseUnknownAddress, sendProblem } from './problem.ts'
import { resources } from './resources/all.ts'
import type { AnyResource } from './resources/resource.ts'
import { sendJson } from './send-json.ts'

/** For other programs: the records of the pages, under their rules, as JSON. */
export async function apiRoutes(app: FastifyInstance): Promise<void> {
  await app.register(
    async (scope) => {
      acceptOnlyJson(scope)
      scope.setErrorHandler(sendProblem)
      scope.setNotFoundHandler(refuseUnknownAddress)
      for (const resource of resources) recordRoutes(scope, resource)
    },
    { prefix: '/api' },
  )
}

function recordRoutes(scope: FastifyInstance, resource: AnyResource): void {
  const { name, may, find: record } = resource
  const answers = 'json'
  scope.get(`/v1/${name}`, { access: may.list, answers }, listRecords(resource))
  scope.get(`/v1/${name}/:id`, onRecord({ access: may.view, record, answers }, showRecord(resource)))
}

function showRecord(resource: AnyResource) {
  return (request: FastifyRequest, reply: FastifyReply, record: unknown) => sendJson(reply, resource.presentWhole(request, record))
}
