import { sql } from 'drizzle-orm'
import { notifications, payments } from '../../database/schema/index.ts'

/** Who did with a payment what a notification tells. */
export const paymentActor = sql<
  string | null
>`iif(${notifications.event} = 'payment-reported', ${payments.reporter_name}, ${payments.decider_name})`
