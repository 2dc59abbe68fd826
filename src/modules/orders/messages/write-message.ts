import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../../core/access.ts'
import { compose, isLongerThan, stripBidiControls } from '../../../core/text.ts'
import { type Database, orderMessageEdits, orderMessageFiles, orderMessages, prepareOnce } from '../../../database/index.ts'
import { countHit, LimitReached, limited } from '../../../web/access/rate-limit.ts'
import { writeRecord } from '../../../web/access/record-routes.ts'
import type { Acting } from '../../../web/acting.ts'
import { bodyOf, flash, forbidden, HttpError, notFound, type Problem, paramOf, url } from '../../../web/http.ts'
import { carryOutOnce, SentOtherwise } from '../../../web/submissions/idempotency.ts'
import { ownUpload } from '../../../web/uploads/uploaded.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import type { Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/page.ts'
import { messageRecipients, readersOf } from '../recipients.ts'
import type { Composer } from './discussion.ts'
import { findMentions, mentionLimit, noMentions } from './mentions.ts'
import type { Message, MessageWithOrder } from './message.ts'

export const messageLimit = 10_000

type MessageFile = Composer['files'][number] & { size: number }

export function sendMessage(request: FastifyRequest, reply: FastifyReply, named: Order) {
  const body = bodyOf(request)
  const text = readMessageText(body)
  const internal = isInternal(request, body)
  const files = readFiles(request, body)
  const error = Object.values(request.uploadErrors)[0] ?? validateText(text, files.length)
  if (error) {
    const composer: Composer = { text, internal, files, error: request.t(error.message, error.params) }
    return showPage(request, reply.code(error.status ?? 422), named, { composer })
  }
  try {
    const { location } = writeRecord(request, named, (order) =>
      carryOutOnce(request, body, () => ({
        location: `${pageAddress(request.server, order, body)}#message-${saveMessage(request, order, { text, internal, files })}`,
      })),
    )
    return reply.redirect(location, 303)
  } catch (error) {
    const isOtherwise = error instanceof SentOtherwise
    if (!(error instanceof LimitReached) && !isOtherwise) throw error
    const composer: Composer = { text, internal, files, error: request.t(error.message, error.params) }
    return showPage(request, isOtherwise ? reply.code(error.status) : limited(reply, error), named, { composer })
  }
}

/** Of a person, whoever they act as: every message makes notifications for many. */
const hourlyLimit = { limit: 60, window: 3600_000 }

function saveMessage(
  request: FastifyRequest,
  order: Order,
  { text, internal, files }: Pick<Composer, 'text' | 'internal'> & { files: MessageFile[] },
) {
  const { server, actor } = request
  const { db } = server
  const author = request.author
  const person = actor.impersonator?.id ?? actor.id
  countHit(db, `message of ${person}`, hourlyLimit, 'You can send up to {max} messages an hour. Try again after {time}.')
  const { id } = db
    .insert(orderMessages)
    .values({
      order_id: order.id,
      at: Date.now(),
      author_id: actor.id,
      author_name: author.name,
      author_group: actor.group_id,
      impersonator_name: author.impersonator?.name,
      text,
      internal,
    })
    .returning({ id: orderMessages.id })
    .get()
  for (const { key, name, size } of files) db.insert(orderMessageFiles).values({ message_id: id, file: key, name, size }).run()
  const mentions = text.includes('@') ? findMentions(text, readersOf(db, order, { internal })) : noMentions
  const recipients = messageRecipients(db, order, actor, { internal, mentioned: mentions.ids })
  queueNotifications(server, { recipients, acted: person, order_id: order.id, message_id: id, mentioned: mentions.ids })
  publishMessageEvent(request, order, internal)
  // Internal messages do not leave the cabinet.
  if (!internal) server.queueEvent({ type: 'order.message', record: id, subject: messageSubject(id) })
  if (mentions.more) flash(request, 'Sent. Only the first {max} mentions were read.', { max: mentionLimit })
  else if (mentions.unknown.length > 0)
    flash(request, 'Sent. Not notified (unknown or without access): {names}', { names: mentions.unknown.join(', ') })
  return id
}

/** By what a message can be taken back from other programs. */
const messageSubject = (id: number) => `message ${id}`

export function publishMessageEvent({ server }: Acting, order: Order, internal: boolean): void {
  const readers = readersOf(server.db, order, { internal }).map(({ id }) => id)
  setImmediate(() => server.notificationEvents.emit('posted', order.id, readers))
}

export function readMessageText(body: URLSearchParams): string {
  // Direction marks could make a text read as something else.
  const visible = stripBidiControls((body.get('text') ?? '').replace(/\r\n?/g, '\n')).replace(/[^\P{Cc}\n\t]/gu, '')
  return compose(visible).trim()
}

export function validateText(text: string, files: number): Problem | undefined {
  if (text === '' && files === 0) return { message: 'Write a message or attach a file.' }
  if (isLongerThan(text, messageLimit)) return { message: 'Up to {max} characters.', params: { max: messageLimit } }
}

function isInternal({ actor }: Acting, body: URLSearchParams): boolean {
  const value = body.getAll('internal').at(-1) ?? '0'
  if (value !== '0' && value !== '1') throw new HttpError(422, 'Invalid value')
  if (value === '1' && actor.group_id === group.dealer) throw forbidden('Only staff can write internal messages.')
  return value === '1'
}

function readFiles({ server, actor }: Acting, body: URLSearchParams): MessageFile[] {
  const keys = [...new Set(body.getAll('files[stored]').filter(Boolean))]
  return keys.map((key) => {
    const upload = ownUpload(server.db, key, actor.id)
    if (!upload) throw new HttpError(422, 'File not found. Choose it again.')
    return { key, ...upload }
  })
}

export function editMessage(request: FastifyRequest, reply: FastifyReply, named: MessageWithOrder) {
  const text = readMessageText(bodyOf(request))
  const { id, message } = ownMessageOf(request, named)
  const problem = validateText(text, fileCount(request.server.db).get(message.id)?.files ?? 0)
  if (problem) {
    const error = request.t(problem.message, problem.params)
    return showPage(request, reply.code(422), named, {
      composer: { text, error, internal: message.internal, files: [], message: message.id },
    })
  }
  writeMessage(request, named, (db, { message }) => {
    if (message.text === text) return
    const at = Date.now()
    const edit = { message_id: message.id, at, text: message.text, impersonator_name: request.actor.impersonator?.fullName }
    db.insert(orderMessageEdits).values(edit).run()
    update(db, message, { text, edited_at: at })
  })
  return reply.redirect(url(request.server, `/orders/${id}#message-${message.id}`), 303)
}

/** Text and files of a withdrawn message stay visible to users who may read the history. */
export function withdrawMessage(request: FastifyRequest, reply: FastifyReply, named: MessageWithOrder) {
  const { id } = ownMessageOf(request, named)
  writeMessage(request, named, (db, { message }) => {
    update(db, message, { withdrawn_at: Date.now() })
    request.server.withdrawEvents(messageSubject(message.id))
  })
  flash(request, 'Message on order #{number} withdrawn', { number: id })
  return reply.redirect(url(request.server, `/orders/${id}#discussion`), 303)
}

function writeMessage(request: FastifyRequest, named: MessageWithOrder, work: (db: Database, record: MessageWithOrder) => void): void {
  writeRecord(request, named, (record) => {
    ownMessageOf(request, record)
    work(request.server.db, record)
    publishMessageEvent(request, record, record.message.internal)
  })
}

function ownMessageOf(request: FastifyRequest, record: MessageWithOrder): MessageWithOrder {
  if (paramOf(request, 'order') !== String(record.id)) throw notFound()
  if (record.message.withdrawn_at !== null) throw new HttpError(409, 'This message was withdrawn.')
  return record
}

function update(db: Database, { id }: Message, values: Partial<Message>): void {
  db.update(orderMessages).set(values).where(eq(orderMessages.id, id)).run()
}

const fileCount = prepareOnce((db) =>
  db.$client.prepare<[number], { files: number }>('select count(*) as files from order_message_files where message_id = ?'),
)
