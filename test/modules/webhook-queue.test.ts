import { eq } from 'drizzle-orm'
import t from 'tap'
import { webhookDeliveries, webhookMessages, webhooks } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { placeOrder } from '../support/orders.ts'
import { allEvents } from '../support/receiver.ts'

/** Nobody listens there. */
const insertWebhook = ({ db }: Cabinet, values: Partial<typeof webhooks.$inferInsert> = {}) =>
  db
    .insert(webhooks)
    .values({ url: 'http://127.0.0.1:9/', secret: 'whsec_AAAA', events: allEvents as never, created_at: 1, ...values })
    .returning()
    .get().id

const environment = { WEBHOOK_HOSTS: '127.0.0.1' }

t.test('an event waits for each address that wants it, and where an address is paused until it no longer is', async (t) => {
  const cabinet = await startCabinet(t, { environment })
  const { as, db } = cabinet
  const works = insertWebhook(cabinet)
  const paused = insertWebhook(cabinet, { paused_at: 1, failing_since: 1 })
  insertWebhook(cabinet, { events: ['payment.confirmed', 'order.message'] })
  await placeOrder(await as('denis'))
  t.same(
    db
      .select()
      .from(webhookDeliveries)
      .all()
      .map(({ webhook_id, state }) => [webhook_id, state]),
    [
      [works, 'waiting'],
      [paused, 'paused'],
    ],
    'each with its own state',
  )
})

t.test('what is withdrawn takes back its own event, and no other', async (t) => {
  const cabinet = await startCabinet(t, { environment })
  const { as, cast, db } = cabinet
  insertWebhook(cabinet)
  const denis = await as('denis')
  const path = `/orders/${cast.order}/messages`
  for (const text of ['The first', 'The second', 'The third']) await denis.post(path, { text })
  await placeOrder(denis)
  const told = () =>
    db
      .select()
      .from(webhookMessages)
      .where(eq(webhookMessages.type, 'order.message'))
      .all()
      .map(({ body }) => JSON.parse(body).data.text)
  t.same(told(), ['The first', 'The second', 'The third'], 'before')
  t.equal((await denis.post(`${path}/2/withdraw`)).statusCode, 303)
  t.same(told(), ['The first', 'The third'], 'after')
  t.equal(db.select().from(webhookMessages).where(eq(webhookMessages.type, 'order.created')).all().length, 1, 'the order stays told of')
})
