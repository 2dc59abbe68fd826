import { and, eq, gt, inArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { deliveries, notifications, payments, write } from './database/index.ts'
import type { PaymentNotice } from './modules/notifications/notices.ts'
import { tellOfDueDays } from './modules/orders/payments/tell-of-due-days.ts'
import { tellOfPayment } from './modules/orders/payments/tell-of-payment.ts'

const day = 24 * 3600_000

/** How far back people of the sample data were notified, and for how long they leave entries unread. */
const [toldDays, unreadDays] = [30, 3]

/** Notifies of the payments of the sample data, in the inbox only, as when they were made, and of due days. */
export async function notifyOfSamplePayments(app: FastifyInstance): Promise<void> {
  const { db } = app
  write(db, () => {
    const recent = gt(payments.created_at, Date.now() - toldDays * day)
    for (const payment of db.select().from(payments).where(recent).all()) {
      const { id, state, reporter_id, reporter_name, decider_id, decider_name, decided_at } = payment
      const tell = (event: PaymentNotice, at: number, author: { id: number | null; name: string }) => {
        tellOfPayment(app, payment, event, author)
        const read_at = at < Date.now() - unreadDays * day ? at + day / 12 : null
        const told = and(eq(notifications.payment_id, id), eq(notifications.event, event))
        db.update(notifications).set({ created_at: at, read_at }).where(told).run()
        const ids = db.select({ id: notifications.id }).from(notifications).where(told)
        db.delete(deliveries).where(inArray(deliveries.notification_id, ids)).run()
      }
      tell('payment-reported', payment.created_at, { id: reporter_id, name: reporter_name })
      if (state !== 'reported' && decided_at) tell(`payment-${state}`, decided_at, { id: decider_id, name: decider_name ?? '' })
    }
  })
  await tellOfDueDays(app, new AbortController().signal)
}
