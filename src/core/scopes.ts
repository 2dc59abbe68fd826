import { type Actor, isAmong, isSameId, type Ownership, type Performer, readManagers } from './access.ts'

interface ManagedParts<R> extends Pick<Ownership<R>, 'description' | 'whose'> {
  managerOf: (record: R) => number | null
  /** In SQL: the records of these managers. */
  where: (managers: readonly number[]) => unknown
}

/** Records of managers: to act on, those of managers whose work somebody does; to read, those of others besides. */
export function ofManagers<R>({ managerOf, where, ...parts }: ManagedParts<R>): { read: Ownership<R>; act: Ownership<R> } {
  const ofThese = (managersOf: (actor: Performer) => readonly number[]): Ownership<R> => ({
    ...parts,
    predicate: (actor, record) => isAmong(managersOf(actor), managerOf(record)),
    where: (actor) => where(managersOf(actor)),
  })
  return { read: ofThese(readManagers), act: ofThese(({ managers }) => managers) }
}

/** Where the company of a record has its orders made and stored. */
export interface SiteFacts {
  company_manufacture_id: number | null
  company_stock_id: number | null
}

export function isAtSite({ manufacture_id, stock_id }: Actor, { company_manufacture_id, company_stock_id }: SiteFacts): boolean {
  return isSameId(company_manufacture_id, manufacture_id) || isSameId(company_stock_id, stock_id)
}
