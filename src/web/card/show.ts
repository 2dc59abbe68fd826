import { and, desc, eq, getTableName, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { prepared } from '../../database/prepared.ts'
import { changes } from '../../database/schema/index.ts'
import type { Entry } from '../form/form.ts'
import { viewForm } from '../form/view.ts'
import { backToList } from '../list/show.ts'
import type { Card } from './card.ts'

/** GET of the add page. */
export function showCreate<R extends { id: number }>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => createPage(request, reply, card)
}

/** GET of the edit card: its form, or the same read-only for those who may only look. */
export function showEdit<R extends { id: number }>(card: Card<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => editPage(request, reply, card)
}

export function createPage<R extends { id: number }>(request: FastifyRequest, reply: FastifyReply, card: Card<R>, entry?: Entry) {
  const page = card.page(request.server.db, request)
  const title = request.t(card.newTitle)
  return reply.page('pages/card.njk', { ...frame(request, card), title, form: viewForm(card.form, page, request.t, entry) })
}

export function editPage<R extends { id: number }>(request: FastifyRequest, reply: FastifyReply, card: Card<R>, entry?: Entry) {
  const { db } = request.server
  const record = request.record as R
  const readOnly = !allows(card.may.edit, request.actor, record)
  const form = viewForm(card.form, card.page(db, request, record), request.t, entry, readOnly)
  const lastChange = lastChangeOf(db).get({ entity: getTableName(card.table), id: record.id })
  return reply.page('pages/card.njk', { ...frame(request, card), title: card.titleOf(record), form, record, lastChange })
}

function frame<R extends { id: number }>(request: FastifyRequest, card: Card<R>) {
  return {
    list: card.list,
    listTitle: request.t(card.listTitle),
    path: `/${card.list}`,
    action: request.url,
    mayList: allows(card.may.list, request.actor),
    back: backToList(request, card.list),
  }
}

const lastChangeOf = prepared((db) =>
  db
    .select({ at: changes.at, actor_name: changes.actor_name, impersonator_name: changes.impersonator_name })
    .from(changes)
    .where(and(eq(changes.entity, sql.placeholder('entity')), eq(changes.record_id, sql.placeholder('id'))))
    .orderBy(desc(changes.record_version), desc(changes.id))
    .limit(1)
    .prepare(),
)
