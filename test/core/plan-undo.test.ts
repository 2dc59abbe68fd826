import fc from 'fast-check'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { orderAfter, type PlannedOrder, planTransition } from '../../src/core/plan-transition.ts'
import { planUndo } from '../../src/core/plan-undo.ts'
import { forcibleFields, type Status, type Transition } from '../../src/core/transition-rules.ts'
import { performer } from '../support/performer.ts'
import { defaultWorkflow } from '../support/workflow.ts'

type TakenStep = Parameters<typeof planUndo>[1]
type UndoFacts = Parameters<typeof planUndo>[2]

const [first] = defaultWorkflow.statuses as [Status]

const step = (over: Partial<TakenStep> = {}): TakenStep => ({
  actor_id: 7,
  impersonator_id: null,
  undo_until: 1000,
  undone_at: null,
  ...over,
})
const facts = (over: Partial<UndoFacts> = {}): UndoFacts => ({ now: 999, author: { id: 7 }, from: first, changed: {}, ...over })

t.test('a step is undone by whoever made it, once, in time, while nothing rests on it and its status is there', async (t) => {
  t.same(planUndo({}, step(), facts()), { to: first, values: {} })
  t.equal(planUndo({}, step(), facts({ author: { id: 8 } })), 'foreign')
  t.equal(planUndo({}, step(), facts({ author: { id: 7, impersonator: { id: 1 } } })), 'foreign', 'it was not made in their name')
  t.equal(planUndo({}, step({ impersonator_id: 1 }), facts()), 'foreign', 'it was made in their name')
  t.same(planUndo({}, step({ impersonator_id: 1 }), facts({ author: { id: 7, impersonator: { id: 1 } } })), { to: first, values: {} })
  t.equal(planUndo({}, step({ undone_at: 5, undo_until: null }), facts({ overtakenBy: 'Anna' })), 'undone')
  t.equal(planUndo({}, step({ undo_until: null }), facts({ overtakenBy: 'Anna' })), 'overtaken')
  t.equal(planUndo({}, step({ undo_until: null }), facts()), 'never')
  t.equal(planUndo({}, step(), facts({ now: 1000, from: undefined })), 'late')
  t.equal(planUndo({}, step(), facts({ from: undefined })), 'gone')
})

t.test('what was changed after the step stays, and the rest is as it was before', async (t) => {
  const changed = { status_id: [1, 2], sn: [null, '42'], receiver: ['Anna', 'Bob'] } as const
  t.same(planUndo({ status_id: 2, sn: '43', receiver: 'Bob' }, step(), facts({ changed })), {
    to: first,
    values: { status_id: 1, receiver: 'Anna' },
  })
})

t.test('undoing is the reverse of a plan: the order has the values that it had', async () => {
  const anyForced = fc.subarray(Object.keys(forcibleFields))
  const anyFilled = fc.record({ receiver: fc.constantFrom('Bob', null), date_make: fc.constant('2026-12-01') }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.constantFrom(null, '2026-01-02'), anyForced, anyFilled, (due_since, forced_fields, filled) => {
      const before: PlannedOrder = {
        ...{ status_id: first.id, dealer_id: 7, owner_manager_id: 8, cost: 100, due_since, lacksPrices: false, hasPayment: false },
        ...{ receiver: 'Anna', sn: null, date_make: null },
        account: { charged: 0, paid: 0, balance: 0, credit_limit: null },
      }
      const transition: Transition = { ...(defaultWorkflow.transitions[0] as Transition), required_fields: [], forced_fields }
      const rights = { unseen: [], seesPrices: true, mayKeepPrices: true, mayExceed: true }
      const plan = planTransition(before, transition, filled, {
        workflow: defaultWorkflow,
        performer: performer({ id: 1, group_id: group.administrator }),
        ...rights,
        today: '2026-11-26',
        nextSerial: () => '42',
      })
      if (Array.isArray(plan)) throw new Error('no plan')
      const written = { ...plan.filled, ...plan.forced, status_id: plan.to.id, due_since: plan.due_since }
      const had: Record<string, unknown> = { ...before }
      const changed = Object.fromEntries(Object.entries(written).map(([name, after]) => [name, [had[name], after] as const]))
      const undo = planUndo({ ...orderAfter(before, plan) }, step(), facts({ changed }))
      if (typeof undo === 'string') throw new Error(undo)
      const names = Object.keys(written)
      return undo.to === first && names.every((name) => undo.values[name] === had[name]) && Object.keys(undo.values).length === names.length
    }),
  )
})
