import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDealer } from '../../../core/access.ts'
import { compose, isLongerThan, stripBidiControls } from '../../../core/text.ts'
import { type Database, orderMessageEdits, orderMessageFiles, orderMessages, prepareOnce } from '../../../database/index.ts'
import { countHit } from '../../../http/access/rate-limit.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { forbidden, HttpError, notFound, type Problem, toError } from '../../../http/request/errors.ts'
import type { Message } from '../../../http/request/flash.ts'
import { bodyOf, paramOf } from '../../../http/request/input.ts'
import { ownUpload } from '../../../http/uploads/uploaded.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import { withdrawEvents } from '../../notifications/webhooks/queue-event.ts'
import { orderAccess } from '../access.ts'
import { queueMessageEvent } from '../events.ts'
import { findOrder, type Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/order-page.ts'
import { messageRecipients, readersOf } from '../recipients.ts'
import type { Composer } from './discussion.ts'
import { findMentions, mentionable, mentionLimit, noMentions } from './mentions.ts'
import { findMessage, type MessageWithOrder, mayChangeMessage, type Message as OrderMessage } from './message.ts'

const messageLimit = 10_000

type MessageFile = Composer['files'][number] & { size: number }

export function messageRoutes(app: FastifyInstance): void {
  const own = { access: mayChangeMessage, record: findMessage }
  app.post('/orders/:id/messages', action({ access: orderAccess.act, record: findOrder, uploads: /^files$/ }, sendMessage))
  app.post('/orders/:order/messages/:id', action(own, editMessage))
  app.post('/orders/:order/messages/:id/withdraw', action(own, withdrawMessage))
}

const sendMessage = {
  perform: (request: FastifyRequest, order: Order): Done => {
    const body = bodyOf(request)
    const message = readMessage(request, body)
    const problem = Object.values(request.uploadErrors)[0] ?? validateText(message.text, message.files.length)
    if (problem) throw toError(problem)
    const { id, notice } = saveMessage(request, order, message)
    return { location: `${pageAddress(request.server, order, body)}#message-${id}`, message: notice }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, order: Order, problem: HttpError) =>
    showPage(request, reply, order, { composer: { ...readMessage(request, bodyOf(request)), error: request.t(problem) } }),
}

type NewMessage = Pick<Composer, 'text' | 'internal'> & { files: MessageFile[] }

function readMessage(context: Context, body: URLSearchParams): NewMessage {
  return { text: readMessageText(body), internal: isInternal(context, body), files: readFiles(context, body) }
}

/** Of a person, whoever they act as: every message makes notifications for many. */
const hourlyLimit = { limit: 60, window: 3600_000 }

function saveMessage(context: Context, order: Order, { text, internal, files }: NewMessage): { id: number; notice?: Message } {
  const { server, actor, author } = context
  const { db } = server
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
  const mentions = text.includes('@') ? findMentions(text, mentionable(context, order, { internal })) : noMentions
  const recipients = messageRecipients(db, order, actor, { internal, mentioned: mentions.ids })
  queueNotifications(server, { recipients, acted: person, order_id: order.id, message_id: id, mentioned: mentions.ids })
  publishMessageEvent(context, order, internal)
  // Internal messages do not leave the cabinet.
  if (!internal) queueMessageEvent(server, id, { subject: messageSubject(id) })
  return { id, notice: describeMentions(mentions) }
}

function describeMentions({ more, unknown }: ReturnType<typeof findMentions>): Message | undefined {
  if (more) return ['Sent. Only the first {max} mentions were read.', { max: mentionLimit }]
  return unknown.length > 0 ? ['Sent. Not notified (unknown or without access): {names}', { names: unknown.join(', ') }] : undefined
}

/** By what a message can be taken back from other programs. */
const messageSubject = (id: number) => `message ${id}`

function publishMessageEvent({ server }: Context, order: Order, internal: boolean): void {
  const readers = readersOf(server.db, order, { internal }).map(({ id }) => id)
  setImmediate(() => server.notificationEvents.emit('posted', order.id, readers))
}

function readMessageText(body: URLSearchParams): string {
  // Direction marks could make a text read as something else.
  const visible = stripBidiControls((body.get('text') ?? '').replace(/\r\n?/g, '\n')).replace(/[^\P{Cc}\n\t]/gu, '')
  return compose(visible).trim()
}

function validateText(text: string, files: number): Problem | undefined {
  if (text === '' && files === 0) return { message: 'Write a message or attach a file.' }
  if (isLongerThan(text, messageLimit)) return { message: 'Up to {max} characters.', params: { max: messageLimit } }
}

function isInternal({ actor }: Context, body: URLSearchParams): boolean {
  const value = body.getAll('internal').at(-1) ?? '0'
  if (value !== '0' && value !== '1') throw new HttpError(422, 'Invalid value')
  if (value === '1' && isDealer(actor)) throw forbidden('Only staff can write internal messages.')
  return value === '1'
}

function readFiles({ server, actor }: Context, body: URLSearchParams): MessageFile[] {
  const keys = [...new Set(body.getAll('files[stored]').filter(Boolean))]
  return keys.map((key) => {
    const upload = ownUpload(server.db, key, actor.id)
    if (!upload) throw new HttpError(422, 'File not found. Choose it again.')
    return { key, ...upload }
  })
}

const editMessage = {
  perform: (request: FastifyRequest, order: MessageWithOrder): Done => {
    const { db } = request.server
    const message = openMessageOf(request, order)
    const text = readMessageText(bodyOf(request))
    const problem = validateText(text, fileCount(db).get(message.id)?.files ?? 0)
    if (problem) throw new HttpError(422, problem.message, problem.params)
    if (message.text !== text) saveEdit(request, message, text)
    publishMessageEvent(request, order, message.internal)
    return { location: url(request.server, `/orders/${order.id}#message-${message.id}`) }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, order: MessageWithOrder, problem: HttpError) => {
    const { id, internal } = openMessageOf(request, order)
    const error = request.t(problem)
    const text = readMessageText(bodyOf(request))
    return showPage(request, reply, order, { composer: { text, error, internal, files: [], message: id } })
  },
}

function saveEdit({ server: { db }, actor }: Context, message: OrderMessage, text: string): void {
  const at = Date.now()
  const edit = { message_id: message.id, at, text: message.text, impersonator_name: actor.impersonator?.fullName }
  db.insert(orderMessageEdits).values(edit).run()
  update(db, message, { text, edited_at: at })
}

/** Text and files of a withdrawn message stay visible to users who may read the history. */
function withdrawMessage(request: FastifyRequest, order: MessageWithOrder): Done {
  const { server } = request
  const message = openMessageOf(request, order)
  update(server.db, message, { withdrawn_at: Date.now() })
  withdrawEvents(server, messageSubject(message.id))
  publishMessageEvent(request, order, message.internal)
  return {
    location: url(server, `/orders/${order.id}#discussion`),
    message: ['Message on order #{number} withdrawn', { number: order.id }],
  }
}

/** The message that the address names, unless it was withdrawn. */
function openMessageOf(request: FastifyRequest, { id, message }: MessageWithOrder): OrderMessage {
  if (paramOf(request, 'order') !== String(id)) throw notFound()
  if (message.withdrawn_at !== null) throw new HttpError(409, 'This message was withdrawn.')
  return message
}

function update(db: Database, { id }: OrderMessage, values: Partial<OrderMessage>): void {
  db.update(orderMessages).set(values).where(eq(orderMessages.id, id)).run()
}

const fileCount = prepareOnce((db) =>
  db.$client.prepare<[number], { files: number }>('select count(*) as files from order_message_files where message_id = ?'),
)
