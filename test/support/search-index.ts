import type { Database } from '../../src/database/open.ts'

/** What the triggers keep in the index of people. */
export const userTerms = `select id, concat_ws(' ', search_terms(search), 'k' || company_id, 'm' || manager_id, 'g' || nullif(group_id, 2)) from users`

const indexSources = { users_terms: userTerms, orders_terms: 'select id, terms from orders_found_by' }

/** What the indexes of terms have beyond what new ones would have, and what they lack. */
export function searchIndexDifferences(db: Database): unknown[] {
  return Object.entries(indexSources).flatMap(([name, rows]) => differences(db, name, rows))
}

function differences({ $client: client }: Database, name: string, rows: string): unknown[] {
  client.exec(`create virtual table temp.fresh using fts5(terms, content='', tokenize='ascii');
    insert into temp.fresh(rowid, terms) ${rows};
    create virtual table temp.made using fts5vocab(temp, fresh, instance);
    create virtual table temp.kept using fts5vocab(main, ${name}, instance)`)
  const difference = (some: string, others: string) => `select * from (select * from temp.${some} except select * from temp.${others})`
  const found = client.prepare(`${difference('kept', 'made')} union all ${difference('made', 'kept')}`).all()
  client.exec('drop table temp.made; drop table temp.kept; drop table temp.fresh')
  return found
}
