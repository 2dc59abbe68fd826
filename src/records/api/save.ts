import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Result } from '../../http/submissions/idempotency.ts'
import { saveRecord } from '../card/save-record.ts'
import type { Mode } from '../form/form.ts'
import { formSteps } from '../form/steps.ts'
import type { Card, CardRecord } from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import type { AnyResource } from '../kind/resource.ts'
import { jsonObject } from './json-body.ts'
import { invalid } from './problem.ts'
import { readJson, refuseHidden } from './read-json.ts'
import { sendCreated, sendJson } from './send-json.ts'

/** The steps of the action that creates a record, or changes the fields of one that a body names, as the form of its page would. */
export function recordSteps<R extends CardRecord>(resource: AnyResource, card: Card<R>, mode: Mode) {
  const { form } = card
  const steps = formSteps({
    form,
    mode,
    read(request) {
      if (mode === 'edit' && !('version' in jsonObject(request))) throw invalid(request, { version: { message: 'Required' } })
      return readJson(request, form, mode, mode === 'edit' ? ['version'] : [])
    },
    prepare: (request, _: R | null, sent) => card.prepare?.(request, sent),
    state(request, record: R | null, input) {
      const state = formStateOf(card, request, record ?? undefined, input)
      refuseHidden(request, state)
      return state
    },
    save(request, values, record) {
      const { id } = saveRecord(request, card, record ?? undefined, values)
      return { location: url(request.server, `/api/v1/${resource.name}/${id}`), record_id: id }
    },
  })
  const answer = (request: FastifyRequest, reply: FastifyReply, record: R | null, done: Result) =>
    record ? sendJson(reply, jsonOf(request, resource, record.id)) : sendCreated(reply, done, jsonOf(request, resource, done.record_id))
  return { ...steps, answer }
}

/** The record as it is now; of one that its writer may not view, only the id. */
export function jsonOf(request: FastifyRequest, resource: AnyResource, id: Result['record_id']): object {
  const record = resource.find(request.server.db, id ?? -1)
  return record && allows(resource.may.view, request.actor, record) ? resource.json(request, record) : { id }
}
