import type { SQL } from 'drizzle-orm'
import { users } from '../../database/schema/index.ts'
import { anyOfEach, termIds } from '../../web/list/search.ts'

/**
 * The ids of the dealers who have one of each of these lists of terms: what their own text holds, `k` and the id of their
 * company, `m` and that of their manager. Whoever is no dealer is marked by the index.
 */
export function dealerIdsByTerms(terms: string[][]): SQL {
  return termIds(users, `(${anyOfEach(terms)}) NOT (g1 OR g3 OR g4)`)
}
