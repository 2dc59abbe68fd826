import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { inputOf, queryOf } from '../../http/request/input.ts'
import type { Mode } from '../form/form.ts'
import { formAction } from '../form/form-action.ts'
import { type Card, type CardRecord, tabQuery } from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import { recordPath } from '../list/record-paths.ts'
import { saveRecord } from './save-record.ts'
import { createPage, editPage } from './show.ts'

/** The action that saves the form of a card: of a new record, or of the one that the address names. */
export function cardAction<R extends CardRecord>(card: Card<R>, mode: Mode) {
  return formAction({
    form: card.form,
    mode,
    // The address of a new record names none.
    state: (request, record: R | undefined, input) => formStateOf(card, request, record, input),
    prepare: card.prepare,
    save: (request, values, record) => doneOnPage(request, card, saveRecord(request, card, record, values).id, record),
    showAgain: (request, reply, record, entry, conflict) =>
      record ? editPage(request, reply, card, record, { entry, conflict }) : createPage(request, reply, card, entry),
  })
}

function doneOnPage<R extends CardRecord>(request: FastifyRequest, card: Card<R>, id: number, before: R | undefined): Done {
  const { server, t, language } = request
  const record = card.find(server.db, id)
  const saved = before ? '{name} saved' : String(card.creation?.done)
  const name = record && card.titleOf(record, t, language)
  const location = url(server, pathAfter(request, card, record, before))
  const onward = pathOfAnother(request, card, record, before) ?? pathOfSteps(request, card, record, before)
  if (!onward) return { location, record_id: id, message: [saved, { name }] }
  return { location: url(server, onward), record_id: id, message: [saved, { name }, { next: { text: t('Open'), href: location } }] }
}

/** Whoever comes from the first steps goes on with them, unless there is something to see first. */
function pathOfSteps<R extends CardRecord>(request: FastifyRequest, card: Card<R>, record: R | undefined, before: R | undefined) {
  const isAsked = queryOf(request).get('then') === 'home'
  return isAsked && record && !card.next?.(request, record, before) ? '/' : undefined
}

/** The form of the next new record, where whoever saved this one wants to go on with it. */
function pathOfAnother<R extends CardRecord>(
  request: FastifyRequest,
  { path, creation }: Card<R>,
  record: R | undefined,
  before: R | undefined,
): string | undefined {
  if (before || !record) return undefined
  if (!creation?.again || !inputOf(request).texts.has('_another')) return undefined
  const back = queryOf(request).get('back')
  const query = new URLSearchParams({ ...creation.again(record), ...(back && { back }) })
  return `${path}/add${query.size > 0 ? `?${query}` : ''}`
}

function pathAfter<R extends CardRecord>(request: FastifyRequest, card: Card<R>, record: R | undefined, before: R | undefined): string {
  const { actor } = request
  if (!record || !allows(card.may.view, actor, record)) return allows(card.may.list, actor) ? `/${card.list}` : '/'
  const tab = before ? queryOf(request).get('tab') : null
  return card.next?.(request, record, before) ?? recordPath(card, record.id) + tabQuery(request, tab)
}
