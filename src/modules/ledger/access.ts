import { eq, inArray, sql } from 'drizzle-orm'
import {
  type Actor,
  allOf,
  anyOf,
  group,
  has,
  ignoringScope,
  isAmong,
  isGroup,
  isSameId,
  type Ownership,
  type Rule,
  readManagers,
} from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { companies, ledgerEntries, orders, payments } from '../../database/index.ts'

export interface EntryFacts {
  company_id: number
  company_manager_id: number | null
}

const supervised: Ownership<EntryFacts> = {
  description: 'entries of companies you manage',
  predicate: (actor, entry) => isAmong(readManagers(actor), entry.company_manager_id),
  where: (actor) =>
    sql`${ledgerEntries.company_id} in (select ${companies.id} from ${companies} where ${inArray(companies.manager_id, readManagers(actor))})`,
}

const own: Ownership<EntryFacts> = {
  description: 'entries of your company',
  refusal: 'This entry is of another company.',
  predicate: (actor, entry) => isSameId(entry.company_id, actor.company_id),
  where: (actor) => eq(ledgerEntries.company_id, actor.company_id ?? 0),
}

/** As the card of the company, for those who see prices; dealers read what their own company owes. */
export const mayReadLedger: Rule<EntryFacts> = allOf(
  anyOf<EntryFacts>(has('company_can_view'), has('company_manager_can_view', supervised), isGroup(group.dealer, own)),
  anyOf<EntryFacts>(has('order_can_view_prices')),
)

export interface PaymentFacts {
  company_id: number | null
  /** The company's; of a company without one that of the order that the payment names. */
  manager_id: number | null
  company_manufacture_id: number | null
  company_stock_id: number | null
}

const ofTheirCompany: Ownership<PaymentFacts> = {
  description: 'payments of your company',
  refusal: 'This payment is of another company.',
  predicate: (actor, payment) => isSameId(payment.company_id, actor.company_id),
  where: (actor) => eq(payments.company_id, actor.company_id ?? 0),
}

const ofManagers = (managersOf: (actor: Actor) => readonly number[]): Ownership<PaymentFacts> => ({
  description: 'payments of companies you manage',
  predicate: (actor, payment) => isAmong(managersOf(actor), payment.manager_id),
  where: (actor) => sql`(${payments.company_id} in (select ${companies.id} from ${companies}
      where ${inArray(companies.manager_id, managersOf(actor))})
    or ${payments.order_id} in (select ${orders.id} from ${orders} where ${inArray(orders.owner_manager_id, managersOf(actor))}))`,
})

const ofTheirSite: Ownership<PaymentFacts> = {
  description: 'payments of companies with your production site or warehouse',
  predicate: (actor, payment) =>
    isSameId(payment.company_manufacture_id, actor.manufacture_id) || isSameId(payment.company_stock_id, actor.stock_id),
  where: (actor) => sql`${payments.company_id} in (select ${companies.id} from ${companies}
    where ${companies.manufacture_id} = ${actor.manufacture_id} or ${companies.stock_id} = ${actor.stock_id})`,
}

const seenBy = (ofTheirCompanies: Ownership<PaymentFacts>) =>
  allOf(
    anyOf<PaymentFacts>(
      has('order_can_view'),
      isGroup(group.dealer, ofTheirCompany),
      isGroup(group.manager, ofTheirCompanies),
      isGroup(group.production, ofTheirSite),
    ),
    anyOf<PaymentFacts>(has(ofPrices.needs)),
  )

const viewPayments = seenBy(ofManagers(readManagers))
/** Whatever is more than reading asks for it. */
const actOnPayments = seenBy(ofManagers(({ managers }) => managers))

const decidePayments = allOf(actOnPayments, anyOf<PaymentFacts>(has('payment_can_confirm')))

/** Payments are seen by those who see orders of their company, and prices. */
export const paymentAccess = {
  list: viewPayments,
  view: viewPayments,
  decide: decidePayments,
  /** With a bank statement. */
  add: ignoringScope(decidePayments),
  /** Of a company, in advance or for its orders; of those who may not confirm one it counts once somebody has. */
  report: allOf(actOnPayments, anyOf<PaymentFacts>(isGroup(group.dealer), has('payment_can_confirm'))),
} satisfies Record<string, Rule<PaymentFacts>>
