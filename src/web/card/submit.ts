import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { flash } from '../flash.ts'
import { submit } from '../form/submit.ts'
import { url } from '../http.ts'
import { queryOf } from '../list/state.ts'
import type { Card } from './card.ts'
import { createPage, editPage } from './show.ts'

/** POST of the add page: on to the new record's card. */
export function create<R extends { id: number }>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply) =>
    submit(request, reply, {
      form: card.form,
      page: card.page(request.server.db, request),
      save: async (values) => {
        const id = await card.create(request, values)
        flash(request, card.created)
        return whereNext(request, card, id)
      },
      again: (entry) => createPage(request, reply, card, entry),
    })
}

/** POST of the edit card. */
export function save<R extends { id: number }>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const record = request.record as R
    return submit(request, reply, {
      form: card.form,
      page: card.page(request.server.db, request, record),
      save: async (values) => {
        await card.save(request, values)
        flash(request, 'Saved.')
        return whereNext(request, card, record.id)
      },
      again: (entry) => editPage(request, reply, card, entry),
    })
  }
}

/** The card, or the nearest page that this person may view. */
function whereNext<R extends { id: number }>(request: FastifyRequest, card: Card<R>, id: number): string {
  const { db } = request.server
  const record = card.find(db, id)
  const back = queryOf(request).get('back')
  const query = back ? `?${new URLSearchParams({ back })}` : ''
  if (record && allows(card.may.view, request.actor, record)) return url(request.server, `${card.path}/edit/${id}${query}`)
  return url(request.server, allows(card.may.list, request.actor) ? `/${card.list}` : '/')
}
