import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord, writeRecord } from '../../web/access/record-routes.ts'
import { bodyOf, flash, url } from '../../web/http.ts'
import { carryOutOnce, SentOtherwise } from '../../web/submissions/idempotency.ts'
import { guardPower } from '../users/administrators.ts'
import { resend } from './deliveries.ts'
import { queueTest } from './queue-event.ts'
import { hostOf } from './send.ts'
import { presentForm, type WebhooksTab, webhooksTab } from './tab.ts'
import {
  addWebhook,
  deleteWebhook,
  findDelivery,
  findWebhook,
  mayManageWebhooks,
  readForm,
  type StoredDelivery,
  type Webhook,
  webhookRecords,
} from './webhook.ts'

type ShowTab = (request: FastifyRequest, reply: FastifyReply, more: Partial<WebhooksTab>) => unknown

/** @param showTab shows the settings, with the tab of webhooks open */
export function webhookRoutes(app: FastifyInstance, showTab: ShowTab): void {
  const access = mayManageWebhooks
  app.subordinates.push(webhookRecords)
  app.post('/webhooks', { access }, add)
  app.post('/webhooks/:id/test', onRecord({ access, record: findWebhook }, sendTest))
  app.post('/webhooks/:id/delete', onRecord({ access, record: findWebhook }, remove))
  app.post('/webhooks/deliveries/:id/resend', onRecord({ access, record: findDelivery }, sendAgain))

  function add(request: FastifyRequest, reply: FastifyReply) {
    const { server } = request
    const body = bodyOf(request)
    const form = readForm(body, server.config.webhookHosts)
    if (form.errors.url || form.errors.events) return showTab(request, reply.code(422), { form: presentForm(form) })
    try {
      const { location, result: secret } = writeRecord(request, undefined, () =>
        carryOutOnce(request, body, () => {
          guardPower(request, 'webhook-added', hostOf(form.url))
          return { location: tabAddress(request), result: addWebhook(server.db, form, request.author) }
        }),
      )
      // Sent twice: only the first answer has the secret.
      if (!secret) return reply.redirect(location, 303)
      return showTab(request, reply, { secret })
    } catch (error) {
      if (!(error instanceof SentOtherwise)) throw error
      return showTab(request, reply.code(error.status), { form: presentForm(form) })
    }
  }
}

const tabAddress = ({ server }: FastifyRequest) => url(server, `/settings?tab=${webhooksTab.name}`)

function sendTest(request: FastifyRequest, reply: FastifyReply, webhook: Webhook) {
  writeRecord(request, webhook, ({ id }) => queueTest(request.server, id))
  flash(request, 'Test message queued for {host}', { host: hostOf(webhook.url) })
  return reply.redirect(tabAddress(request), 303)
}

function remove(request: FastifyRequest, reply: FastifyReply, webhook: Webhook) {
  writeRecord(request, webhook, (current) => deleteWebhook(request.server.db, current, request.author))
  flash(request, 'Webhook {host} deleted', { host: hostOf(webhook.url) })
  return reply.redirect(tabAddress(request), 303)
}

function sendAgain(request: FastifyRequest, reply: FastifyReply, delivery: StoredDelivery) {
  const { server } = request
  writeRecord(request, delivery, ({ id }) => resend(server.db, id))
  server.wakeWebhooks()
  flash(request, 'Retrying delivery')
  return reply.redirect(tabAddress(request), 303)
}
