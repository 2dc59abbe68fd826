import { eq, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { allOf, anyOf, everyone, group, has, isGroup, isSameId, type Ownership, type Rule } from '../../../core/access.ts'
import { type DocumentKind, pricedKinds } from '../../../core/documents.ts'
import { ofPrices, seesPrices } from '../../../core/prices.ts'
import { isAtSite, ofManagers, type SiteFacts } from '../../../core/scopes.ts'
import { companies, documents } from '../../../database/index.ts'
import { orderAccess } from '../access.ts'

export interface DocumentFacts extends SiteFacts {
  kind: DocumentKind
  company_id: number | null
  manager_id: number | null
}

const ofCompanies = (which: unknown) => sql`${documents.company_id} in (select ${companies.id} from ${companies} where ${which})`

const ofTheirCompany: Ownership<DocumentFacts> = {
  description: 'invoices, specifications, and offers of your company',
  predicate: (actor, { company_id, kind }) => isSameId(company_id, actor.company_id) && pricedKinds.includes(kind),
  where: (actor) => sql`(${eq(documents.company_id, actor.company_id ?? 0)} and ${inArray(documents.kind, [...pricedKinds])})`,
}

const supervised = ofManagers<DocumentFacts>({
  description: 'documents of companies you manage',
  managerOf: ({ manager_id }) => manager_id,
  where: (managers) => ofCompanies(inArray(companies.manager_id, managers)),
})

const ofTheirSite: Ownership<DocumentFacts> = {
  description: 'documents of companies with your production site or warehouse',
  predicate: isAtSite,
  where: (actor) => ofCompanies(sql`${companies.manufacture_id} = ${actor.manufacture_id} or ${companies.stock_id} = ${actor.stock_id}`),
}

const unpriced: SQL = notInArray(documents.kind, [...pricedKinds])

const withoutPrices: Ownership<DocumentFacts> = {
  description: 'documents without prices',
  predicate: (_actor, { kind }) => !pricedKinds.includes(kind),
}

const all: Ownership<DocumentFacts> = { description: 'all documents', predicate: () => true, where: () => sql`true` }

/** Lists ask the first part of a rule alone. */
const shown = ({ where, ...scope }: Ownership<DocumentFacts>): Ownership<DocumentFacts> => ({
  ...scope,
  where: (actor) => (seesPrices(actor) ? where?.(actor) : sql`(${where?.(actor)} and ${unpriced})`),
})

/** What says prices is for those who see these, wherever its file is referred to. */
export const maySeePrices = anyOf<DocumentFacts>(has(ofPrices.needs), everyone(withoutPrices))

/** As the orders of their company. */
const view = allOf<DocumentFacts>(
  anyOf<DocumentFacts>(
    has('order_can_view', shown(all)),
    isGroup(group.dealer, shown(ofTheirCompany)),
    isGroup(group.manager, shown(supervised.read)),
    isGroup(group.production, shown(ofTheirSite)),
  ),
  maySeePrices,
)

export const documentAccess = { list: view, view } satisfies Record<string, Rule<DocumentFacts>>

/** Whoever issues has to see what is written: nobody without prices issues anything. */
export const mayIssue = allOf(orderAccess.act, anyOf(has('document_can_issue')), anyOf(has(ofPrices.needs)))
