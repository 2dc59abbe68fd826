import { eq } from 'drizzle-orm'
import { deliveries, notifications } from '../../src/database/schema/index.ts'
import type { Cabinet } from './cabinet.ts'
import type { Name } from './cast.ts'
import { elementsOf, textOf } from './html.ts'

/** Who was told what of payments: in the inbox, and by email. */
export function toldOfPayments({ db, cast }: Cabinet): string[] {
  const names = new Map(Object.entries(cast).map(([name, id]) => [id, name]))
  return db
    .select()
    .from(notifications)
    .leftJoin(deliveries, eq(deliveries.notification_id, notifications.id))
    .all()
    .filter((row) => row.notifications.event?.startsWith('payment-'))
    .map((row) => {
      const { event, user_id, read_at } = row.notifications
      return `${names.get(user_id)}: ${event}${read_at ? ', read' : ''}${row.deliveries ? ', mail' : ''}`
    })
    .sort()
}

/** What the entries of somebody's inbox say, the newest first. */
export async function inboxOf({ as }: Cabinet, name: Name): Promise<string[]> {
  return elementsOf((await (await as(name)).get('/notifications')).body, 'tr[data-notification]').map(textOf)
}
