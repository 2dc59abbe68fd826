import type { Database } from '../../src/database/open.ts'

/** What the triggers keep in the index of people. */
export const userTerms = `select id, concat_ws(' ', search_terms(search), 'k' || company_id, 'm' || manager_id, 'g' || nullif(group_id, 2)) from users`

/** What the index of people has beyond what a new one would have, and what it lacks. */
export function termsAstray({ $client: client }: Database): unknown[] {
  client.exec(`create virtual table temp.fresh using fts5(terms, content='', tokenize='ascii');
    insert into temp.fresh(rowid, terms) ${userTerms};
    create virtual table temp.made using fts5vocab(temp, fresh, instance);
    create virtual table temp.kept using fts5vocab(main, users_terms, instance)`)
  const difference = (some: string, others: string) => `select * from (select * from temp.${some} except select * from temp.${others})`
  const astray = client.prepare(`${difference('kept', 'made')} union all ${difference('made', 'kept')}`).all()
  client.exec('drop table temp.made; drop table temp.kept; drop table temp.fresh')
  return astray
}
