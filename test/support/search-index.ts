import type { Database } from '../../src/database/open.ts'
import { outdatedTexts } from '../../src/database/search-index.ts'
import { searchIndexes } from '../../src/database/searched.ts'

/** How many texts of the search indexes are wrong, missing or orphaned; throws where a full-text index differs from its texts. */
export function searchIndexDifferences({ $client: client }: Database): number {
  for (const { fullText } of Object.values(searchIndexes))
    client.exec(`insert into ${fullText}(${fullText}, rank) values ('integrity-check', 1)`)
  return outdatedTexts(client)
}
