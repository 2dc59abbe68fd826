import { allows } from '../../core/access.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import { mayPerform, outgoingTransitions, statusById } from '../../core/transition-rules.ts'
import type { Context } from '../../http/request/context.ts'
import { sliceIds } from '../../records/list/page.ts'
import type { SearchAct } from '../../records/list/search-source.ts'
import { readState } from '../../records/list/state.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { orderList } from './list.ts'
import { findOrder, type Order } from './order.ts'
import { numberIn } from './search.ts'
import { describeStatus } from './transitions/bulk-page.ts'
import { describeStep, describeSubject, nameStep } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'

/**
 * The steps that somebody may take with the order whose number a query begins with: "488 request payment". On the page of an order
 * they are those of that order: "request payment", and before anything is typed, all. Without a number, those of the orders that can take
 * it, of a customer who is named besides: "request payment alpha". The word "order" names no step: "new order" does not ask to cancel this one.
 */
export function findSteps(context: Context, query: string, open: number | undefined): SearchAct[] {
  const named = numberIn(query)
  const [number, wanted = query] = named.wanted ? [named.number, named.wanted] : []
  const said = tellingWords(wanted).filter((word) => !saysAll(['Orders', context.t('Orders')], word))
  const words = said.join(' ')
  const isAnything = wanted.trim() === ''
  if (said.length === 0 && !isAnything) return []
  const order = orderToMove(context, number ? Number(number) : open)
  const steps = order ? stepsOf(context, order, words) : []
  if (steps.length > 0 || isAnything) return steps
  if (number) return order ? [...refusedSteps(context, order, words), ...stepsOf(context, order, ...said)].slice(0, shown) : []
  const elsewhere = stepsOfOthers(context, said)
  return elsewhere.length === 0 && order ? stepsOf(context, order, ...said) : elsewhere
}

const shown = 5

function orderToMove({ server, actor }: Context, id: number | undefined): Order | undefined {
  const order = id === undefined ? undefined : findOrder(server.db, id)
  return order && allows(orderAccess.act, actor, order) ? order : undefined
}

/** Those that this person may take and that say all of one of the queries. */
function stepsOf(context: Context, order: Order, ...queries: string[]): SearchAct[] {
  const facts = stepFacts(context, order, context.language)
  return outgoingTransitions(facts.workflow, order.status_id)
    .map((transition) => describeStep(context, order, transition, facts))
    .filter(({ allowed, name, to }) => allowed && queries.some((query) => saysAll([name, to?.name], query)))
    .map(({ id, name, from, to }) => ({
      id: `${order.id}-${id}`,
      name,
      about: describeSubject(context, order),
      status: from,
      to,
      path: `/orders/${order.id}?transition_id=${id}`,
    }))
}

/** What an order cannot do says why; of steps that are not for this person nothing is said. */
function refusedSteps(context: Context, order: Order, query: string): SearchAct[] {
  const { workflow } = stepFacts(context, order, context.language)
  const meant = workflow.transitions.filter(
    (transition) => mayPerform(transition, context.actor, order) && saysAll([nameStep(context, workflow, transition)], query),
  )
  const named = new Map(meant.map((transition) => [nameStep(context, workflow, transition), transition]))
  return [...named].map(([name, { id }]) => ({
    id: `${order.id}-${id}`,
    name,
    about: `${describeSubject(context, order)}. ${context.t('Not possible now.')} ${describeStatus(context, workflow, order)}`,
    path: undefined,
  }))
}

/** A step is meant by the first of its words, as any other may name a page or a record; the words that are not its own name orders. */
function stepsOfOthers(context: Context, words: string[]): SearchAct[] {
  const { server, actor, language } = context
  const list = orderList(server.db)
  const workflow = loadWorkflow(server.db, language)
  const found = workflow.transitions.flatMap((transition) => {
    const name = nameStep(context, workflow, transition)
    const [verb = ''] = tellingWords(name)
    const own = words.filter((word) => saysAll([name], word))
    if (!own.some((word) => saysAll([verb], word)) || !statusById(workflow, transition.parent_status_id)) return []
    const asked = { q: words.filter((word) => !own.includes(word)).join(' '), status: String(transition.parent_status_id) }
    const state = readState(list, new URLSearchParams({ ...asked, sort: 'since', dir: 'asc' }), actor)
    const ids = sliceIds({ db: server.db, list, actor, state }, { offset: 0, length: shown })
    return ids.flatMap((id) => {
      const order = orderToMove(context, id)
      return order ? stepsOf(context, order, own.join(' ')).map((step) => ({ ...step, words: own.length })) : []
    })
  })
  const most = Math.max(...found.map(({ words }) => words))
  return found.filter(({ words }) => words === most).slice(0, shown)
}
