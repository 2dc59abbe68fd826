import fc from 'fast-check'
import t from 'tap'
import { type Group, group } from '../../src/core/access.ts'
import { expectedIn, groupAtTurn, isTurnOf, looksAtPaid, statusesAwaiting } from '../../src/core/expected-actor.ts'
import type { Expectation, Workflow } from '../../src/core/transition-rules.ts'
import { waitsThoughPaid } from '../../src/core/when-paid.ts'
import { performer } from '../support/performer.ts'
import { anyWorkflow, defaultWorkflow } from '../support/workflow.ts'

const unpaid = { cost: 100, account: { paid: 0 } }

const expectedByKey = (workflow: Workflow) =>
  Object.fromEntries(workflow.statuses.map((status) => [status.status_key, expectedIn(workflow, status)]))

const withExpected = (key: string, expected: Expectation): Workflow => ({
  ...defaultWorkflow,
  statuses: defaultWorkflow.statuses.map((status) => (status.status_key === key ? { ...status, expected } : status)),
})

t.test('in the default workflow the first of dealer, manager and production who can move an order onward is expected to act', (t) => {
  t.same(expectedByKey(defaultWorkflow), {
    new: 'dealer',
    apply: 'manager',
    payment: 'dealer',
    paid: 'manager',
    production: 'production',
    delivery: 'manager',
    pickup: 'manager',
    install: 'manager',
    completed: undefined,
    canceled: undefined,
  })
  t.end()
})

t.test('a status may expect somebody else or nobody, a final one never expects anybody', (t) => {
  for (const expected of ['dealer', 'manager', 'production'] as const) {
    t.equal(expectedByKey(withExpected('delivery', expected)).delivery, expected)
    t.equal(expectedByKey(withExpected('completed', expected)).completed, undefined, 'a final status')
  }
  t.equal(expectedByKey(withExpected('delivery', 'nobody')).delivery, undefined)
  t.end()
})

t.test('being able to cancel an order, or to move those of others, makes it nobody’s turn', (t) => {
  const only = (flags: object): Workflow => ({
    ...defaultWorkflow,
    transitions: defaultWorkflow.transitions.map((one) =>
      one.parent_status_id === 1 && one.child_status_id === 2 ? { ...one, dealer_can: false, manager_can: false, ...flags } : one,
    ),
  })
  t.equal(expectedByKey(only({})).new, undefined, 'dealer and manager can only cancel')
  t.equal(expectedByKey(only({ dealers_can: true, managers_can: true, productions_can: true })).new, undefined)
  t.equal(expectedByKey(only({ production_can: true, dealers_can: true })).new, 'production')
  t.end()
})

t.test('without a manager it is the turn of administrators, not of other managers', (t) => {
  const order = { ...unpaid, status_id: 2, dealer_id: 5, owner_manager_id: null }
  const turnOf = (group_id: Group, id = 7) => isTurnOf(performer({ id, group_id }), order, defaultWorkflow)
  t.equal(groupAtTurn(defaultWorkflow, order), group.administrator)
  t.same([turnOf(1), turnOf(2, 5), turnOf(3), turnOf(4)], [true, false, false, false])
  t.equal(groupAtTurn(defaultWorkflow, { ...order, status_id: null }), undefined)
  t.end()
})

t.test('in any workflow it is the turn of exactly one group, of its owner there, and of nobody in a final status', (t) => {
  const orders = [
    { dealer_id: 1, owner_manager_id: 2 },
    { dealer_id: 1, owner_manager_id: null },
    { dealer_id: null, owner_manager_id: 2 },
  ]
  const people = [group.administrator, group.dealer, group.manager, group.production].flatMap((group_id) =>
    [1, 2, 3].map((id) => ({ id, group_id })),
  )
  fc.assert(
    fc.property(anyWorkflow, fc.constantFrom(...orders), fc.nat(100), (workflow, owners, paid) => {
      for (const { id: status_id } of workflow.statuses) {
        const order = { ...owners, status_id, cost: 100, account: { paid } }
        const turn = groupAtTurn(workflow, order)
        const final = workflow.transitions.every(({ parent_status_id }) => parent_status_id !== status_id)
        if (final && turn !== undefined) throw new Error('a final status expects somebody')
        for (const person of people) {
          const owns = {
            1: owners.owner_manager_id === null,
            2: owners.dealer_id === person.id,
            3: owners.owner_manager_id === person.id,
            4: true,
          }
          const expected = turn === person.group_id && owns[person.group_id]
          if (isTurnOf(performer(person), order, workflow) !== expected) throw new Error(`the turn of ${JSON.stringify(person)}`)
          const awaits = statusesAwaiting(workflow, person.group_id).includes(status_id)
          const looks = looksAtPaid(person.group_id) && waitsThoughPaid(workflow, order)
          if (expected && !awaits && !looks) throw new Error('not among their statuses')
        }
      }
    }),
  )
  t.end()
})

t.test('an order that is paid and has not moved on waits for the manager, whomever its status expects', (t) => {
  const order = { status_id: 3, dealer_id: 5, owner_manager_id: 7, cost: 100, account: { paid: 99 } }
  const turns = (paid: number, owner_manager_id: number | null = 7) => {
    const one = { ...order, owner_manager_id, account: { paid } }
    const isTurn = ([id, group_id]: [number, Group]) => isTurnOf(performer({ id, group_id }), one, defaultWorkflow)
    return (
      [
        [7, group.manager],
        [8, group.manager],
        [5, group.dealer],
        [1, group.administrator],
      ] as [number, Group][]
    ).map(isTurn)
  }
  t.same(turns(99), [false, false, true, false])
  t.same(turns(100), [true, false, false, false])
  t.same(turns(100, null), [false, false, false, true], 'without a manager for the administrators')
  t.same(
    [1, 2, 3, 4].map((id) => looksAtPaid(id)),
    [true, false, true, false],
  )
  t.end()
})
