import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, orderMessageEdits, orderMessages, prepareOnce } from '../../../database/index.ts'
import { writeRecord } from '../../../web/access/policy-hook.ts'
import { bodyOf, flash, HttpError, notFound, url } from '../../../web/http.ts'
import { renderPage } from '../page/page.ts'
import type { Message, MessageWithOrder } from './message.ts'
import { publishMessageEvent, readMessageText, validateText } from './send-message.ts'

export function editMessage(request: FastifyRequest, reply: FastifyReply) {
  const text = readMessageText(bodyOf(request))
  const { id, message } = ownMessageOf(request, request.record as MessageWithOrder)
  const problem = validateText(text, fileCount(request.server.db).get(message.id)?.files ?? 0)
  if (problem) {
    const error = request.t(problem.message, problem.params)
    return renderPage(request, reply.code(422), { composer: { text, error, internal: message.internal, files: [], message: message.id } })
  }
  writeMessage(request, (db, { message }) => {
    if (message.text === text) return
    const at = Date.now()
    db.insert(orderMessageEdits)
      .values({ message_id: message.id, at, text: message.text, impersonator_name: request.actor.impersonator?.fullName })
      .run()
    update(db, message, { text, edited_at: at })
  })
  return reply.redirect(url(request.server, `/orders/${id}#message-${message.id}`), 303)
}

/** Text and files of a withdrawn message stay visible to users who may read the history. */
export function withdrawMessage(request: FastifyRequest, reply: FastifyReply) {
  const { id } = ownMessageOf(request, request.record as MessageWithOrder)
  writeMessage(request, (db, { message }) => update(db, message, { withdrawn_at: Date.now() }))
  flash(request, 'Message on order #{number} withdrawn', { number: id })
  return reply.redirect(url(request.server, `/orders/${id}#discussion`), 303)
}

function writeMessage(request: FastifyRequest, work: (db: Database, record: MessageWithOrder) => void): void {
  writeRecord(request, (record: MessageWithOrder) => {
    ownMessageOf(request, record)
    work(request.server.db, record)
    publishMessageEvent(request, record, record.message.internal)
  })
}

function ownMessageOf({ params }: FastifyRequest, record: MessageWithOrder): MessageWithOrder {
  if ((params as { order: string }).order !== String(record.id)) throw notFound()
  if (record.message.withdrawn_at !== null) throw new HttpError(409, 'This message was withdrawn.')
  return record
}

function update(db: Database, { id }: Message, values: Partial<Message>): void {
  db.update(orderMessages).set(values).where(eq(orderMessages.id, id)).run()
}

const fileCount = prepareOnce((db) =>
  db.$client.prepare<[number], { files: number }>('select count(*) as files from order_message_files where message_id = ?'),
)
