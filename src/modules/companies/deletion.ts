import { companies, orders, users } from '../../database/schema/index.ts'
import { countReferencing } from '../../database/where-in.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { may } from './access.ts'
import { type Company, companyLabel, findCompany } from './company.ts'
import type { CompanyRow } from './list.ts'

export function companyDeletion(list: List<CompanyRow>): Deletion<Company> {
  return {
    list,
    table: companies,
    rule: may.delete,
    find: findCompany,
    labelOf: companyLabel,
    question: 'Delete {count} companies?',
    done: '{count} companies deleted',
    consequences: (db, ids) => [
      ['{count} dealers will have no company.', countReferencing(db, users.company_id, ids)],
      ['{count} orders will have no company.', countReferencing(db, orders.company_id, ids)],
    ],
  }
}
