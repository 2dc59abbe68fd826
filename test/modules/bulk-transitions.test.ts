import { asc, eq } from 'drizzle-orm'
import t from 'tap'
import { companies, notifications, orderHistory, orders, statuses, statusTransitions } from '../../src/database/schema/index.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { attributesOf, controlsOf, elementsOf, hiddenOf, parseHtml, textOf, textsByRole, totalOf } from '../support/html.ts'
import { endOfJob, until } from '../support/jobs.ts'
import { insertOrder, statusId } from '../support/orders.ts'

const resultsOf = ({ body }: Answer) =>
  Object.fromEntries([...body.matchAll(/data-result="(\d+)" data-moved="([01])"/g)].map(([, id, moved]) => [id, moved === '1']))

t.test('a manager moves many orders at once', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const statusOf = (id: number) => {
    const order = db.select({ key: statuses.status_key }).from(orders).innerJoin(statuses, eq(statuses.id, orders.status_id))
    return order.where(eq(orders.id, id)).get()?.key
  }
  const [maria, root] = [await as('maria'), await as('root')]
  const transition = (from: string, to: string) =>
    db.query.statusTransitions
      .findMany({ orderBy: ({ id }) => asc(id) })
      .sync()
      .find(({ parent_status_id, child_status_id }) => parent_status_id === statusId(from) && child_status_id === statusId(to))
      ?.id as number

  t.test('the choice of transitions lists those that this user may perform, with the number of orders for each', async (t) => {
    const [one, two] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'apply', of)]
    const page = textOf((await maria.get(`/orders/transitions?id=${one}&id=${two}&id=${cast.order}`)).body)
    t.match(page, 'Move 3 orders')
    t.match(page, /New\s*Awaiting signing\s*2 orders/)
    t.match(page, /Awaiting signing\s*Canceled\s*1 order/)
    t.notMatch(page, 'In production')
    for (const id of [one, two]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('orders whose way of delivery does not fit the step are named, and only these', async (t) => {
    const ready = { ...of, receiver: 'Ivanov', phone: '+7(900) 000 00 00', address: 'Moscow' }
    const [sent, fetched, unsaid] = (['carrier', 'pickup', null] as const).map((delivery) =>
      insertOrder(cabinet, 'production', { ...ready, delivery }),
    )
    const named = async (to: string) => {
      const ids = [sent, fetched, unsaid].map((id) => `id=${id}`).join('&')
      const page = await root.get(`/orders/transitions?${ids}&transition_id=${transition('production', to)}`)
      return elementsOf(page.body, '[data-unfit]').map(textOf)
    }
    t.same(await named('delivery'), [`#${fetched}: Pickup`])
    t.same(await named('pickup'), [`#${sent}: Freight carrier`])
    t.same(await named('canceled'), [], 'any order is called off')
    for (const id of [sent, fetched, unsaid])
      db.delete(orders)
        .where(eq(orders.id, id as number))
        .run()
  })

  t.test('orders that cannot move stay and say why, the others move with history and notifications', async (t) => {
    const moving = [insertOrder(cabinet, 'paid', of), insertOrder(cabinet, 'paid', { ...of, date_make: '2026-12-31' })]
    const elsewhere = insertOrder(cabinet, 'new', of)
    const ids = [...moving, elsewhere]
    const transition_id = transition('paid', 'production')
    const asked = await maria.get(`/orders/transitions?${ids.map((id) => `id=${id}`).join('&')}&transition_id=${transition_id}`)
    t.match(textOf(asked.body), /2 orders will move\. 1 order will not move:/)
    t.match(asked.body, 'name="date_make"')
    const groups = (html: string) => elementsOf(html, 'fieldset').map((group) => textOf(elementsOf(group, 'legend')[0] ?? ''))
    t.same(groups(asked.body), ['All orders'], 'nothing is asked of each')
    const marked = elementsOf(asked.body, 'label')
      .map(textOf)
      .filter((label) => label.endsWith('*'))
    t.same(marked, ['Production date *'], 'a comment is not required')
    const onlyComment = await maria.get(`/orders/transitions?id=${elsewhere}&transition_id=${transition('new', 'apply')}`)
    t.same(groups(onlyComment.body), ['Data'])
    const answer = await maria.post('/orders/transitions', { id: ids, transition_id, date_make: '2026-12-01', note: 'together', once: 'a' })
    t.equal(answer.statusCode, 200)
    t.same(resultsOf(answer), { [moving[0] as number]: true, [moving[1] as number]: true, [elsewhere]: false })
    t.match(textOf(answer.body), 'The order is in "New"')
    t.same(ids.map(statusOf), ['production', 'production', 'new'])
    const dates = moving.map((id) => db.select().from(orders).where(eq(orders.id, id)).get()?.date_make)
    t.same(dates, ['2026-12-01', '2026-12-31'], 'what an order has stays')
    t.ok(
      db
        .select()
        .from(orderHistory)
        .all()
        .filter(({ comment }) => comment === 'together').length === 2,
    )
    t.ok(db.select().from(notifications).all().length > 0)
    const steps = db.select().from(orderHistory).all().length
    const again = await maria.post('/orders/transitions', { id: ids, transition_id, date_make: '2026-12-01', note: 'together', once: 'a' })
    t.same(resultsOf(again), resultsOf(answer), 'sent again, it says the same')
    t.equal(db.select().from(orderHistory).all().length, steps, 'and nothing moves twice')
  })

  t.test('a bulk transition asks for required fields once; without them each order says what is missing', async (t) => {
    const id = insertOrder(cabinet, 'paid', of)
    const transition_id = transition('paid', 'production')
    const without = await maria.post('/orders/transitions', { id, transition_id })
    t.same(resultsOf(without), { [id]: false })
    t.match(textOf(without.body), 'Requires Production date')
    t.equal((await maria.post('/orders/transitions', { id, transition_id, date_make: '31.31.2026' })).statusCode, 422)
    t.equal(statusOf(id), 'paid')
  })

  t.test('a bulk transition that issues nothing takes files for each order', async (t) => {
    db.update(statusTransitions)
      .set({ issues: [] })
      .where(eq(statusTransitions.id, transition('apply', 'payment')))
      .run()
    const [one, two] = [insertOrder(cabinet, 'apply', of), insertOrder(cabinet, 'apply', of)]
    const transition_id = transition('apply', 'payment')
    const asked = await maria.get(`/orders/transitions?id=${one}&id=${two}&transition_id=${transition_id}`)
    t.match(asked.body, `name="files[${two}][invoice]"`)
    const part = (name: string, value: string, file = '') =>
      `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
    const file = (name: string) => part(name, 'content', '; filename="a.pdf"')
    const parts = [file(`files[${one}][invoice]`), file(`files[${one}][specification]`), file(`files[${two}][invoice]`)]
    const fields = [part('id', String(one)), part('id', String(two)), part('transition_id', String(transition_id))]
    const type = { 'content-type': 'multipart/form-data; boundary=x' }
    const answer = await maria.send('POST', '/orders/transitions', type, `${[...fields, ...parts].join('')}--x--\r\n`)
    t.same(resultsOf(answer), { [one]: true, [two]: false })
    t.match(textOf(answer.body), 'Requires Specification')
  })

  t.test('the question counts and adds up only what will move, and warns of a final status', async (t) => {
    const moving = [1_000_00, 2_000_50].map((cost) => insertOrder(cabinet, 'new', { ...of, cost }))
    const elsewhere = insertOrder(cabinet, 'apply', { ...of, cost: 4_000_00 })
    const ask = async (ids: number[], to: string, from = 'new') =>
      maria.get(`/orders/transitions?${ids.map((id) => `id=${id}`).join('&')}&transition_id=${transition(from, to)}`)
    const final = await ask([...moving, elsewhere], 'canceled')
    t.same(textsByRole(final, 'alert'), ['Total 3\u00a0000,50\u00a0₽. This is a final status.'.replaceAll('\u00a0', ' ')])
    t.match(textOf(final.body), `2 orders will move. 1 order will not move: #${elsewhere}: The order is in "Awaiting signing".`)
    const focused = ({ body }: Answer) => parseHtml(body)('main [autofocus]').text().trim()
    t.match(textOf(parseHtml(final.body)('main button[name=transition_id]').text()), 'Move 2 orders')
    t.equal(focused(final), 'Cancel', 'Enter ends nothing')
    const onward = await ask(moving, 'apply')
    t.same(textsByRole(onward, 'alert'), [], 'one that goes on needs no warning')
    t.equal(focused(onward), 'Move 2 orders')
    const none = await ask(moving, 'canceled', 'apply')
    t.match(textOf(none.body), '0 orders will move. 2 orders will not move:')
    t.same(textsByRole(none, 'alert'), [])
    t.equal(parseHtml(none.body)('main button[name=transition_id]').length, 0, 'nothing to confirm')
    for (const id of [...moving, elsewhere]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('a dealer is offered the steps of own orders only, and told why those of colleagues stay', async (t) => {
    const denis = await as('denis')
    const [own, other] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'new', { ...of, dealer_id: cast.roman })]
    const choices = parseHtml((await denis.get(`/orders/transitions?id=${own}&id=${other}`)).body)('.bulk-choices button')
    t.same(
      choices.toArray().map((button) => Number(button.attribs.value)),
      [transition('new', 'apply'), transition('new', 'canceled')],
    )
    t.match(textOf(choices.text()), '1 order')
    const asked = textOf((await denis.get(`/orders/transitions?id=${own}&id=${other}&transition_id=${transition('new', 'apply')}`)).body)
    const reason = "Only the order's dealer, the company's manager, or an administrator can do this."
    t.match(asked, `1 order will move. 1 order will not move: #${other}: ${reason}`)
    const answer = await denis.post('/orders/transitions', { id: [own, other], transition_id: transition('new', 'apply') })
    t.same(resultsOf(answer), { [own]: true, [other]: false })
    t.match(textOf(answer.body), reason)
    t.equal(statusOf(other), 'new')
    const alone = textOf((await denis.get(`/orders/transitions?id=${other}`)).body)
    t.match(alone, 'You cannot move any of these orders.')
    for (const id of [own, other]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('the steps of most orders come first', async (t) => {
    const ids = ['new', 'apply', 'apply', 'apply'].map((status) => insertOrder(cabinet, status, of))
    const page = await maria.get(`/orders/transitions?${ids.map((id) => `id=${id}`).join('&')}`)
    const counts = elementsOf(page.body, '.bulk-choices .count').map(textOf)
    t.same(counts, ['3 orders', '3 orders', '1 order', '1 order'])
    for (const id of ids) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('of many orders that stay ten are named and the others counted', async (t) => {
    const going = insertOrder(cabinet, 'new', of)
    const staying = Array.from({ length: 12 }, () => insertOrder(cabinet, 'apply', of))
    const named = async (ids: number[]) => {
      const query = ids.map((id) => `id=${id}`).join('&')
      const page = await maria.get(`/orders/transitions?${query}&transition_id=${transition('new', 'apply')}`)
      return elementsOf(page.body, '.confirm-names li').map((item) => textOf(item).split(':')[0])
    }
    const labels = staying.map((id) => `#${id}`)
    t.same(await named([going, ...staying.slice(0, 10)]), labels.slice(0, 10))
    t.same(await named([going, ...staying]), [...labels.slice(0, 10), 'and 2 more'])
    for (const id of [going, ...staying]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('a field is asked for when an order that will move lacks it, not for one that stays', async (t) => {
    const full = insertOrder(cabinet, 'paid', { ...of, date_make: '2026-12-31' })
    const [lacking, elsewhere] = [insertOrder(cabinet, 'paid', of), insertOrder(cabinet, 'new', of)]
    const asks = async (...ids: number[]) => {
      const query = ids.map((id) => `id=${id}`).join('&')
      const page = await maria.get(`/orders/transitions?${query}&transition_id=${transition('paid', 'production')}`)
      return controlsOf(page.body).some(({ name }) => name === 'date_make')
    }
    t.same([await asks(full, elsewhere), await asks(full, lacking)], [false, true])
    for (const id of [full, lacking, elsewhere]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('up to twenty files are asked for; for more the orders say that they need one', async (t) => {
    const ids = Array.from({ length: 11 }, () => insertOrder(cabinet, 'apply', of))
    const ask = async (some: number[]) =>
      (await maria.get(`/orders/transitions?${some.map((id) => `id=${id}`).join('&')}&transition_id=${transition('apply', 'payment')}`))
        .body
    const ownPages = 'Move these orders one at a time, each on its own page:'
    const twenty = await ask(ids.slice(0, 10))
    t.equal(elementsOf(twenty, 'main input[type=file]').length, 20)
    t.notMatch(twenty, ownPages)
    const more = await ask(ids)
    t.equal(elementsOf(more, 'main input[type=file]').length, 0)
    t.match(more, ownPages)
    const asked = async () => {
      const page = await ask(ids.slice(0, 2))
      return controlsOf(page)
        .flatMap(({ name, type }) => (type === 'file' ? /\w+(?=\]$)/.exec(name ?? '') : []))
        .join()
    }
    t.equal(await asked(), 'specification,invoice,specification,invoice')
    revoke(db, cast.maria, 'order_can_view_prices')
    t.equal(await asked(), '', 'whoever may not see an invoice is not asked for it')
    t.match(textOf(await ask(ids.slice(0, 2))), `${ownPages} #${ids[0]} : Requires Invoice #${ids[1]} : Requires Invoice`)
    grant(db, cast.maria, 'order_can_view_prices')
    for (const id of ids) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('from the board one comes back to the board, or reads what stayed; from the list to the list as it was', async (t) => {
    const [one, two, late] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'apply', of)]
    const transition_id = transition('new', 'apply')
    const moved = await maria.post('/orders/transitions', { id: one, transition_id, board: 1 })
    t.match([moved.statusCode, moved.headers.location], [303, `/orders/board?moved=${one}`])
    t.match(textsByRole(await maria.get('/orders/board'), 'status'), [`Order #${one} moved to`])
    const three = insertOrder(cabinet, 'new', of)
    const partly = await maria.post('/orders/transitions', { id: [two, three, late], transition_id, board: 1 })
    t.equal(partly.statusCode, 200)
    t.match(textOf(partly.body), '1 order was not moved:')
    t.match(partly.body, 'href="/orders/board"')
    const results = elementsOf(partly.body, '.bulk-report a').map((link) => [textOf(link), attributesOf(link).href])
    t.same(
      results,
      [late, two, three].map((id) => [`#${id}`, `/orders/${id}`]),
      'each leads to its order',
    )
    const listed = await maria.get(`/orders/transitions?id=${one}&status=2&sort=cost&transition_id=${transition('apply', 'canceled')}`)
    t.match(parseHtml(listed.body)('[data-close]').attr('href'), /^\/orders\?.*status=2.*sort=cost|^\/orders\?.*sort=cost.*status=2/)
    for (const id of [one, two, three, late]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test(
    'more than 250 orders are moved by a job; it skips those of a company that is handed over, and ends when its author loses the right',
    async (t) => {
      const first = eq(statusTransitions.id, transition('new', 'apply'))
      db.update(statusTransitions).set({ managers_can: true }).where(first).run()
      const ids = Array.from({ length: 300 }, () => insertOrder(cabinet, 'new', of))
      const moved = () => ids.filter((id) => statusOf(id) === 'apply').length
      const manager = (manager_id: number) => db.update(companies).set({ manager_id }).where(eq(companies.id, cast.companies.alpha)).run()
      const body = { id: ids, transition_id: transition('new', 'apply'), once: 'many' }
      const address = (await maria.post('/orders/transitions', body)).headers.location as string
      t.match(address, /^\/jobs\/\d+$/)
      await until(() => moved() !== 0)
      manager(cast.mikhail)
      const job = await endOfJob(cabinet, address)
      t.match(job, { kind: 'move', state: 'done', done: 300, skipped: 300 - moved() })
      t.match(job.report.at(-1)?.reason, "You don't have access")
      manager(cast.maria)
      t.equal((await maria.post('/orders/transitions', body)).headers.location, address, 'sent again, it is the same job')
      t.equal((await maria.post('/orders/transitions', body, htmx)).headers['hx-redirect'], address, 'out of a dialog, too')
      for (const id of ids)
        db.update(orders)
          .set({ status_id: statusId('new') })
          .where(eq(orders.id, id))
          .run()
      const admin = await as('admin')
      grant(db, cast.admin, 'order_can_view')
      const lost = (await admin.post('/orders/transitions', { ...body, once: 'lost' })).headers.location as string
      await until(() => moved() !== 0)
      revoke(db, cast.admin, 'order_can_view')
      t.match(await endOfJob(cabinet, lost), { state: 'failed', problem: ["You don't have access."] })
      t.ok(moved() < 300)
      grant(db, cast.admin, 'order_can_view')
      db.update(statusTransitions).set({ managers_can: false }).where(first).run()
      for (const id of ids) db.delete(orders).where(eq(orders.id, id)).run()
    },
  )

  t.test('"all results" moves only the orders that were shown (409 when there are more)', async (t) => {
    const listed = totalOf(await maria.get('/orders?status=1'), 'orders') as number
    const page = await maria.get(`/orders/transitions?all=1&status=1&transition_id=${transition('new', 'canceled')}`)
    const [seen = ''] = hiddenOf(page, 'seen')
    const more = insertOrder(cabinet, 'new', of)
    const body = { all: 1, status: 1, seen, transition_id: transition('new', 'canceled'), once: 'all' }
    const asked = await maria.post('/orders/transitions', body)
    t.equal(asked.statusCode, 409)
    t.same(textsByRole(asked, 'alert')[0], 'The list has changed. Review it and try again.')
    t.equal(statusOf(more), 'new')
    db.delete(orders).where(eq(orders.id, more)).run()
    t.equal(Object.keys(resultsOf(await maria.post('/orders/transitions', body))).length, listed)
    t.equal(statusOf(cast.order), 'canceled')
    const again = await maria.post('/orders/transitions', body)
    t.equal(Object.keys(resultsOf(again)).length, listed, 'sent again it says the same, although the list has changed')
    const otherwise = await maria.post('/orders/transitions', { ...body, id: cast.order, all: '' })
    t.equal(otherwise.statusCode, 409)
    t.match(textsByRole(otherwise, 'alert').join(), /already sent with other values/)
  })

  t.test('"all results" of more orders than are moved at a time are refused (422) and none moves', async (t) => {
    const transition_id = transition('new', 'apply')
    for (let count = 0; count < 1001; count++) insertOrder(cabinet, 'new', { ...of, receiver: 'Crowd' })
    const asked = await maria.get('/orders/transitions?all=1&q=crowd')
    t.equal(asked.statusCode, 422)
    t.match(textOf(asked.body), 'Move up to 1000 orders at a time')
    t.equal((await maria.post('/orders/transitions', { all: 1, q: 'crowd', transition_id })).statusCode, 422)
    t.equal(totalOf(await maria.get('/orders?q=crowd&status=1'), 'orders'), 1001)
    db.delete(orders).where(eq(orders.receiver, 'Crowd')).run()
  })

  t.test('of two transitions in one body the one that is judged is made', async (t) => {
    const id = insertOrder(cabinet, 'new', of)
    const both = [transition('new', 'apply'), transition('new', 'canceled')]
    t.ok(both.every(Boolean))
    const answer = await maria.post('/orders/transitions', { id, transition_id: both })
    t.same(resultsOf(answer), { [id]: true })
    t.equal(statusOf(id), 'apply')
  })

  t.test('a bulk transition with an order of another company or invalid input is refused and changes nothing', async (t) => {
    const [mine, foreign] = [
      insertOrder(cabinet, 'new', of),
      insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta }),
    ]
    const transition_id = transition('new', 'apply')
    t.equal((await maria.post('/orders/transitions', { id: [mine, foreign], transition_id })).statusCode, 403)
    t.equal((await maria.post('/orders/transitions', { id: [mine, 99999], transition_id })).statusCode, 404)
    t.equal((await maria.post('/orders/transitions', { transition_id })).statusCode, 422)
    t.equal((await maria.post('/orders/transitions', { id: mine, transition_id: 9999 })).statusCode, 422)
    t.equal(
      (await root.post('/orders/transitions', { id: Array.from({ length: 1500 }, (_, id) => id + 1), transition_id })).statusCode,
      422,
    )
    t.equal(
      (await root.post('/orders/transitions', { id: Array.from({ length: 10_000 }, (_, id) => id + 1), transition_id })).statusCode,
      413,
    )
    t.same([mine, foreign].map(statusOf), ['new', 'new'])
  })
})
