import { allows } from '../../core/access.ts'
import { saysAll } from '../../core/says-all.ts'
import { outgoingTransitions } from '../../core/transition-rules.ts'
import type { Context } from '../../http/request/context.ts'
import type { SearchAct } from '../../records/list/search-source.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { findOrder, type Order } from './order.ts'
import { describeStep, describeSubject } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'

/** The steps that somebody may take with the order whose number a query begins with: "488 request payment". */
export function findSteps(context: Context, query: string): SearchAct[] {
  const [, number, wanted] = /^[#№]?\s*(\d{1,15})\s+(.+)$/.exec(query.trim()) ?? []
  const order = number && findOrder(context.server.db, Number(number))
  if (!order || !wanted || !allows(orderAccess.act, context.actor, order)) return []
  return stepsOf(context, order)
    .filter(({ name, to, allowed }) => allowed && saysAll([name, to?.name], wanted))
    .map(({ id, name }) => ({
      id,
      name,
      about: describeSubject(context, order),
      path: `/orders/${order.id}?transition_id=${id}`,
    }))
}

function stepsOf(context: Context, order: Order) {
  const facts = stepFacts(context, order, loadWorkflow(context.server.db, context.language))
  return outgoingTransitions(facts.workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts))
}
