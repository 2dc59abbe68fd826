import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Done } from '../../http/action.ts'
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
      return doneOnPage(request, card, saveRecord(request, card, before, values).id, before)
    },
    showAgain(request, reply, record, entry, conflict) {
      const before = recordOf<R>(record)
      return before ? editPage(request, reply, card, before, { entry, conflict }) : createPage(request, reply, card, entry)
    },
  })
}

/** A request whose address names no record has none. */
export const recordOf = <R>(record: unknown) => (record ?? undefined) as R | undefined

function doneOnPage<R extends CardRecord>(request: FastifyRequest, card: Card<R>, id: number, before: R | undefined): Done {
  const { server, t, language } = request
  const record = card.find(server.db, id)
  return {
    location: url(server, pathAfter(request, card, record, before)),
    record_id: id,
    message: [before ? '{name} saved' : String(card.creation?.done), { name: record && card.titleOf(record, t, language) }],
  }
}

function pathAfter<R extends CardRecord>(request: FastifyRequest, card: Card<R>, record: R | undefined, before: R | undefined): string {
  const { actor } = request
  if (!record || !allows(card.may.view, actor, record)) return allows(card.may.list, actor) ? `/${card.list}` : '/'
  const tab = before ? queryOf(request).get('tab') : null
  return card.next?.(request, record, before) ?? recordPath(card, record.id) + tabQuery(request, tab)
}
