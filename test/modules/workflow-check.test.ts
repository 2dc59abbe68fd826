import t from 'tap'
import { translator } from '../../src/i18n/translate.ts'
import { viewOfLintIssues } from '../../src/modules/workflow/lint-issues.ts'
import { loadWorkflow } from '../../src/modules/workflow/load.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { attributesOf, elementById, elementsOf, parseHtml, textOf } from '../support/html.ts'

const english = translator('en')

/** What the check says, under its headings. */
const said = ({ db }: Cabinet) =>
  Object.fromEntries(
    viewOfLintIssues(db, loadWorkflow(db, 'en'), english).groups.map(({ title, issues }) => [title, issues.map(({ text }) => text)]),
  )

t.test('the workflow check says under a heading for each kind of problem what is wrong where, and leads there', async (t) => {
  const { as, db } = await startCabinet(t)
  const insert = 'insert into status_transitions (parent_status_id, child_status_id, dealer_can, manager_can, managers_can)'
  db.$client.exec(`
    insert into statuses (id, "index", status_key, name, created_at, updated_at) values
      (20, 20, 'hold', 'On hold', 0, 0), (21, 21, 'left', 'Left', 0, 0), (22, 22, 'right', 'Right', 0, 0);
    ${insert} values (2, 21, 0, 1, 0), (21, 22, 0, 1, 0), (22, 21, 0, 1, 0), (1, 2, 1, 1, 0), (1, 9, 1, 1, 1);
    insert into policy_status (status_id, status_policy_id, value)
      select 8, id, 1 from status_policies where key = 'order_manager_can_edit' on conflict do update set value = 1;
    update status_transitions set forced_fields = '["date_make"]' where id = 4;
    update status_transitions set required_fields = '["specification", "invoice"]' where id = 7;
    update statuses set expected = 'nobody' where status_key = 'delivery';`)
  const card = elementById(await (await as('root')).get('/statuses'), 'workflow-check') as string
  t.match(
    textOf(card),
    'Orders start in New. Final statuses: Completed, Canceled. Once an order is paid, it moves on by itself: Awaiting payment → Under review. 12 problems found',
  )
  const groups = elementsOf(card, '.lint-issues > li').map((group) => [
    textOf(elementsOf(group, 'h3').join()),
    ...elementsOf(group, 'a').map((link) => `${attributesOf(link).href} ${textOf(link)}`),
  ])
  const at = (key: string) => `/status/edit/${key}?tab=transitions`
  t.same(groups, [
    ['Unreachable statuses', `${at('hold')} On hold: cannot be reached from New.`],
    [
      'Statuses that never lead to a final one',
      `${at('left')} Left: transitions from here only lead in a circle.`,
      `${at('right')} Right: transitions from here only lead in a circle.`,
    ],
    [
      'Final statuses that still allow edits',
      `${at('completed')} Completed: no transitions lead from here, but its policies still allow edits. Add a transition or remove the policies.`,
    ],
    [
      'Statuses in which nobody may edit anything',
      ...['On hold', 'Left', 'Right'].map((name) => {
        const key = name.split(' ').at(-1)?.toLowerCase()
        return `/status/edit/${key}?tab=policies ${name}: nobody but administrators can do anything here.`
      }),
    ],
    [
      'Required fields that cannot be filled in beforehand',
      `${at('delivery')} Delivery → Installation requires Specification, Invoice, but the policies of Delivery do not let the people who make this transition fill that in beforehand.`,
    ],
    [
      'Fields both required and set automatically',
      `${at('paid')} Under review → In production: people must fill in Production date, which is then overwritten automatically.`,
    ],
    [
      'Duplicate transitions',
      `${at('new')} New → Awaiting signing: the same button appears twice.`,
      `${at('new')} New → Canceled: two transitions have different rules. The less strict one applies.`,
    ],
    [
      'Statuses where orders wait for nobody',
      `${at('delivery')} Delivery: nobody is expected to act. Able to move orders on: managers, production users.`,
    ],
  ])
})

t.test('the workflow check names the groups of whom nobody is active, and says what is left to whom', async (t) => {
  const cabinet = await startCabinet(t)
  const { db } = cabinet
  t.same(said(cabinet), {})
  const notified = (found: Record<string, string[]>) => found['Notifications without recipients']
  db.$client.exec('update users set active = 0 where group_id = 4')
  t.same(said(cabinet), {
    'Transitions no active user can make': ['Delivery', 'Awaiting pickup'].map(
      (to) => `In production → ${to}: only administrators can make this transition. No active users among: production users.`,
    ),
    'Notifications without recipients': ['In production', 'Canceled'].map(
      (status) => `${status}: no active users to notify among: production users.`,
    ),
  })
  db.$client.exec('update users set active = 1; update users set active = 0 where group_id = 1')
  db.$client.exec("update users set active = 0 where lastname = 'Inactive'")
  t.same(notified(said(cabinet)), ['Under review: no active users to notify among: administrators.'])
  db.$client.exec('update status_transitions set min_paid = 30, production_can = 0 where id = 5')
  const { 'Payments that nobody can confirm': payments, 'Transitions no active user can make': transitions } = said(cabinet)
  t.same(
    payments,
    ['Awaiting payment → Under review', 'In production → Delivery'].map(
      (step) => `${step} requires a payment, but no active user may confirm payments.`,
    ),
  )
  t.same(transitions, ['In production → Delivery: no active user can make this transition.'])
  db.$client.exec('update users set active = 1; update users set active = 0 where group_id in (2, 3)')
  t.same(notified(said(cabinet)), [
    'New: no active users to notify among: managers.',
    'Awaiting signing: no active users to notify among: dealers.',
    'Awaiting payment: no active users to notify among: managers, dealers.',
    'Under review: no active users to notify among: managers.',
    'In production: no active users to notify among: managers.',
    'Delivery: no active users to notify among: dealers.',
    'Awaiting pickup: no active users to notify among: dealers.',
    'Installation: no active users to notify among: managers, dealers.',
    'Completed: no active users to notify among: managers, dealers.',
    'Canceled: no active users to notify among: managers, dealers.',
  ])
})

t.test('a new status in which nobody may do anything is named, and takes the policies of the one before it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const root = await as('root')
  const heading = 'Statuses in which nobody may edit anything'
  t.notOk(heading in said(cabinet), 'completed and canceled orders are at their end')
  await root.post('/status/add', { status_key: 'checked', name: 'Checked' })
  t.same(said(cabinet)[heading], ['Checked: nobody but administrators can do anything here.'])
  db.$client.exec(`update statuses set "index" = "index" * 10; update statuses set "index" = 45 where status_key = 'checked'`)
  const card = parseHtml(elementById(await root.get('/statuses'), 'workflow-check') ?? '')
  const form = card('form:has([name=from])')
  t.equal(form.attr('action'), '/status/edit/checked/policies')
  t.equal(form.text().trim(), 'Copy the policies of Under review', 'the one before it')
  const from = String(form.find('[name=from]').attr('value'))
  t.equal((await (await as('maria')).post('/status/edit/checked/policies', { from })).statusCode, 403)
  t.equal((await root.post('/status/edit/checked/policies', { from: 99 })).statusCode, 422)
  t.ok(heading in said(cabinet))
  t.equal((await root.post('/status/edit/checked/policies', { from })).statusCode, 303)
  t.notOk(heading in said(cabinet))
  const policiesOf = (key: string) =>
    [...(loadWorkflow(db, 'en').statuses.find(({ status_key }) => status_key === key)?.policies ?? [])].sort()
  t.same(policiesOf('checked'), policiesOf('paid'))
  t.not(policiesOf('checked').length, 0)
})

t.test('"Made" is proposed between production and what follows it, and one button adds it once, with its transitions', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const [root, maria] = [await as('root'), await as('maria')]
  const proposal = async () => parseHtml(elementById(await root.get('/statuses'), 'workflow-check') ?? '')('form[action="/statuses/made"]')
  const keys = () => loadWorkflow(db).statuses.map(({ status_key }) => status_key)
  const stepsFrom = (from: string) => {
    const { statuses, transitions } = loadWorkflow(db)
    const keyOf = (id: number) => statuses.find((status) => status.id === id)?.status_key
    return transitions
      .filter((one) => keyOf(one.parent_status_id) === from)
      .map((one) => `${keyOf(one.child_status_id)} ${one.required_fields}`)
  }
  const before = [stepsFrom('production'), keys()]
  t.same(
    before[0],
    ['delivery date_delivery,address,receiver,phone', 'pickup receiver,phone', 'canceled '],
    'the default workflow is as specified',
  )
  t.match(textOf(String(await proposal())), '"Made" after In production')
  t.match(textOf(String(await proposal())), 'Delivery, Awaiting pickup')
  t.equal((await maria.post('/statuses/made')).statusCode, 403)
  t.same([stepsFrom('production'), keys()], before)

  t.equal((await root.post('/statuses/made')).statusCode, 303)
  t.same(stepsFrom('production'), ['canceled ', 'made '])
  t.same(stepsFrom('made').toSorted(), ['canceled ', 'delivery date_delivery,address,receiver,phone', 'pickup receiver,phone'])
  t.equal(keys().indexOf('made'), keys().indexOf('production') + 1)
  const { statuses } = loadWorkflow(db, 'ru')
  const [production, made] = ['production', 'made'].map((key) => statuses.find(({ status_key }) => status_key === key))
  t.equal(made?.name, 'Изготовлен', 'each reads it in their language')
  t.same([...(made?.policies ?? [])].sort(), [...(production?.policies ?? [])].sort())
  t.equal((await proposal()).length, 0, 'it is proposed no more')
  t.match(textOf((await root.get('/status/edit/made?tab=history')).body), 'Made')
  t.equal(Object.keys(said(cabinet)).length, 0, 'nothing is wrong with it')

  const after = [keys(), stepsFrom('made'), stepsFrom('production')]
  t.equal((await root.post('/statuses/made')).statusCode, 303)
  t.same([keys(), stepsFrom('made'), stepsFrom('production')], after, 'asked again, nothing changes')
})

t.test('"Made" is neither proposed nor added where nothing leads from production to delivery or pickup', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  db.$client.exec(
    "delete from status_transitions where child_status_id in (select id from statuses where status_key in ('delivery', 'pickup'))",
  )
  t.notMatch((await root.get('/statuses')).body, '/statuses/made')
  t.equal((await root.post('/statuses/made')).statusCode, 422)
  t.notOk(loadWorkflow(db).statuses.some(({ status_key }) => status_key === 'made'))
})

t.test('a new status has the policies of the one that is chosen on its form, without a choice none', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const policiesOf = (key: string) => [...(loadWorkflow(db).statuses.find(({ status_key }) => status_key === key)?.policies ?? [])].sort()
  const paid = loadWorkflow(db).statuses.find(({ status_key }) => status_key === 'paid')?.id as number
  t.equal((await root.post('/status/add', { status_key: 'checked', name: 'Checked', policies_from: paid })).statusCode, 303)
  t.same(policiesOf('checked'), policiesOf('paid'))
  t.not(policiesOf('checked').length, 0)
  t.match(textOf((await root.get('/status/edit/checked?tab=history')).body), 'Production can set dates')
  t.equal((await root.post('/status/add', { status_key: 'bare', name: 'Bare' })).statusCode, 303)
  t.same(policiesOf('bare'), [])
  const refused = await root.post('/status/add', { status_key: 'wrong', name: 'Wrong', policies_from: 99 })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'value="Wrong"')
  t.notOk(loadWorkflow(db).statuses.some(({ status_key }) => status_key === 'wrong'))
})
