import t from 'tap'
import { group } from '../../src/core/access.ts'
import { likelyStep, nextSteps } from '../../src/core/likely-step.ts'
import type { Transition, Workflow } from '../../src/core/transition-rules.ts'
import { performer } from '../support/performer.ts'
import { defaultWorkflow } from '../support/workflow.ts'

const idOf = (key: string) => defaultWorkflow.statuses.find(({ status_key }) => status_key === key)?.id as number
const keyOf = (step?: Transition) => defaultWorkflow.statuses.find(({ id }) => id === step?.child_status_id)?.status_key
const [manager, production] = [performer({ id: 1, group_id: group.manager }), performer({ id: 2, group_id: group.production })]
const orderIn = (key: string, delivery: string | null) => ({ status_id: idOf(key), dealer_id: 3, owner_manager_id: manager.id, delivery })

t.test('how an order is delivered decides between the steps that follow production', (t) => {
  const likely = (delivery: string | null) => keyOf(likelyStep(defaultWorkflow, orderIn('production', delivery), production))
  t.equal(likely('address'), 'delivery')
  t.equal(likely('carrier'), 'delivery')
  t.equal(likely('pickup'), 'pickup')
  t.equal(likely(null), undefined, 'where nothing decides, no step is likely')
  t.same(nextSteps(defaultWorkflow, orderIn('production', null), production).map(keyOf), ['delivery', 'pickup'])
  t.end()
})

t.test('a step that the order does not ask for is not proposed even to somebody who may take no other', (t) => {
  const workflow: Workflow = {
    ...defaultWorkflow,
    transitions: defaultWorkflow.transitions.map((one) =>
      one.child_status_id === idOf('delivery') ? { ...one, production_can: false } : one,
    ),
  }
  const likely = (delivery: string | null) => keyOf(likelyStep(workflow, orderIn('production', delivery), production))
  t.equal(likely('address'), undefined)
  t.equal(likely('pickup'), 'pickup')
  t.equal(likely(null), 'pickup', 'the only one')
  t.end()
})

t.test('the way of delivery decides nothing where no step asks for an address', (t) => {
  for (const delivery of ['address', 'pickup', null]) {
    t.equal(keyOf(likelyStep(defaultWorkflow, orderIn('apply', delivery), manager)), 'payment')
    t.equal(keyOf(likelyStep(defaultWorkflow, orderIn('install', delivery), manager)), 'completed', 'rather than to cancel')
    t.equal(likelyStep(defaultWorkflow, orderIn('completed', delivery), manager), undefined)
    t.equal(likelyStep(defaultWorkflow, orderIn('apply', delivery), production), undefined, 'others move it')
  }
  t.end()
})
