import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eq } from 'drizzle-orm'
import { webhookDeliveries, webhooks } from '../../src/database/schema/index.ts'
import type { Cabinet, Fields } from './cabinet.ts'
import { parseHtml } from './html.ts'
import { callWorker } from './jobs.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void

/** Another program that webhooks lead to. What it answers can be changed at any time. */
export async function startReceiver(test: { teardown: (end: () => unknown) => void }) {
  const requests: Received[] = []
  const receiver = { requests, url: '', atOnce: 0, most: 0, reply: answering(204) as Reply }
  const server = createServer(async (request, response) => {
    receiver.most = Math.max(receiver.most, ++receiver.atOnce)
    response.on('close', () => receiver.atOnce--)
    const body = Buffer.concat(await request.toArray()).toString()
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    receiver.reply(request, response)
  })
  const port = await new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
  receiver.url = `http://127.0.0.1:${port}/`
  test.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

export const answering =
  (status: number, text = '', headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    response.writeHead(status, headers).end(text)

export const neverAnswering: Reply = () => {}

export const allEvents = ['order.created', 'order.status_changed', 'order.message', 'payment.reported', 'payment.confirmed']

/** Adds an address as a superadministrator does, and returns its id and secret. */
export async function addWebhook({ as, db }: Cabinet, url: string, events: Fields[string] = allEvents) {
  const answer = await (await as('root')).post('/webhooks', { url, events })
  const secret = parseHtml(answer.body)('[data-secret]').attr('data-secret') ?? ''
  const added = db.select().from(webhooks).all().at(-1)
  return { id: added?.id as number, secret, answer }
}

export const deliveriesOf = ({ db }: Pick<Cabinet, 'db'>, webhook: number) =>
  db.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhook_id, webhook)).orderBy(webhookDeliveries.id).all()

/** As if the time had come for whatever waits. */
export function dueNow(cabinet: Pick<Cabinet, 'app' | 'db'>): void {
  cabinet.db.update(webhookDeliveries).set({ next_at: 0 }).where(eq(webhookDeliveries.state, 'waiting')).run()
  callWorker(cabinet)
}
