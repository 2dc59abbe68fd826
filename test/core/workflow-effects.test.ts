import fc from 'fast-check'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { type StatusPolicyKey, statusPolicyNames } from '../../src/core/default-workflow.ts'
import { expectedIn } from '../../src/core/expected-actor.ts'
import { policyScope } from '../../src/core/order-editable-fields.ts'
import { flags, mayPerform, requirableFields, type Transition, type Workflow } from '../../src/core/transition-rules.ts'
import { effectsOf } from '../../src/core/workflow-effects.ts'
import { performer } from '../support/performer.ts'
import { anyWorkflow, defaultWorkflow } from '../support/workflow.ts'

/** Everybody who stands differently to an order: the person, and the order they look at. */
const people = {
  dealer: { actor: { id: 7, group_id: group.dealer }, order: { dealer_id: 7, owner_manager_id: 1 } },
  dealers: { actor: { id: 7, group_id: group.dealer }, order: { dealer_id: 8, owner_manager_id: 7 } },
  manager: { actor: { id: 7, group_id: group.manager }, order: { dealer_id: 8, owner_manager_id: 7 } },
  managers: { actor: { id: 7, group_id: group.manager }, order: { dealer_id: 7, owner_manager_id: null } },
  production: { actor: { id: 7, group_id: group.production }, order: { dealer_id: 7, owner_manager_id: 7 } },
  administrator: { actor: { id: 7, group_id: group.administrator }, order: { dealer_id: null, owner_manager_id: null } },
}

/** Asks about everybody, in every status, about every target. */
function askedOneByOne(workflow: Workflow): Set<string> {
  const ids = workflow.statuses.map(({ id }) => id)
  const answers = Object.entries(people).flatMap(([role, { actor, order }]) =>
    ids.flatMap((from) =>
      ids
        .filter((to) =>
          workflow.transitions.some(
            (way) => way.parent_status_id === from && way.child_status_id === to && mayPerform(way, performer(actor), order),
          ),
        )
        .map((to) => `${role}: ${from} → ${to}`),
    ),
  )
  return new Set(answers)
}

function rightsOneByOne({ statuses }: Workflow): Set<string> {
  return new Set(
    statuses.flatMap(({ id, policies }) =>
      [...policies].flatMap((key) => {
        const fields = key === 'order_dealer_can_delete' ? ['delete'] : policyScope[key].fields
        return fields.map((field) => `${policyScope[key].group} in ${id}: ${field}`)
      }),
    ),
  )
}

const minus = (one: Set<string>, other: Set<string>) => [...one].filter((answer) => !other.has(answer)).sort()

const anyPolicies = fc.subarray(Object.keys(statusPolicyNames) as StatusPolicyKey[])
const anyRequired = fc.subarray(Object.keys(requirableFields).slice(0, 3))

/** A workflow and what became of it: other ways, other rules, other policies. */
const anyChange = fc
  .tuple(
    anyWorkflow,
    anyWorkflow,
    fc.array(anyPolicies, { minLength: 24, maxLength: 24 }),
    fc.array(anyRequired, { minLength: 60, maxLength: 60 }),
  )
  .map(([before, after, policies, required]) => {
    const known = new Set(before.statuses.map(({ id }) => id))
    const ways = after.transitions.filter((way) => known.has(way.parent_status_id) && known.has(way.child_status_id))
    const ofBefore = before.statuses.map((status, at) => ({ ...status, policies: new Set(policies[at]) }))
    return {
      before: {
        statuses: ofBefore,
        transitions: before.transitions.map((way, at) => ({ ...way, required_fields: required[at] as string[] })),
      },
      after: {
        statuses: ofBefore.map((status, at) => ({ ...status, policies: new Set(policies[at + 12]) })),
        transitions: ways.map((way, at) => ({ ...way, required_fields: required[59 - at] as string[] })),
      },
    }
  })

t.test('the effects of a workflow change are exactly what differs for each user before and after', (t) => {
  fc.assert(
    fc.property(anyChange, ({ before, after }) => {
      const orders = new Map(before.statuses.map(({ id }) => [id, id % 3]))
      const { transitions, rights, stuck, requirements, turns } = effectsOf(before, after, orders)
      const [wayBefore, wayAfter] = [askedOneByOne(before), askedOneByOne(after)]
      const said = (change: string) =>
        transitions.filter((one) => one.change === change).map(({ role, from, to }) => `${role}: ${from} → ${to}`)
      t.same(said('gains').sort(), minus(wayAfter, wayBefore))
      t.same(said('loses').sort(), minus(wayBefore, wayAfter))

      const [rightBefore, rightAfter] = [rightsOneByOne(before), rightsOneByOne(after)]
      const told = (change: string) =>
        rights
          .filter((one) => one.change === change)
          .flatMap((one) => one.rights.map((right) => `${one.group} in ${one.status_id}: ${right}`))
      t.same(told('gains').sort(), minus(rightAfter, rightBefore))
      t.same(told('loses').sort(), minus(rightBefore, rightAfter))

      const turnsBefore = after.statuses.map((status) => expectedIn(before, status))
      const turnsAfter = after.statuses.map((status) => expectedIn(after, status))
      const changed = after.statuses.flatMap(({ id }, at) =>
        turnsBefore[at] === turnsAfter[at]
          ? []
          : [{ status_id: id, orders: orders.get(id), before: turnsBefore[at], after: turnsAfter[at] }],
      )
      t.same(turns, changed)

      t.same(stuck, stuckOneByOne(before, after, orders))
      for (const { from, to, fields, change } of requirements)
        for (const field of fields) {
          t.equal(asks(before, from, to, field), change === 'loses')
          t.equal(asks(after, from, to, field), change === 'gains')
        }
    }),
    { numRuns: 60 },
  )
  t.end()
})

function stuckOneByOne(before: Workflow, after: Workflow, orders: ReadonlyMap<number, number>) {
  const mover = (workflow: Workflow, id: number) => {
    const asked = [...askedOneByOne(workflow)].filter((answer) => answer.includes(`: ${id} →`))
    if (asked.some((answer) => !answer.startsWith('administrator'))) return 2
    return asked.length > 0 ? 1 : 0
  }
  return before.statuses.flatMap(({ id }) => {
    const left = mover(after, id)
    const count = orders.get(id) as number
    return count > 0 && left < mover(before, id) ? [{ status_id: id, orders: count, left: left === 1 ? 'administrators' : 'nobody' }] : []
  })
}

/** Does whoever takes this way have to fill in this field, whichever transition they choose? */
function asks({ transitions }: Workflow, from: number, to: number, field: string): boolean {
  return transitions
    .filter((way) => way.parent_status_id === from && way.child_status_id === to)
    .every((way) => way.required_fields.includes(field))
}

t.test('the effect of a single switch is described exactly', (t) => {
  const change = (id: number, more: Partial<Transition>): Workflow => ({
    statuses: defaultWorkflow.statuses,
    transitions: defaultWorkflow.transitions.map((way) => (way.id === id ? { ...way, ...more } : way)),
  })
  const nothing = { transitions: [], requirements: [], marks: [], issues: [], rights: [], turns: [], stuck: [] }
  const orders = new Map([[1, 5]])
  t.same(effectsOf(defaultWorkflow, defaultWorkflow, orders), nothing)
  t.same(effectsOf(defaultWorkflow, change(1, { dealers_can: true }), orders), {
    ...nothing,
    transitions: [{ role: 'dealers', change: 'gains', from: 1, to: 2 }],
  })
  t.same(effectsOf(defaultWorkflow, change(1, { required_fields: ['phone'], dealer_can: false }), orders), {
    ...nothing,
    transitions: [{ role: 'dealer', change: 'loses', from: 1, to: 2 }],
    requirements: [{ from: 1, to: 2, change: 'gains', fields: ['phone'] }],
    turns: [{ status_id: 1, orders: 5, before: 'dealer', after: 'manager' }],
  })
  const cut = { ...defaultWorkflow, transitions: defaultWorkflow.transitions.filter((way) => way.parent_status_id !== 1) }
  t.same(effectsOf(defaultWorkflow, cut, orders).stuck, [{ status_id: 1, orders: 5, left: 'nobody' }])
  t.same(effectsOf(defaultWorkflow, cut, new Map()).stuck, [], 'no order is there to be stuck')
  const nobody = Object.fromEntries(flags.map((flag) => [flag, false]))
  const forAdministrators = defaultWorkflow.transitions.map((way) => (way.parent_status_id === 1 ? { ...way, ...nobody } : way))
  const theirs = { ...defaultWorkflow, transitions: forAdministrators }
  t.same(effectsOf(defaultWorkflow, theirs, orders).stuck, [{ status_id: 1, orders: 5, left: 'administrators' }])
  t.same(effectsOf(cut, theirs, orders).stuck, [], 'a way for administrators is better than none')
  const forDealers = theirs.transitions.map((way) => (way.parent_status_id === 1 ? { ...way, dealer_can: true } : way))
  t.same(effectsOf(defaultWorkflow, { ...theirs, transitions: forDealers }, orders).stuck, [], 'one dealer is enough')
  t.end()
})

t.test('everything that a step can require is told when it is required, or no longer', (t) => {
  const [way] = defaultWorkflow.transitions as [Transition]
  const ways = (...all: Partial<Transition>[]): Workflow => ({
    statuses: defaultWorkflow.statuses,
    transitions: all.map((more, at) => ({ ...way, required_fields: [], min_paid: null, within_limit: false, ...more, id: at + 1 })),
  })
  const told = (before: Workflow, after: Workflow) =>
    effectsOf(before, after, new Map()).requirements.map(({ change, fields }) => `${change} ${fields.join(', ')}`)
  const fields = Object.keys(requirableFields)
  t.same(told(ways({}), ways({ required_fields: fields })), [`gains ${fields.join(', ')}`])
  t.same(told(ways({ min_paid: 50 }), ways({ min_paid: 60, within_limit: true })), ['gains min_paid 60, within_limit', 'loses min_paid 50'])
  t.same(told(ways({ min_paid: 1 }), ways({})), ['loses min_paid 1'])
  t.same(told(ways({}, {}), ways({}, { required_fields: ['phone'] })), [], 'there is still a way without')
  t.same(told(ways({ min_paid: 5 }, {}), ways({ min_paid: 5 })), ['gains min_paid 5'], 'there was a way without')
  t.end()
})

t.test('a transition that is to be made once an order is paid, or no longer, is told by where it leads', (t) => {
  const [way] = defaultWorkflow.transitions as [Transition]
  const ways = (...marked: boolean[]): Workflow => ({
    statuses: defaultWorkflow.statuses,
    transitions: marked.map((when_paid, at) => ({ ...way, when_paid, child_status_id: at + 2, id: at + 1 })),
  })
  const told = (before: Workflow, after: Workflow) =>
    effectsOf(before, after, new Map()).marks.map(({ change, from, to }) => `${change} ${from} ${to}`)
  t.same(told(ways(false), ways(true)), ['gains 1 2'])
  t.same(told(ways(true), ways(false)), ['loses 1 2'])
  t.same(told(ways(true, false), ways(false, true)), ['gains 1 3', 'loses 1 2'])
  t.same(told(ways(true, false), ways(true, true)), [], 'a second one changes nothing')
  t.same(told(ways(true), ways(true)), [])
  t.end()
})
