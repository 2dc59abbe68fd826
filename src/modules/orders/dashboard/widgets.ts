import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, has, isGroup } from '../../../core/access.ts'
import type { List } from '../../../web/list/state.ts'
import { may } from '../access.ts'
import type { OrderRow } from '../list.ts'
import { overviewWidget, slowestWidget, tilesWidget } from './figures.ts'
import { latestWidget, waitingWidget } from './waiting.ts'

export function addOrderWidgets(app: FastifyInstance, list: List<OrderRow>): void {
  const participants = allOf(may.list, anyOf(isGroup(group.dealer), isGroup(group.manager), isGroup(group.production)))
  const staff = allOf(may.list, anyOf(isGroup(group.manager), isGroup(group.production)))
  const dealers = allOf(may.list, anyOf(isGroup(group.dealer)))
  const administrators = allOf(anyOf(has('order_can_view')), anyOf(isGroup(group.administrator)))
  app.widgets.push(
    { rule: administrators, place: 'top', ...overviewWidget(list) },
    { rule: staff, place: 'top', ...tilesWidget(list) },
    { rule: participants, ...waitingWidget(list) },
    { rule: dealers, ...latestWidget(list) },
    { rule: administrators, ...slowestWidget(list) },
  )
}
