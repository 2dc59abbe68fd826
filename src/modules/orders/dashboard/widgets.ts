import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, has, isGroup } from '../../../core/access.ts'
import type { List } from '../../../web/list/state.ts'
import { may } from '../access.ts'
import type { OrderRow } from '../list.ts'
import { figuresWidget } from './figures.ts'
import { latestWidget, waitingWidget } from './waiting.ts'

export function addOrderWidgets(app: FastifyInstance, list: List<OrderRow>): void {
  const participantRule = allOf(may.list, anyOf(isGroup(group.dealer), isGroup(group.manager), isGroup(group.production)))
  const dealerRule = allOf(may.list, anyOf(isGroup(group.dealer)))
  const administratorRule = allOf(anyOf(has('order_can_view')), anyOf(isGroup(group.administrator)))
  app.widgets.push(
    { rule: participantRule, ...waitingWidget(list) },
    { rule: dealerRule, ...latestWidget(list) },
    { rule: administratorRule, ...figuresWidget },
  )
}
