import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Result } from '../../http/submissions/idempotency.ts'
import { cardSteps } from '../card/save.ts'
import type { Mode } from '../form/form.ts'
import type { AnyCard } from '../kind/card.ts'
import type { AnyResource } from '../kind/resource.ts'
import { jsonObject } from './json-body.ts'
import { invalid } from './problem.ts'
import { readShownJson } from './read-json.ts'
import { sendCreated, sendJson } from './send-json.ts'

/** The steps of the action that creates a record, or changes the fields of one that a body names, as the form of its page would. */
export function recordSteps(resource: AnyResource, card: AnyCard, mode: Mode) {
  const read = (request: FastifyRequest) => {
    if (mode === 'edit' && !('version' in jsonObject(request))) throw invalid(request, { version: { message: 'Required' } })
    return readShownJson(request, card.form, mode, mode === 'edit' ? ['version'] : [])
  }
  const answer = (request: FastifyRequest, reply: FastifyReply, _: unknown, { record_id }: Result) => {
    const json = jsonOf(request, resource, record_id)
    return mode === 'edit' ? sendJson(reply, json) : sendCreated(reply, url(request.server, `/api/v1/${resource.name}/${record_id}`), json)
  }
  return { ...cardSteps(card, mode), read, answer, showAgain: undefined }
}

/** The record as it is now; of one that its writer may not view, only the id. */
export function jsonOf(request: FastifyRequest, resource: AnyResource, id: Result['record_id']): object {
  const record = resource.find(request.server.db, id ?? -1)
  return record && allows(resource.may.view, request.actor, record) ? resource.json(request, record) : { id }
}
