import { type SQL, sql } from 'drizzle-orm'
import { companies } from '../../database/schema/index.ts'
import { contains } from '../../web/list/search.ts'

/** The ids of the companies that a word of a search is found in. */
export function companiesCalled(word: string): SQL {
  return sql`select ${companies.id} from ${companies} where ${contains(companies, word)}`
}
