import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { onRecord, type RecordHandler } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { isRepeater } from '../fields/index.ts'
import { acceptedFiles, type Form, fieldsOf, type Mode } from '../form/form.ts'
import type { FormActionParts } from '../form/form-action.ts'
import type { Card, CardRecord } from '../kind/card.ts'
import { cardAction } from './save.ts'
import { createPage, editPage, showRepeaterRow } from './show.ts'

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

export interface CardHandlers<R> {
  show: RecordHandler<R>
  showNew: Handler
  saveNew: FormActionParts<R | undefined>
  save: FormActionParts<R>
  /** What the bodies of its forms may bring besides what their fields say. */
  accepts: Pick<RouteShorthandOptions, 'gallery' | 'bodyLimit'>
}

/** The forms of a new and of an existing record, their saving, and empty rows for their repeaters. */
export function cardRoutes<R extends CardRecord>(app: FastifyInstance, card: Card<R>, handlers: Partial<CardHandlers<R>> = {}): void {
  const { path, may, form, find: record } = card
  const {
    show = (request, reply, record) => editPage(request, reply, card, record),
    showNew = (request, reply) => createPage(request, reply, card),
    saveNew = cardAction(card, 'create'),
    save = cardAction(card, 'edit'),
    accepts,
  } = handlers
  app.get(`${path}/add`, { access: may.add }, showNew)
  app.post(`${path}/add`, action({ access: may.add, ...acceptedFiles(form, 'create'), ...accepts }, saveNew))
  app.get(`${path}/edit/:id`, onRecord({ access: may.view, record, missing: card.missing }, show))
  app.post(`${path}/edit/:id`, action({ access: may.edit, record, ...acceptedFiles(form, 'edit'), ...accepts }, save))
  for (const name of repeatersOf(form, 'create'))
    app.get(`${path}/add/${name}/row`, { access: may.add, answers: 'fragment' }, showRepeaterRow(card, name))
  for (const name of repeatersOf(form, 'edit'))
    app.get(`${path}/edit/:id/${name}/row`, onRecord({ access: may.edit, record, answers: 'fragment' }, showRepeaterRow(card, name)))
}

function repeatersOf(form: Form, mode: Mode): string[] {
  return [...fieldsOf(form, { mode })].filter(([, field]) => isRepeater(field)).map(([name]) => name)
}
