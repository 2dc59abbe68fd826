import { extname } from 'node:path'
import { and, desc, eq, getTableColumns, not, or, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Group } from '../../../core/access.ts'
import { groupMemberNames } from '../../../core/labels.ts'
import { linkParts } from '../../../core/plain-text.ts'
import { seesPrices } from '../../../core/prices.ts'
import { changes, orderMessageEdits, orderMessageFiles, orderMessages, prepareOnce, users, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseId, queryOf } from '../../../http/request/input.ts'
import type { Person } from '../../../http/request/person.ts'
import { template } from '../../../http/request/template.ts'
import { previewKind } from '../../../http/uploads/file-type.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { fieldsOf, inState } from '../../../records/form/form.ts'
import { mayReadHistory } from '../../../records/history/list.ts'
import { paymentsOf } from '../../ledger/payment.ts'
import { orderAccess } from '../access.ts'
import { orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'
import { viewOfDecisions } from '../payments/decisions.ts'
import { historyOf, viewOfHistory } from '../transitions/history.ts'
import { canSeeInternal, type Message } from './message.ts'
import { lastVisit } from './visits.ts'

export interface Composer {
  text: string
  internal: boolean
  error: string
  files: { key: string; name: string }[]
  message?: number
}

const timelineFragment = template<ReturnType<typeof viewOfDiscussion> & { order: Order; once: string }>('orders/timeline.njk')

const pageSize = 50
const maxShown = 1000

export function showTimeline(request: FastifyRequest, reply: FastifyReply, order: Order) {
  const events = readEvents(request, order)
  return reply.page(timelineFragment, { order, once: crypto.randomUUID(), ...viewOfDiscussion(request, order, events, queryOf(request)) })
}

type ReadEvents = ReturnType<typeof readEvents>

/** The steps of an order, and its payments for those who see prices. */
export function readEvents({ server: { db }, actor }: Context, order: Order) {
  return { history: historyOf(db).all({ order: order.id }), payments: seesPrices(actor) ? paymentsOf(db, order.id) : [] }
}

/** @param query `shown` is how many entries, `edit` the message whose text is being changed */
export function viewOfDiscussion(context: Context, order: Order, read: ReadEvents, query: URLSearchParams, composer?: Composer) {
  const { server, actor } = context
  const shown = Math.min(parseId(query.get('shown')) ?? pageSize, maxShown)
  const seenAt = lastVisit(server.db, actor.id, order.id)
  const events = [
    ...viewOfMessages(context, order, shown + 1),
    ...viewOfHistory(context, read.history, shown + 1).map((entry) => ({
      ...entry,
      kind: 'status' as const,
      author_id: entry.actor_id,
    })),
    ...viewOfUpdates(context, order, shown + 1),
    ...viewOfDecisions(context, read.payments),
  ].sort((a, b) => a.at - b.at || kindOrder[a.kind] - kindOrder[b.kind])
  const timeline = events.slice(-shown).map((event) => ({
    ...event,
    isNew: seenAt !== undefined && event.at > seenAt && !isOwn(event, actor),
  }))
  return {
    timeline,
    seenAt,
    firstNew: timeline.find(({ isNew }) => isNew),
    earlier: events.length > shown && shown < maxShown ? shown + pageSize : undefined,
    composer: composer?.message ? undefined : composer,
    edited: composer?.message ? composer : undefined,
    editing: composer?.message ?? parseId(query.get('edit')),
    staff: canSeeInternal(actor),
  }
}

/** What somebody else did in one's name is news. */
function isOwn({ author_id, impersonator_name }: { author_id: number | null; impersonator_name: string | null }, actor: Person): boolean {
  return author_id === actor.id && (impersonator_name === null || actor.impersonator !== undefined)
}

const kindOrder = { status: 0, update: 1, decision: 2, message: 3 }

/** The newest messages of an order that somebody may read, newest first; what was withdrawn is empty unless they read the history. */
export function readableMessages({ server: { db }, actor }: Pick<Context, 'server' | 'actor'>, order: Pick<Order, 'id'>, limit: number) {
  const messages = messagesOf(db).all({ order: order.id, internal: Number(canSeeInternal(actor)), limit })
  const files = messages.length > 0 ? filesOf(db).all({ ids: JSON.stringify(messages.map(({ id }) => id)) }) : []
  const isReadable = ({ withdrawn_at }: Message) => withdrawn_at === null || allows(mayReadHistory, actor)
  return messages.map((message) =>
    isReadable(message)
      ? { ...message, files: files.filter(({ message_id }) => message_id === message.id) }
      : { ...message, text: '', files: [] },
  )
}

function viewOfMessages(context: Context, order: Order, limit: number) {
  const { server, actor, t } = context
  const mayAct = allows(orderAccess.act, actor, order)
  const messages = readableMessages(context, order, limit)
  const hasEdits = allows(mayReadHistory, actor) && messages.some(({ edited_at }) => edited_at)
  const edits = hasEdits ? editsOf(server.db).all({ ids: JSON.stringify(messages.map(({ id }) => id)) }) : []
  return messages.map((message) => ({
    ...message,
    kind: 'message' as const,
    editable: mayAct && message.author_id === actor.id && message.withdrawn_at === null,
    isAuthor: message.author_id === actor.id,
    author: message.author ?? deletedPerson(message),
    role: t(groupMemberNames[message.author_group as Group] ?? ''),
    parts: linkParts(message.text),
    edits: edits.filter(({ message_id }) => message_id === message.id),
    files: message.files.map((file) => ({ ...file, preview: previewKind(extname(file.name)) })),
  }))
}

/** Only the name is left of somebody who was deleted. */
function deletedPerson({ author_id: id, author_name }: Message) {
  const [lastname = '', name = ''] = author_name.split(' ')
  return { id, lastname, name, image: null }
}

function viewOfUpdates({ server, actor, t }: Context, order: Order, limit: number) {
  const labels = fieldsOf(orderForm, { mode: 'edit', states: inState('hidden', unseenOf(actor)) })
  return updatesOf(server.db)
    .all({ order: order.id, limit })
    .map(({ fields, dates, ...update }) => ({
      ...update,
      kind: 'update' as const,
      fields: fields.flatMap((name) => describeUpdate(labels.get(name)?.label, dates[name], t)),
    }))
    .filter(({ fields }) => fields.length > 0)
}

function describeUpdate(
  label: string | undefined,
  days: [before: string | null, after: string | null] | undefined,
  t: Translate,
): string[] {
  if (!label) return []
  const [before, after] = (days ?? []).map((day) => (day ? formatCalendarDate(day) : '—'))
  return [days ? `${t(label)} (${before} → ${after})` : t(label)]
}

const messagesOf = prepareOnce((db, params) => {
  const visible = or(sql`${params.internal}`, not(orderMessages.internal))
  const ofOrder = and(eq(orderMessages.order_id, params.order), visible)
  const { id, lastname, name, image } = users
  const withAuthors = db.select({ ...getTableColumns(orderMessages), author: { id, lastname, name, image } }).from(orderMessages)
  const ofOrderWithAuthors = withAuthors.leftJoin(users, eq(id, orderMessages.author_id)).where(ofOrder)
  return ofOrderWithAuthors.orderBy(desc(orderMessages.id)).limit(params.limit).prepare()
})

const filesOf = prepareOnce((db, params) =>
  db.select().from(orderMessageFiles).where(whereIn(orderMessageFiles.message_id, params.ids)).orderBy(orderMessageFiles.id).prepare(),
)

const editsOf = prepareOnce((db, params) =>
  db.select().from(orderMessageEdits).where(whereIn(orderMessageEdits.message_id, params.ids)).orderBy(orderMessageEdits.id).prepare(),
)

const updatesOf = prepareOnce((db, params) => {
  const { id, at, actor_id: author_id, actor_name, impersonator_name } = changes
  const fields = sql`(select json_group_array(key) from json_each(${changes.fields}) where key <> 'reason')`.mapWith((keys): string[] =>
    JSON.parse(keys),
  )
  const moved = sql`(select json_group_object(key, json(value)) from json_each(${changes.fields}) where substr(key, 1, 5) = 'date_')`
  const dates = moved.mapWith((values): Record<string, [string | null, string | null]> => JSON.parse(values))
  const reason = sql<string | null>`${changes.fields} ->> '$.reason[1]'`
  const updates = db.select({ id, at, author_id, actor_name, impersonator_name, fields, dates, reason }).from(changes)
  const ofOrder = sql`entity = 'orders' and record_id = ${params.order} and action = 'update' and fields ->> 'status_id' is null`
  return updates.where(ofOrder).orderBy(desc(changes.record_version)).limit(params.limit).prepare()
})
