import { eq } from 'drizzle-orm'
import t from 'tap'
import { statuses } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

t.test('what the pages about statuses say and do', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const root = await as('root')
  const page = async (path: string) => parseHtml((await root.get(path)).body)
  db.update(statuses).set({ color: null }).where(eq(statuses.id, 2)).run()

  t.test('statuses are moved by arrows that say what they do with which, and every change is sent at once', async (t) => {
    const $ = await page('/statuses/order')
    t.equal($('h1').text(), 'Reorder statuses')
    t.match($('.record-lead').text(), 'Drag rows or use the arrows. Changes are saved automatically.')
    t.same(
      elementsOf($('.page-header').html() as string, 'a').map((link) => [textOf(link), parseHtml(link)('a').attr('href')]),
      [
        ['Statuses', '/statuses'],
        ['Done', '/statuses'],
      ],
    )
    const { method, action, ...sent } = $('#statuses-table form').attr() ?? {}
    t.same([method, action], ['post', '/statuses/order'])
    t.same(sent, { 'hx-post': '/statuses/order', 'hx-trigger': 'submit, input', 'hx-target': '#statuses-table', 'hx-swap': 'outerMorph' })
    t.same(
      $('thead th')
        .toArray()
        .map((head) => $(head).text().trim()),
      ['Position', 'Key', 'Status name', 'Actions'],
    )
    const [, second] = $('tbody[data-sortable] tr').toArray()
    t.same(
      $(second)
        .find('td')
        .toArray()
        .slice(0, 3)
        .map((cell) => $(cell).text().trim()),
      ['2', 'apply', 'Awaiting signing'],
    )
    t.same(
      $(second)
        .find('button')
        .toArray()
        .map(({ attribs }) => [attribs.name, attribs.value, attribs.title, attribs['aria-label']]),
      [
        ['_up', '2', 'Move up', 'Move up: Awaiting signing'],
        ['_down', '2', 'Move down', 'Move down: Awaiting signing'],
      ],
    )
    const refused = parseHtml((await root.post('/statuses/order', { id: 1 })).body)
    t.equal(refused('[role=alert]').text().trim(), 'Not saved. The statuses have changed; here is the current order.')
    const ids = $('input[name=id]')
      .toArray()
      .map(({ attribs }) => attribs.value as string)
    await root.post('/statuses/order', { id: ids })
    t.equal((await page('/statuses'))('.flash').text().trim().replace(/\s+/g, ' ').slice(0, 18), 'Status order saved')
  })

  t.test('each policy of each status is a switch of its own, in the row of its status', async (t) => {
    const $ = await page('/status/edit/apply?tab=policies')
    t.match($('.card-body').first().text(), 'What people can do with the orders they see, by status. Changes are saved automatically.')
    t.same(
      $('.policy-table thead tr')
        .last()
        .find('th')
        .toArray()
        .map((head) => [$(head).text(), head.attribs.title]),
      [
        ['Key', undefined],
        ['Status name', undefined],
        ['Color', undefined],
        ['Edit', 'Dealer can edit the order'],
        ['Edit lines', 'Dealer can edit order lines'],
        ['Attach files', 'Dealer can attach the payment confirmation'],
        ['Delete', 'Dealer can delete the order'],
        ['Edit', 'Manager can edit the order'],
        ['Edit lines', 'Manager can edit order lines'],
        ['Attach files', 'Manager can attach the specification and invoice'],
        ['Edit', 'Production can edit the order'],
        ['Set dates', 'Production can set dates'],
      ],
    )
    const rows = $('.policy-table tbody tr').toArray()
    const heads = rows.map((row) => {
      const link = $(row).find('[data-col=status_key] a')
      return [row.attribs.class, link.attr('href'), link.attr('aria-current'), $(row).find('[data-col=color]').text()]
    })
    t.same(heads.slice(0, 2), [
      ['is-own', '/status/edit/2?tab=policies', 'true', '—'],
      [undefined, '/status/edit/1?tab=policies', undefined, '#4299e1'],
    ])
    t.equal(heads.filter(([own, , current]) => own || current).length, 1)
    const cell = $('#policies-2 [data-col=order_dealer_can_attach]')
    t.equal(cell.attr('data-label'), 'Dealer can attach the payment confirmation')
    const action = '/status/edit/2/policies/order_dealer_can_attach'
    t.match(cell.find('form').attr(), { method: 'post', action, 'hx-post': action, 'hx-target': 'closest td', 'hx-swap': 'outerMorph' })
    const switches = ['order_dealer_can_attach', 'order_dealer_can_edit'].map((key) => {
      const form = $(`#policies-2 [data-col=${key}] form`)
      return [form.find('[role=switch]').attr('aria-checked'), form.find('[name=value]').attr('value')]
    })
    t.same(switches, [
      ['true', '0'],
      ['false', '1'],
    ])
  })

  t.test('whoever deletes statuses with orders is told how many, and chooses where they go', async (t) => {
    grant(db, cast.clerk, 'status_can_view')
    insertOrder(cabinet, 'apply', {})
    const $ = await page('/statuses/delete?id=1&id=2')
    t.match($('.confirm').text(), '2 orders will have no status unless you move them.')
    t.equal($('label[for=move_to]').text(), 'Move orders to')
    const select = $('select#move_to')
    t.same([select.attr('name'), 'required' in (select.attr() ?? {})], ['move_to', true])
    const options = select
      .find('option')
      .toArray()
      .map((option) => [option.attribs.value, $(option).text()])
    t.same(
      [options[0], options[1], options.at(-1)],
      [
        ['', 'Not selected'],
        ['3', 'Awaiting payment'],
        ['none', 'Leave without a status'],
      ],
    )
    t.same(
      $('.confirm-consequences')
        .first()
        .find('li')
        .toArray()
        .map((line) => textOf($(line).toString())),
      ['4 outgoing transitions will also be deleted.', '1 incoming transition will also be deleted.'],
    )
    for (const status of ['install', 'pickup']) insertOrder(cabinet, status, {})
    const later = await page('/statuses/delete?id=7&id=10')
    const names = later('.confirm-consequences .order-status').toArray()
    t.same(
      names.map((name) => later(name).text().trim()),
      ['Awaiting pickup', 'Installation'],
      'in the order of the way',
    )
    db.$client.exec("delete from user_policies where policy_id = (select id from policies where key = 'order_can_edit')")
    const blind = parseHtml((await (await as('clerk')).get('/statuses/delete?id=1&id=2')).body)
    t.match(blind('.confirm').text(), '2 orders will have no status.')
  })

  t.test('the form of a transition says what each field is, and who can in a table', async (t) => {
    const $ = await page('/status/edit/new?tab=transitions')
    t.equal($('.performers caption').first().text().trim(), 'Who can')
    const table = $('.performers').first().find('tr').toArray()
    t.same(
      table.map((row) =>
        $(row)
          .find('th')
          .toArray()
          .map((head) => $(head).text()),
      ),
      [['Dealer', 'Manager', 'Production'], ['Own orders'], ['Any orders']],
    )
    const boxes = $('.performers').first().find('input[type=checkbox]').toArray()
    t.same(
      boxes.map(({ attribs }) => [attribs['aria-label'], 'checked' in attribs]),
      [
        ["Order's dealer", true],
        ["Company's manager", true],
        ["Order's production team", false],
        ['Any dealer', false],
        ['Any manager', false],
        ['Any production user', false],
      ],
    )
    const labelled = (part: string) => $(`label[for="transitions.0.${part}"]`).text().trim().replace(/\s+/g, ' ')
    t.same(['child_status_id', 'action_name', 'min_paid'].map(labelled), ['Move to *', 'Button text', 'Least paid, %'])
    t.match($('#transitions\\.0\\.action_name-hint').text(), 'A verb, such as "Send for signing".')
    t.equal($('[name=_preview]').text().trim(), 'Preview changes')
    t.equal($('[name=_add]').text().trim(), 'Add transition')
    t.match($('.record-form').text(), 'Only within the credit limit')
    const data = await page('/status/edit/new')
    t.equal(data('[name=_preview]').length, 0, 'other tabs preview nothing')
    t.same(
      data('select[name=due] option')
        .toArray()
        .map((option) => data(option).text()),
      ['Not selected', 'Becomes due', 'Ceases to be due'],
    )
  })

  t.test('the workflow below the list is narrowed to roles, tried out, and fits the page where one likes', async (t) => {
    const $ = await page('/statuses?q=new')
    const roles = $('.workflow-roles a')
      .toArray()
      .map((link) => [$(link).text(), link.attribs.href])
    t.same(roles, [
      ['Everyone', '?q=new#workflow'],
      ["Order's dealer", '?q=new&role=dealer#workflow'],
      ['Any other dealer', '?q=new&role=dealers#workflow'],
      ["Company's manager", '?q=new&role=manager#workflow'],
      ['Any other manager', '?q=new&role=managers#workflow'],
      ['Production', '?q=new&role=production#workflow'],
      ['Administrators', '?q=new&role=administrator#workflow'],
    ])
    t.equal($('.workflow-roles').attr('aria-label'), 'Transitions for')
    t.same([$('.workflow-head a.btn').attr('href'), $('.workflow-head a.btn').text().trim()], ['/orders/try', 'Test the workflow'])
    t.equal($('label.workflow-fit').text().trim(), 'Fit to width')
    t.equal($('.workflow-scroll').attr('aria-label'), 'Workflow diagram')
  })
})
