import fc from 'fast-check'
import t from 'tap'
import {
  type Actor,
  allOf,
  allows,
  anyOf,
  either,
  everyone,
  explain,
  findDenial,
  type Grant,
  group,
  has,
  inOwnName,
  isGroup,
  isSameId,
  type Ownership,
  type Rule,
  superadministrator,
} from '../../src/core/access.ts'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { describeDenial, describeGrants, describeRefusal } from '../../src/http/access/access-descriptions.ts'
import { translator } from '../../src/i18n/translate.ts'

interface Thing {
  owner: number | null
  superadmin: boolean
}

const english = translator('en')
const own: Ownership<Thing> = { description: 'dealers assigned to you', predicate: (actor, thing) => isSameId(thing.owner, actor.id) }
const ordinary: Ownership<Thing> = { description: 'users who are not superadministrators', predicate: (_, thing) => !thing.superadmin }

const people = fc.record({
  id: fc.integer({ min: 1, max: 3 }),
  group_id: fc.integer({ min: 1, max: 4 }),
  superadmin: fc.boolean(),
  policies: fc.subarray(policyKeys.slice(0, 8)).map((held) => new Set<string>(held)),
  name: fc.constant('A'),
  lastname: fc.constant('B'),
  company_id: fc.constant(null),
  stock_id: fc.constant(null),
  manufacture_id: fc.constant(null),
  managers: fc.constant([]),
  reading: fc.constant([]),
}) as fc.Arbitrary<Actor>

const ownerships = fc.constantFrom<Ownership<Thing> | undefined>(undefined, own, ordinary)
const ways: fc.Arbitrary<Grant<Thing>> = fc.oneof(
  fc.tuple(fc.constantFrom(...policyKeys.slice(0, 8)), ownerships).map(([key, whose]) => has<Thing>(key, whose)),
  fc.tuple(fc.constantFrom(1, 2, 3, 4), ownerships).map(([id, whose]) => isGroup<Thing>(id as 1, whose)),
  ownerships.map((whose) => everyone<Thing>(whose)),
  fc.constant(superadministrator as Grant<Thing>),
)
const rules: fc.Arbitrary<Rule<Thing>> = fc.array(fc.array(ways, { maxLength: 3 }), { maxLength: 4 })
const records = fc.option(fc.record({ owner: fc.option(fc.integer({ min: 1, max: 3 })), superadmin: fc.boolean() }), { nil: undefined })

/** With or without a record, as the hook asks. */
const asked = (record: Thing | undefined): [Thing?] => (record ? [record] : [])

t.test('an access rule is explained by reasons exactly when it denies access', async () => {
  fc.assert(
    fc.property(people, rules, records, (actor, rule, record) => {
      const explanation = explain(rule, actor, ...asked(record))
      const allowed = allows(rule, actor, ...asked(record))
      if (allowed) return 'granted' in explanation && explanation.granted.every((ways) => ways.length > 0)
      if ('granted' in explanation) return false
      const reasons = explanation.denied.flatMap((refused) => describeDenial(refused, english))
      return reasons.length > 0 && reasons.every((reason) => /^[A-Z].*\.$/.test(reason))
    }),
    { numRuns: 2000 },
  )
})

t.test('the first missing permission of an explanation is the one that the decision names', async () => {
  fc.assert(
    fc.property(people, rules, records, (actor, rule, record) => {
      const explanation = explain(rule, actor, ...asked(record))
      if ('granted' in explanation) return true
      const first = findDenial(rule, actor, ...asked(record))
      const named = explanation.denied[0]
      return named?.missing === first?.missing && named?.grants === first?.grants
    }),
    { numRuns: 2000 },
  )
})

t.test('the grants of an explanation are those that allow access by themselves', async () => {
  fc.assert(
    fc.property(people, rules, records, (actor, rule, record) => {
      const explanation = explain(rule, actor, ...asked(record))
      if ('denied' in explanation) return true
      return explanation.granted.every((ways) => ways.every((way) => allows([[way]], actor, ...asked(record))))
    }),
    { numRuns: 2000 },
  )
})

t.test('a grant that is not described as limited covers every record', async () => {
  fc.assert(
    fc.property(people, rules, records, (actor, rule, record) => {
      const explanation = explain(rule, actor)
      if ('denied' in explanation) return true
      const { limited, reasons } = describeGrants(explanation.granted, actor, english)
      if (reasons.length === 0) return false
      return limited || allows(rule, actor, ...asked(record))
    }),
    { numRuns: 2000 },
  )
})

t.test('a permission that was missing is not named any more once it is granted', async () => {
  fc.assert(
    fc.property(people, rules, (actor, rule) => {
      const refused = findDenial(rule, actor)
      const named =
        refused?.grants.flatMap(({ permission }) =>
          typeof permission === 'object' && 'policy' in permission ? [permission.policy] : [],
        ) ?? []
      return named.every((key) => {
        const after = findDenial(rule, { ...actor, policies: new Set([...actor.policies, key]) })
        return after?.grants !== refused?.grants
      })
    }),
  )
})

t.test('either() allows what one of its rules allows as a whole', async () => {
  fc.assert(
    fc.property(people, rules, rules, records, (actor, one, other, record) => {
      const expected = allows(one, actor, ...asked(record)) || allows(other, actor, ...asked(record))
      return allows(either(one, other), actor, ...asked(record)) === expected
    }),
    { numRuns: 2000 },
  )
})

t.test('a denial is described in words', async (t) => {
  const actor = (more: Partial<Actor> = {}, ...held: PolicyKey[]) =>
    ({ id: 1, group_id: group.manager, superadmin: false, policies: new Set(held), ...more }) as Actor
  const told = (rule: Rule<Thing>, who: Actor, ...record: [Thing?]) => {
    const refused = findDenial(rule, who, ...record)
    return refused && describeDenial(refused, english)
  }
  const stranger: Thing = { owner: 2, superadmin: false }
  const view = anyOf<Thing>(has('dealer_can_view'), has('dealer_manager_can_view', own))

  t.same(told(view, actor()), ['This needs the "View all dealers" or "View own dealers" (Dealers) permission.'])
  t.same(told(view, actor({}, 'dealer_manager_can_view'), stranger), [
    'The "View own dealers" permission is limited to dealers assigned to you.',
    'Full access needs the "View all dealers" (Dealers) permission.',
  ])
  t.same(told(anyOf(has('dealer_can_auth'), has('admin_can_auth'), has('manager_can_auth')), actor()), [
    'This needs one of 3 permissions, such as "Sign in as a dealer" (Dealers).',
  ])
  t.same(told(anyOf(has('dealer_can_auth'), has('admin_can_auth')), actor()), [
    'This needs the "Sign in as a dealer" (Dealers) or "Sign in as an administrator" (Administrators) permission.',
  ])
  t.same(told(anyOf(superadministrator), actor()), ['Only a superadministrator can do this.'])
  const sparing = anyOf<Thing>(superadministrator, everyone(ordinary))
  t.same(told(sparing, actor(), { owner: 1, superadmin: true }), [
    'Limited to users who are not superadministrators.',
    'Only superadministrators have full access.',
  ])
  t.same(told(anyOf(isGroup(group.administrator), isGroup(group.production)), actor()), ['Available only to: Administrators, Production.'])
  t.same(told(anyOf(isGroup(group.production), has('stock_can_view')), actor()), [
    'This needs the "View warehouses" (Reference lists) permission.',
  ])
  t.same(told(anyOf(isGroup(group.manager, own)), actor(), stranger), ['The Managers group is limited to dealers assigned to you.'])
  t.same(told(anyOf(), actor({ superadmin: true })), ['Not available to anyone.'])
  t.equal(told(view, actor({ superadmin: true }), stranger), undefined)

  const why = (rule: Rule<Thing>, who: Actor) => {
    const explanation = explain(rule, who)
    return 'granted' in explanation && describeGrants(explanation.granted, who, english)
  }
  t.same(why(view, actor({ superadmin: true })), { limited: false, reasons: ['You are a superadministrator.'] })
  t.same(why(view, actor({}, 'dealer_can_view')), { limited: false, reasons: ['You have the "View all dealers" (Dealers) permission.'] })
  t.same(why(anyOf(has('news_can_view')), actor({}, 'news_can_view')), {
    limited: false,
    reasons: ['Your role includes the "View news" (News) permission.'],
  })
  t.same(why(allOf(view, sparing), actor({}, 'dealer_manager_can_view')), {
    limited: true,
    reasons: [
      'The "View own dealers" permission is limited to dealers assigned to you.',
      'Limited to users who are not superadministrators.',
    ],
  })
  t.same(why(anyOf(isGroup(group.manager)), actor()), { limited: false, reasons: ['You are in the Managers group.'] })
  t.same(why([], actor()), { limited: false, reasons: ['Available to everyone who is signed in.'] })
})

t.test('dealers are told what a refusal is to them, others which right they lack', async (t) => {
  const told = (rule: Rule<Thing>, groupId: number, ...record: [Thing?]) => {
    const actor = { id: 1, group_id: groupId, superadmin: false, policies: new Set<string>(), impersonator: {} } as unknown as Actor
    const refused = findDenial(rule, actor, ...record)
    return refused && describeRefusal(refused, actor, english)
  }
  const stranger: Thing = { owner: 2, superadmin: false }
  const elsewhere: Ownership<Thing> = { ...own, refusal: 'It is not yours.' }
  t.same(told(anyOf(has('order_can_edit'), everyone(own)), group.dealer, stranger), ['Limited to dealers assigned to you.'])
  t.same(told(anyOf(has('order_can_edit'), everyone(own), isGroup(group.dealer, elsewhere)), group.dealer, stranger), ['It is not yours.'])
  t.same(told(anyOf(isGroup(group.manager, elsewhere)), group.manager, stranger), [
    'The Managers group is limited to dealers assigned to you.',
  ])
  t.same(told(anyOf(inOwnName), group.dealer), ['Not available while you are impersonating someone.'])
  t.same(told(anyOf(isGroup(group.production)), group.dealer), ['This section is for staff of the manufacturer.'])
  t.same(told(anyOf(superadministrator), group.dealer), ['This section is for staff of the manufacturer.'])
  t.same(told(anyOf(superadministrator), group.manager), ['Only a superadministrator can do this.'])
})
