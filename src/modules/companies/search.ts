import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { companies } from '../../database/schema/index.ts'
import { contains } from '../../web/list/search.ts'

/** The ids of the companies that a word of a search is found in. */
export function companiesMatching(word: string): SQL {
  return sql`select ${companies.id} from ${companies} where ${contains(companies, word)}`
}

/** Companies as the indexes of terms know them. */
export function companyTerms(db: Database, ids: SQL): string[] {
  return db.values<[number]>(ids).map(([id]) => `k${id}`)
}
