import fc from 'fast-check'
import t from 'tap'
import {
  type Flag,
  flags,
  mayPerform,
  missingFields,
  notifiedParties,
  parties,
  performers,
  type Requirable,
  recipients,
  requirableFields,
  type Transition,
} from '../../src/core/transition-rules.ts'
import { performer } from '../support/performer.ts'

const me = 7
const somebodyElse = 8

const transition = (over: Partial<Transition> = {}): Transition => ({
  id: 1,
  parent_status_id: 1,
  child_status_id: 2,
  ...(Object.fromEntries(flags.map((flag) => [flag, false])) as Record<Flag, boolean>),
  required_fields: [],
  forced_fields: [],
  ...over,
})

/** The specification's rules 2 to 5, said once more in a table: who acts, whose order, which flags suffice. */
const oracle = [
  { group: 1, mine: [true, false, null], suffices: 'always' },
  { group: 2, mine: [true], suffices: ['dealer_can', 'dealers_can'] },
  { group: 2, mine: [false, null], suffices: ['dealers_can'] },
  { group: 3, mine: [true], suffices: ['manager_can', 'managers_can'] },
  { group: 3, mine: [false, null], suffices: ['managers_can'] },
  { group: 4, mine: [true, false, null], suffices: ['production_can', 'productions_can'] },
]

t.test('a transition can be performed exactly as flags, group and ownership say, in every combination', async (t) => {
  let asked = 0
  const wrong: unknown[] = []
  for (const { group, mine, suffices } of oracle)
    for (const own of mine)
      for (let bits = 0; bits < 2 ** flags.length; bits++) {
        const on = flags.filter((_, at) => bits & (1 << at))
        const way = transition(Object.fromEntries(on.map((flag) => [flag, true])))
        const owner = own === null ? null : own ? me : somebodyElse
        const order = { dealer_id: group === 2 ? owner : somebodyElse, owner_manager_id: group === 3 ? owner : somebodyElse }
        const expected = suffices === 'always' || on.some((flag) => suffices.includes(flag))
        if (mayPerform(way, performer({ id: me, group_id: group }), order) !== expected) wrong.push({ group, own, on })
        asked++
      }
  t.equal(asked, 12 * 64)
  t.same(wrong, [])
})

t.test('nobody owns an order without a dealer', async (t) => {
  const way = transition({ dealer_can: true, manager_can: true })
  const nobodys = { dealer_id: null, owner_manager_id: null }
  t.notOk(mayPerform(way, performer({ id: null as never, group_id: 2 }), nobodys))
  t.notOk(mayPerform(way, performer({ id: null as never, group_id: 3 }), nobodys))
})

t.test('the performers of a transition name each party once, in its wider form', async (t) => {
  t.same(performers(transition({ dealer_can: true, manager_can: true, managers_can: true })), ['dealer_can', 'managers_can'])
  t.same(performers(transition()), [])
  fc.assert(
    fc.property(fc.subarray([...flags]), (on) => {
      const way = transition(Object.fromEntries(on.map((flag) => [flag, true])))
      const said = performers(way)
      const onlySaid = transition(Object.fromEntries(said.map((flag) => [flag, true])))
      for (const group_id of [2, 3, 4])
        for (const owner of [me, somebodyElse]) {
          const order = { dealer_id: owner, owner_manager_id: owner }
          const somebody = performer({ id: me, group_id })
          if (mayPerform(way, somebody, order) !== mayPerform(onlySaid, somebody, order)) return false
        }
      return true
    }),
  )
})

const fieldName = fc.constantFrom(...Object.keys(requirableFields))
const blank = fc.constantFrom(null, undefined, '', ' ', ' \t ')
const filled = fc.constantFrom('x', ' x ', '0', '2026-01-01')

t.test('exactly the required fields that are blank are missing', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fieldName),
      fc.dictionary(fieldName, fc.oneof(blank, filled), { noNullPrototype: true }),
      (required, order) => {
        const missing = missingFields(transition({ required_fields: required }), { ...order, lacksPrices: false, hasPayment: false })
        const expected = required.filter((name) => name !== 'prices' && !String(order[name] ?? '').trim())
        return missing.join() === expected.join()
      },
    ),
  )
})

t.test('prices are missing exactly while a line lacks its price', async (t) => {
  const pricing = transition({ required_fields: ['prices'] })
  t.same(missingFields(pricing, { lacksPrices: true, hasPayment: true }), ['prices'])
  t.same(missingFields(pricing, { lacksPrices: false, hasPayment: false }), [])
})

t.test('the confirmation of a payment is there with its file or with a payment that counts, and no other field is', async (t) => {
  const paying = transition({ required_fields: ['invoice', 'payment_order'] })
  const missing = (order: Partial<Requirable>) => missingFields(paying, { lacksPrices: false, hasPayment: false, ...order })
  t.same(missing({}), ['invoice', 'payment_order'])
  t.same(missing({ payment_order: 'a.pdf' }), ['invoice'])
  t.same(missing({ hasPayment: true }), ['invoice'])
})

t.test('an unknown required field blocks no transition', async (t) => {
  t.same(missingFields(transition({ required_fields: ['toString', 'weight'] }), { lacksPrices: false, hasPayment: false }), [])
})

t.test('a status notifies everybody behind a flag that is on, each person once', async () => {
  const ids = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
  fc.assert(
    fc.property(
      fc.record({ manager: ids, admin: ids, dealer: ids, make: ids }),
      fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
      (people, [notify_manager, notify_admin, notify_dealer, notify_make]) => {
        const status = { notify_manager, notify_admin, notify_dealer, notify_make }
        const told = recipients(notifiedParties(status), people)
        const on = parties.filter((party) => status[`notify_${party}`])
        const expected = new Set(on.flatMap((party) => people[party]))
        return told.length === expected.size && told.every((id) => expected.has(id))
      },
    ),
  )
})
