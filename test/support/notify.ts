import { write } from '../../src/database/open.ts'
import { orderHistory } from '../../src/database/schema/index.ts'
import { queueNotifications } from '../../src/modules/notifications/queue.ts'
import type { Cabinet } from './cabinet.ts'

export function notifyRecipients({ app, db, cast }: Cabinet, recipients: number[], status_name = 'Paid', order_id = cast.order): number {
  return write(db, () => {
    const entry = { order_id, at: Date.now(), from_name: 'Payment', to_name: status_name, actor_name: 'Petrova Maria' }
    const history_id = Number(db.insert(orderHistory).values(entry).run().lastInsertRowid)
    queueNotifications(app, { recipients, acted: null, order_id, history_id, status_name })
    return history_id
  })
}
