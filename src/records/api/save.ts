import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Result } from '../../http/submissions/idempotency.ts'
import { saveRecord } from '../card/save-record.ts'
import type { Mode } from '../form/form.ts'
import { formAction } from '../form/form-action.ts'
import type { AnyCard, CardRecord } from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import type { AnyResource } from '../kind/resource.ts'
import { jsonObject } from './json-body.ts'
import { invalid } from './problem.ts'
import { readShownJson } from './read-json.ts'
import { sendCreated, sendJson } from './send-json.ts'

/** The action that creates a record, or changes the fields of one that a body names, as the form of its page would. */
export function recordAction(resource: AnyResource, card: AnyCard, mode: Mode) {
  return formAction({
    form: card.form,
    mode,
    read(request, form) {
      if (mode === 'edit' && !('version' in jsonObject(request))) throw invalid(request, { version: { message: 'Required' } })
      return readShownJson(request, form, mode, mode === 'edit' ? ['version'] : [])
    },
    state: (request, record: CardRecord | undefined, input) => formStateOf(card, request, record, input),
    prepare: card.prepare,
    save(request, values, record) {
      const { id } = saveRecord(request, card, record, values)
      return { location: url(request.server, `/api/v1/${resource.name}/${id}`), record_id: id }
    },
    answer(request, reply, _, { location, record_id }) {
      const json = jsonOf(request, resource, record_id)
      return mode === 'edit' ? sendJson(reply, json) : sendCreated(reply, location, json)
    },
  })
}

/** The record as it is now; of one that its writer may not view, only the id. */
export function jsonOf(request: FastifyRequest, resource: AnyResource, id: Result['record_id']): object {
  const record = resource.find(request.server.db, id ?? -1)
  return record && allows(resource.may.view, request.actor, record) ? resource.json(request, record) : { id }
}
