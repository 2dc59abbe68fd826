import { type SQL, sql } from 'drizzle-orm'
import { deliveries } from '../../database/index.ts'
import type { Channel } from './channels/channel.ts'
import { email } from './channels/email.ts'
import { telegram } from './channels/telegram.ts'

export const channels: Channel[] = [email, telegram]

/** Where a delivery goes: what was noted with it, otherwise the address that its person has now. */
export function recipientAddress(): SQL<string | null> {
  const ways = channels.map(({ key, address }) => sql`when ${key} then ${address}`)
  return sql`coalesce(${deliveries.recipient}, case ${deliveries.channel} ${sql.join(ways, sql` `)} end)`
}
