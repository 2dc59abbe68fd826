import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { settings, webhooks } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { dateTime, several } from '../../../records/fields/index.ts'
import { formAction } from '../../../records/form/form-action.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'
import { guardPower } from '../guard-power.ts'
import { resend } from './deliveries.ts'
import labels from './labels.json' with { type: 'json' }
import { queueTest } from './queue-event.ts'
import { hostOf } from './send.ts'
import { viewOfWebhookForm, type WebhooksTab, webhookFormState, webhooksTab } from './tab.ts'
import {
  addWebhook,
  checkWebhook,
  deleteWebhook,
  findDelivery,
  findWebhook,
  mayManageWebhooks,
  type StoredDelivery,
  type Webhook,
  webhookForm,
} from './webhook.ts'

type ShowTab = (request: FastifyRequest, reply: FastifyReply, more: Partial<WebhooksTab>) => FastifyReply

/** @param showTab shows the settings, with the tab of webhooks open */
export function webhookRoutes(app: FastifyInstance, showTab: ShowTab): void {
  const access = mayManageWebhooks
  app.registry.subordinates.push(webhookRecords)
  app.post('/webhooks', action({ access }, webhookAction(showTab)))
  app.post('/webhooks/:id/test', action({ access, record: findWebhook }, sendTest))
  app.post('/webhooks/:id/delete', action({ access, record: findWebhook }, remove))
  app.post('/webhooks/deliveries/:id/resend', action({ access, record: findDelivery }, sendAgain))
}

const webhookAction = (showTab: ShowTab) =>
  formAction({
    form: webhookForm,
    mode: 'create',
    state: () => webhookFormState,
    save(request, webhook) {
      const { server, author } = request
      checkWebhook(webhook, server.config.webhookHosts)
      guardPower(request, 'webhook-added', hostOf(webhook.url))
      const secret = addWebhook(server.db, webhook, author)
      return { location: tabAddress(server), page: (reply) => showTab(request, reply, { secret }) }
    },
    showAgain: (request, reply, _, entry) => showTab(request, reply, { form: viewOfWebhookForm(request, entry) }),
  })

const tabAddress = (app: FastifyInstance) => url(app, `/settings?tab=${webhooksTab.name}`)

function sendTest({ server }: Context, webhook: Webhook): Done {
  queueTest(server, webhook.id)
  return { location: tabAddress(server), message: ['Test message queued for {host}', { host: hostOf(webhook.url) }] }
}

function remove({ server, author }: Context, webhook: Webhook): Done {
  deleteWebhook(server.db, webhook, author)
  return { location: tabAddress(server), message: ['Webhook {host} deleted', { host: hostOf(webhook.url) }] }
}

function sendAgain({ server }: Context, delivery: StoredDelivery): Done {
  resend(server, delivery)
  return { location: tabAddress(server), message: ['Retrying delivery'] }
}

/** In the history: the address, which may hold a key, is named by its host. */
const webhookRecords: Subordinate = {
  table: webhooks,
  title: 'Webhooks',
  fields: { events: several('Events', labels.events), paused_at: dateTime('Paused') },
  owners: [{ table: settings }],
}
