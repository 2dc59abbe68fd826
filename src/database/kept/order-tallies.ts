import { type Statement, trigger } from './statement.ts'

const month = (moment: string) => `strftime('%Y-%m', ${moment} / 1000, 'unixepoch')`

const add = `INSERT INTO order_tallies (status_id, month, count) VALUES (ifnull(new.status_id, 0), ${month('new.created_at')}, 1)
    ON CONFLICT DO UPDATE SET count = count + 1`

const remove = `UPDATE order_tallies SET count = count - 1 WHERE status_id = ifnull(old.status_id, 0) AND month = ${month('old.created_at')}`

/** How many orders of a month are in a status. */
export const orderTallies: Statement[] = [
  'DELETE FROM order_tallies',
  `INSERT INTO order_tallies (status_id, month, count) SELECT ifnull(status_id, 0), ${month('created_at')}, count(*) FROM orders GROUP BY 1, 2`,
  trigger('order_tallies_insert', 'AFTER INSERT ON orders', add),
  trigger('order_tallies_delete', 'AFTER DELETE ON orders', remove),
  trigger('order_tallies_update', 'AFTER UPDATE OF status_id, created_at ON orders', remove, add),
]
