import { group } from '../../core/access.ts'
import { type Statement, trigger } from './statement.ts'

// Kept on the order itself, so that lists of a company or a manager are one walk along an index.

/** An order belongs to the company that its dealer belongs to now; a deleted dealer's, and one that stayed when its dealer moved, to the company recorded on it. */
const company = `iif(dealer_id IS NULL OR company_stays, company_id, (SELECT users.company_id FROM users WHERE users.id = dealer_id))`

const ownManager = `(SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = ${group.manager}
    WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays)`

/** Its manager is the company's; where the company has none, the own one of its dealer, if that is a dealer of the company. */
const manager = `coalesce((SELECT manager_id FROM companies WHERE companies.id = orders.owner_company_id), ${ownManager})`

const namedManager = `(SELECT id FROM users WHERE id = new.manager_id AND group_id = ${group.manager})`

const setBoth = [
  `UPDATE orders SET owner_company_id = ${company} WHERE id = new.id`,
  `UPDATE orders SET owner_manager_id = ${manager} WHERE id = new.id`,
]

export const orderOwner: Statement[] = [
  `UPDATE orders SET owner_company_id = ${company} WHERE owner_company_id IS NOT ${company}`,
  `UPDATE orders SET owner_manager_id = ${manager} WHERE owner_manager_id IS NOT ${manager}`,
  trigger('orders_owner_insert', 'AFTER INSERT ON orders', ...setBoth),
  trigger('orders_owner_update', 'AFTER UPDATE OF dealer_id, company_id, company_stays ON orders', ...setBoth),
  trigger(
    'users_company_orders',
    'AFTER UPDATE OF company_id ON users WHEN old.company_id IS NOT new.company_id',
    `UPDATE orders SET owner_company_id = new.company_id,
    owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = new.company_id), ${namedManager})
    WHERE dealer_id = new.id AND NOT company_stays`,
  ),
  trigger(
    'users_manager_orders',
    'AFTER UPDATE OF manager_id ON users WHEN old.manager_id IS NOT new.manager_id',
    `UPDATE orders SET owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = orders.owner_company_id), ${namedManager})
    WHERE dealer_id = new.id AND NOT company_stays`,
  ),
  trigger(
    'companies_manager_orders',
    'AFTER UPDATE OF manager_id ON companies WHEN old.manager_id IS NOT new.manager_id',
    `UPDATE orders SET owner_manager_id = coalesce(new.manager_id, ${ownManager}) WHERE owner_company_id = new.id`,
  ),
]
