import t from 'tap'
import type { Workflow } from '../../src/core/transition-rules.ts'
import { translator } from '../../src/i18n/translate.ts'
import { buildWorkflowDiagram, isCrowded } from '../../src/modules/workflow/diagram.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementById, elementsOf, parseHtml, textOf } from '../support/html.ts'
import { defaultWorkflow } from '../support/workflow.ts'

const english = translator('en')

/** So many statuses, with transitions of managers from each to each that is named. */
function workflowOf(size: number, ways: [from: number, to: number][]): Workflow {
  const { statuses, transitions } = defaultWorkflow
  const status = (id: number) => ({ ...statuses[0], id, index: id, status_key: `s${id}`, name: `S${id}` })
  const way = ([from, to]: [number, number], at: number) => ({ ...transitions[1], id: at + 1, parent_status_id: from, child_status_id: to })
  return { statuses: Array.from({ length: size }, (_, at) => status(at + 1)), transitions: ways.map(way) } as Workflow
}

t.test('transitions into one status share an arrow from five on, where they come from three quarters of the others', (t) => {
  const labels = (size: number, sources: number[], to: number) =>
    buildWorkflowDiagram(
      workflowOf(
        size,
        sources.map((from) => [from, to]),
      ),
      english,
    ).arrows.map(({ label }) => label)
  t.same(labels(6, [1, 2, 3, 4, 5], 6), ['from any of 5'])
  t.same(labels(5, [1, 2, 3, 4], 5), ['manager', 'manager', 'manager', 'manager'], 'four are too few')
  t.equal(labels(8, [1, 2, 3, 4, 5], 8).length, 5, 'five of seven are too few')
  t.same(labels(9, [1, 2, 3, 4, 5, 6], 9), ['from any of 6'])
  t.end()
})

t.test('letters stand for people from the forty-first arrow on', (t) => {
  const pairs = Array.from({ length: 41 }, (_, at): [number, number] => [(at % 20) + 1, ((at + 1 + Math.floor(at / 20)) % 20) + 1])
  t.same(
    [40, 41].map((count) => isCrowded(workflowOf(20, pairs.slice(0, count)))),
    [false, true],
  )
  t.same(
    [40, 41].map((count) => buildWorkflowDiagram(workflowOf(20, pairs.slice(0, count)), english).arrows[0]?.label),
    ['manager', 'M'],
  )
  t.end()
})

t.test('the page of statuses tells in words what the diagram draws: conditions, letters and where each box leads', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  db.$client.exec('update status_transitions set min_paid = 30, within_limit = 1 where id = 4')
  const shown = async () => parseHtml(elementById(await root.get('/statuses'), 'workflow') as string)
  const $ = await shown()
  const svg = $('svg.workflow-diagram')
  t.same([svg.attr('role'), svg.attr('aria-label')], ['group', 'Statuses, from first to last'])
  const boxes = $('svg a')
    .toArray()
    .map((link) => [link.attribs.href, $(link).find('title').text(), $(link).find('rect').attr('fill'), $(link).find('text').attr('fill')])
  t.same(boxes.slice(0, 2), [
    ['/status/edit/new', 'New', '#4299e1', '#000'],
    ['/status/edit/apply', 'Awaiting signing', '#ae3ec9', '#fff'],
  ])
  const titles = $('svg .transition > title')
    .toArray()
    .map((title) => $(title).text())
  t.ok(
    titles.includes('Under review → In production: manager; 30% paid, within the credit limit'),
    'the production date is asked for on the way',
  )
  t.match(textOf($('table').toString()), 'In production manager Production date, 30% paid, within the credit limit — ')
  const heads = $('thead th')
    .toArray()
    .map((head) => $(head).text())
  t.same(heads, ['From status', 'Move to', 'Who can', 'Required fields', 'Set automatically'])
  t.match($('.workflow-note').text(), 'Administrators always can.')
  t.equal($('.workflow-legend').length, 0, 'words need no legend')
  const path = parseHtml((await root.get(`/orders/${cast.order}?workflow=1`)).body)('svg.workflow-diagram')
  t.match([path.attr('role'), path.attr('aria-label')], ['img', /^Path so far: |^Now: New\./])
  t.equal(path.find('a').length, 0, 'the way of an order leads nowhere')

  const status = db.$client.prepare(
    'insert into statuses (id, "index", status_key, name, created_at, updated_at) values (@id, @id, @key, @key, 0, 0)',
  )
  const way = db.$client.prepare('insert into status_transitions (parent_status_id, child_status_id, productions_can) values (?, ?, 1)')
  for (let id = 20; id < 60; id++) status.run({ id, key: `s-${id}` })
  for (let id = 20; id < 59; id++) way.run(id, id + 1)
  db.$client.exec('update status_transitions set managers_can = 1 where id = 7; update status_transitions set manager_can = 0 where id = 2')
  const crowded = await shown()
  const legend = elementsOf(crowded('.workflow-legend').toString(), 'div').map(textOf)
  t.same(legend, [
    "D the order's dealer",
    'D+ any dealer',
    "M the company's manager",
    'M+ any manager',
    "P the order's production team",
    'A administrators only',
  ])
  const letters = elementsOf(crowded('svg').toString(), '.transition-label').map(textOf)
  t.same([...new Set(letters)].sort(), ['A', 'DM', 'M', 'MP', 'P', 'PM+'])
})
