import fc from 'fast-check'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import {
  findProblems,
  type MissingDetail,
  orderAfter,
  type Plan,
  type PlannedOrder,
  planStatus,
  planStep,
  planTransition,
  type StepFacts,
  type StepProblem,
} from '../../src/core/plan-transition.ts'
import { forcibleFields, parties, requirableFields, type Status, type Transition, type Workflow } from '../../src/core/transition-rules.ts'
import { performer } from '../support/performer.ts'
import { defaultWorkflow } from '../support/workflow.ts'

type StepValues = Parameters<typeof planTransition>[2]

const [first, second] = defaultWorkflow.statuses as [Status, Status]
const today = '2026-11-26'

const transition = (over: Partial<Transition> = {}): Transition => ({
  ...(defaultWorkflow.transitions[0] as Transition),
  parent_status_id: first.id,
  child_status_id: second.id,
  required_fields: [],
  forced_fields: [],
  min_paid: null,
  within_limit: false,
  ...over,
})

const order = (over: Partial<PlannedOrder> = {}): PlannedOrder => ({
  status_id: first.id,
  dealer_id: 7,
  owner_manager_id: 8,
  cost: 10_000,
  due_since: null,
  lacksPrices: false,
  hasPayment: false,
  account: { charged: 0, paid: 0, balance: 0, credit_limit: null },
  ...over,
})

const facts = (over: Partial<StepFacts> = {}): StepFacts => ({
  workflow: defaultWorkflow,
  performer: performer({ id: 1, group_id: group.administrator }),
  unseen: [],
  seesPrices: true,
  mayKeepPrices: true,
  mayExceed: false,
  today,
  nextSerial: () => '42',
  ...over,
})

const problemsOf = (plan: Plan | StepProblem[]) => (Array.isArray(plan) ? plan : [])
const planOf = (plan: Plan | StepProblem[]) => {
  if (Array.isArray(plan)) throw new Error(`no plan: ${JSON.stringify(plan)}`)
  return plan
}

t.test('whoever may not take a step is told nothing else, and an order in another status only that', async (t) => {
  const asks = transition({ required_fields: ['receiver'], dealer_can: true, dealers_can: false, min_paid: 50 })
  const stranger = facts({ performer: performer({ id: 9, group_id: group.dealer }), renewedCost: 1 })
  t.same(planTransition(order({ status_id: second.id }), asks, {}, stranger), [{ kind: 'forbidden' }])
  t.same(planTransition(order({ status_id: second.id }), asks, {}, facts({ renewedCost: 1 })), [{ kind: 'moved' }])
  const kinds = problemsOf(planTransition(order(), asks, {}, facts({ renewedCost: 1 }))).map(({ kind }) => kind)
  t.same(kinds, ['missing', 'prices', 'min_paid'], 'all the reasons at once')
})

t.test('what the performer does not see, and prices of lines, are missing elsewhere; what is filled in is not missing', async (t) => {
  const asks = transition({ required_fields: ['receiver', 'invoice', 'prices', 'payment_order'] })
  const missing = (over: Partial<PlannedOrder>, values: StepValues, unseen: string[]) =>
    problemsOf(planTransition(order(over), asks, values, facts({ unseen }))).map((one) =>
      one.kind === 'missing' ? `${one.field}${one.elsewhere ? ' elsewhere' : ''}` : one.kind,
    )
  t.same(missing({ lacksPrices: true }, {}, ['invoice']), ['receiver', 'invoice elsewhere', 'prices elsewhere', 'payment_order'])
  t.same(missing({}, { receiver: 'Anna', invoice: 'a' }, []), ['payment_order'])
  t.same(missing({ receiver: 'Anna', invoice: 'a' }, { amount: 1 }, []), [], 'an amount stands for the file')
  t.same(missing({ receiver: 'Anna', invoice: 'a', hasPayment: true }, {}, []), [], 'and so does a payment that is there')
  t.same(missing({ receiver: 'Anna', invoice: 'a' }, { receiver: ' ', amount: 1 }, []), ['receiver'], 'what is emptied is missing')
})

t.test('prices that hold no longer are answered by those who see them, and kept by those who may', async (t) => {
  const plan = (values: StepValues, over: Partial<StepFacts>) => planTransition(order(), transition(), values, facts(over))
  t.same(plan({}, { renewedCost: 12_000 }), [{ kind: 'prices', cost: 12_000, elsewhere: false }])
  t.same(plan({}, { renewedCost: 12_000, seesPrices: false }), [{ kind: 'prices', cost: 12_000, elsewhere: true }])
  t.same(
    plan({ prices: 'keep' }, { renewedCost: 12_000, seesPrices: false, mayKeepPrices: false }),
    [{ kind: 'prices', cost: 12_000, elsewhere: true }],
    'whatever is sent by those who do not',
  )
  t.same(plan({ prices: 'keep' }, { renewedCost: 12_000, mayKeepPrices: false }), [{ kind: 'keeps_prices' }])
  t.equal(planOf(plan({ prices: 'keep' }, { renewedCost: 12_000 })).renewsPrices, false)
  t.equal(planOf(plan({ prices: 'renew' }, { renewedCost: 12_000, mayKeepPrices: false })).renewsPrices, true)
  t.equal(planOf(plan({ prices: 'renew' }, {})).renewsPrices, false, 'where they hold there is nothing to renew')
  t.equal(planOf(plan({ prices: 'keep' }, { mayKeepPrices: false })).renewsPrices, false, 'and nothing to keep')
})

t.test('conditions count what the order costs once its prices are renewed', async (t) => {
  const account = { charged: 0, paid: 5000, balance: 5000, credit_limit: 4000 }
  const conditions = transition({ min_paid: 50, within_limit: true })
  const problems = (values: StepValues) =>
    problemsOf(planTransition(order({ account }), conditions, values, facts({ renewedCost: 12_000 })))
  t.same(problems({ prices: 'keep' }), [{ kind: 'within_limit', excess: 1000, answerable: false }])
  t.same(problems({ prices: 'renew' }), [
    { kind: 'min_paid', percent: 50, lacking: 1000, answerable: false },
    { kind: 'within_limit', excess: 3000, answerable: false },
  ])
})

t.test('a reason makes up for an exceeded limit, by those who may exceed it and for nothing else', async (t) => {
  const over = order({ account: { charged: 0, paid: 0, balance: 0, credit_limit: 1000 } })
  const plan = (values: StepValues, mayExceed: boolean, over_: Partial<Transition> = {}) =>
    planTransition(over, transition({ within_limit: true, ...over_ }), values, facts({ mayExceed }))
  t.same(plan({}, true), [{ kind: 'within_limit', excess: 9000, answerable: true }])
  t.same(plan({ exceed_reason: 'Pays tomorrow' }, false), [{ kind: 'within_limit', excess: 9000, answerable: false }])
  t.equal(planOf(plan({ exceed_reason: 'Pays tomorrow' }, true)).exceed_reason, 'Pays tomorrow')
  t.same(
    problemsOf(plan({ exceed_reason: 'Pays tomorrow' }, true, { min_paid: 1 })).map(({ kind }) => kind),
    ['min_paid'],
  )
  const within = planTransition(order(), transition({ within_limit: true }), { exceed_reason: 'x' }, facts({ mayExceed: true }))
  t.equal(planOf(within).exceed_reason, undefined, 'a reason for nothing is not kept')
})

t.test('a plan says what is written: fields apart from answers, and a payment of its kind and day', async (t) => {
  const values = { receiver: 'Anna', note: 'as agreed', amount: 500, date: '2026-11-20', prices: 'renew', exceed_reason: 'x' }
  const plan = planOf(planTransition(order(), transition({ forced_fields: ['sn', 'date_make'] }), values, facts()))
  t.match(plan, { from: first, to: second, filled: { receiver: 'Anna' }, comment: 'as agreed', forced: { sn: '42', date_make: today } })
  t.same(Object.keys(plan.filled), ['receiver'])
  t.same(plan.payment, { kind: 'transfer', amount: 500, date: '2026-11-20' })
  t.same(planOf(planTransition(order({ payment: 'cash' }), transition(), { amount: 5 }, facts())).payment, {
    kind: 'cash',
    amount: 5,
    date: today,
  })
  t.equal(planOf(planTransition(order({ payment: 'cash' }), transition(), { amount: 5, payment: 'card' }, facts())).payment?.kind, 'card')
  t.equal(planOf(planTransition(order(), transition(), { amount: null, date: today }, facts())).payment, undefined)
})

t.test('a step issues what nobody has uploaded, no invoice of nothing, and nothing that lacks its details', async (t) => {
  const asks = transition({ required_fields: ['invoice', 'specification'], issues: ['invoice', 'specification', 'offer', 'act'] })
  const issuing = (missing: Partial<Record<string, MissingDetail[]>> = {}) =>
    facts({ issuing: { missingFor: (kind) => missing[kind] ?? [], isIssued: (file) => file.startsWith('issued') } })
  const issues = (over: Partial<PlannedOrder>, values: StepValues = {}, given = issuing()) =>
    planOf(planTransition(order(over), { ...asks, required_fields: [] }, values, given)).issues
  t.same(issues({}), ['invoice', 'specification', 'offer'])
  t.same(
    planOf(planTransition(order(), asks, {}, issuing())).issues,
    ['invoice', 'specification', 'offer'],
    'what is issued is not missing',
  )
  t.same(issues({ invoice: 'own' }), ['specification', 'offer'])
  t.same(issues({ invoice: 'issued before' }, { specification: 'own' }), ['invoice', 'offer'])
  t.same(issues({ invoice: 'own' }, { invoice: null }), ['invoice', 'specification', 'offer'], 'a file that is taken away is none')
  const paid = (amount: number) => ({ account: { charged: 0, paid: amount, balance: 0, credit_limit: null } })
  t.same(issues(paid(9_999)), ['invoice', 'specification', 'offer'])
  t.same(issues(paid(10_000)), ['specification', 'offer'])
  const renewed = { ...issuing(), renewedCost: 10_001 }
  t.same(issues(paid(10_000), { prices: 'renew' }, renewed), ['invoice', 'specification', 'offer'], 'at the prices that will hold')
  t.same(issues(paid(10_000), { prices: 'keep' }, renewed), ['specification', 'offer'])
  t.same(problemsOf(planTransition(order(paid(10_000)), asks, {}, issuing())), [{ kind: 'missing', field: 'invoice', elsewhere: false }])
  const detail = (name: string) => ({ label: name, of: 'order' as const, name })
  const bank = { ...detail('Bank'), href: '/settings#bank' }
  const inn = detail('INN')
  const prices = { ...detail('Prices'), field: 'prices' as const }
  const both = ['invoice', 'specification'] as const
  const lacking = issuing({ invoice: [bank, inn], specification: [inn, prices] })
  t.same(problemsOf(planTransition(order(), asks, {}, lacking)), [{ kind: 'incomplete', missing: [bank, inn, prices], documents: both }])
  const priced = { ...asks, required_fields: ['prices'] }
  t.same(
    problemsOf(planTransition(order({ lacksPrices: true }), priced, {}, lacking)),
    [
      { kind: 'missing', field: 'prices', elsewhere: true },
      { kind: 'incomplete', missing: [bank, inn], documents: both },
    ],
    'what is required already is not said twice',
  )
  const specificationLacks = [{ kind: 'incomplete', missing: [inn, prices], documents: ['specification'] }]
  t.same(problemsOf(planTransition(order(), asks, { invoice: 'own' }, lacking)), specificationLacks)
  t.same(problemsOf(planTransition(order(), asks, { invoice: 'own', specification: 'own' }, lacking)), [])
  t.same(issues({ cost: 0 }), ['specification', 'offer'])
  t.match(problemsOf(planTransition(order({ cost: 0 }), asks, {}, issuing({ invoice: [detail('Order lines')] }))), [
    { kind: 'incomplete', missing: [detail('Order lines')] },
  ])
  t.same(issues({}, {}, facts()), [], 'whoever takes no step issues nothing')
  t.same(planStatus(defaultWorkflow, order(), second, today).issues, [])
})

t.test('forced fields get their values, the serial number only when it is empty', async (t) => {
  const all = transition({ forced_fields: Object.keys(forcibleFields) })
  const set = { deferred_payment: true, date_make: today, date_delivery: today, date_payment: today, sn: '42' }
  t.same(planOf(planTransition(order({ sn: ' ', date_make: '2020-02-02' }), all, {}, facts())).forced, set)
  const taken = () => {
    throw new Error('a serial number was taken')
  }
  t.equal(planOf(planTransition(order({ sn: 'A-1' }), all, {}, facts({ nextSerial: taken }))).forced.sn, 'A-1')
  t.equal(planOf(planTransition(order(), all, { sn: 'B-2' }, facts({ nextSerial: taken }))).forced.sn, 'B-2', 'nor for one that is typed')
  t.same(planOf(planTransition(order(), transition({ forced_fields: ['status_id', '__proto__'] }), {}, facts())).forced, {})
})

t.test(
  'an order after a step has what was filled in and set, its lines priced where that was required, and is charged its new cost',
  async (t) => {
    const rules = transition({ required_fields: ['prices'], forced_fields: ['date_make'] })
    const due = facts({ workflow: flagged([], 'starts'), renewedCost: 12_000 })
    const plan = planStep(order({ lacksPrices: true }), rules, { prices: 'renew', receiver: 'Anna', date_make: '2026-01-01' }, due)
    t.equal(plan.charge, 12_000)
    t.match(orderAfter(order({ lacksPrices: true }), plan), { receiver: 'Anna', date_make: today, lacksPrices: false, due_since: today })
    const other = planStep(order({ lacksPrices: true }), transition(), {}, due)
    t.equal(orderAfter(order({ lacksPrices: true }), other).lacksPrices, true)
    t.throws(() => planStep(order(), transition({ child_status_id: 999 }), {}, due), 'a step into a status that is gone')
  },
)

const flagged = (notified: readonly string[], due: Status['due']): Workflow => ({
  ...defaultWorkflow,
  statuses: defaultWorkflow.statuses.map((status) =>
    status.id === second.id
      ? { ...status, ...Object.fromEntries(parties.map((party) => [`notify_${party}`, notified.includes(party)])), due }
      : status,
  ),
})

const anyOrder = fc.record({
  cost: fc.nat(1_000_000),
  due_since: fc.constantFrom(null, '2026-01-02'),
  lacksPrices: fc.boolean(),
  hasPayment: fc.boolean(),
  receiver: fc.constantFrom(null, '', 'Anna'),
  sn: fc.constantFrom(null, 'A-1'),
  account: fc.record({
    charged: fc.nat(1_000_000),
    paid: fc.nat(1_000_000),
    balance: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    credit_limit: fc.option(fc.nat(1_000_000)),
  }),
})
const anyTransition = fc.record({
  required_fields: fc.subarray(Object.keys(requirableFields)),
  forced_fields: fc.subarray(Object.keys(forcibleFields)),
  min_paid: fc.option(fc.integer({ min: 1, max: 100 })),
  within_limit: fc.boolean(),
})
const anyValues = fc.record(
  {
    receiver: fc.constantFrom('Bob', ' ', null),
    phone: fc.constant('1'),
    amount: fc.nat(100),
    prices: fc.constantFrom('renew', 'keep', null),
    exceed_reason: fc.constantFrom('so', '', null),
  },
  { requiredKeys: [] },
)
const anyFacts = fc.record({
  unseen: fc.subarray(Object.keys(requirableFields)),
  seesPrices: fc.boolean(),
  mayKeepPrices: fc.boolean(),
  mayExceed: fc.boolean(),
  renewedCost: fc.option(fc.nat(1_000_000), { nil: undefined }),
})
const anyTold = fc.subarray([...parties])
const anyDue = fc.constantFrom(null, 'starts' as const, 'ends' as const)

t.test(
  'a step is planned exactly where nothing hinders it, and books what makes the charges the cost of an order that is due',
  async (t) => {
    fc.assert(
      fc.property(anyOrder, anyTransition, anyValues, anyFacts, anyTold, anyDue, (values, rules, sent, given, told, due) => {
        const before = order(values)
        const known = facts({ ...given, workflow: flagged(told, due) })
        const plan = planTransition(before, transition(rules), sent, known)
        const problems = findProblems(before, transition(rules), sent, known)
        t.equal(Array.isArray(plan), problems.length > 0)
        if (Array.isArray(plan)) return
        t.same(
          plan.told,
          parties.filter((party) => told.includes(party)),
        )
        const cost = plan.renewsPrices ? (given.renewedCost as number) : before.cost
        const after = orderAfter({ ...before, cost }, plan)
        t.equal(after.status_id, second.id)
        t.equal(after.due_since, due === 'ends' ? null : due === 'starts' ? (before.due_since ?? today) : before.due_since)
        t.equal(after.account.charged, after.due_since ? cost : 0)
        t.equal(
          after.account.balance + after.account.charged,
          before.account.balance + before.account.charged,
          'from one pocket into the other',
        )
        for (const name of rules.required_fields) {
          const value = name === 'prices' ? !after.lacksPrices : after[name as keyof PlannedOrder]
          t.ok(value || (name === 'payment_order' && (before.hasPayment || sent.amount)), `${name} is there`)
        }
        for (const name of rules.forced_fields) t.ok(after[name as keyof PlannedOrder], `${name} is set`)
      }),
      { numRuns: 300 },
    )
  },
)

t.test('more rights never take a step away', async () => {
  fc.assert(
    fc.property(anyOrder, anyTransition, anyValues, anyFacts, (values, rules, sent, given) => {
      const less = planTransition(order(values), transition(rules), sent, facts(given))
      const all = { ...given, unseen: [], mayKeepPrices: true, mayExceed: true }
      return Array.isArray(less) || !Array.isArray(planTransition(order(values), transition(rules), sent, facts(all)))
    }),
  )
})

t.test('entering a status without a transition tells its parties and books, and changes nothing else', async (t) => {
  fc.assert(
    fc.property(anyOrder, anyTold, anyDue, (values, told, due) => {
      const workflow = flagged(told, due)
      const before = order({ ...values, status_id: null })
      const plan = planStatus(workflow, before, workflow.statuses[1] as Status, today)
      t.equal(plan.from, undefined)
      t.same(
        plan.told,
        parties.filter((party) => told.includes(party)),
      )
      const { status_id, due_since, account, ...kept } = orderAfter(before, plan)
      t.equal(status_id, second.id)
      t.equal(account.charged, due_since ? before.cost : 0)
      t.match(before, kept)
    }),
  )
})
