import { type SQL, sql } from 'drizzle-orm'
import { deliveries } from '../../database/index.ts'
import type { Channel } from './channels/channel.ts'
import { email } from './channels/email.ts'
import { telegram } from './channels/telegram.ts'

const declared = [email, telegram] as const

export const channels: Channel[] = [...declared]

/** Of the form of a person: their address on each channel. */
export const addressFields = ofAll('addressFields')

/** The inbox has everything; these say what comes by other channels too. */
export const notificationFields = ofAll('preferences')

/** What of the environment sets them up. */
export const channelEnvironment = ofAll('environment')

type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never

function ofAll<const Part extends 'addressFields' | 'preferences' | 'environment'>(part: Part) {
  return Object.assign({}, ...declared.map((channel) => channel[part])) as All<(typeof declared)[number][Part]>
}

/** Where a delivery goes: what was noted with it, otherwise the address that its person has now. */
export function recipientAddress(): SQL<string | null> {
  const ways = channels.map(({ key, address }) => sql`when ${key} then ${address}`)
  return sql`coalesce(${deliveries.recipient}, case ${deliveries.channel} ${sql.join(ways, sql` `)} end)`
}
