import { eq } from 'drizzle-orm'
import t from 'tap'
import { webhookAttempts, webhookDeliveries, webhookMessages } from '../../src/database/schema/index.ts'
import { type Delivery, recordAnswer } from '../../src/modules/notifications/webhooks/deliveries.ts'
import { startCabinet } from '../support/cabinet.ts'
import { addWebhook } from '../support/receiver.ts'

/** Notes answers to one message, each as if it had been tried so often before; says what follows. */
async function startNoting(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test, { environment: { WEBHOOK_HOSTS: '127.0.0.1' } })
  const { db } = cabinet
  const webhook = await addWebhook(cabinet, 'http://127.0.0.1:9/')
  const message = { message_id: 'msg_1', type: 'webhook.test', at: 1, body: '{}' }
  const message_id = Number(db.insert(webhookMessages).values(message).run().lastInsertRowid)
  const never = Date.now() + 365 * 24 * 3600_000
  return (status: number, attempts: number) => {
    db.delete(webhookDeliveries).run()
    const values = { webhook_id: webhook.id, message_id, attempts, next_at: never }
    const { id } = db.insert(webhookDeliveries).values(values).returning().get()
    recordAnswer(db, { id, attempts, webhook: webhook.id } as Delivery, { status, text: '' })
    const { state, next_at } = db.select().from(webhookDeliveries).get() as typeof webhookDeliveries.$inferSelect
    const attempt = db.select().from(webhookAttempts).where(eq(webhookAttempts.delivery_id, id)).get()
    return state === 'waiting' ? (next_at - (attempt?.at ?? 0)) / 1000 : state
  }
}

t.test('a message is tried again after five seconds, then after twice as long each time, up to six hours and 25 attempts', async (t) => {
  const note = await startNoting(t)
  const follows = [0, 1, 2, 12, 13, 23, 24].map((attempts) => note(500, attempts))
  t.same(follows, [5, 10, 20, 20_480, 6 * 3600, 6 * 3600, 'failed'])
})

t.test('only a status from 200 to 299 accepts a message', async (t) => {
  const note = await startNoting(t)
  t.same(
    [199, 200, 299, 300].map((status) => note(status, 0)),
    [5, 'sent', 'sent', 5],
  )
})
