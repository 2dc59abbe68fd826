import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { write } from '../../database/open.ts'
import { writeRecord } from '../access/policy-hook.ts'
import type { Form } from '../form/form.ts'
import { flashSaved, submit } from '../form/submit.ts'
import { flash, queryOf, url } from '../http.ts'
import { type Card, recordPath, tabQuery } from './card.ts'
import { createPage, editPage } from './show.ts'

type Identified = { id: number; version: number }

export function create<R extends Identified, F extends Form>(card: Card<R, F>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    let created: R | undefined
    return submit(request, reply, {
      form: card.form,
      mode: 'create',
      page: () => card.page(request),
      transaction: (work) => write(request.server.db, () => work(card.page(request))),
      save: (values) => {
        const id = card.create(request, values)
        created = card.find(request.server.db, id)
        return nextLocation(request, card, id, card.nextTab?.(request), card.keyOf)
      },
      saved: () => created && flash(request, card.created, { name: nameOf(request, card, created) }),
      rerender: (entry) => createPage(request, reply, card, entry),
    })
  }
}

export function save<R extends Identified, F extends Form>(card: Card<R, F>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    let current: R
    return submit(request, reply, {
      form: card.form,
      mode: 'edit',
      table: card.table,
      previews: card.preview !== undefined,
      page: () => card.page(request, request.record as R),
      transaction: (work) =>
        writeRecord(request, (record: R) => {
          current = record
          return work(card.page(request, record))
        }),
      save: (values) => {
        card.save(request, current, values)
        return card.nextAddress?.(request, current) ?? nextLocation(request, card, current.id, queryOf(request).get('tab'))
      },
      saved: (saved) => {
        const after = card.find(request.server.db, current.id) ?? current
        flashSaved(request, card.form, saved, nameOf(request, card, after))
      },
      rerender: (entry, conflict) => editPage(request, reply, card, entry, conflict),
    })
  }
}

function nameOf<R extends Identified>({ t, language }: FastifyRequest, card: Card<R>, record: R): string {
  return card.titleOf(record, t, language)
}

function nextLocation<R extends Identified>(
  request: FastifyRequest,
  card: Card<R>,
  id: number,
  tab: string | null = null,
  keyOf?: Card<R>['keyOf'],
): string {
  const record = card.find(request.server.db, id)
  const query = tabQuery(request, tab)
  if (record && allows(card.may.view, request.actor, record)) return url(request.server, recordPath(card, keyOf?.(record) ?? id) + query)
  return url(request.server, allows(card.may.list, request.actor) ? `/${card.list}` : '/')
}
