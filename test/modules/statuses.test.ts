import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, orderHistory, orders, policyStatus, statuses, statusTransitions, users } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import {
  attributesOf,
  columnsOf,
  controlsOf,
  elementById,
  elementsOf,
  errorsOf,
  fieldOf,
  hiddenOf,
  idsOf,
  isDocument,
  parseHtml,
  rowsOf,
  switchOf,
  tagsOf,
  textOf,
  textsByRole,
  totalOf,
} from '../support/html.ts'
import { insertOrder, setOrder, statusId } from '../support/orders.ts'

const wayOrder = [1, 2, 3, 4, 5, 6, 10, 7, 8, 9]

const lastChange = ({ db }: Cabinet, id: number) =>
  db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'statuses'), eq(changes.record_id, id)))
    .orderBy(desc(changes.id))
    .get()

const statusOf = ({ db }: Cabinet, id: number) => db.select().from(statuses).where(eq(statuses.id, id)).get()
const waysFrom = ({ db }: Cabinet, id: number) =>
  db.select().from(statusTransitions).where(eq(statusTransitions.parent_status_id, id)).orderBy(statusTransitions.id).all()

t.test('the status list has every status in workflow order and is searched', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const list = await root.get('/statuses')
  t.same(idsOf(list, 'statuses'), wayOrder, 'in the order of the way')
  t.same(columnsOf(list), ['name', 'orders', 'acts', 'status_key', 'color'])
  t.equal(totalOf(list, 'statuses'), 10)
  t.match(rowsOf(list, 'statuses')[0]?.cells, { status_key: 'new', name: 'New', color: '#4299e1' })
  t.match(rowsOf(list, 'statuses')[0]?.html, /<svg [^>]*fill="#4299e1"/, 'a dot in its colour')
  const reorder = ({ body }: Answer) => parseHtml(body)('.list-actions a[href="/statuses/order"]').text().trim()
  t.same([reorder(list), reorder(await root.get('/statuses?q=completed'))], ['Reorder', ''], 'for more than one')
  t.same(idsOf(await root.get('/statuses?size=25&page=7'), 'statuses'), wayOrder, 'never paged')
  t.same(idsOf(await root.get('/statuses?q=AWAITING+pay'), 'statuses'), [3], 'every word is looked for in key, name and colour')
  t.same(idsOf(await root.get('/statuses?q=%23ae3'), 'statuses'), [2])
  const region = await root.get('/statuses?q=nothing+like+it', htmx)
  t.notOk(isDocument(region))
  t.equal(totalOf(region, 'statuses'), 0)
})

t.test('the status list says how many orders are in each, and who is expected to act', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  db.delete(orders).run()
  for (const key of ['payment', 'payment', 'completed']) insertOrder(cabinet, key)
  const saidBy = async (browser: Browser) =>
    Object.fromEntries(
      rowsOf(await browser.get('/statuses'), 'statuses').map(({ cells, html }) => [
        cells.status_key,
        [cells.orders, cells.acts, /href="(\/orders[^"]*)"/.exec(html)?.[1]],
      ]),
    )
  const said = await saidBy(await as('root'))
  t.same(said.payment, ['2', "Order's dealer", `/orders?status=${statusId('payment')}`])
  t.same(said.new, ['0', "Order's dealer", undefined])
  t.same(said.production?.slice(0, 2), ['0', 'Production'])
  t.same(said.completed?.slice(0, 2), ['1', 'No one'])
  grant(db, cast.clerk, 'status_can_view')
  t.same((await saidBy(await as('clerk'))).payment?.slice(0, 1), ['2'])
})

t.test('status_can_view alone decides who views and edits statuses (403)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const asked = async (browser: Browser) =>
    Promise.all([
      browser.get('/statuses'),
      browser.get('/statuses/order'),
      browser.get('/status/add'),
      browser.get('/status/edit/1'),
      browser.get('/status/edit/new'),
      browser.get('/status/edit/nobody'),
      browser.get('/status/edit/1/transitions/row?index=0'),
      browser.get('/statuses/delete?id=1'),
      browser.post('/status/edit/new', { name: 'Mine' }),
      browser.post('/status/edit/1/policies/order_dealer_can_edit', { value: '0' }),
      browser.post('/statuses/order', { id: wayOrder }),
    ])
  t.same([...new Set((await asked(clerk)).map((answer) => answer.statusCode))], [403], 'without it nothing, whether or not it exists')
  grant(db, cast.clerk, 'status_can_view')
  t.same(
    (await asked(clerk)).map((answer) => answer.statusCode),
    [200, 200, 200, 200, 200, 404, 200, 200, 303, 303, 303],
  )
})

t.test('a status is created with the fields of the specification, and invalid ones are refused (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const form = await root.get('/status/add')
  t.same(
    controlsOf(form.body)
      .map(({ name }) => name)
      .filter((name) => /^[a-z]+_?[a-z]*$/.test(name) && !['language', 'theme', 'once'].includes(name)),
    ['name', 'status_key', 'color', 'description', 'policies_from'],
  )
  const created = await root.post('/status/add', {
    status_key: 'hold',
    name: 'On hold',
    color: '#ABC',
    description: 'Waits',
    notify_admin: '1',
  })
  t.equal(created.statusCode, 303)
  t.equal(created.headers.location, '/status/edit/hold', 'leads to its key')
  t.match(statusOf(cabinet, 11), {
    status_key: 'hold',
    name: 'On hold',
    color: '#ABC',
    description: 'Waits',
    index: 11,
    notify_admin: false,
  })
  const added = await root.get('/status/edit/hold')
  t.equal(added.statusCode, 200)
  t.same(textsByRole(added, 'status').slice(0, 1), ['Status "On hold" added. Set up its transitions.'])
  t.equal((await root.get('/status/edit/HOLD')).statusCode, 200)
  t.equal((await root.get('/status/edit/11')).statusCode, 200)
  t.match(lastChange(cabinet, 11), { action: 'create', label: 'On hold' })
  const cyrillic = await root.post('/status/add', { status_key: `ключ-${'я'.repeat(250)}`, name: 'Long' })
  t.equal((await root.get(String(cyrillic.headers.location))).statusCode, 200, 'the longest key has an address too')

  const before = cabinet.db.select().from(statuses).all()
  const wrong: [field: string, value: string][] = [
    ['status_key', ''],
    ['status_key', '   '],
    ['status_key', '12'],
    ['status_key', '٤٢'],
    ['status_key', 'k'.repeat(300)],
    ['status_key', 'new'],
    ['status_key', 'NEW'],
    ['status_key', 'two words'],
    ['status_key', '..'],
    ['status_key', 'a/b'],
    ['name', ''],
    ['name', 'n'.repeat(256)],
    ['color', 'red'],
    ['color', 'red;background:url(//example.com)'],
    ['color', 'var(--x)'],
    ['color', '#12345'],
    ['color', '#ggg'],
    ['color', '"><script>'],
    ['description', 'd'.repeat(1001)],
  ]
  for (const [field, value] of wrong) {
    const answer = await root.post('/status/add', { status_key: 'fine', name: 'Fine', [field]: value })
    t.equal(answer.statusCode, 422, `${field} ${value.slice(0, 20)}`)
    t.same(Object.keys(errorsOf(answer)), [field])
    t.equal(fieldOf(answer, field)?.value, value, 'nothing typed is lost')
  }
  t.same(cabinet.db.select().from(statuses).all(), before, 'and nothing is saved')
})

t.test('the status card is saved tab by tab, each with its own fields', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const card = await root.get('/status/edit/2')
  const tabs = tagsOf(card.body, 'a').flatMap(({ href = '' }) => /tab=(\w+)/.exec(href)?.[1] ?? [])
  t.match(tabs, ['notifications', 'transitions', 'policies'])
  t.notOk(card.body.includes('name="notify_admin"'), 'each tab has its own fields')
  const notifications = await root.get('/status/edit/apply?tab=notifications')
  const boxes = controlsOf(notifications.body).filter(({ type }) => type === 'checkbox')
  t.same(
    boxes.map(({ name, id, value }) => [name, textOf(elementsOf(notifications.body, `label:has(#${id}), label[for=${id}]`).join()), value]),
    [
      ['notify_manager', "Company's manager", '0'],
      ['notify_admin', 'Administrators', '0'],
      ['notify_dealer', "Order's dealer", '1'],
      ['notify_make', 'Production', '0'],
    ],
  )
  const saved = await root.post('/status/edit/apply?tab=notifications', { notify_dealer: '0', notify_make: ['0', '1'], version: 1 })
  t.equal(saved.headers.location, '/status/edit/2?tab=notifications', 'back to the tab')
  t.match(statusOf(cabinet, 2), { notify_manager: false, notify_admin: false, notify_dealer: false, notify_make: true, version: 2 })
  t.same(lastChange(cabinet, 2)?.fields, { notify_dealer: [true, false], notify_make: [false, true] })
  t.equal((await root.post('/status/edit/2', { status_key: 'payment' })).statusCode, 422, 'a key that another has')
  t.equal(
    (await root.post('/status/edit/2', { status_key: 'Apply', name: 'Signing', color: '' })).statusCode,
    303,
    'its own key in another case',
  )
  t.match(statusOf(cabinet, 2), { status_key: 'Apply', name: 'Signing', color: null })
  t.same(idsOf(await root.get('/statuses?q=signing'), 'statuses'), [2], 'found by its new name')
  t.equal((await root.post('/status/edit/2', { status_key: '' })).statusCode, 422, 'a required field cannot be emptied')

  const stale = await root.post('/status/edit/2', { description: 'For the lawyers', version: 2 })
  t.equal(stale.statusCode, 303, 'disjoint changes merge')
  const clash = await root.post('/status/edit/2', { name: 'To sign', version: 2 })
  t.equal(clash.statusCode, 409)
  t.equal(statusOf(cabinet, 2)?.name, 'Signing')
})

const row = (index: number, fields: Record<string, string | number | (string | number)[]>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      `transitions[${index}][${name.replace('*', '')}]${name.endsWith('*') ? '[]' : ''}`,
      value,
    ]),
  )

t.test('the form of a transition asks for all that a transition holds, permissions under their party and scope', async (t) => {
  const { app, as } = await startCabinet(t)
  const root = await as('root')
  const parts = Object.keys(app.records.get('statuses')?.card?.form.fields.transitions.rows)
  const shown = await root.get('/status/edit/1?tab=transitions')
  const added = await root.get('/status/edit/1/transitions/row?index=7', htmx)
  for (const [{ body }, index] of [[shown, 0] as const, [added, 7] as const]) {
    const asked = new Set(
      controlsOf(body).flatMap(({ name }) => new RegExp(`^transitions\\[${index}\\]\\[(\\w+)\\]`).exec(name)?.[1] ?? []),
    )
    t.same([...asked].filter((part) => part !== 'id').sort(), parts.toSorted())
    const tables = parseHtml(body)('.performers').first().find('tr').toArray()
    const cells = tables.map((line) =>
      parseHtml(body)(line)
        .find('td input[type=checkbox]')
        .toArray()
        .map(({ attribs }) => attribs.name),
    )
    const of = (...names: string[]) => names.map((name) => `transitions[${index}][${name}]`)
    t.same(cells, [[], of('dealer_can', 'manager_can', 'production_can'), of('dealers_can', 'managers_can', 'productions_can')])
  }
})

t.test('transitions of a status are added, changed and removed', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const before = waysFrom(cabinet, 1)
  const [apply, cancel] = before.map(({ id }) => id) as [number, number]
  const tab = await root.get('/status/edit/1?tab=transitions')
  t.same(hiddenOf(tab, 'transitions[0][id]'), [String(apply)])
  t.same(fieldOf(tab, 'transitions[0][child_status_id]')?.value, '2')
  t.same(fieldOf(tab, 'transitions[0][child_status_id]')?.options.length, 10, 'nothing chosen, or any status but itself')
  t.same(controlsOf(tab.body).filter(({ name }) => name === 'transitions[0][required_fields][]').length, 14)
  t.same(controlsOf(tab.body).filter(({ name }) => name === 'transitions[0][forced_fields][]').length, 5)

  const unfolded = ({ body }: Answer) => elementsOf(body, '.transition-row').map((row) => attributesOf(row).open !== undefined)
  t.same(unfolded(tab), [false, false], 'each in one line')
  const refused = await root.post('/status/edit/1', { ...Object.fromEntries(shownFields(tab)), 'transitions[1][min_paid]': '101' })
  t.same([refused.statusCode, unfolded(refused)], [422, [false, true]], 'what is wrong is open')

  t.equal((await root.post('/status/edit/1', Object.fromEntries(shownFields(tab)))).statusCode, 303)
  t.same(waysFrom(cabinet, 1), before, 'sent back as it was shown it changes nothing')
  t.equal(statusOf(cabinet, 1)?.version, 1)
  const production = await root.get('/status/edit/5?tab=transitions')
  await root.post('/status/edit/5', Object.fromEntries(shownFields(production)))
  t.equal(statusOf(cabinet, 5)?.version, 1, 'nor where fields were planted in another order')

  const saved = await root.post('/status/edit/1?tab=transitions', {
    transitions: '',
    ...row(0, { id: apply, child_status_id: 3, 'required_fields*': ['address', 'sn'], forced_fields: '', managers_can: ['0', '1'] }),
    ...row(7, { child_status_id: 9, 'forced_fields*': 'sn' }),
  })
  t.equal(saved.headers.location, '/status/edit/1?tab=transitions')
  const [kept, added] = waysFrom(cabinet, 1)
  t.match(kept, {
    id: apply,
    child_status_id: 3,
    required_fields: ['sn', 'address'],
    forced_fields: [],
    dealer_can: true,
    managers_can: true,
  })
  t.match(added, { child_status_id: 9, required_fields: [], forced_fields: ['sn'], dealer_can: false, productions_can: false })
  t.not(added?.id, cancel, 'the row left out is gone, its id is not used again')
  t.same(Object.keys(lastChange(cabinet, 1)?.fields ?? {}), ['transitions'], 'one field of the history')

  await root.post('/status/edit/1', row(0, { id: apply, dealer_can: '0' }))
  t.match(waysFrom(cabinet, 1)[0], { required_fields: ['sn', 'address'], dealer_can: false }, 'what a body does not name stays')
  t.equal(waysFrom(cabinet, 1).length, 2, 'so do rows without the marker')
  await root.post('/status/edit/1', row(0, { id: apply, action_name: 'x'.repeat(60) }))
  t.equal(waysFrom(cabinet, 1)[0]?.action_name, 'x'.repeat(60), 'sixty letters fit')
  await root.post('/status/edit/1', row(0, { id: apply, required_fields: '' }))
  t.same(waysFrom(cabinet, 1)[0]?.required_fields, [], 'the bare name says that there are none')
  await root.post('/status/edit/1', { transitions: '' })
  t.same(waysFrom(cabinet, 1), [], 'and the marker that there are no rows')

  const twice = await root.post('/status/edit/1', {
    transitions: '',
    ...row(0, { child_status_id: 2 }),
    ...row(1, { child_status_id: 2, any: 1 }),
  })
  t.equal(twice.statusCode, 303, 'a target twice is no error')
  const page = await root.get('/status/edit/1?tab=transitions')
  t.match(textOf(elementById(page, 'transitions.1.child_status_id-warning') ?? ''), /^Another transition/, 'but a warning')
})

t.test('invalid transitions are marked at their row and nothing is saved (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const gone = Number((await root.post('/status/add', { status_key: 'gone', name: 'Gone' })) && 11)
  await root.post('/statuses/delete', { id: gone })
  const before = waysFrom(cabinet, 1)
  const id = before[0]?.id as number
  const wrong: [string, Record<string, string | number | string[]>, string][] = [
    ['to itself', { id, child_status_id: 1 }, 'child_status_id'],
    ['to a deleted status', { id, child_status_id: gone }, 'child_status_id'],
    ['to nowhere', { child_status_id: '' }, 'child_status_id'],
    ['to a word', { child_status_id: 'new' }, 'child_status_id'],
    ['an unknown required field', { id, 'required_fields*': ['sn', 'password'] }, 'required_fields'],
    ['a field of every object', { id, 'required_fields*': ['__proto__'] }, 'required_fields'],
    ['a forced field that is none', { id, 'forced_fields*': ['receiver'] }, 'forced_fields'],
    ['half a switch', { id, dealer_can: 'yes' }, 'dealer_can'],
    ['a text of its button of 61 letters', { id, action_name: 'x'.repeat(61) }, 'action_name'],
    ["another status's row", { id: waysFrom(cabinet, 2)[0]?.id as number, child_status_id: 3 }, 'child_status_id'],
  ]
  for (const [what, fields, field] of wrong) {
    const answer = await root.post('/status/edit/1', { transitions: '', ...row(3, { child_status_id: 4 }), ...row(5, fields) })
    t.equal(answer.statusCode, 422, what)
    t.same(Object.keys(errorsOf(answer)), [`transitions.5.${field}`], 'the error is at the row, on its tab')
  }
  const many = Object.assign({}, ...Array.from({ length: 201 }, (_, index) => row(index, { child_status_id: 2 })))
  t.equal((await root.post('/status/edit/1', many)).statusCode, 413)
  t.same(waysFrom(cabinet, 1), before, 'nothing was saved')

  const more = await root.post('/status/edit/1', {
    transitions: '',
    ...row(0, { child_status_id: 4, 'required_fields*': 'phone' }),
    _add: 'transitions',
  })
  t.equal(more.statusCode, 200, 'a row more without JavaScript')
  t.same(hiddenOf(more, 'transitions[1][required_fields]'), [''])
  t.equal(
    elementsOf(more.body, '[name="transitions[0][required_fields][]"][value=phone][checked]').length,
    1,
    'what was ticked stays ticked',
  )
  const empty = await root.get('/status/edit/new/transitions/row?index=4', htmx)
  t.ok(fieldOf(empty, 'transitions[4][child_status_id]'))
  t.same(waysFrom(cabinet, 1), before)
})

/** Every field of the open form as a browser would send it. */
function shownFields(page: Awaited<ReturnType<Browser['get']>>): [string, (string | number)[]][] {
  const form = page.body.slice(page.body.search(/<form\s+class="record-form"/))
  const sent = controlsOf(form).filter(({ type, value }) => type !== 'checkbox' || value === '1')
  const tags = tagsOf(form, 'input').filter((tag) => 'checked' in tag)
  const values = sent
    .filter(({ type, name }) => name && type !== 'button' && type !== 'checkbox')
    .map(({ name, value }) => [name, value] as const)
  const ticked = tags.map((tag) => [tag.name, tag.value] as const)
  const names = new Set([...values, ...ticked].map(([name]) => name as string))
  return [...names]
    .filter((name) => !['once', '_add', '_remove'].includes(name))
    .map((name) => [name, [...values, ...ticked].filter(([other]) => other === name).map(([, value]) => value as string)])
}

t.test('statuses are reordered, and an incomplete order of statuses is refused (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const order = async () => idsOf(await root.get('/statuses'), 'statuses')
  const reversed = [...wayOrder].reverse()
  t.equal((await root.post('/statuses/order', { id: reversed })).headers.location, '/statuses')
  t.same(await order(), reversed)
  t.same(lastChange(cabinet, 9)?.fields, { index: [10, 1] })
  t.same(
    rowsOf(await root.get('/statuses?cols=index'), 'statuses')
      .map(({ id, cells }) => [id, Number(cells.index)])
      .slice(0, 2),
    [
      [9, 1],
      [8, 2],
    ],
  )
  const region = await root.post('/statuses/order', { id: wayOrder }, htmx)
  t.equal(region.statusCode, 200)
  t.same(idsOf(region, 'statuses'), wayOrder, 'htmx gets the table')
  t.same(textsByRole(region, 'status'), ['Status order saved'])
  t.same(
    rowsOf(region, 'statuses').map(({ cells }) => Number(cells.index)),
    wayOrder.map((_, index) => index + 1),
    'with positions from one on',
  )
  const moved = await root.post('/statuses/order', { id: wayOrder, _up: 2 })
  t.equal(moved.headers.location, '/statuses/order', 'a button leads back to the others')
  const expected = [2, 1, ...wayOrder.slice(2)]
  t.same(await order(), expected)
  await root.post('/statuses/order', { id: expected, _down: 2 })
  t.same(await order(), wayOrder, 'and down again')
  await root.post('/statuses/order', { id: wayOrder, _up: 2 })
  await root.post('/statuses/order', { id: expected, _up: 2 })
  await root.post('/statuses/order', { id: expected, _down: 9 })
  t.same(await order(), expected, 'at the end nothing moves further')
  const version = statusOf(cabinet, 3)?.version
  for (const [what, id] of Object.entries({
    'one missing': wayOrder.slice(1),
    'one doubled': [...wayOrder.slice(1), 2],
    'one too many': [...wayOrder, 1],
    'a foreign one': [...wayOrder.slice(1), 99],
    'a word': [...wayOrder.slice(1), 'new'],
    nothing: [],
  })) {
    const answer = await root.post('/statuses/order', { id })
    t.equal(answer.statusCode, 422, what)
    t.same(idsOf(answer, 'statuses'), expected, 'the true order is shown again')
    t.equal(textsByRole(answer, 'alert').length, 1)
    t.equal((await root.post('/statuses/order', { id }, htmx)).statusCode, 422)
  }
  t.same(await order(), expected)
  t.equal(statusOf(cabinet, 3)?.version, version)
})

t.test('permissions of a status are switched one by one', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const tab = await root.get('/status/edit/3?tab=policies')
  t.same(idsOf(tab, 'policies'), [3, 1, 2, 4, 5, 6, 10, 7, 8, 9], 'the status being edited stands first')
  t.equal(columnsOf(tab).length, 3 + 9)
  t.same(columnsOf(tab).slice(0, 3), ['status_key', 'name', 'color'])
  const $ = parseHtml(tab.body)
  const spans = $('.policy-party')
    .toArray()
    .map((head) => [$(head).text(), Number(head.attribs.colspan)])
  t.same(spans, Object.entries({ Dealer: 4, Manager: 3, Production: 2 }), 'each party stands over its own')
  t.equal($('#policies-1-order_production_can_edit').attr('aria-label'), 'Production can edit the order: New')
  const path = '/status/edit/1/policies/order_production_can_edit'
  const cell = await root.post(path, { value: '1' }, htmx)
  t.same(switchOf(cell.body), { checked: true, disabled: false })
  t.match(lastChange(cabinet, 1)?.fields, { 'policies.order_production_can_edit': [false, true] })
  await root.post(path, { value: '1' })
  t.equal(statusOf(cabinet, 1)?.version, 2, 'the same again is no change')
  t.equal((await root.post(path, { value: '0' })).headers.location, '/status/edit/1?tab=policies')
  const elsewhere = { referer: 'http://localhost/status/edit/3?tab=policies' }
  t.equal((await root.post(path, { value: '0' }, elsewhere)).headers.location, '/status/edit/3?tab=policies', 'or to where it was pressed')
  t.equal((await root.post(path, { value: 'flip' })).statusCode, 422)
  t.equal((await root.post('/status/edit/1/policies/nothing', { value: '1' })).statusCode, 404)
  t.equal((await root.post('/status/edit/99/policies/order_dealer_can_edit', { value: '1' })).statusCode, 404)
  await root.post('/status/add', { status_key: 'hold', name: 'On hold' })
  await root.post('/status/edit/hold/policies/order_dealer_can_edit', { value: '1' })
  t.match(
    cabinet.db.select().from(policyStatus).where(eq(policyStatus.status_id, 11)).all(),
    [{ value: true }],
    'a new status starts without any',
  )
})

const orderOf = ({ db, cast }: Cabinet) => db.select().from(orders).where(eq(orders.id, cast.order)).get()

t.test('deleting a status names its orders first and leaves them without a status', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const root = await as('root')
  grant(db, cast.clerk, 'status_can_view')
  revoke(db, cast.clerk, 'order_can_edit')
  const question = await root.get('/statuses/delete?id=1')
  t.match(question.body, /1 order will have no status unless you move it\./)
  t.same(fieldOf(question, 'move_to')?.options.length, 11, 'nothing chosen yet, nowhere, or any other status')
  const clerk = await as('clerk')
  t.notOk(fieldOf(await clerk.get('/statuses/delete?id=1'), 'move_to'), 'moving orders needs the right to edit them')
  t.equal((await clerk.post('/statuses/delete', { id: 1, move_to: 2 })).statusCode, 403)

  for (const move_to of [1, 99, 'apply']) {
    const refused = await root.post('/statuses/delete', { id: 1, move_to }, htmx)
    t.equal(refused.statusCode, 422, `to ${move_to}`)
    t.match(textsByRole(refused, 'alert'), ['Choose a different status for these orders.'])
    t.ok(fieldOf(refused, 'move_to'), 'the question is asked again')
  }
  insertOrder(cabinet, 'apply', {})
  insertOrder(cabinet, 'apply', {})
  const both = await root.get('/statuses/delete?id=1&id=2')
  t.same(elementsOf(both.body, '.confirm-consequences li:has(.order-status)').map(textOf), ['New 1 order', 'Awaiting signing 2 orders'])
  const meanwhile = await root.post('/statuses/delete', { all: 1, q: 'awaiting', seen: 'x', move_to: 5 })
  t.equal(meanwhile.statusCode, 409)
  t.equal(fieldOf(meanwhile, 'move_to')?.value, '5', 'what was chosen stays chosen')
  const left = await root.post('/statuses/delete', { all: 1, q: 'awaiting', seen: 'x', move_to: 'none' })
  t.equal(fieldOf(left, 'move_to')?.value, 'none', 'so does leaving them without one')
  t.equal((await root.post('/statuses/delete', { id: [1, 99] })).statusCode, 404, 'an unknown one refuses the whole')
  t.equal(orderOf(cabinet)?.status_id, 1)

  const moved = await root.post('/statuses/delete', { id: [1, 8], move_to: 2 }, htmx)
  t.equal(moved.statusCode, 200)
  t.same(
    idsOf(moved, 'statuses'),
    wayOrder.filter((id) => id !== 1 && id !== 8),
  )
  t.equal(orderOf(cabinet)?.status_id, 2)
  t.match(db.select().from(orderHistory).all(), [{ order_id: cast.order, from_name: 'New', to_name: 'Awaiting signing' }])
  t.same(db.select().from(statusTransitions).where(eq(statusTransitions.child_status_id, 8)).all(), [])
  t.match(
    lastChange(cabinet, 7)?.fields.transitions,
    [[{ child_status_id: 8 }, { child_status_id: 9 }], [{ child_status_id: 9 }]],
    'told where it led',
  )

  t.equal((await clerk.post('/statuses/delete', { id: 2 })).statusCode, 303, 'as specified, orders may lose their status')
  t.equal(orderOf(cabinet)?.status_id, null)
  const all = await root.get('/statuses/delete?all=1&q=awaiting')
  t.match(all.body, 'Delete 2 statuses?')
  t.equal((await root.post('/statuses/delete', { all: 1, q: 'awaiting', seen: hiddenOf(all, 'seen') })).statusCode, 303)
})

t.test('under strict rules a status that orders use cannot be deleted', async (t) => {
  const cabinet = await startCabinet(t, { environment: { RULES: 'strict' } })
  const { as, db, cast } = cabinet
  const root = await as('root')
  grant(db, cast.clerk, 'status_can_view')
  revoke(db, cast.clerk, 'order_can_edit')
  const clerk = await as('clerk')
  const blocked = parseHtml((await clerk.get('/statuses/delete?id=1')).body)
  const buttons = (page: ReturnType<typeof parseHtml>) =>
    page('.confirm form button')
      .toArray()
      .map((button) => page(button).text().trim())
  t.same(buttons(blocked), [], 'nothing is offered that would be refused')
  t.match(textOf(blocked('.confirm').toString()), '1 order is in these statuses. Move it before deleting.')
  t.equal(blocked('[name=move_to]').length, 0, 'who may not move orders is not asked where to')
  const offered = parseHtml((await root.get('/statuses/delete?id=1')).body)
  t.same(buttons(offered), ['Delete'], 'who may move them can go on')
  t.equal(offered('[name=move_to] option[value=none]').length, 0, 'they cannot be left without a status')
  t.same(buttons(parseHtml((await clerk.get('/statuses/delete?id=9')).body)), ['Delete'], 'a status without orders is not blocked')
  const refused = await root.post('/statuses/delete', { id: 1 })
  t.equal(refused.statusCode, 422)
  t.match(textsByRole(refused, 'alert'), ['Not deleted. 1 order is in these statuses.'])
  t.equal(orderOf(cabinet)?.status_id, 1)
  t.equal((await root.post('/statuses/delete', { id: 1, move_to: 2 })).statusCode, 303, 'its orders moved, it may go')
  t.equal((await root.post('/statuses/delete', { id: 9 })).statusCode, 303, 'one that no order uses')
})

t.test('texts of buttons are in the language of whoever edits the status, and saving them unchanged changes nothing', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cabinet.cast.root)).run()
  const root = await as('root')
  const before = waysFrom(cabinet, 1)
  const form = await root.get('/status/edit/1?tab=transitions')
  t.equal(fieldOf(form, 'transitions[0][action_name]')?.value, 'Отправить на подписание')
  t.equal((await root.post('/status/edit/1', Object.fromEntries(shownFields(form)))).statusCode, 303)
  t.same(waysFrom(cabinet, 1), before)
  t.equal(statusOf(cabinet, 1)?.version, 1)
  await root.post('/status/edit/1', { ...Object.fromEntries(shownFields(form)), 'transitions[0][action_name]': 'Отдать' })
  t.equal(waysFrom(cabinet, 1)[0]?.action_name, 'Отдать', 'what is typed is stored')
})

t.test('what is named as a default one by somebody has this name for every reader; a default one until it is renamed', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  const root = await as('root')
  const russian = { 'accept-language': 'ru' }
  const nameIn = async (id: number, headers = {}) =>
    textOf(elementsOf((await root.get('/statuses', headers)).body, `#statuses-${id} [data-col=name]`)[0] ?? '')
  t.equal((await root.post('/status/add', { status_key: 'own', name: 'Delivery' })).statusCode, 303)
  const own = db.select().from(statuses).where(eq(statuses.status_key, 'own')).get()?.id as number
  const paid = 4
  t.same([await nameIn(paid), await nameIn(paid, russian)], ['Under review', 'На проверке'])
  await root.post(`/status/edit/${paid}`, { name: 'Completed', color: '#123456' })
  await root.post('/status/edit/2', { color: '#123456' }, russian)
  for (const headers of [{}, russian]) {
    t.equal(await nameIn(own, headers), 'Delivery')
    t.equal(await nameIn(paid, headers), 'Completed', 'renamed as another one')
  }
  t.equal(await nameIn(statusId('completed'), russian), 'Завершён')
  t.equal(await nameIn(2, russian), 'Ожидает подписания', 'another field is no name')
  db.update(statuses).set({ name: 'Canceled' }).where(eq(statuses.id, 1)).run()
  t.equal(await nameIn(1, russian), 'Canceled', 'renamed by another tool')
  const order = setOrder(cabinet, 'new')
  const buttons = async (headers = {}) =>
    elementsOf((await root.get(`/orders/${order}`, headers)).body, 'button[name=transition_id]').map(textOf)
  t.match((await buttons(russian)).join(), /Отправить на подписание.*Отменить заказ/)
  db.update(statusTransitions)
    .set({ action_name: 'Cancel order' })
    .where(and(eq(statusTransitions.parent_status_id, 1), eq(statusTransitions.child_status_id, 2)))
    .run()
  t.match((await buttons(russian)).join(), /Cancel order.*Отменить заказ/)
  t.match((await buttons()).join(), /Cancel order.*Cancel order/)
})

t.test('the form of a default status has its name as its reader sees it, and saved unchanged it stays so for everybody', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const russian = { 'accept-language': 'ru' }
  const nameIn = async (headers = {}) => fieldOf(await root.get('/status/edit/new', headers), 'name')?.value
  t.same([await nameIn(), await nameIn(russian)], ['New', 'Новый'])
  const save = async (fields: Record<string, string>) => t.equal((await root.post('/status/edit/new', fields, russian)).statusCode, 303)
  await save({ name: 'Новый', description: 'Как есть' })
  t.same([await nameIn(), await nameIn(russian)], ['New', 'Новый'])
  await save({ name: 'Первый' })
  t.same([await nameIn(), await nameIn(russian)], ['Первый', 'Первый'])
})
