import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import { queryOf } from '../../http/request/input.ts'
import { formSteps } from '../form/steps.ts'
import { type Card, type CardRecord, type Creation, recordPath, tabQuery } from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import { saveRecord } from './save-record.ts'
import { createPage, editPage } from './show.ts'

/** The steps of the action that makes a new record of its form. */
export function create<R extends CardRecord>(card: Card<R>) {
  const creation = card.creation as Creation
  return formSteps({
    form: card.form,
    mode: 'create',
    prepare: (request, _: unknown, sent) => card.prepare?.(request, sent),
    state: (request, _, input) => formStateOf(card, request, undefined, input),
    save(request, values) {
      const { id } = saveRecord(request, card, undefined, values)
      return { location: nextLocation(request, card, id), record_id: id, message: [creation.done, { name: nameOf(request, card, id) }] }
    },
    showAgain: (request, reply, _, entry) => createPage(request, reply, card, entry),
  })
}

/** The steps of the action that saves the form of a record. */
export function save<R extends CardRecord>(card: Card<R>) {
  return formSteps({
    form: card.form,
    mode: 'edit',
    prepare: (request, _: R, sent) => card.prepare?.(request, sent),
    state: (request, record: R, input) => formStateOf(card, request, record, input),
    save(request, values, record) {
      const { id } = saveRecord(request, card, record, values)
      return {
        location: nextLocation(request, card, id, record),
        record_id: id,
        message: ['{name} saved', { name: nameOf(request, card, id) }],
      }
    },
    showAgain: (request, reply, record, entry, conflict) => editPage(request, reply, card, record, { entry, conflict }),
  })
}

function nameOf<R extends CardRecord>({ server, t, language }: FastifyRequest, card: Card<R>, id: number): string | undefined {
  const record = card.find(server.db, id)
  return record && card.titleOf(record, t, language)
}

function nextLocation<R extends CardRecord>(request: FastifyRequest, card: Card<R>, id: number, before?: R): string {
  const { server, actor } = request
  const record = card.find(server.db, id)
  if (!record || !allows(card.may.view, actor, record)) return url(server, allows(card.may.list, actor) ? `/${card.list}` : '/')
  const tab = before ? queryOf(request).get('tab') : null
  return url(server, card.next?.(request, record, before) ?? recordPath(card, id) + tabQuery(request, tab))
}
