import type { FastifyInstance } from 'fastify'
import { all, anyOf, group, has, isGroup } from '../../../core/access.ts'
import type { List } from '../../../web/list/state.ts'
import { may } from '../access.ts'
import type { OrderRow } from '../list.ts'
import { loadFigures } from './figures.ts'
import { loadLatest, loadWaiting } from './waiting.ts'

/** What the dashboard tells of orders: first what waits for the person, then how things stand. */
export function addOrderWidgets(app: FastifyInstance, list: List<OrderRow>): void {
  const working = all(may.list, anyOf(isGroup(group.dealer), isGroup(group.manager), isGroup(group.production)))
  const dealing = all(may.list, anyOf(isGroup(group.dealer)))
  const overseeing = all(anyOf(has('order_can_view')), anyOf(isGroup(group.administrator)))
  app.widgets.push(
    { rule: working, template: 'orders/dashboard/waiting.njk', load: loadWaiting(list) },
    { rule: dealing, template: 'orders/dashboard/latest.njk', load: loadLatest(list) },
    { rule: overseeing, template: 'orders/dashboard/figures.njk', load: loadFigures },
  )
}
