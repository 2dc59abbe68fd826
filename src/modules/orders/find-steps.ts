import { allows } from '../../core/access.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import { outgoingTransitions } from '../../core/transition-rules.ts'
import type { Context } from '../../http/request/context.ts'
import type { SearchAct } from '../../records/list/search-source.ts'
import { orderAccess } from './access.ts'
import { findOrder, type Order } from './order.ts'
import { describeStep, describeSubject } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'

/**
 * The steps that somebody may take with the order whose number a query begins with: "488 request payment". On the page of an order
 * they are those of that order: "request payment", and before anything is typed, all. The word "order" names no step: "new order" does
 * not ask to cancel this one.
 */
export function findSteps(context: Context, query: string, open: number | undefined): SearchAct[] {
  const [, number = open, wanted = query] = /^[#№]?\s*(\d{1,15})\s+(.+)$/.exec(query.trim()) ?? []
  const order = number && findOrder(context.server.db, Number(number))
  if (!order || !allows(orderAccess.act, context.actor, order)) return []
  const said = tellingWords(wanted).filter((word) => !saysAll(['Orders', context.t('Orders')], word))
  if (said.length === 0 && wanted.trim() !== '') return []
  return meantSteps(stepsOf(context, order), said.join(' ')).map(({ id, name, from }) => ({
    id,
    name,
    about: describeSubject(context, order),
    status: from,
    path: `/orders/${order.id}?transition_id=${id}`,
  }))
}

type Step = ReturnType<typeof describeStep>

/** Those that say all that was asked for; where none does, those that say some of it. */
function meantSteps(steps: Step[], wanted: string): Step[] {
  const allowed = steps.filter((step) => step.allowed)
  const says = (query: string) => allowed.filter(({ name, to }) => saysAll([name, to?.name], query))
  const all = says(wanted)
  return all.length > 0 ? all : [...new Set(tellingWords(wanted).flatMap(says))]
}

function stepsOf(context: Context, order: Order) {
  const facts = stepFacts(context, order, context.language)
  return outgoingTransitions(facts.workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts))
}
