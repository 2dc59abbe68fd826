import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import {
  type Database,
  type WebhookEvent,
  webhookAttempts,
  webhookDeliveries,
  webhookEvents,
  webhookMessages,
  webhooks,
} from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { template } from '../../../http/request/template.ts'
import { countLimit, formatCount } from '../../../i18n/format.ts'
import { blankState, type Entry, type FormState } from '../../../records/form/form.ts'
import { type FormView, viewOfForm } from '../../../records/form/view.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import labels from './labels.json' with { type: 'json' }
import { mayManageWebhooks, webhookForm } from './webhook.ts'

const eventNames: Record<WebhookEvent | 'webhook.test', string> = labels.events

export interface WebhooksTab {
  webhooks: ReturnType<typeof viewOfWebhook>[]
  deliveries: ReturnType<typeof viewOfDeliveries>
  form: FormView
  /** Of the address that was just added. */
  secret?: string
}

const shownDeliveries = 50

const webhooksPage = template<CardFrame & WebhooksTab>('settings/webhooks.njk')

export const webhooksTab: Tab<object> = {
  name: 'webhooks',
  label: 'Webhooks',
  rule: mayManageWebhooks,
  ...cardPart(webhooksPage, viewOfTab),
}

function viewOfTab(context: Context): WebhooksTab {
  const { db } = context.server
  const all = db.select().from(webhooks).orderBy(asc(webhooks.id)).all()
  return {
    webhooks: all.map((webhook) => viewOfWebhook(db, webhook)),
    deliveries: viewOfDeliveries(db),
    form: viewOfWebhookForm(context),
  }
}

export const webhookFormState: FormState = { ...blankState, stored: { events: webhookEvents } }

export const viewOfWebhookForm = ({ t }: Context, entry?: Entry) => viewOfForm(webhookForm, webhookFormState, t, entry)

function viewOfWebhook(db: Database, { id, url, events, failing_since, paused_at }: typeof webhooks.$inferSelect) {
  return {
    id,
    url,
    place: placeOf(url),
    events: events.map((name) => eventNames[name]),
    failing_since,
    paused_at,
    waiting: countWaiting(db, id, paused_at ? 'paused' : 'waiting'),
  }
}

function countWaiting(db: Database, id: number, state: 'waiting' | 'paused'): string | undefined {
  const waiting = and(eq(webhookDeliveries.webhook_id, id), sql`${webhookDeliveries.state} = ${sql.raw(`'${state}'`)}`)
  const some = db
    .select({ one: sql`1` })
    .from(webhookDeliveries)
    .where(waiting)
    .limit(countLimit + 1)
  const rows = db.select({ rows: sql<number>`count(*)` }).from(some.as('some')).get()?.rows ?? 0
  return rows > 0 ? formatCount(rows) : undefined
}

/** The newest ones with their attempts. */
function viewOfDeliveries(db: Database) {
  const { id, state, attempts, next_at } = webhookDeliveries
  const { type, at, message_id } = webhookMessages
  const rows = db
    .select({ id, state, attempts, next_at, type, at, message_id, url: webhooks.url })
    .from(webhookDeliveries)
    .innerJoin(webhookMessages, eq(webhookMessages.id, webhookDeliveries.message_id))
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhook_id))
    .orderBy(desc(id))
    .limit(shownDeliveries)
    .all()
  const answers = answersOf(
    db,
    rows.map((row) => row.id),
  )
  return rows.map(({ type, url, state, ...row }) => ({
    ...row,
    state,
    event: eventNames[type as WebhookEvent],
    place: placeOf(url),
    stateLabel: labels.deliveryStates[state],
    answers: answers.get(row.id) ?? [],
  }))
}

/** An address as far as it tells others apart. */
function placeOf(address: string): string {
  const { host, pathname } = new URL(address)
  return pathname === '/' ? host : host + pathname
}

const failures: Record<string, string> = labels.failures

function answersOf(db: Database, ids: number[]) {
  const ofThese = inArray(webhookAttempts.delivery_id, ids)
  const attempts = db.select().from(webhookAttempts).where(ofThese).orderBy(asc(webhookAttempts.id)).all()
  return Map.groupBy(
    attempts.map((attempt) => ({ ...attempt, failure: attempt.status === null ? failures[attempt.answer] : undefined })),
    ({ delivery_id }) => delivery_id,
  )
}
