import fc from 'fast-check'
import { defaultStatuses, defaultTransitions } from '../../src/core/default-workflow.ts'
import { expectations, flags, type Status, type Transition, type Workflow } from '../../src/core/transition-rules.ts'

const noFlags = Object.fromEntries(flags.map((flag) => [flag, false])) as Record<(typeof flags)[number], boolean>

export const defaultWorkflow: Workflow = {
  statuses: defaultStatuses.map(({ name, notify, policies, ...status }, index) => ({
    ...status,
    index: index + 1,
    name: name.en,
    policies: new Set(policies),
    expected: 'default',
    notify_manager: notify.includes('manager'),
    notify_admin: notify.includes('admin'),
    notify_dealer: notify.includes('dealer'),
    notify_make: notify.includes('make'),
  })),
  transitions: defaultTransitions.map(({ from, to, ...transition }, index) => ({
    ...noFlags,
    ...transition,
    id: index + 1,
    parent_status_id: idOf(from),
    child_status_id: idOf(to),
    forced_fields: [],
  })),
}

function idOf(key: string): number {
  return defaultStatuses.find(({ status_key }) => status_key === key)?.id as number
}

const anyFlags = fc.record(Object.fromEntries(flags.map((flag) => [flag, fc.boolean()]))) as fc.Arbitrary<typeof noFlags>

/** Any workflow, including loops, duplicates and isolated statuses. */
export const anyWorkflow: fc.Arbitrary<Workflow> = fc
  .array(fc.tuple(fc.string({ maxLength: 40 }), fc.constantFrom(...expectations)), { minLength: 1, maxLength: 12 })
  .chain((named) => fc.tuple(fc.constant(named), fc.array(anyTransition(named.length), { maxLength: 60 })))
  .map(([named, transitions]) => ({
    statuses: named.map(
      ([name, expected], at): Status => ({
        ...(defaultWorkflow.statuses[0] as Status),
        ...{ id: at + 1, index: at, status_key: `s${at}`, name, expected },
      }),
    ),
    transitions: transitions
      .filter((transition) => transition.parent_status_id !== transition.child_status_id)
      .map((transition, at) => ({ ...transition, id: at + 1 })),
  }))

function anyTransition(count: number): fc.Arbitrary<Transition> {
  const status = fc.integer({ min: 1, max: count })
  return fc
    .record({ parent_status_id: status, child_status_id: status, performing: anyFlags, when_paid: fc.boolean() })
    .map(({ performing, ...transition }) => ({ ...transition, ...performing, id: 0, required_fields: [], forced_fields: [] }))
}
