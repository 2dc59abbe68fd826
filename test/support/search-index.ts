import type { Database } from '../../src/database/open.ts'

const lists = { dealers: 'dealer_texts', orders: 'order_texts', companies: 'company_texts' }

/** Texts of the search indexes that are wrong, missing or orphaned. */
export function searchIndexDifferences({ $client: client }: Database): unknown[] {
  return Object.entries(lists).flatMap(([list, table]) => {
    client.exec(`insert into ${table}_fts(${table}_fts, rank) values ('integrity-check', 1)`)
    return client
      .prepare(
        `select * from (select id, text from search_texts where list = '${list}') as source full join ${table} as kept on kept.id = source.id
          where not ifnull(kept.stale, 0) and kept.text is not source.text`,
      )
      .all()
  })
}
