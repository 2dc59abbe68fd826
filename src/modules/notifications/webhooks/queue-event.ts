import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { group } from '../../../core/access.ts'
import { prepareOnce, type WebhookEvent, webhookMessages } from '../../../database/index.ts'
import { notFound } from '../../../http/request/errors.ts'
import type { Person } from '../../../http/request/person.ts'
import { callWebhook } from './deliveries.ts'

/** To whom events are shown: sees what superadministrators see, who decide what is sent where. */
export const eventReader: Person = {
  ...{ id: 0, group_id: group.administrator, superadmin: true, name: '', lastname: '' },
  ...{ email: '', middlename: null, image: null, language: null, theme: null, key_shortcuts: true },
  ...{ company_id: null, stock_id: null, manufacture_id: null, policies: new Set<string>() },
  ...{ managers: [], reading: [] },
}

/** Something that happened to a record, of which other programs are told. */
export interface RecordEvent {
  type: WebhookEvent
  /** The record as the API shows it, asked for only where an address wants the event. */
  data: () => object | undefined
  /** By what it can be taken back. */
  subject?: string
  /** When it is sent, if not at once. */
  send_at?: number | null
}

/** Stores a message for each address that wants the event, in the transaction of what happened. */
export function queueEvent(app: FastifyInstance, { type, data, subject, send_at }: RecordEvent): void {
  const { wanted, deliver } = statements(app.db)
  const to = wanted.all(type)
  if (to.length === 0) return
  const told = data()
  if (!told) throw notFound()
  const message = insertMessage(app, type, told, subject)
  for (const { id, state } of to) {
    deliver.run(id, message, send_at ?? Date.now(), state)
    if (state === 'waiting') callWebhook(app, id, send_at ?? undefined)
  }
}

/** Sends one address a message of no event, now, though it may be paused. */
export function queueTest(app: FastifyInstance, webhook: number): void {
  statements(app.db).deliver.run(webhook, insertMessage(app, 'webhook.test', {}), Date.now(), 'waiting')
  callWebhook(app, webhook)
}

/** Takes back what is told of something that is undone or withdrawn. */
export function withdrawEvents({ db }: FastifyInstance, subject: string): void {
  db.delete(webhookMessages).where(eq(webhookMessages.subject, subject)).run()
}

function insertMessage({ db }: FastifyInstance, type: string, data: object, subject?: string): number {
  const at = Date.now()
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  const values = { message_id: `msg_${randomUUID().replaceAll('-', '')}`, type, at, body, subject }
  return db.insert(webhookMessages).values(values).returning({ id: webhookMessages.id }).get().id
}

const statements = prepareOnce((db) => ({
  wanted: db.$client.prepare<[string], { id: number; state: string }>(
    "select id, iif(paused_at is null, 'waiting', 'paused') as state from webhooks where ? in (select value from json_each(events))",
  ),
  deliver: db.$client.prepare<[number, number, number, string]>(
    'insert into webhook_deliveries (webhook_id, message_id, next_at, state) values (?, ?, ?, ?)',
  ),
}))
