import type { FastifyInstance } from 'fastify'
import { totalOf } from '../../web/list/rows.ts'
import { showList } from '../../web/list/show.ts'
import { may } from './access.ts'
import { addOrderWidgets } from './dashboard/widgets.ts'
import { orderList } from './list.ts'

export async function orderRoutes(app: FastifyInstance): Promise<void> {
  const list = orderList(app.db)
  app.menu.push({ path: '/orders', label: 'Orders', icon: 'shopping-cart', rule: may.list, may, total: totalOf(app.db, list) })
  addOrderWidgets(app, list)

  app.get('/orders', { access: may.list }, showList(list))
}
