import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../addresses.ts'
import { flash } from '../flash.ts'
import { flashSaved, submit } from '../form/submit.ts'
import { inputOf, queryOf } from '../input.ts'
import { type Card, type CardRecord, recordPath, tabQuery } from './card.ts'
import { saveRecord } from './save-record.ts'
import { createPage, editPage } from './show.ts'

export function create<R extends CardRecord>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, t, language } = request
    return submit(request, reply, {
      form: card.form,
      mode: 'create',
      record: undefined,
      state: () => card.formState(request, undefined, inputOf(request)),
      save: (values) => saveRecord(request, card, undefined, values),
      location: ({ id }) => nextLocation(request, card, id),
      saved({ id = -1, repeated }) {
        const created = repeated ? undefined : card.find(server.db, id)
        if (created) flash(request, card.created, { name: card.titleOf(created, t, language) })
      },
      rerender: (entry) => createPage(request, reply, card, entry),
    })
  }
}

export function save<R extends CardRecord>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply, named: R) => {
    const { server, t, language } = request
    return submit(request, reply, {
      form: card.form,
      mode: 'edit',
      record: named,
      table: card.table,
      state: (record) => card.formState(request, record, inputOf(request)),
      save: (values, record) => saveRecord(request, card, record, values),
      location: ({ id }, record) => nextLocation(request, card, id, record),
      saved: (saved) => {
        const after = card.find(server.db, named.id) ?? named
        flashSaved(request, card.form, saved, card.titleOf(after, t, language))
      },
      rerender: (entry, conflict) => editPage(request, reply, card, named, entry, conflict),
    })
  }
}

function nextLocation<R extends CardRecord>(request: FastifyRequest, card: Card<R>, id: number, before?: R): string {
  const { server, actor } = request
  const record = card.find(server.db, id)
  if (!record || !allows(card.may.view, actor, record)) return url(server, allows(card.may.list, actor) ? `/${card.list}` : '/')
  const tab = before ? queryOf(request).get('tab') : null
  return url(server, card.next?.(request, record, before) ?? recordPath(card, id) + tabQuery(request, tab))
}
