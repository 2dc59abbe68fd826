import { eq, inArray, sql } from 'drizzle-orm'
import { allOf, anyOf, group, has, ignoringScope, isGroup, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { isAtSite, ofManagers, type SiteFacts } from '../../core/scopes.ts'
import { companies, ledgerEntries, orders, payments } from '../../database/index.ts'

export interface EntryFacts {
  company_id: number
  company_manager_id: number | null
}

const supervisedEntries = ofManagers<EntryFacts>({
  description: 'entries of companies you manage',
  managerOf: ({ company_manager_id }) => company_manager_id,
  where: (managers) =>
    sql`${ledgerEntries.company_id} in (select ${companies.id} from ${companies} where ${inArray(companies.manager_id, managers)})`,
})

const own: Ownership<EntryFacts> = {
  description: 'entries of your company',
  refusal: 'This entry is of another company.',
  predicate: (actor, entry) => isSameId(entry.company_id, actor.company_id),
  where: (actor) => eq(ledgerEntries.company_id, actor.company_id ?? 0),
}

/** As the card of the company, for those who see prices; dealers read what their own company owes. */
export const mayReadLedger: Rule<EntryFacts> = allOf(
  anyOf<EntryFacts>(has('company_can_view'), has('company_manager_can_view', supervisedEntries.read), isGroup(group.dealer, own)),
  anyOf<EntryFacts>(has('order_can_view_prices')),
)

export interface PaymentFacts extends SiteFacts {
  company_id: number | null
  /** The company's; of a company without one that of the order that the payment names. */
  manager_id: number | null
}

const ofTheirCompany: Ownership<PaymentFacts> = {
  description: 'payments of your company',
  refusal: 'This payment is of another company.',
  predicate: (actor, payment) => isSameId(payment.company_id, actor.company_id),
  where: (actor) => eq(payments.company_id, actor.company_id ?? 0),
}

const supervisedPayments = ofManagers<PaymentFacts>({
  description: 'payments of companies you manage',
  managerOf: ({ manager_id }) => manager_id,
  where: (managers) => sql`(${payments.company_id} in (select ${companies.id} from ${companies}
      where ${inArray(companies.manager_id, managers)})
    or ${payments.order_id} in (select ${orders.id} from ${orders} where ${inArray(orders.owner_manager_id, managers)}))`,
})

const ofTheirSite: Ownership<PaymentFacts> = {
  description: 'payments of companies with your production site or warehouse',
  predicate: isAtSite,
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

const viewPayments = seenBy(supervisedPayments.read)
/** Whatever is more than reading asks for it. */
const actOnPayments = seenBy(supervisedPayments.act)

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
