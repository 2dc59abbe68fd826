import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../web/addresses.ts'
import type { Card, CardRecord } from '../../web/card/card.ts'
import { saveRecord } from '../../web/card/save-record.ts'
import type { Context } from '../../web/context.ts'
import { type Field, type Form, type FormState, fieldsOf } from '../../web/form/form.ts'
import { type Conflict, saveForm, Unsaved } from '../../web/form/submit.ts'
import { toJson } from './fields-json.ts'
import { jsonObject } from './json-body.ts'
import { ApiProblem, invalid } from './problem.ts'
import { inputOfJson, readJson, refuseHidden } from './read-json.ts'
import type { AnyResource } from './resources/resource.ts'
import { sendJson } from './send-json.ts'

/** Creates a record as the form of its page would. */
export function createRecord<R extends CardRecord>(resource: AnyResource, card: Card<R>) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const sent = readJson(request, card.form, 'create')
    const saved = saveForm(
      request,
      {
        form: card.form,
        mode: 'create',
        record: undefined,
        state: () => shownState(request, card.formState(request, undefined, inputOfJson(request, sent))),
        save: (values) => saveRecord(request, card, undefined, values),
        location: ({ id }) => addressOf(request, resource, id),
      },
      sent,
    )
    const { location, id } = await saved.catch((error) => refuseUnsaved(request, card.form, error))
    return sendRecord(request, reply.code(201).header('Location', location), resource, id)
  }
}

/** Changes the fields that a body names, as the form of its page would. */
export function changeRecord<R extends CardRecord>(resource: AnyResource, card: Card<R>) {
  return async (request: FastifyRequest, reply: FastifyReply, named: R) => {
    if (!('version' in jsonObject(request))) throw invalid(request, { version: { message: 'Required' } })
    const sent = readJson(request, card.form, 'edit', ['version'])
    const saved = saveForm(
      request,
      {
        form: card.form,
        mode: 'edit',
        record: named,
        table: card.table,
        state: (record) => shownState(request, card.formState(request, record, inputOfJson(request, sent))),
        save: (values, record) => saveRecord(request, card, record, values),
        location: ({ id }) => addressOf(request, resource, id),
      },
      sent,
    )
    await saved.catch((error) => refuseUnsaved(request, card.form, error))
    return sendRecord(request, reply, resource, named.id)
  }
}

function shownState(request: FastifyRequest, state: FormState): FormState {
  refuseHidden(request, state)
  return state
}

const addressOf = ({ server }: Context, { name }: AnyResource, id: number) => url(server, `/api/v1/${name}/${id}`)

/** The record as it is now; of one that its writer may not view, only the id. */
export function sendRecord(request: FastifyRequest, reply: FastifyReply, resource: AnyResource, id = -1): FastifyReply {
  const record = resource.find(request.server.db, id)
  const isSeen = record && allows(resource.may.view, request.actor, record)
  return sendJson(reply, isSeen ? resource.json(request, record) : { id })
}

/** Tells what a form that was not saved would show: its errors, or what others have changed. */
export function refuseUnsaved(context: Context, form: Form, error: unknown): never {
  if (!(error instanceof Unsaved)) throw error
  const { status, entry, conflict } = error
  if (!conflict) throw invalid(context, entry.errors, status)
  throw new ApiProblem(status, 'Somebody else has changed the same fields meanwhile. Nothing was saved.', {
    conflicts: viewOfConflicts(fieldsOf(form, { mode: 'edit' }), conflict),
  })
}

function viewOfConflicts(fields: Map<string, Field>, { merge, stored, by }: Conflict) {
  return merge.conflicts.map((name) => {
    const inJson = (value: unknown) => toJson(fields.get(name) as Field, value)
    return { field: name, yours: inJson(merge.values[name]), theirs: inJson(stored[name]), by: by[name]?.name }
  })
}
