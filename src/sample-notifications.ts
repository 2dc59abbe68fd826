import { and, eq, gt, inArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Database, deliveries, notifications, payments, write } from './database/index.ts'
import { tellOfPayment } from './modules/ledger/tell-of-payment.ts'
import type { PaymentNotice } from './modules/notifications/notices.ts'
import { tellOfDueDays } from './modules/payments/tell-of-due-days.ts'

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
    numberByTime(db)
  })
  await tellOfDueDays(app, new AbortController().signal)
}

/** Lists of events show the highest number first. */
function numberByTime(db: Database): void {
  db.$client.exec(`pragma defer_foreign_keys = on;
    create temp table numbered as select id, -row_number() over (order by created_at, id) as place from notifications;
    create unique index temp.numbered_id on numbered (id);
    update deliveries set notification_id = (select place from numbered where numbered.id = notification_id);
    update notifications set id = (select place from numbered where numbered.id = notifications.id);
    update deliveries set notification_id = -notification_id;
    update notifications set id = -id;
    drop table numbered`)
}
