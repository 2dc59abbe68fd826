import fc from 'fast-check'
import t from 'tap'
import type { PlannedOrder, StepProblem } from '../../src/core/plan-transition.ts'
import { flags, requirableFields, type Transition, type Workflow } from '../../src/core/transition-rules.ts'
import { isPaidFor, type PaidOutcome, paidTransition, planWhenPaid, waitsThoughPaid } from '../../src/core/when-paid.ts'
import { defaultWorkflow } from '../support/workflow.ts'

const idOf = (key: string) => defaultWorkflow.statuses.find(({ status_key }) => status_key === key)?.id as number
const [payment, paid, canceled] = [idOf('payment'), idOf('paid'), idOf('canceled')]

const marked = (over: Partial<Transition> = {}): Transition => ({
  ...(defaultWorkflow.transitions[0] as Transition),
  ...{ id: 1, parent_status_id: payment, child_status_id: paid, required_fields: [], when_paid: true },
  ...over,
})
const workflowOf = (...transitions: Transition[]): Workflow => ({ ...defaultWorkflow, transitions })

const order = (over: Partial<PlannedOrder> = {}): PlannedOrder => ({
  ...{ status_id: payment, dealer_id: 7, owner_manager_id: 8, cost: 10_000, due_since: null },
  ...{ lacksPrices: false, hasPayment: true, account: { charged: 0, paid: 10_000, balance: 0, credit_limit: null } },
  ...over,
})
const withPaid = (paid: number, over: Partial<PlannedOrder> = {}) =>
  order({ ...over, account: { charged: 0, balance: 0, credit_limit: null, ...over.account, paid } })

const facts = (workflow: Workflow, over: Partial<Parameters<typeof planWhenPaid>[1]> = {}) => ({
  workflow,
  today: '2026-11-27',
  nextSerial: () => '42',
  ...over,
})
const outcome = (order: PlannedOrder, ...transitions: Transition[]) => planWhenPaid(order, facts(workflowOf(...transitions)))

t.test('an order moves once it is paid in full, or as far as the transition asks, and not a kopeck sooner', async (t) => {
  const kinds = (paid: number, over?: Partial<Transition>) => outcome(withPaid(paid), marked(over))?.kind
  t.same([kinds(9999), kinds(10_000), kinds(10_001)], [undefined, 'moves', 'moves'])
  t.same([kinds(2999, { min_paid: 30 }), kinds(3000, { min_paid: 30 })], [undefined, 'moves'])
  t.equal(outcome(withPaid(0, { cost: 0 }), marked())?.kind, undefined, 'what costs nothing is not paid')
  t.equal(outcome(withPaid(5, { cost: 0 }), marked({ min_paid: 30 }))?.kind, undefined)
})

t.test('where no transition is marked a paid order stays; one that is called off is not paid at all', async (t) => {
  t.equal(outcome(order(), marked({ when_paid: false }))?.kind, 'stays')
  t.equal(outcome(withPaid(9999), marked({ when_paid: false, min_paid: 30 }))?.kind, undefined, 'in full, whatever others ask')
  t.equal(outcome(order({ status_id: paid }), marked())?.kind, 'stays', 'the mark is of another status')
  t.equal(outcome(order({ status_id: null }), marked())?.kind, 'stays')
  t.equal(outcome(order({ status_id: canceled }), marked({ parent_status_id: canceled }))?.kind, undefined)
  t.equal(outcome(order(), marked({ child_status_id: canceled }))?.kind, 'stays', 'being paid calls nothing off')
  t.equal(outcome(order(), marked({ child_status_id: canceled }), marked({ id: 2 }))?.kind, 'moves')
})

const problemsOf = (one: PaidOutcome | undefined): StepProblem[] => (one?.kind === 'waits' ? one.problems : [])

t.test('what else the transition asks hinders it; the confirmation and the way of payment are those of the payment', async (t) => {
  const asks = marked({ required_fields: ['payment_order', 'payment', 'receiver', 'prices'] })
  const missing = (over: Partial<PlannedOrder>, paidBy?: 'cash') =>
    problemsOf(planWhenPaid(order(over), facts(workflowOf(asks), { paidBy }))).map((one) => 'field' in one && one.field)
  t.same(missing({ hasPayment: false, lacksPrices: true }), ['payment_order', 'payment', 'receiver', 'prices'])
  t.same(missing({}, 'cash'), ['receiver'])
  const done = planWhenPaid(order({ receiver: 'Anna' }), facts(workflowOf(asks), { paidBy: 'cash' }))
  t.match(done, { kind: 'moves', plan: { filled: { payment: 'cash' }, transition: { id: 1 } } })
  const filled = (over: Partial<PlannedOrder>, step: Transition) => {
    const moved = planWhenPaid(order({ receiver: 'Anna', ...over }), facts(workflowOf(step), { paidBy: 'cash' }))
    return moved?.kind === 'moves' ? moved.plan.filled : moved
  }
  t.same(filled({ payment: 'card' }, asks), {}, 'what the order says stays')
  t.same(filled({}, marked()), {}, 'and nobody asks elsewhere')
  const limited = marked({ within_limit: true })
  const account = { charged: 0, paid: 10_000, balance: -1, credit_limit: 10_000 }
  t.same(problemsOf(outcome(order({ account }), limited)), [{ kind: 'within_limit', excess: 1, answerable: false }])
  t.equal(outcome(order({ account: { ...account, balance: 0 } }), limited)?.kind, 'moves')
  const renewed = planWhenPaid(order(), facts(workflowOf(marked()), { renewedCost: 12_000 }))
  t.same(problemsOf(renewed), [{ kind: 'prices', cost: 12_000, elsewhere: false }], 'nobody has said which prices apply')
})

const anyOrder = fc.record({
  status_id: fc.constantFrom(payment, paid, canceled, null),
  cost: fc.nat(1000),
  receiver: fc.constantFrom(null, ' ', 'Anna'),
  payment: fc.constantFrom(null, 'card'),
  lacksPrices: fc.boolean(),
  hasPayment: fc.boolean(),
  account: fc.record({
    charged: fc.nat(1000),
    paid: fc.integer({ min: -100, max: 1000 }),
    balance: fc.integer({ min: -1000, max: 1000 }),
    credit_limit: fc.option(fc.nat(1000)),
  }),
})
const anyTransition = fc.record({
  parent_status_id: fc.constantFrom(payment, paid, canceled),
  child_status_id: fc.constantFrom(payment, paid, canceled),
  // Of many fields an order would nearly always lack one.
  required_fields: fc.subarray(Object.keys(requirableFields), { maxLength: 2 }),
  min_paid: fc.option(fc.integer({ min: 1, max: 100 })),
  within_limit: fc.boolean(),
  when_paid: fc.boolean(),
  ...Object.fromEntries(flags.map((flag) => [flag, fc.boolean()])),
}) as fc.Arbitrary<Partial<Transition>>

t.test('for any order and workflow money alone decides whether, and all but the performers whether it moves', async (t) => {
  const seen = new Set<string | undefined>()
  fc.assert(
    fc.property(anyOrder, fc.array(anyTransition, { maxLength: 4 }), fc.constantFrom('cash' as const, undefined), (over, rows, paidBy) => {
      const transitions = rows.map((row, at) => marked({ ...row, id: at + 1 }))
      const [subject, workflow] = [order(over as Partial<PlannedOrder>), workflowOf(...transitions)]
      const result = planWhenPaid(subject, facts(workflow, { paidBy }))
      seen.add(result?.kind)
      const open = transitions.filter(({ parent_status_id: from, child_status_id: to }) => from === over.status_id && to !== canceled)
      const step = over.status_id === canceled ? undefined : open.find(({ when_paid }) => when_paid)
      t.equal(paidTransition(workflow, over.status_id), step)
      const { cost, account } = over
      const enough = cost > 0 && account.paid * 100 >= cost * (step?.min_paid ?? 100)
      t.equal(isPaidFor(subject, step), enough)
      t.equal(waitsThoughPaid(workflow, subject), step !== undefined && enough)
      t.equal(result === undefined, over.status_id === canceled || !enough)
      t.equal(result?.kind === 'stays', result !== undefined && step === undefined)
      if (result?.kind === 'moves') t.match(result.plan, { from: { id: over.status_id }, to: { id: step?.child_status_id } })
      for (const { kind } of problemsOf(result)) t.ok(['missing', 'within_limit'].includes(kind), kind)
      const nobody = Object.fromEntries(flags.map((flag) => [flag, false]))
      const closed = workflowOf(...transitions.map((one) => ({ ...one, ...nobody })))
      t.equal(planWhenPaid(subject, facts(closed, { paidBy }))?.kind, result?.kind, 'whoever may perform it')
    }),
    { numRuns: 1000 },
  )
  t.same([...seen].map(String).sort(), ['moves', 'stays', 'undefined', 'waits'])
})
