import { randomBytes } from 'node:crypto'
import { count, eq } from 'drizzle-orm'
import { anyOf, superadministrator } from '../../core/access.ts'
import {
  type Author,
  type Database,
  logRow,
  logSecurityEvent,
  settings,
  type WebhookEvent,
  webhookDeliveries,
  webhookEvents,
  webhooks,
} from '../../database/index.ts'
import { dateTime, several } from '../../web/form/form.ts'
import type { Subordinate } from '../../web/history/subordinates.ts'
import { type FindRecord, HttpError, type Problem } from '../../web/http.ts'
import labels from './labels.json' with { type: 'json' }
import { hostOf, namesPrivateAddress } from './send.ts'

export type Webhook = typeof webhooks.$inferSelect
export type StoredDelivery = typeof webhookDeliveries.$inferSelect

export const mayManageWebhooks = anyOf(superadministrator)

/** In the history: the address, which may hold a key, is named by its host. */
export const webhookRecords: Subordinate = {
  table: webhooks,
  title: 'Webhooks',
  fields: { events: several('Events', labels.events), paused_at: dateTime('Paused') },
  owner: { table: settings },
}

export const eventNames: Record<WebhookEvent | 'webhook.test', string> = labels.events

const webhookLimit = 20
const addressLength = 2000

export const findWebhook: FindRecord<Webhook> = (db, id) => db.select().from(webhooks).where(eq(webhooks.id, id)).get()

export const findDelivery: FindRecord<StoredDelivery> = (db, id) =>
  db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)).get()

/** The form of a new address as it was sent, with what is wrong with it. */
export interface WebhookForm {
  url: string
  events: string[]
  errors: { url?: Problem; events?: Problem }
}

export function readForm(body: URLSearchParams, hosts: ReadonlySet<string>): WebhookForm {
  const url = (body.get('url') ?? '').trim()
  const events = [...new Set(body.getAll('events'))]
  const errors = { url: findAddressProblem(url, hosts), events: findEventProblem(events) }
  return { url, events, errors }
}

function findAddressProblem(url: string, hosts: ReadonlySet<string>): Problem | undefined {
  if (url === '') return { message: 'Required' }
  if (url.length > addressLength || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return { message: 'Enter an address such as {example}.', params: { example: 'https://example.com/webhook' } }
  const { username, password } = new URL(url)
  if (username || password) return { message: 'Leave user name and password out of the address. Messages are signed.' }
  if (namesPrivateAddress(url, hosts))
    return { message: 'This address is on a private network. To allow it, name it in {setting}.', params: { setting: 'WEBHOOK_HOSTS' } }
}

function findEventProblem(events: string[]): Problem | undefined {
  if (events.length === 0) return { message: 'Choose at least one event.' }
  return events.every(isWebhookEvent) ? undefined : { message: 'Choose a value from the list.' }
}

const isWebhookEvent = (name: string): name is WebhookEvent => (webhookEvents as readonly string[]).includes(name)

/**
 * Adds an address; call it inside `write`.
 * @returns the secret that its messages are signed with, which nothing shows again
 * @throws HttpError 422 when there are too many
 */
export function addWebhook(db: Database, { url, events }: WebhookForm, author: Author): string {
  const { rows = 0 } = db.select({ rows: count() }).from(webhooks).get() ?? {}
  if (rows >= webhookLimit) throw new HttpError(422, 'There can be up to {limit} webhooks.', { limit: webhookLimit })
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = { url: new URL(url).href, secret, events: events.filter(isWebhookEvent), created_at: Date.now() }
  const { id } = db.insert(webhooks).values(webhook).returning({ id: webhooks.id }).get()
  logRow(db, webhooks, { action: 'create', id, label: hostOf(url), after: webhook }, author)
  logSecurityEvent(db, { event: 'webhook-added', author, detail: hostOf(url) })
  return secret
}

/** With all that waits to be sent there; call it inside `write`. */
export function deleteWebhook(db: Database, webhook: Webhook, author: Author): void {
  const { id, url } = webhook
  db.delete(webhooks).where(eq(webhooks.id, id)).run()
  logRow(db, webhooks, { action: 'delete', id, label: hostOf(url), before: webhook }, author)
  logSecurityEvent(db, { event: 'webhook-removed', author, detail: hostOf(url) })
}
