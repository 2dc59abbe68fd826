import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { type StatusPolicyKey, statusPolicyNames } from '../../src/core/default-workflow.ts'
import { flags, parties, type Status, type Transition, type Workflow } from '../../src/core/transition-rules.ts'
import { type Coverage, finalStatusesOf, type LintIssue, lintWorkflow } from '../../src/core/workflow-lint.ts'
import { defaultWorkflow } from '../support/workflow.ts'

const everybody: Coverage = { context: new Set(Object.values(group)), notified: new Set(parties), confirming: true }
const without = <T>(all: Iterable<T>, one: T) => new Set([...all].filter((other) => other !== one))

const { statuses } = defaultWorkflow
const transitions = defaultWorkflow.transitions.map((one) => ({ ...one, when_paid: false }))
const none = Object.fromEntries(flags.map((flag) => [flag, false])) as Record<(typeof flags)[number], boolean>
/** Somebody may do something, though edit nothing. */
const deletable = new Set<StatusPolicyKey>(['order_dealer_can_delete'])
const quiet: Status = { ...(statuses[9] as Status), notify_manager: false, notify_dealer: false, notify_make: false, policies: deletable }
const added = (id: number, more: Partial<Status> = {}): Status => ({ ...quiet, id, index: id, status_key: `added${id}`, ...more })
const way = (id: number, parent_status_id: number, child_status_id: number, more: Partial<Transition> = {}): Transition => ({
  ...none,
  manager_can: true,
  required_fields: [],
  forced_fields: [],
  ...more,
  id,
  parent_status_id,
  child_status_id,
})
const also = (...more: (Status | Transition)[]): Workflow => ({
  statuses: [...statuses, ...more.filter((one): one is Status => 'status_key' in one)],
  transitions: [...transitions, ...more.filter((one): one is Transition => !('status_key' in one))],
})
const changed = (id: number, change: (transition: Transition) => Partial<Transition>): Workflow => ({
  statuses,
  transitions: transitions.map((one) => (one.id === id ? { ...one, ...change(one) } : one)),
})

const canceled = statuses.find(({ status_key }) => status_key === 'canceled')?.id as number
const anyStatus = fc.constantFrom(...statuses)
/** Steps that ask for nothing. */
const quick = transitions.map((one) => ({ ...one, required_fields: [] }))

/** Where an order can go on from: a way from an end would make it another kind of workflow. */
const anyOnTheWay = fc.constantFrom(...statuses.slice(0, 8))
const anyTransition = fc.constantFrom(...transitions)
const anyPolicy = fc.constantFrom(...(Object.keys(statusPolicyNames) as (keyof typeof statusPolicyNames)[]))

/** Puts a fault into a workflow and expects exactly that fault to be found. */
function finds<T extends unknown[]>(
  name: string,
  places: { [K in keyof T]: fc.Arbitrary<T[K]> },
  plant: (...place: T) => { workflow: Workflow; staffing?: Coverage; expected: LintIssue[] },
): void {
  t.test(`the workflow check finds a fault anywhere and nothing else: ${name}`, (t) => {
    fc.assert(
      fc.property(fc.tuple(...places), (place) => {
        const { workflow, staffing = everybody, expected } = plant(...(place as T))
        const found = lintWorkflow(workflow, staffing)
        if (!isDeepStrictEqual(found, expected)) throw new Error(`${JSON.stringify(found)} for ${JSON.stringify(expected)}`)
      }),
    )
    t.end()
  })
}

t.test('the workflow check finds nothing in the default workflow or in an empty one', (t) => {
  t.same(lintWorkflow(defaultWorkflow, everybody), [], 'with its mark')
  t.same(lintWorkflow({ statuses: [], transitions: [] }, everybody), [])
  t.same(
    finalStatusesOf(also(added(90))).map((status) => status.status_key),
    ['completed', 'canceled'],
  )
  t.end()
})

finds('an unreachable status with a transition from it', [anyStatus], (to) => ({
  workflow: also(added(90), way(90, 90, to.id)),
  expected: [{ status_id: 90, kind: 'unreachable' }],
}))

finds('an unreachable status without transitions', [anyPolicy], (policy) => ({
  workflow: also(added(90, { policies: new Set([policy]) })),
  expected: [{ status_id: 90, kind: 'unreachable' }],
}))

finds('a status in which nobody may do anything', [anyOnTheWay], (one) => ({
  workflow: {
    statuses: statuses.map((status) => (status === one ? { ...status, policies: new Set<never>() } : status)),
    transitions: quick,
  },
  expected: [{ status_id: one.id, kind: 'nothing_allowed' }],
}))

finds('a new status in which nobody may do anything yet', [anyStatus], (to) => ({
  workflow: also(added(90, { policies: new Set() }), added(91, { policies: new Set() }), way(91, 91, to.id)),
  expected: [
    { status_id: 90, kind: 'unreachable' },
    { status_id: 90, kind: 'nothing_allowed' },
    { status_id: 91, kind: 'unreachable' },
    { status_id: 91, kind: 'nothing_allowed' },
  ],
}))

finds('a final status that still allows edits', [anyOnTheWay, anyPolicy], (from, policy) => ({
  workflow: also(added(90, { policies: new Set([policy]) }), way(90, from.id, 90)),
  expected: [{ status_id: 90, kind: 'dead_end' }],
}))

finds('a cycle of statuses without an exit', [anyOnTheWay], (from) => ({
  workflow: also(added(90), added(91), way(90, from.id, 90), way(91, 90, 91), way(92, 91, 90)),
  expected: [
    { status_id: 90, kind: 'cycle' },
    { status_id: 91, kind: 'cycle' },
  ],
}))

finds('a transition for a group without active users', [anyTransition, fc.boolean()], ({ id, parent_status_id }, any) => ({
  workflow: changed(id, () => ({ ...none, [any ? 'dealers_can' : 'dealer_can']: true, required_fields: [] })),
  staffing: { ...everybody, context: without(everybody.context, group.dealer) },
  expected: [{ kind: 'nobody_performs', status_id: parent_status_id, transition_id: id, groups: [group.dealer], left: 'administrators' }],
}))

finds('a transition for administrators only, without an active one', [anyTransition], ({ id, parent_status_id }) => ({
  workflow: changed(id, () => none),
  staffing: { ...everybody, context: without(everybody.context, group.administrator) },
  expected: [{ kind: 'nobody_performs', status_id: parent_status_id, transition_id: id, groups: [], left: 'nobody' }],
}))

const late = transitions.filter((one) => one.parent_status_id > 4)
finds(
  'a required field that no performer can fill in beforehand',
  [fc.constantFrom(...late), fc.constantFrom('specification', 'invoice', 'payment_order')],
  ({ id, parent_status_id }, field) => ({
    workflow: changed(id, ({ required_fields }) => ({ required_fields: [...required_fields, field] })),
    expected: [{ kind: 'cannot_fill', status_id: parent_status_id, transition_id: id, fields: [field] }],
  }),
)

const anyPayment = fc.oneof(fc.record({ min_paid: fc.integer({ min: 1, max: 100 }) }), fc.constant({ when_paid: true }))
const anyForward = fc.constantFrom(...transitions.filter((one) => one.child_status_id !== canceled))

finds('a payment that nobody can confirm', [anyForward, anyPayment], ({ id, parent_status_id }, waits) => ({
  workflow: changed(id, () => waits),
  staffing: { ...everybody, confirming: false },
  expected: [{ kind: 'nobody_confirms', status_id: parent_status_id, transition_id: id }],
}))

finds(
  'a field that is both required and set automatically',
  [anyTransition, fc.constantFrom('date_make', 'sn')],
  ({ id, parent_status_id }, field) => ({
    workflow: changed(id, () => ({ ...none, required_fields: [field], forced_fields: ['deferred_payment', field] })),
    expected: [{ kind: 'required_and_forced', status_id: parent_status_id, transition_id: id, fields: [field] }],
  }),
)

finds('a second transition of a status that is to be made once an order is paid', [anyForward], (transition) => ({
  workflow: {
    statuses: [...statuses, added(90, { policies: new Set(), due: null })],
    transitions: [
      ...transitions.map((one) => (one === transition ? { ...one, when_paid: true } : one)),
      way(90, transition.parent_status_id, 90, { when_paid: true }),
    ],
  },
  expected: [{ kind: 'idle_mark', status_id: transition.parent_status_id, transition_id: 90, canceled: false }],
}))

const anyCanceling = fc.constantFrom(...transitions.filter((one) => one.child_status_id === canceled))
finds('a transition that calls off what is paid', [anyCanceling], ({ id, parent_status_id }) => ({
  workflow: changed(id, () => ({ when_paid: true })),
  expected: [{ kind: 'idle_mark', status_id: parent_status_id, transition_id: id, canceled: true }],
}))

finds('a transition of what is called off that waits for a payment', [anyOnTheWay], ({ id }) => ({
  workflow: {
    statuses: [
      ...statuses.map((one) => (one.id === canceled ? { ...one, policies: deletable } : one)),
      added(90, { policies: new Set(), due: null }),
    ],
    transitions: [...transitions, way(90, id, 90), way(91, canceled, 90, { when_paid: true })],
  },
  expected: [{ kind: 'idle_mark', status_id: canceled, transition_id: 91, canceled: true }],
}))

finds('a duplicate transition, with the same or other permissions', [anyTransition, fc.boolean()], (transition, alike) => ({
  workflow: also({ ...transition, id: 90, managers_can: !alike }),
  expected: [{ kind: 'duplicate', status_id: transition.parent_status_id, transition_id: 90, alike }],
}))

finds('a notification with nobody to notify', [anyStatus, fc.constantFrom(...parties)], (status, party) => {
  const silent = statuses.map((one) => ({ ...one, [`notify_${party}`]: one === status }))
  return {
    workflow: { statuses: silent, transitions },
    staffing: { ...everybody, notified: without(everybody.notified, party) },
    expected: [{ status_id: status.id, kind: 'nobody_notified', parties: [party] }],
  }
})

t.test('the workflow check accepts a required field that every transition before it sets automatically', (t) => {
  // Production may not set dates in Delivery when its policies are off; the only way there sets the one that is asked for.
  const shut = statuses.map((status) => (status.id === 6 ? { ...status, policies: deletable } : status))
  const asking = (forced_fields: string[]) => ({
    statuses: shut,
    transitions: transitions.map((one) =>
      one.child_status_id === 6
        ? { ...one, forced_fields }
        : one.parent_status_id === 6 && one.child_status_id === 7
          ? { ...one, required_fields: ['date_make'] }
          : one,
    ),
  })
  t.same(lintWorkflow(asking(['date_make']), everybody), [])
  t.match(lintWorkflow(asking([]), everybody), [{ kind: 'cannot_fill', status_id: 6, fields: ['date_make'] }])
  const { transitions: ways } = asking(['date_make'])
  const another = { statuses: shut, transitions: [...ways, way(90, 2, 6)] }
  t.match(lintWorkflow(another, everybody), [{ kind: 'cannot_fill', fields: ['date_make'] }], 'every one, not only some')
  t.end()
})

t.test('the workflow check accepts the confirmation of a payment where dealers go on, who report payments in every status', (t) => {
  const shut = statuses.map((status) => ({ ...status, policies: new Set<never>() }))
  const asking = (required_fields: string[], performing: Partial<Transition>) =>
    lintWorkflow({ statuses: shut, transitions: [way(1, 1, 2, { required_fields, ...none, ...performing })] }, everybody).filter(
      ({ kind }) => kind === 'cannot_fill',
    )
  t.same(asking(['payment_order'], { dealer_can: true }), [])
  t.same(asking(['payment_order'], { dealers_can: true, manager_can: true }), [])
  t.match(asking(['payment_order'], { manager_can: true }), [{ fields: ['payment_order'] }])
  t.match(asking(['payment_order', 'receiver'], { dealer_can: true }), [{ fields: ['receiver'] }])
  t.end()
})

t.test('duplicates are alike only where all of them have the same rules, whatever the order of their fields', (t) => {
  const alike = (...ways: Partial<Transition>[]) => {
    const duplicates = ways.map((one, at) => way(at + 1, 1, 2, one))
    const found = lintWorkflow({ statuses: [added(1), added(2)], transitions: duplicates }, everybody)
    return found.flatMap((issue) => (issue.kind === 'duplicate' ? issue.alike : []))
  }
  const forced_fields = ['date_make', 'date_delivery']
  t.same(alike({ forced_fields }, { forced_fields: forced_fields.toReversed() }), [true])
  t.same(alike({ forced_fields }, {}), [false], 'one sets fields, the other does not')
  t.same(alike({ when_paid: true }, {}), [false], 'one is made once an order is paid')
  t.same(alike({}, { managers_can: true }, {}), [false, false], 'the third is like the first only')
  t.same(alike({}, {}, {}), [true, true])
  t.end()
})

t.test('faults are told in the order of the statuses, whichever transition is the older one', (t) => {
  const paid = transitions.map((one) => ({ ...one, min_paid: one.parent_status_id < 3 ? 50 : 0 })).toReversed()
  const found = lintWorkflow({ statuses, transitions: paid }, { ...everybody, confirming: false })
  const places = found.map(({ status_id }) => status_id)
  t.same([...new Set(places)], [1, 2], 'a step that requires no part of the cost needs nobody who confirms payments')
  t.same(places, places.toSorted())
  t.end()
})

t.test('orders begin in the first status only: the second one has to be led to', (t) => {
  const found = lintWorkflow({ statuses: [added(1, { policies: new Set() }), added(2)], transitions: [way(1, 2, 1)] }, everybody)
  t.same(found, [{ kind: 'unreachable', status_id: 2 }])
  t.end()
})

t.test('the workflow check finds statuses that became unreachable', (t) => {
  const cut = { statuses, transitions: transitions.filter((one) => one.parent_status_id !== 5) }
  t.same(lintWorkflow(cut, everybody), [
    { kind: 'dead_end', status_id: 5 },
    ...[6, 10, 7, 8].map((status_id) => ({ kind: 'unreachable', status_id })),
    { kind: 'nothing_allowed', status_id: 8 },
  ])
  t.end()
})
