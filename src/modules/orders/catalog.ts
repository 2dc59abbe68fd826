import { eq } from 'drizzle-orm'
import { type Actor, checkAccess, group } from '../../core/access.ts'
import { type Database, findSettings, prepareOnce, products } from '../../database/index.ts'

/** Whether orders are made of products: the catalog is on, and something is for sale. */
export function usesCatalog(db: Database): boolean {
  return findSettings(db).catalog && anyActive(db).get() !== undefined
}

const anyActive = prepareOnce((db) => db.select({ id: products.id }).from(products).where(eq(products.active, true)).limit(1).prepare())

export const isDealer = ({ group_id }: Actor): boolean => group_id === group.dealer

/** Who may write lines without a product. */
export const mayAddCustom = (actor: Actor): boolean => !isDealer(actor) || checkAccess(actor, 'order_can_add_custom')
