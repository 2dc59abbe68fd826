import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { textColorOn } from '../../src/core/accent.ts'
import { defaultStatuses, defaultTransitions } from '../../src/core/default-workflow.ts'
import type { Transition, Workflow } from '../../src/core/transition-rules.ts'
import { companies, users } from '../../src/database/schema/index.ts'
import { translator } from '../../src/i18n/translate.ts'
import { buildWorkflowDiagram } from '../../src/modules/workflow/diagram.ts'
import { loadCoverage } from '../../src/modules/workflow/lint-issues.ts'
import { loadWorkflow } from '../../src/modules/workflow/load.ts'
import { buildPathDiagram, viewOfPath, viewOfProgress } from '../../src/modules/workflow/order-path.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { attributesOf, elementById, elementsOf, fieldOf, parseHtml, tagsOf, textOf } from '../support/html.ts'
import { anyWorkflow, defaultWorkflow } from '../support/workflow.ts'

const english = translator('en')

t.test('a new installation has the default workflow', async (t) => {
  const { db } = await startCabinet(t)
  const { statuses, transitions } = loadWorkflow(db)
  t.same(
    statuses.map(({ id, status_key, policies }) => [id, status_key, [...policies].sort()]),
    defaultStatuses.map(({ id, status_key, policies }) => [id, status_key, [...policies].sort()]),
  )
  const keys = new Map(statuses.map((status) => [status.id, status.status_key]))
  t.same(
    transitions.map((arrow) => [
      keys.get(arrow.parent_status_id),
      keys.get(arrow.child_status_id),
      arrow.dealer_can,
      arrow.required_fields,
    ]),
    defaultTransitions.map((arrow) => [arrow.from, arrow.to, arrow.dealer_can, arrow.required_fields]),
  )
})

t.test('whatever the workflow, no box of the diagram covers another and no line runs through a box', (t) => {
  fc.assert(
    fc.property(anyWorkflow, (workflow) => {
      const drawing = buildWorkflowDiagram(workflow, english)
      for (const box of drawing.boxes) {
        const others = drawing.boxes.filter((other) => other !== box)
        if (others.some((other) => overlaps(box, other))) throw new Error(`${box.id} is covered`)
        const through = drawing.arrows.find((arrow) => pointsAlong(arrow.line).some((point) => isInside(point, box)))
        if (through) throw new Error(`${through.id} runs through ${box.id}`)
        if (box.x < 0 || box.x + box.width > drawing.width) throw new Error(`${box.id} sticks out`)
      }
    }),
    { numRuns: 40 },
  )
  t.end()
})

t.test('a diagram of thirty statuses and a hundred transitions stays readable', (t) => {
  const { statuses, transitions } = defaultWorkflow
  const many = Array.from({ length: 30 }, (_, at) => ({
    ...statuses[0],
    id: at + 1,
    index: at + 1,
    status_key: `s${at}`,
    name: `Status ${at}`,
  }))
  const arrow = (id: number, from: number, to: number) => ({ ...transitions[0], id, parent_status_id: from, child_status_id: to })
  const chain = many.slice(0, 29).map((_, at) => arrow(at + 1, at + 1, at + 2))
  const leaps = Array.from({ length: 71 }, (_, at) => arrow(at + 30, (at % 30) + 1, ((at * 7 + 11) % 30) + 1))
  const arrows = [...chain, ...leaps.filter((one) => one.parent_status_id !== one.child_status_id)]
  const drawing = buildWorkflowDiagram({ statuses: many, transitions: arrows } as typeof defaultWorkflow, english)
  t.equal(drawing.arrows.length, arrows.length)
  t.equal(drawing.arrows[0]?.label, 'DM')
  t.ok(drawing.width < 3000, `${drawing.width} wide`)
  t.end()
})

t.test('the diagram for a role shows only its transitions, with every status in the same place', (t) => {
  const all = buildWorkflowDiagram(defaultWorkflow, english)
  const dealer = buildWorkflowDiagram(defaultWorkflow, english, 'dealer')
  t.same(dealer.boxes, all.boxes)
  t.same(
    dealer.arrows.map((arrow) => arrow.title),
    [
      'New → Awaiting signing: dealer, manager',
      'Awaiting payment → Under review: dealer, manager; by itself once paid',
      'New → Canceled: dealer, manager',
    ],
  )
  t.same(
    buildWorkflowDiagram(defaultWorkflow, english, 'administrator')
      .arrows.map(({ label }) => label.includes('of 8') && label)
      .filter(Boolean),
    ['from any of 8'],
    'where nearly every status leads to the same one, one arrow stands for all',
  )
  t.equal(all.arrows.length, 10)
  t.equal(buildWorkflowDiagram(defaultWorkflow, english, 'dealers').arrows.length, 0)
  t.end()
})

t.test('the path diagram of an order shows visited, current and possible statuses', (t) => {
  const { boxes, arrows } = buildPathDiagram(defaultWorkflow, { visited: [1, 3, 77, 2], current: 2, possible: [2, 11] })
  const standing = Object.fromEntries(boxes.map((box) => [box.status_key, box.state]))
  t.match(standing, { new: 'visited', payment: 'next', apply: 'current', canceled: 'next', completed: 'other' })
  const walked = arrows.filter((arrow) => arrow.kind === 'walked').map((arrow) => arrow.title)
  t.same(walked, ['New → Awaiting payment'], 'a step without a transition is drawn all the same, one through a deleted status is not')
  t.same(
    arrows.filter((arrow) => arrow.kind === 'possible').map((arrow) => arrow.id),
    ['2', '11'],
  )
  t.equal(
    viewOfPath(defaultWorkflow, { visited: [1, 77, 2], current: 2, possible: [2, 11] }, english).description,
    'Path so far: New → Awaiting signing. Now: Awaiting signing. Next: Awaiting payment, Canceled.',
  )
  t.same(buildPathDiagram({ statuses: [], transitions: [] }, { visited: [4], current: null, possible: [] }).boxes, [])
  t.end()
})

t.test('the progress of an order leads onward: to no status that it has passed, and once more from one that it came back to', (t) => {
  const payment = { status_id: 3, delivery: null }
  const ids = (workflow: Workflow, visited: number[], order = payment) =>
    viewOfProgress(workflow, visited, order).map(({ id, state }) => `${id} ${state}`)
  const onward = ids(defaultWorkflow, [1, 2, 3])
  t.same(onward.slice(0, 4), ['1 done', '2 done', '3 current', '4 next'])
  const back = { ...defaultWorkflow.transitions[0], id: 90, parent_status_id: 3, child_status_id: 1 } as Transition
  const withBack = { ...defaultWorkflow, transitions: [...defaultWorkflow.transitions, back] }
  t.same(ids(withBack, [1, 2, 3]), onward, 'a way back is no next step')
  t.same(ids(withBack, [1, 2, 3, 1, 2, 3]), onward)
  t.same(ids(withBack, [1, 2, 3], { ...payment, status_id: 1 }).slice(0, 2), ['1 current', '2 next'])
  t.end()
})

t.test('text on a status color has a contrast of at least 4.5, whatever the color', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const colour = `#${number.toString(16).padStart(6, '0')}`
      const [light, dark] = [luminance(colour), textColorOn(colour) === '#000' ? 0 : 1].sort((one, other) => other - one) as [
        number,
        number,
      ]
      return (light + 0.05) / (dark + 0.05) >= 4.5
    }),
  )
  t.end()
})

t.test('the status list shows the workflow as a diagram and as a table', async (t) => {
  const { as, db } = await startCabinet(t)
  db.$client.prepare("update statuses set color = '#336699\"><script>', name = '<b>' || name where id = 1").run()
  db.$client.prepare("update statuses set color = '#ABCDEF' where id = 2").run()
  const root = await as('root')
  const page = await root.get('/statuses?q=new&role=production')
  const drawn = elementById(page, 'workflow') as string
  t.equal(tagsOf(drawn, 'rect').filter(({ x }) => x).length, 10, 'every status is drawn, whatever the list finds')
  t.notMatch(drawn, /style=|<script|<b>/)
  const fills = tagsOf(drawn, 'rect').map(({ fill }) => fill)
  t.ok(fills.includes('#ABCDEF'), 'a color in capitals is one')
  t.notOk(fills.join().includes('script'), 'what only begins as a color is none')
  t.match(textOf(drawn), /In production Delivery production Delivery date, Address, Customer full name, Phone —/)
  t.match(textOf(drawn), /Awaiting signing No transitions Awaiting payment No transitions/, 'production takes none from there')
  db.$client.prepare('update status_transitions set manager_can = 0 where id = 2').run()
  const whole = textOf(elementById(await root.get('/statuses'), 'workflow') as string)
  t.match(
    whole,
    /Awaiting signing Awaiting payment administrators only Specification, Invoice, Prices of all lines issues Specification, Invoice Canceled manager/,
  )
  t.same(drawn.match(/class="transition transition-open"/g)?.length, 5, 'production can perform five transitions')
  const links = tagsOf(drawn, 'a').filter((one) => one.href?.startsWith('?'))
  t.same(
    links.slice(0, 2).map((one) => one.href),
    ['?q=new#workflow', '?q=new&role=dealer#workflow'],
    'everyone, and each role',
  )
  t.same(
    links.filter((one) => one['aria-current']).map((one) => one.href),
    ['?q=new&role=production#workflow'],
  )
  t.match((await root.get('/statuses?role=nonsense')).body, /transition-open/)
  db.$client.prepare('delete from statuses').run()
  const empty = await root.get('/statuses')
  t.notOk(elementById(empty, 'workflow'), 'nothing to draw')
  t.match(elementsOf(empty.body, '.empty').map(textOf), [/^No statuses yet/])
  t.same(
    elementsOf(empty.body, '.empty a').map((link) => parseHtml(link)('a').attr('href')),
    ['/status/add'],
    'what to do about it',
  )
})

t.test('the workflow check names each problem, its place and whom the workflow lacks', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const checked = async () => elementById(await root.get('/statuses'), 'workflow-check') as string
  t.match(
    textOf(await checked()),
    /Orders start in New\. Final statuses: Completed, Canceled\. Once an order is paid, it moves on by itself: Awaiting payment → Under review\. No problems found/,
  )
  db.$client.exec(
    `update users set active = 0 where group_id = 4; update status_transitions set forced_fields = '["date_make"]' where id = 4`,
  )
  const links = elementsOf(await checked(), 'a[href]')
  const said = links.map((link) => `${attributesOf(link).href} ${textOf(link).split(':')[0]}`)
  t.same(said, [
    '/status/edit/production?tab=transitions In production → Delivery',
    '/status/edit/production?tab=transitions In production → Awaiting pickup',
    '/status/edit/paid?tab=transitions Under review → In production',
    '/status/edit/production?tab=notifications In production',
    '/status/edit/canceled?tab=notifications Canceled',
  ])
  db.$client.exec('update users set active = 0 where id <> 1')
  t.match(
    textOf(await checked()),
    /Awaiting payment: no active users to notify among: managers, dealers/,
    'one person alone is told plainly',
  )
})

t.test('the workflow check counts on whoever sees orders, may be told of them, or holds the permission, and is active', async (t) => {
  const { db, cast } = await startCabinet(t)
  const covers = () => {
    const { context, notified, confirming } = loadCoverage(db)
    return { context: [...context].sort(), notified: [...notified].sort(), confirming }
  }
  const all = { context: [1, 2, 3, 4], notified: ['admin', 'dealer', 'make', 'manager'], confirming: true }
  const without = (...gone: (number | string)[]) => ({
    ...all,
    context: all.context.filter((one) => !gone.includes(one)),
    notified: all.notified.filter((one) => !gone.includes(one)),
  })
  const everybody = [cast.root, cast.admin, cast.clerk, cast.maria, cast.mikhail, cast.plain, cast.pavel]
  for (const id of everybody) revoke(db, id, 'order_can_view', 'payment_can_confirm')
  t.same(covers(), all, 'a superadministrator holds every permission')
  const pavel = (values: Partial<typeof users.$inferInsert>) => db.update(users).set(values).where(eq(users.id, cast.pavel)).run()
  pavel({ stock_id: null })
  t.same(covers(), all, 'production of a site')
  pavel({ stock_id: cast.stock, manufacture_id: null })
  t.same(covers(), without('make'), 'production of a warehouse is told nothing')
  pavel({ stock_id: null })
  t.same(covers(), without('make', 4), 'production of neither sees no order')
  grant(db, cast.pavel, 'order_can_view')
  t.same(covers(), without('make'))
  pavel({ active: false })
  t.same(covers(), without('make', 4))
  pavel({ active: true, stock_id: cast.stock, manufacture_id: cast.site })

  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  t.same(covers(), without(2), 'dealers without a company have no orders')
  db.update(users).set({ company_id: cast.companies.alpha }).where(eq(users.id, cast.denis)).run()
  t.same(covers(), all)

  db.update(companies).set({ manager_id: null }).run()
  t.same(covers(), without(3), 'managers of dealers alone are told and see none')
  grant(db, cast.plain, 'order_can_view')
  t.same(covers(), all)
  db.update(users).set({ manager_id: null }).run()
  t.same(covers(), all, 'that no company has a manager is no fault of the workflow')
  t.same(loadCoverage(db).missing, [3], 'and said once')
  db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, cast.companies.alpha)).run()
  t.same(covers(), all)

  db.update(users).set({ active: false }).where(eq(users.id, cast.root)).run()
  t.same(covers(), { ...without(1), confirming: false })
  grant(db, cast.admin, 'order_can_view', 'payment_can_confirm')
  t.same(covers(), all)
})

t.test('of groups that nobody belongs to yet the check says so in one line, and finds no fault', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.$client.exec('update companies set manager_id = null; update users set manager_id = null')
  const checked = async () => elementById(await (await as('root')).get('/statuses'), 'workflow-check') as string
  t.match(
    textOf(await checked()),
    /No problems found Nobody yet: Managers of companies ?\. Until somebody is there, administrators take their steps\./,
  )
  db.update(users).set({ group_id: 1 }).where(eq(users.group_id, 4)).run()
  t.match(textOf(await checked()), /No problems found Nobody yet: Managers of companies ?, Production /)
  db.update(companies).set({ manager_id: cast.maria }).run()
  db.update(users).set({ group_id: 4 }).where(eq(users.id, cast.pavel)).run()
  t.notMatch(textOf(await checked()), 'Nobody yet')
})

const field = (index: number, name: string) => `transitions[${index}][${name}]`

t.test('changed transitions are previewed in the form and nothing is saved', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const before = JSON.stringify(loadWorkflow(db).transitions)
  const kept = {
    [field(0, 'id')]: 1,
    [field(0, 'dealer_can')]: 0,
    [field(0, 'dealers_can')]: 1,
    [field(0, 'required_fields][')]: ['', 'phone'],
  }
  const added = { [field(1, 'child_status_id')]: 8 }
  const asked = await root.post('/status/edit/new?tab=transitions', { _preview: 1, transitions: '', ...kept, ...added, version: 1 })
  t.equal(asked.statusCode, 200)
  const told = textOf(elementById(asked, 'preview') as string)
  t.match(told, /Any other dealer Gains: New → Awaiting signing Company's manager Loses/)
  t.match(told, /Order's dealer Loses: New → Canceled/)
  t.match(told, /Administrators Gains: New → Completed Loses: New → Canceled/)
  t.match(told, /New → Awaiting signing would also require Phone\./)
  t.notMatch(told, /would be stuck|New problems/)
  t.equal(fieldOf(asked, field(0, 'dealers_can'))?.value, '1', 'what was switched stays in the form')
  t.equal(JSON.stringify(loadWorkflow(db).transitions), before)

  const emptied = textOf(
    elementById(await root.post('/status/edit/1?tab=transitions', { _preview: 1, transitions: '' }), 'preview') as string,
  )
  t.match(emptied, /1 order in New would be stuck\./)
  t.match(emptied, /New problems New: no transitions lead from here, but its policies.* Completed: cannot be reached/)
  const same = await root.post('/status/edit/1?tab=transitions', { _preview: 1 })
  t.match(textOf(elementById(same, 'preview') as string), /No change in access\. Nothing has been saved yet\./)
  const wrong = await root.post('/status/edit/1?tab=transitions', { _preview: 1, transitions: '', [field(0, 'child_status_id')]: 77 })
  t.equal(wrong.statusCode, 422)
  t.notOk(elementById(wrong, 'preview'))
  t.equal((await (await as('maria')).post('/status/edit/1?tab=transitions', { _preview: 1 })).statusCode, 403)
})

t.test('changed status permissions are previewed before they are switched', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const tab = '/status/edit/apply?tab=policies'
  const page = await root.get(tab)
  const form = elementById(page, 'policy-preview') as string
  const on = tagsOf(form, 'input').filter((input) => input.type === 'checkbox' && 'checked' in input)
  t.same(on.map((input) => input.value).sort(), [...(loadWorkflow(db).statuses[1]?.policies ?? [])].sort())
  t.notOk(elementById(page, 'preview'))
  const card = parseHtml((await root.get('/status/edit/1?tab=transitions')).body)
  t.match(card('[name=_preview]').attr('formaction'), /#preview$/, 'which leads to what it says')
  const asked = await root.get(`${tab}&_preview=1&policy=order_manager_can_edit&policy=order_dealer_can_delete&policy=nonsense`)
  const told = textOf(elementById(asked, 'preview') as string)
  t.match(told, /Dealers in Awaiting signing Gains: Order deletion Loses: Payment confirmation/)
  t.match(told, /Managers in Awaiting signing Loses: Order lines, Specification, Invoice/)
  t.match(
    told,
    /New problems Awaiting signing → Awaiting payment requires Prices of all lines, but the policies/,
    'nobody fills in what is issued',
  )
  t.equal(loadWorkflow(db).statuses[1]?.policies.has('order_dealer_can_delete'), false)
})

type Rectangle = { x: number; y: number; width: number; height: number }
type Point = [x: number, y: number]

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height
}

function isInside([x, y]: Point, box: Rectangle): boolean {
  return x > box.x + 0.2 && x < box.x + box.width - 0.2 && y > box.y + 0.2 && y < box.y + box.height - 0.2
}

/** Points close to each other along a path of M, L and C. */
function pointsAlong(path: string): Point[] {
  let from: Point = [0, 0]
  return [...path.matchAll(/([MLC])([^MLC]*)/g)].flatMap(([, letter, numbers]) => {
    const corners = (numbers as string).split(',').map((pair) => pair.split(' ').map(Number) as Point)
    const start = letter === 'M' ? (corners[0] as Point) : from
    from = corners.at(-1) as Point
    const controls = corners.length === 3 ? corners : [start, from, from]
    return Array.from({ length: 21 }, (_, step) => bezier(start, controls, step / 20))
  })
}

function bezier(start: Point, controls: Point[], at: number): Point {
  const weights = [(1 - at) ** 3, 3 * (1 - at) ** 2 * at, 3 * (1 - at) * at ** 2, at ** 3]
  const points = [start, ...controls]
  return [0, 1].map((axis) => points.reduce((sum, point, index) => sum + (weights[index] as number) * (point[axis] as number), 0)) as Point
}

function luminance(colour: string): number {
  const channel = (at: number) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
