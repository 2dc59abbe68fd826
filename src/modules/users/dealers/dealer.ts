import { and, eq, getTableColumns } from 'drizzle-orm'
import { group } from '../../../core/access.ts'
import { companies, type Database, prepareOnce, type StoredRow, users } from '../../../database/index.ts'
import type { FindRecord } from '../../../web/http.ts'
import { findCompany } from '../../companies/company.ts'
import type { User } from '../accounts.ts'
import type { DealerFacts } from './access.ts'

export type Dealer = User & DealerFacts

const byId = prepareOnce((db, given) =>
  db
    .select({ ...getTableColumns(users), company_manager_id: companies.manager_id })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .where(and(eq(users.id, given.id), eq(users.group_id, group.dealer)))
    .prepare(),
)

export const findDealer: FindRecord<Dealer> = (db, id) => byId(db).get({ id })

export function dealerFacts(db: Database, row: StoredRow): Dealer {
  return {
    ...(row as User),
    // Whoever may delete any dealer need not be compared with the manager of each one's company.
    get company_manager_id() {
      return (row.company_id ? findCompany(db, row.company_id as number) : undefined)?.manager_id ?? null
    },
  }
}
