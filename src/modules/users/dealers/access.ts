import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { allOf, anyOf, either, group, has, ignoringScope, inOwnName } from '../../../core/access.ts'
import { ofManagers } from '../../../core/scopes.ts'
import { companies, type Database, prepareOnce, type StoredRow, users } from '../../../database/index.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { findCompany } from '../../companies/company.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from '../access.ts'
import type { User } from '../user.ts'

interface DealerFacts extends UserFacts {
  manager_id: number | null
  company_manager_id: number | null
}

/** The manager of the company counts; a dealer's own decides where the company has none. */
const managed = ofManagers<DealerFacts>({
  description: 'dealers whose manager you are',
  managerOf: ({ company_manager_id, manager_id }) => company_manager_id ?? manager_id,
  where: (
    managers,
  ) => sql`(${users.company_id} in (select ${companies.id} from ${companies} where ${inArray(companies.manager_id, managers)})
    or (${inArray(users.manager_id, managers)} and not exists (select 1 from ${companies}
      where ${companies.id} = ${users.company_id} and ${companies.manager_id} is not null)))`,
})

const list = anyOf<DealerFacts>(has('dealer_can_view'), has('dealer_manager_can_view', managed.read))
const edit = anyOf<DealerFacts>(has('dealer_can_edit'), has('dealer_manager_can_edit', managed.act))
const remove = anyOf<DealerFacts>(has('dealer_can_delete'), has('dealer_manager_can_delete', managed.act))
const editCard = allOf(ignoringScope(list), edit, exceptSuperadministrators)

export const dealerAccess = {
  list,
  // Whoever may save a card needs the page to do it from.
  view: either(list, editCard),
  add: allOf(anyOf(has('dealer_can_add')), anyOf(inOwnName)),
  edit: editCard,
  switch: allOf(ignoringScope(list), edit, exceptSuperadministrators, exceptSelf),
  delete: allOf(ignoringScope(list), remove, exceptSuperadministrators, exceptSelf),
}

export type Dealer = User & DealerFacts

const byId = prepareOnce((db, params) =>
  db
    .select({ ...getTableColumns(users), company_manager_id: companies.manager_id })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .where(and(eq(users.id, params.id), eq(users.group_id, group.dealer)))
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
