import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { flashSaved, submit } from '../form/submit.ts'
import { flash, queryOf, url } from '../http.ts'
import { type AnyCard, recordPath, tabQuery } from './card.ts'
import { createPage, editPage } from './show.ts'

export function create(card: AnyCard) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, t, language } = request
    let created: object | undefined
    return submit(request, reply, {
      form: card.form,
      mode: 'create',
      page: () => card.page(request),
      save: (values) => {
        const id = card.create(request, values)
        created = card.find(server.db, id)
        return nextLocation(request, card, id, card.nextTab?.(request), created && card.keyOf?.(created))
      },
      saved: () => created && flash(request, card.created, { name: card.titleOf(created, t, language) }),
      rerender: (entry) => createPage(request, reply, card, entry),
    })
  }
}

export function save(card: AnyCard) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, t, language } = request
    const current = () => request.record as { id: number }
    return submit(request, reply, {
      form: card.form,
      mode: 'edit',
      table: card.table,
      previews: card.preview !== undefined,
      page: () => card.page(request, current()),
      save: (values) => {
        card.save(request, current(), values)
        return card.nextAddress?.(request, current()) ?? nextLocation(request, card, current().id, queryOf(request).get('tab'))
      },
      saved: (saved) => {
        const after = card.find(server.db, current().id) ?? current()
        flashSaved(request, card.form, saved, card.titleOf(after, t, language))
      },
      rerender: (entry, conflict) => editPage(request, reply, card, entry, conflict),
    })
  }
}

function nextLocation(request: FastifyRequest, card: AnyCard, id: number, tab: string | null = null, key: string | number = id): string {
  const { server, actor } = request
  const record = card.find(server.db, id)
  if (record && allows(card.may.view, actor, record)) return url(server, recordPath(card, key) + tabQuery(request, tab))
  return url(server, allows(card.may.list, actor) ? `/${card.list}` : '/')
}
