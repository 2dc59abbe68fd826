import { randomBytes } from 'node:crypto'
import { count, eq } from 'drizzle-orm'
import { anyOf, superadministrator } from '../../../core/access.ts'
import { type Author, type Database, logRow, logSecurityEvent, webhookDeliveries, webhooks } from '../../../database/index.ts'
import { HttpError, type Problem, ValidationFailed } from '../../../http/request/errors.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { several, text } from '../../../records/fields/index.ts'
import { type CreateValues, formWithoutTable } from '../../../records/form/form.ts'
import labels from './labels.json' with { type: 'json' }
import { hostOf, namesPrivateAddress } from './send.ts'

export type Webhook = typeof webhooks.$inferSelect
export type StoredDelivery = typeof webhookDeliveries.$inferSelect

export const mayManageWebhooks = anyOf(superadministrator)

const webhookLimit = 20

export const findWebhook: FindRecord<Webhook> = (db, id) => db.select().from(webhooks).where(eq(webhooks.id, id)).get()

export const findDelivery: FindRecord<StoredDelivery> = (db, id) =>
  db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)).get()

const { 'webhook.test': _, ...events } = labels.events

export const webhookForm = formWithoutTable([
  {
    title: 'Add webhook',
    fields: {
      url: text('Webhook address', { required: true, missing: 'Enter the address.', max: 2000 }),
      events: several('Events', events),
    },
  },
])

type NewWebhook = CreateValues<typeof webhookForm>

/** @throws ValidationFailed when nothing may or can be sent there */
export function checkWebhook({ url, events = [] }: NewWebhook, hosts: ReadonlySet<string>): void {
  const problem = findAddressProblem(url, hosts)
  if (problem) throw new ValidationFailed({ url: problem })
  if (events.length === 0) throw new ValidationFailed({ events: 'Choose at least one event.' })
}

function findAddressProblem(url: string, hosts: ReadonlySet<string>): Problem | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return { message: 'Enter an address such as {example}.', params: { example: 'https://example.com/webhook' } }
  const { username, password } = new URL(url)
  if (username || password) return { message: 'Leave user name and password out of the address. Messages are signed.' }
  if (namesPrivateAddress(url, hosts))
    return { message: 'This address is on a private network. To allow it, name it in {setting}.', params: { setting: 'WEBHOOK_HOSTS' } }
}

/**
 * Adds an address; call it inside `write`.
 * @returns the secret that its messages are signed with, which nothing shows again
 * @throws HttpError 422 when there are too many
 */
export function addWebhook(db: Database, { url, events = [] }: NewWebhook, author: Author): string {
  const { rows = 0 } = db.select({ rows: count() }).from(webhooks).get() ?? {}
  if (rows >= webhookLimit) throw new HttpError(422, 'There can be up to {limit} webhooks.', { limit: webhookLimit })
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = { url: new URL(url).href, secret, events, created_at: Date.now() }
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
