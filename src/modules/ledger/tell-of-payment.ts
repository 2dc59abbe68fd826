import type { FastifyInstance } from 'fastify'
import { group } from '../../core/access.ts'
import { type Author, type Database, prepareOnce } from '../../database/index.ts'
import { deputiesOf } from '../../http/access/deputies.ts'
import { whomAllows } from '../../http/access/permitted-people.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import type { PaymentNotice } from '../notifications/notices.ts'
import { queueNotifications } from '../notifications/queue.ts'
import { paymentAccess } from './access.ts'
import { findPayment, type Payment } from './payment.ts'
import { queuePaymentEvent } from './payment-events.ts'

/**
 * Tells those who may confirm a reported payment, and other programs: with a step that can be undone, when it no longer can. Call it
 * inside `write`.
 */
export function tellOfReport(
  app: FastifyInstance,
  payment: Pick<Payment, 'id'>,
  author: Author,
  held: { subject?: string; send_at?: number | null } = {},
): void {
  tellOfPayment(app, payment, 'payment-reported', author, held.send_at)
  queuePaymentEvent(app, 'payment.reported', payment.id, held)
}

/**
 * Notifies of a payment: those who may confirm a reported one, otherwise the dealers whose orders it names or pays, or else who reported it;
 * of a reversed one everybody who was told of it; of them whoever may see it. Whoever was impersonated learns what was done in their name. Call
 * it inside `write`.
 */
export function tellOfPayment(
  app: FastifyInstance,
  { id }: Pick<Payment, 'id'>,
  event: PaymentNotice,
  author: Author,
  send_at?: number | null,
): void {
  const payment = findPayment(app.db, id)
  if (!payment) return
  const { rule, people } = event === 'payment-reported' ? deciders(app.db, payment) : payers(app.db, payment)
  const impersonated = author.impersonator && author.id !== null ? whomAllows(app.db, paymentAccess.view, payment, [author.id]) : []
  const notified = event === 'payment-reversed' ? idsOf(notifiedOf(app.db).all({ payment: id })) : []
  const involved = whomAllows(app.db, rule, payment, [...people, ...notified])
  queueNotifications(app, {
    recipients: [...new Set([...involved, ...impersonated].map((person) => person.id))],
    acted: realAuthorOf(author).id,
    order_id: payment.order_id,
    payment_id: id,
    event,
    ...(send_at && { send_at }),
  })
}

function deciders(db: Database, { manager_id: manager }: Payment) {
  return { rule: paymentAccess.decide, people: [...idsOf(staff(db).all({ manager })), ...deputiesOf(db, manager)] }
}

function payers(db: Database, { id: payment, order_id: order, company_id: company, reporter_id: reporter }: Payment) {
  const ofOrders = idsOf(dealers(db).all({ payment, order, company }))
  return { rule: paymentAccess.view, people: ofOrders.length > 0 ? ofOrders : reporter === null ? [] : [reporter] }
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

const staff = prepareOnce((db) =>
  db.$client.prepare<{ manager: number | null }, { id: number }>(
    `select id from users where active and (id = @manager or group_id = ${group.administrator}) order by id = @manager desc, id`,
  ),
)

const notifiedOf = prepareOnce((db) =>
  db.$client.prepare<{ payment: number }, { id: number }>('select distinct user_id as id from notifications where payment_id = @payment'),
)

/** The dealers of the orders that a payment names or has paid, who are still of the company that owns these. */
const dealers = prepareOnce((db) =>
  db.$client.prepare<Record<'payment' | 'order' | 'company', number | null>, { id: number }>(
    `select distinct users.id from orders join users on users.id = orders.dealer_id
      where (orders.id = @order or orders.id in (select order_id from allocations where payment_id = @payment))
        and users.active and users.company_id = orders.owner_company_id and users.company_id = @company order by users.id`,
  ),
)
