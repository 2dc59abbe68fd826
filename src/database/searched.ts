import { group } from '../core/access.ts'
import { articleSorting, nameSorting } from './name-sorting.ts'
import { categories, companies, manufactures, orderItems, orders, products, stocks, users } from './schema/index.ts'
import { added, addedRows, searchIndex } from './search-schema.ts'

const personName = added(users, ['lastname', 'name', 'middlename'])

/** What the records of a list are found by. What the search in the header shows of them is said beside each list (`searchTexts`). */
export const searchIndexes = {
  dealers: searchIndex('dealer', {
    table: users,
    only: { group_id: group.dealer },
    columns: ['lastname', 'name', 'tg_id', 'email', 'external_id'],
    phones: ['phone'],
    joins: { company_id: added(companies, ['org'], { manager_id: personName }), manager_id: personName },
  }),
  orders: searchIndex('order', {
    table: orders,
    numbers: ['id', 'specification_number'],
    columns: ['receiver', 'sn', 'address', 'external_id'],
    phones: ['phone'],
    joins: { owner_company_id: added(companies, ['org']), dealer_id: added(users, ['lastname', 'name']) },
    rows: addedRows(orderItems, 'order_id', ['name']),
  }),
  companies: searchIndex('company', {
    table: companies,
    columns: ['org', 'inn', 'email', 'external_id'],
    phones: ['phone'],
    joins: { manager_id: personName },
  }),
  products: searchIndex('product', {
    table: products,
    columns: ['article', 'name', 'external_id'],
    joins: { category_id: added(categories, ['name']) },
  }),
}

export const sortedNames = [
  nameSorting(users, 'lastname', 'name', 'middlename'),
  nameSorting(companies, 'org'),
  nameSorting(stocks, 'name'),
  nameSorting(manufactures, 'name'),
  nameSorting(categories, 'name'),
  nameSorting(products, 'name'),
  articleSorting(products),
]
