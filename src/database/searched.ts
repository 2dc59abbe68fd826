import { group } from '../core/access.ts'
import {
  categories,
  companies,
  orderItems,
  searchedCompanies,
  searchedOrders,
  searchedProducts,
  searchedUsers,
  users,
} from './schema/index.ts'
import { added, addedRows, searchIndex } from './search-schema.ts'

const personName = added(users, ['lastname', 'name', 'middlename'])

/**
 * What the records of a list are found by: columns of their own, said beside their table, and what others add. What the search in the
 * header shows of them is said beside each list (`searchTexts`).
 */
export const searchIndexes = {
  dealers: searchIndex('dealer', {
    ...searchedUsers,
    only: { group_id: group.dealer },
    joins: { company_id: added(companies, ['org'], { manager_id: personName }), manager_id: personName },
  }),
  orders: searchIndex('order', {
    ...searchedOrders,
    joins: { owner_company_id: added(companies, ['org']), dealer_id: added(users, ['lastname', 'name']) },
    rows: addedRows(orderItems, 'order_id', ['name']),
  }),
  companies: searchIndex('company', {
    ...searchedCompanies,
    joins: { manager_id: personName },
  }),
  products: searchIndex('product', {
    ...searchedProducts,
    joins: { category_id: added(categories, ['name']) },
  }),
}
