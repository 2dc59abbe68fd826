import { type Statement, trigger } from './statement.ts'

/** Since when an order is in its status: its newest step that was not undone, or its creation, whichever is later. */
const since = `max(created_at, ifnull((SELECT max(at) FROM order_history WHERE order_id = orders.id AND undone_at IS NULL AND undoes_id IS NULL), 0))`

export const statusSince: Statement[] = [
  `UPDATE orders SET status_since = ${since} WHERE status_since <> ${since}`,
  trigger(
    'orders_since_insert',
    'AFTER INSERT ON orders WHEN new.status_since < new.created_at',
    'UPDATE orders SET status_since = new.created_at WHERE id = new.id',
  ),
  trigger(
    'orders_since_step',
    'AFTER INSERT ON order_history WHEN new.undoes_id IS NULL',
    'UPDATE orders SET status_since = max(status_since, new.at) WHERE id = new.order_id',
  ),
  trigger(
    'orders_since_undo',
    'AFTER UPDATE OF undone_at ON order_history',
    `UPDATE orders SET status_since = ${since} WHERE id = new.order_id`,
  ),
]
