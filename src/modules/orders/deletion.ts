import { countReferencing, type Database, orderHistory, orderItems, orders } from '../../database/index.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { findCompany } from '../companies/company.ts'
import { findDealer } from '../users/dealers/dealer.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { may } from './access.ts'
import type { OrderRow } from './list.ts'
import { findOrder, type Order, orderLabel } from './order.ts'

export function orderDeletion(list: List<OrderRow>): Deletion<Order> {
  return {
    list,
    table: orders,
    rule: may.delete,
    find: findOrder,
    labelOf: orderLabel,
    factsOf: (db, row) => withCurrentFacts(db, row as Order),
    question: 'Delete {count} orders?',
    done: '{count} orders deleted',
    consequences: (db, ids) => [
      ['{count} order lines will also be deleted.', countReferencing(db, orderItems.order_id, ids)],
      ['{count} status history entries will also be deleted.', countReferencing(db, orderHistory.order_id, ids)],
    ],
  }
}

function withCurrentFacts(db: Database, order: Order): Order {
  const dealer = order.dealer_id ? findDealer(db, order.dealer_id) : undefined
  const company = findCompany(db, (dealer ? dealer.company_id : order.company_id) ?? 0)
  const status = loadWorkflow(db).statuses.find(({ id }) => id === order.status_id)
  return {
    ...order,
    owner_company_id: company?.id ?? null,
    owner_manager_id: company?.manager_id ?? null,
    company_manufacture_id: company?.manufacture_id ?? null,
    company_stock_id: company?.stock_id ?? null,
    statusPermissions: status?.policies ?? new Set(),
  }
}
