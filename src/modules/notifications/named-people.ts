import { sql } from 'drizzle-orm'
import { companies, deputies, notifications, orders, payments, users } from '../../database/index.ts'

/** Who did with a payment what a notification tells. */
export const paymentActor = sql<string | null>`case ${notifications.event}
  when 'payment-reported' then ${payments.reporter_name} when 'payment-reversed' then ${payments.reverser_name} else ${payments.decider_name} end`

/** The manager as whose deputy somebody was told, in queries of notifications with their orders and companies. */
export const forManager = sql<string | null>`(select concat_ws(' ', manager.lastname, manager.name)
  from ${deputies} join ${users} manager on manager.id = ${deputies.manager_id}
  where ${deputies.manager_id} = coalesce(${orders.owner_manager_id}, ${companies.manager_id})
    and ${deputies.deputy_id} = ${notifications.user_id} and not ${deputies.reading}
    and date(${notifications.created_at} / 1000, 'unixepoch', 'localtime') between ${deputies.first_day} and ${deputies.last_day} limit 1)`
