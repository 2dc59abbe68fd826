import { type Author, type Database, findSettings, orders, updateRecord, write } from '../../../database/index.ts'
import { today } from '../../../i18n/format.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { type PricesOfToday, readPrices, usesCatalog } from './catalog.ts'
import { type Item, itemsOf, saveItems } from './lines.ts'
import { limited } from './price-lines.ts'
import { costOf } from './price-order.ts'
import { renewItem } from './product-line.ts'

interface OutdatedPrices {
  /** All lines of the order, those whose prices hold no longer at the prices of today. */
  renewed: Item[]
  /** What the order costs then, in kopecks. */
  cost: number
}

/** What a step out of the first status asks about: lines written longer ago than prices hold that would cost something else today. */
export function findOutdatedPrices(db: Database, order: Order): OutdatedPrices | undefined {
  const [first] = loadWorkflow(db).statuses
  if (order.status_id !== first?.id || !usesCatalog(db)) return undefined
  const written = itemsOf(db, order.id)
  const since = firstDayInForce(db)
  const outdated = written.filter(({ product_id, priced_on }) => product_id != null && priced_on != null && priced_on < since)
  if (outdated.length === 0) return undefined
  const prices = readPrices(db, order.owner_company_id, outdated)
  const today = new Map(outdated.map((item) => [item.id, renewed(prices, item)]))
  if (outdated.every(({ id, piece_price }) => today.get(id)?.piece_price === piece_price)) return undefined
  const items = written.map((item) => today.get(item.id) ?? item)
  return { renewed: items, cost: costOf(items) }
}

/** A line whose new amount a number does not hold stays as written. */
function renewed(prices: PricesOfToday, item: Item): Item {
  const priced = limited(() => ({ item: renewItem(prices, item) }))
  return 'item' in priced ? priced.item : item
}

/** The earliest day (YYYY-MM-DD) whose prices still hold. */
function firstDayInForce(db: Database): string {
  const day = new Date(`${today()}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() - findSettings(db).price_days)
  return day.toISOString().slice(0, 10)
}

/**
 * Writes the lines with the prices of today, with an entry of its own in the history of the order. Call it inside `write`.
 * @returns the order as it is then
 */
export function renewPrices(db: Database, order: Order, author: Author): Order {
  const outdated = findOutdatedPrices(db, order)
  if (!outdated) return order
  const { cost, renewed } = outdated
  updateRecord(db, orders, { ...order }, { cost }, orderLabel(order), author, { items: saveItems(db, order.id, renewed) })
  return findOrder(db, order.id) as Order
}

/** What would follow if the prices of an order were renewed: nothing of it stays. */
export function rehearseRenewal<T>(db: Database, order: Order, author: Author, follow: (renewed: Order) => T): T {
  let result: { of: T } | undefined
  try {
    write(db, () => {
      result = { of: follow(renewPrices(db, order, author)) }
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack || !result) throw error
  }
  return (result as { of: T }).of
}

const takenBack = new Error('a rehearsal is taken back')
