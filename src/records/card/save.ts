import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import { queryOf } from '../../http/request/input.ts'
import type { Mode } from '../form/form.ts'
import { formSteps } from '../form/steps.ts'
import { type Card, type CardRecord, recordPath, tabQuery } from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import { saveRecord } from './save-record.ts'
import { createPage, editPage } from './show.ts'

/** The steps of the action that saves the form of a card: of a new record, or of the one that the address names. */
export function cardSteps<R extends CardRecord>(card: Card<R>, mode: Mode) {
  return formSteps({
    form: card.form,
    mode,
    prepare: (request, _, sent) => card.prepare?.(request, sent),
    state: (request, record, input) => formStateOf(card, request, recordOf<R>(record), input),
    save(request, values, record) {
      const before = recordOf<R>(record)
      const { id } = saveRecord(request, card, before, values)
      const saved = before ? '{name} saved' : String(card.creation?.done)
      return { location: nextLocation(request, card, id, before), record_id: id, message: [saved, { name: nameOf(request, card, id) }] }
    },
    showAgain(request, reply, record, entry, conflict) {
      const before = recordOf<R>(record)
      return before ? editPage(request, reply, card, before, { entry, conflict }) : createPage(request, reply, card, entry)
    },
  })
}

/** A request whose address names no record has none. */
const recordOf = <R>(record: unknown) => (record ?? undefined) as R | undefined

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
