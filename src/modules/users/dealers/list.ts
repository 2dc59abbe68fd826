import { eq, or, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { group } from '../../../core/access.ts'
import { searchTerm } from '../../../core/text.ts'
import { mapped } from '../../../database/mapped.ts'
import type { Database } from '../../../database/open.ts'
import { companies, users, userTallies } from '../../../database/schema/index.ts'
import { whereIn } from '../../../database/where-in.ts'
import { candidatesByTerms, nameContains, rowContains } from '../../../web/list/search.ts'
import { companiesMatching } from '../../companies/search.ts'
import { dealerIdsByTerms } from '../dealer-ids.ts'
import type { UserType } from '../user-type.ts'

const manager = alias(users, 'manager')

export type DealerRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

/** What the list of dealers shows, searches and sorts by. */
export function dealerListOptions(db: Database): ReturnType<UserType['list']> {
  return {
    template: 'users/dealers/rows.njk',
    tools: 'users/dealers/tools.njk',
    columns: [
      { key: 'company', label: 'Company', sort: sql`${companies.search}`, through: { table: companies, column: users.company_id } },
      { key: 'name', label: 'Name' },
      { key: 'lastname', label: 'Last name' },
      { key: 'tg_id', label: 'Telegram' },
      { key: 'manager', label: 'Manager' },
      { key: 'active', label: 'Active' },
      { key: 'created_at', label: 'Created', sort: sql`${users.created_at}`, hidden: true },
      { key: 'updated_at', label: 'Updated', hidden: true },
    ],
    sort: { key: 'created_at', dir: 'desc' },
    joins: sql`left join ${companies} on ${companies.id} = ${users.company_id}`,
    find: (word) =>
      or(
        rowContains(users, word),
        sql`${users.company_id} in (${companiesMatching(word)})`,
        sql`${users.manager_id} in (${managersMatching(word)})`,
      ),
    findCandidates: (words) => findCandidateDealers(db, words),
    countQuery: sql`select ${userTallies.count} from ${userTallies} where ${userTallies.group_id} = ${group.dealer}`,
    rows: rowsByIds(db),
  }
}

function findCandidateDealers(db: Database, words: string[]) {
  return candidatesByTerms(words, (word) => [searchTerm(word), ...ownerTermsMatching(db, word)], dealerIdsByTerms, candidateIdsByWord)
}

/** The companies and managers called by a word, as terms of the index. */
function ownerTermsMatching(db: Database, word: string): string[] {
  const owners = sql`select 'k' || id from (${companiesMatching(word)}) union all select 'm' || id from (${managersMatching(word)})`
  return db.values<[string]>(owners).map(([term]) => term)
}

function candidateIdsByWord(word: string): SQL {
  const owned = (column: SQLiteColumn, owners: SQL) =>
    sql`select ${users.id} from ${users} where ${column} in (${owners}) and ${users.group_id} = ${group.dealer}`
  return sql`select distinct id from (${dealerIdsByTerms([[searchTerm(word)]])}
    union all ${owned(users.manager_id, managersMatching(word))} union all ${owned(users.company_id, companiesMatching(word))})`
}

/** Whoever is somebody's manager, found by leaping from one to the next along the index. */
function managersMatching(word: string): SQL {
  return sql`with recursive managing(id) as (select min(manager_id) from users
      union all select (select min(manager_id) from users where manager_id > managing.id) from managing where managing.id is not null)
    select ${manager.id} from managing cross join ${users} as manager on ${manager.id} = managing.id where ${nameContains(manager, word)}`
}

function rowsByIds(db: Database) {
  const query = mapped(
    db
      .select({
        id: users.id,
        name: users.name,
        lastname: users.lastname,
        middlename: users.middlename,
        tg_id: users.tg_id,
        active: users.active,
        superadmin: users.superadmin,
        group_id: users.group_id,
        manager_id: users.manager_id,
        created_at: users.created_at,
        updated_at: users.updated_at,
        company: companies.org,
        company_manager_id: companies.manager_id,
        manager: { lastname: manager.lastname, name: manager.name, middlename: manager.middlename },
      })
      .from(users)
      .leftJoin(companies, eq(companies.id, users.company_id))
      .leftJoin(manager, eq(manager.id, users.manager_id))
      .where(whereIn(users.id, sql.placeholder('ids')))
      .prepare(),
  )
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) })
}
