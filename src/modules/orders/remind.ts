import type { FastifyInstance } from 'fastify'
import { group } from '../../core/access.ts'
import { groupAtTurn } from '../../core/expected-actor.ts'
import { prepareOnce } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound } from '../../http/request/errors.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { template } from '../../http/request/template.ts'
import { formatDateTimeInput, today } from '../../i18n/format.ts'
import { formWithoutTable } from '../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import { queueNotifications } from '../notifications/queue.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { orderList } from './list.ts'
import { findOrder, type Order, orderLabel } from './order.ts'
import { findPartyMembers } from './recipients.ts'

const remindPage = template<BulkFormView>('orders/remind.njk')

/** Reminds the dealers of the selected orders that these wait for them. */
export function remindRoutes(app: FastifyInstance): void {
  const bulk = {
    list: orderList(app.db),
    path: '/orders/remind',
    label: 'Remind',
    icon: 'bell',
    form: formWithoutTable([]),
    formState: () => ({ mode: 'edit' as const, stored: {}, choices: {} }),
    find: findOrder,
    rule: orderAccess.remind,
    labelOf: orderLabel,
    read: () => true,
    missing: 'Nothing selected.',
    change: remind,
    title: 'Remind the dealers of {count} orders',
    done: '{count} dealers reminded',
    refused: '{count} dealers were not reminded:',
  }
  bulkFormRoutes<Order, boolean, BulkFormView>(app, bulk, remindPage, () => ({}))
}

/** @throws HttpError where nothing waits for a dealer, or one was reminded today */
function remind({ server, actor, author }: Context, id: number): void {
  const { db } = server
  const order = findOrder(db, id)
  if (!order) throw notFound()
  authorize(orderAccess.remind, actor, order)
  if (groupAtTurn(loadWorkflow(db), order) !== group.dealer) throw new HttpError(422, 'The order does not wait for its dealer.')
  const recipients = findPartyMembers(db, order).dealer
  if (recipients.length === 0) throw new HttpError(422, 'The order has no active dealer.')
  const last = lastReminder(db).get({ order: id })?.at
  if (last && formatDateTimeInput(last).slice(0, 10) === today()) throw new HttpError(422, 'The dealer was reminded today.')
  queueNotifications(server, { recipients, order_id: id, event: 'turn-reminder', acted: realAuthorOf(author).id, actor_name: author.name })
}

const lastReminder = prepareOnce((db) =>
  db.$client.prepare<{ order: number }, { at: number | null }>(
    "select max(created_at) as at from notifications where order_id = @order and event = 'turn-reminder'",
  ),
)
