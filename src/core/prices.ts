import { type Actor, maySee } from './access.ts'

/** Declared by whatever shows an amount, a discount, an invoice, or how and when an order is paid. */
export const ofPrices = { needs: 'order_can_view_prices' } as const

export const seesPrices = (actor: Actor): boolean => maySee(actor)(ofPrices)
