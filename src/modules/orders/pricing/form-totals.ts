import { allows } from '../../../core/access.ts'
import { seesPrices } from '../../../core/prices.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { type Entry, type FormState, isLocked } from '../../../records/form/form.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { type Discounts, discountsInForce, usesCatalog } from './catalog.ts'
import { type FormPrices, priceForm, pricePlainForm } from './form-prices.ts'
import { itemsOf, plainItem } from './lines.ts'
import { companyOfForm } from './typed-lines.ts'

/** Without the catalog the page itself adds up; with it, it asks for prices at `pricesAddress`. */
export type LineTotals = { discounts?: Discounts; pricesAddress?: string } & Partial<FormPrices>

/** What a form with lines shows of their prices. */
export function viewOfTotals(context: Context, order: Order | undefined, state: FormState, entry?: Entry): LineTotals {
  const { server, actor, t } = context
  const { db } = server
  const written = order ? itemsOf(db, order.id) : []
  if (usesCatalog(db)) {
    const open = !isLocked(state, 'items') && (!order || allows(orderAccess.edit, actor, order))
    const prices = priceForm(context, { order, written, open }, state, entry)
    const pricesAddress = url(server, `/orders/add/price${order ? `?order=${order.id}` : ''}`)
    return seesPrices(actor) ? { ...prices, pricesAddress } : { inputs: prices.inputs }
  }
  if (!seesPrices(actor)) return {}
  const discounts = discountsInForce(db, companyOfForm(context, order, state, entry))
  return { discounts, ...pricePlainForm(state, entry, written.map(plainItem), discounts, t) }
}
