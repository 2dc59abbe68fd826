import { and, eq } from 'drizzle-orm'
import { type Actor, group } from '../../core/access.ts'
import { companies, type Database, findSettings, prepareOnce, products } from '../../database/index.ts'

/** Whether orders are made of products: the catalog is on, and something is for sale. */
export function usesCatalog(db: Database): boolean {
  return findSettings(db).catalog && anyActive(db).get() !== undefined
}

const anyActive = prepareOnce((db) => db.select({ id: products.id }).from(products).where(eq(products.active, true)).limit(1).prepare())

export const isDealer = ({ group_id }: Actor): boolean => group_id === group.dealer

/** Who may write lines without a product: staff, and dealers whose company has that switched on. */
export function mayAddCustom(db: Database, actor: Actor): boolean {
  return !isDealer(actor) || ordersCustom(db).get({ company: actor.company_id }) !== undefined
}

const ordersCustom = prepareOnce((db, given) =>
  db
    .select({ id: companies.id })
    .from(companies)
    .where(and(eq(companies.id, given.company), eq(companies.custom_lines, true)))
    .prepare(),
)
