import type { OrderChange } from '../../core/order-changes.ts'
import { seesPrices } from '../../core/prices.ts'
import { firstCharacters } from '../../core/text.ts'
import type { Database } from '../../database/index.ts'
import { personFinder } from '../../http/access/person-reader.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Delivery } from './channels/channel.ts'

/** What a notice says that became otherwise, and why. */
interface ToldChanges {
  changes: OrderChange[]
  reason: string | null
}

const linesShown = 20

/**
 * What became otherwise, a line for each; nothing for other notices.
 * @param withPrices whether its reader sees prices
 */
export function describeChanges(
  { event, detail }: { event: string | null; detail: string | null },
  withPrices: boolean,
  t: Translate,
): string[] {
  if (event !== 'order-changed' || detail === null) return []
  const { changes, reason } = JSON.parse(detail) as ToldChanges
  const seen = changes.filter(({ ofPrices }) => withPrices || !ofPrices)
  const more = seen.length - linesShown
  return [
    ...seen.slice(0, linesShown).map((change) => describeChange(change, t)),
    ...(more > 0 ? [t('and {count} more', { count: more })] : []),
    ...(reason ? [t('Reason: {reason}', { reason })] : []),
  ]
}

/** The same for whom it is sent to. */
export function describeChangesTo(db: Database, delivery: Pick<Delivery, 'user_id' | 'event' | 'detail'>, t: Translate): string[] {
  const person = personFinder(db)(delivery.user_id)
  return describeChanges(delivery, person !== undefined && seesPrices(person), t)
}

function describeChange(change: OrderChange, t: Translate): string {
  const { what, line, was, is } = change
  if (what === 'Line added' || what === 'Line removed') return `${t(what)}: ${line} × ${is}`
  const subject = line === undefined ? t(what) : `${line}, ${t(what)}`
  return `${subject}: ${describeValue(was, change, t)} → ${describeValue(is, change, t)}`
}

const excerptLength = 100

function describeValue(value: string | number | null, { kind }: OrderChange, t: Translate): string {
  if (value === null) return '—'
  if (kind === 'day') return formatCalendarDate(String(value))
  if (kind === 'amount') return t.money(Number(value))
  return firstCharacters(String(value).replace(/\s+/g, ' '), excerptLength)
}
