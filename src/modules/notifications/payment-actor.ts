import { sql } from 'drizzle-orm'
import { notifications, payments } from '../../database/index.ts'

/** Who did with a payment what a notification tells. */
export const paymentActor = sql<string | null>`case ${notifications.event}
  when 'payment-reported' then ${payments.reporter_name} when 'payment-reversed' then ${payments.reverser_name} else ${payments.decider_name} end`
