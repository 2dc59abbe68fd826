import { nextSteps } from '../../core/likely-step.ts'
import type { Context } from '../../http/request/context.ts'
import type { Order } from './order.ts'
import { describeStep } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'
import { asksForPayment } from './transitions/step-form.ts'

/** The steps onward that somebody may take with an order where they see it; what the balance is enough for needs no other payment. */
export function rowSteps(context: Context, order: Order, fromBalance = false) {
  const facts = stepFacts(context, order, context.language)
  const steps = nextSteps(facts.workflow, order, context.actor)
  const offered = fromBalance ? steps.filter((step) => !asksForPayment(context, step, order)) : steps
  return offered.map((step) => describeStep(context, order, step, facts))
}
