import { eq } from 'drizzle-orm'
import t from 'tap'
import { notifications, orderDrafts, orders, uploads } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Answer, type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { addressesIn, wordsOf } from '../support/every-answer.ts'
import { addressOf } from '../support/every-page.ts'
import { ask } from '../support/every-route.ts'
import { elementsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole, totalOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { later } from '../support/later.ts'
import { allOrders, line, linesOf, newOrderId, orderOf } from '../support/orders.ts'

const day = 24 * 3600_000

const draftId = (answer: Answer) => Number(/\/orders\/add\?draft=(\d+)$/.exec(String(answer.headers.location))?.[1])

const draftsIn = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(orderDrafts).all()

const openDrafts = (cabinet: Pick<Cabinet, 'db'>) => draftsIn(cabinet).flatMap(({ id, deleted_at }) => (deleted_at === null ? id : []))

async function keep(browser: Browser, fields: Fields): Promise<number> {
  const answer = await browser.post('/orders/drafts', fields)
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode} ${textsByRole(answer, 'alert')}`)
  return draftId(answer)
}

/** A form with one file, as browsers send it. */
function sendFile(browser: Browser, path: string, fields: Fields, input: string, content: string): Promise<Answer> {
  const part = (name: string, more: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const texts = Object.entries(fields).map(([name, value]) => part(name, '', String(value)))
  const body = [...texts, part(input, '; filename="plan.txt"', content), '--x--\r\n'].join('')
  return browser.send('POST', path, { 'content-type': 'multipart/form-data; boundary=x' }, body)
}

t.test('a dealer keeps orders that they write, finds them as typed and goes on with each', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  const typed = { receiver: ' Ivanova ', phone: '+7(9', items: '', ...line(0, cast.category, 'Window', 'two', '1,'), comment: '' }
  const first = await keep(denis, { ...typed, once: 'x', unknown: 'y' })
  const second = await keep(denis, { receiver: 'Second' })
  t.not(first, second)
  const buttons = parseHtml((await denis.get('/orders/drafts')).body)('[data-draft] button').toArray()
  t.same(buttons.map(({ attribs }) => attribs['aria-label']).sort(), ['Delete draft: Ivanova', 'Delete draft: Second'], 'each tells which')
  const lines = elementsOf((await denis.get('/orders/drafts')).body, '[data-draft] p').map(textOf)
  t.same(lines.sort(), ['No lines yet.', 'Window'], 'and what is in it')
  const page = await denis.get(`/orders/add?draft=${first}`)
  t.equal(page.statusCode, 200)
  const value = (name: string) => fieldOf(page, name)?.value
  t.same(
    ['receiver', 'phone', 'items[0][name]', 'items[0][quantity]', 'items[0][price]'].map(value),
    [' Ivanova ', '+7(9', 'Window', 'two', '1,'],
    'what is not finished yet, too',
  )
  t.same(hiddenOf(page, 'draft'), [String(first)])
  t.not(value('once'), 'x')
  t.notMatch(
    textOf(elementsOf(page.body, 'form.record-form')[0] ?? ''),
    /Required|without lines|Choose a product/,
    'nobody is told off for an unfinished order',
  )
  t.equal(await keep(denis, { draft: first, receiver: 'Petrova', items: '' }), first, 'saved again it is the same draft')
  t.equal(fieldOf(await denis.get(`/orders/add?draft=${first}`), 'receiver')?.value, 'Petrova')
  t.notOk(fieldOf(await denis.get(`/orders/add?draft=${first}`), 'items[0][name]'), 'a line that is gone is gone')
  const list = await denis.get('/orders/drafts')
  t.same(
    elementsOf(list.body, '[data-draft] a').map((link) => textOf(link)),
    ['Petrova', 'Second'],
  )
  t.match((await denis.get('/orders')).body, /href="\/orders\/drafts"[\s\S]*?Drafts: 2/)
  t.same(
    draftsIn(cabinet).map(({ user_id }) => user_id),
    [cast.denis, cast.denis],
  )
  t.same(JSON.stringify(draftsIn(cabinet)).match(/once|unknown/), null)
  t.equal(allOrders(db).length, 1, 'only the order of the cast')
})

t.test('a draft keeps what its dealer was searched by', async (t) => {
  const { as } = await startCabinet(t)
  const maria = await as('maria')
  const draft = await keep(maria, { dealer_id: '', dealer_id_search: 'rom' })
  t.equal(fieldOf(await maria.get(`/orders/add?draft=${draft}`), 'dealer_id_search')?.value, 'rom')
})

t.test('an order placed from a draft ends it; a refused one does not', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  const [draft, other] = [await keep(denis, { receiver: 'Ivanova' }), await keep(denis, { receiver: 'Other' })]
  const lines = { items: '', ...line(0, cast.category, 'Window', 2, 100) }
  const refused = await denis.post('/orders/add', { draft, receiver: 'Ivanova', ...lines, 'items[0][quantity]': 'two' })
  t.equal(refused.statusCode, 422)
  t.same(hiddenOf(refused, 'draft'), [String(draft)], 'the form still knows its draft')
  t.equal(draftsIn(cabinet).length, 2)
  t.equal(await keep(denis, { draft, receiver: 'Ivan', once: 'once-of-a-draft' }), draft)
  t.equal(await keep(denis, { draft, receiver: 'Ivanova', once: 'once-of-a-draft' }), draft, 'the key is that of the order')
  const placed = await denis.post('/orders/add', { draft, receiver: 'Ivanova', ...lines, once: 'once-of-a-draft' })
  t.equal(placed.statusCode, 303)
  t.same(openDrafts(cabinet), [other])
  t.match(orderOf(db, newOrderId(placed)), { receiver: 'Ivanova', cost: 20_000 })
  t.equal(linesOf(db, newOrderId(placed)).length, 1)
  t.same(
    draftsIn(cabinet).map(({ fields, files }) => [fields.length, files]),
    [
      [0, null],
      [1, null],
    ],
    'what was typed is in the order now',
  )
  const back = await denis.get(`/orders/add?draft=${draft}`)
  t.equal(back.statusCode, 303, 'back leads to what the draft became')
  t.equal(back.headers.location, `/orders/${newOrderId(placed)}`)
  for (const name of ['roman', 'maria', 'root'] as const)
    t.equal((await (await as(name)).get(`/orders/add?draft=${draft}`)).statusCode, 404, name)
  t.equal((await denis.post('/orders/drafts', { draft, receiver: 'late' })).statusCode, 404, 'what was still on its way makes no new draft')
  for (const action of ['delete', 'restore']) t.equal((await denis.post(`/orders/drafts/${draft}/${action}`)).statusCode, 404, action)
  t.same(openDrafts(cabinet), [other])
  const viaAddress = await denis.post(`/orders/add?draft=${other}`, lines)
  t.equal(viaAddress.statusCode, 303)
  t.same(openDrafts(cabinet), [], 'the address of the form names the draft, too')
})

t.test('of one draft that stands in two tabs one order is placed; the other is told which (409)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const denis = await as('denis')
  const [draft, untouched] = [await keep(denis, { receiver: 'Ivanova' }), await keep(denis, { receiver: 'Other' })]
  const sent = { draft, receiver: 'Ivanova', without_lines: 1 }
  const path = `/orders/add?draft=${draft}`
  const placed = await denis.post(path, { ...sent, once: 'first-tab' })
  t.equal(placed.statusCode, 303)
  const count = allOrders(db).length
  t.equal((await denis.post(path, { ...sent, once: 'first-tab' })).statusCode, 303, 'the same form, sent again, leads to its order')
  const late = await denis.post(path, { ...sent, receiver: 'Typed later', once: 'second-tab' })
  t.equal(late.statusCode, 409)
  t.equal(allOrders(db).length, count)
  t.match(textsByRole(late, 'alert').join(), 'An order was already placed from this draft.')
  t.match(late.body, `<a class="alert-link" href="/orders/${newOrderId(placed)}">`, 'with a link to it')
  t.equal(fieldOf(late, 'receiver')?.value, 'Typed later', 'nothing typed is lost')
  t.same(hiddenOf(late, 'draft'), [], 'what stands there now is of no draft')
  const { draft: _, ...another } = sent
  t.equal((await denis.post(path, { ...another, once: 'on-purpose' })).statusCode, 303, 'sent on purpose, it is another order')
  t.equal((await (await as('roman')).post('/orders/add', sent)).statusCode, 303, 'to somebody else the draft says nothing')
  await denis.post(`/orders/drafts/${untouched}/delete`)
  t.equal((await denis.post('/orders/add', { ...sent, draft: untouched })).statusCode, 303, 'a deleted draft became no order')
})

t.test('an order and the end of its draft are one transaction', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  const draft = await keep(denis, { receiver: 'Ivanova' })
  db.$client.exec("create temp trigger stop before update on order_drafts begin select raise(abort, 'stopped'); end")
  const { error } = console
  console.error = () => undefined
  const answer = await denis.post('/orders/add', { draft, without_lines: 1 })
  console.error = error
  t.equal(answer.statusCode, 500)
  t.equal(allOrders(db).length, 1, 'without the one there is not the other')
  db.$client.exec('drop trigger stop')
  t.equal(cast.order, allOrders(db)[0]?.id)
})

t.test('nobody else opens, changes, deletes or ends a draft: colleague, manager, superadministrator (404)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const draft = await keep(await as('denis'), { receiver: 'Zqcanary' })
  for (const name of ['roman', 'daria', 'maria', 'admin', 'root'] as const) {
    const browser = await as(name)
    t.equal((await browser.get(`/orders/add?draft=${draft}`)).statusCode, 404, name)
    const replaced = await browser.post('/orders/drafts', { draft, receiver: 'Mine' })
    t.equal(replaced.statusCode, 404, name)
    t.notMatch(replaced.body, 'Zqcanary')
    for (const action of ['delete', 'restore']) t.equal((await browser.post(`/orders/drafts/${draft}/${action}`)).statusCode, 404, name)
    t.notMatch((await browser.get('/orders/drafts')).body, 'data-draft', name)
  }
  const roman = await as('roman')
  t.equal((await roman.post('/orders/add', { draft, without_lines: 1 })).statusCode, 303, 'an order of one’s own is placed')
  t.match(draftsIn(cabinet), [{ fields: [['receiver', 'Zqcanary']] }], 'and ends no draft of somebody else')
  t.equal((await (await as('pavel')).get('/orders/drafts')).statusCode, 403, 'production places no orders')
  t.equal(db.select().from(orderDrafts).get()?.deleted_at, null)
})

t.test('whoever acts as somebody else neither finds nor makes drafts', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const draft = await keep(await as('denis'), { receiver: 'Zqcanary' })
  const root = await as('root')
  t.equal((await root.post(`/impersonate/${cast.denis}`)).statusCode, 303)
  t.equal((await root.get('/orders/drafts')).statusCode, 403)
  t.equal((await root.get(`/orders/add?draft=${draft}`)).statusCode, 404)
  t.equal((await root.post('/orders/drafts', { receiver: 'x' })).statusCode, 403)
  t.equal((await root.post('/orders/drafts', { draft, receiver: 'x' })).statusCode, 403)
  const form = await root.get('/orders/add')
  t.equal(form.statusCode, 200)
  t.notMatch(form.body, /Save draft|order-draft/)
  t.notMatch((await root.get('/orders')).body, 'Drafts')
  t.equal((await root.post('/orders/add', { draft, without_lines: 1 })).statusCode, 303)
  t.equal(draftsIn(cabinet).length, 1)
})

t.test('nothing of a draft is in any answer to anybody else, and it counts nowhere', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  const denis = await as('denis')
  const page = await sendFile(denis, '/orders/drafts', { receiver: 'Zqcanary' }, 'payment_order', 'zqcanary of a file')
  const id = draftId(page)
  t.equal(db.select().from(notifications).all().length, 0, 'nobody is told')
  const key = String(db.select().from(uploads).get()?.key)
  const canary = new RegExp(`zqcanary|${key}|drafts: `, 'i')
  const found: string[] = []
  const own = new Set<string>()
  const total = totalOf(await denis.get('/orders'), 'orders')
  // Whoever sees most, the manager, and the colleague who sees what its person sees.
  const everybody = ['root', 'maria', 'roman'] as const
  for (const name of everybody) grant(db, cast[name], 'activity_can_view')
  for (const address of [...addressesIn(cabinet), `/files/${key}`, '/find?q=zqcan', '/orders?q=zqcan', '/activity?q=zqcan']) {
    if (canary.test(await wordsOf(await denis.get(address)))) own.add(address.split('?')[0] as string)
    for (const name of everybody) {
      if (canary.test(await wordsOf(await (await as(name)).get(address)))) found.push(`${name} GET ${address}`)
    }
  }
  for (const route of app.routeTable.filter(({ method, url }) => method === 'POST' && !/impersonate|logout|stream/.test(url)))
    for (const name of ['root', 'roman'] as const) {
      const path = addressOf(route.url, cast).split('?')[0] as string
      const body = `draft=${id}&id=${id}&items=&version=1&email=x&receiver=`
      if (canary.test(await wordsOf(await ask(cabinet, await as(name), route, path, {}, undefined, body))))
        found.push(`${name} POST ${route.url}`)
    }
  t.same(found, [])
  t.same(
    [...own].sort(),
    [`/files/${key}`, '/orders', '/orders/drafts', '/orders/drafts/products'],
    'its person finds it in these places only',
  )
  t.equal(totalOf(await denis.get('/orders'), 'orders'), total, 'no order more')
})

t.test('files of a draft stay with it, longer than files of nothing do, and come with the order', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  const denis = await as('denis')
  const answer = await sendFile(denis, '/orders/drafts', { receiver: 'Ivanova' }, 'payment_order', 'a plan')
  const draft = draftId(answer)
  const key = String(db.select().from(uploads).get()?.key)
  t.equal((await denis.get(`/files/${key}`)).body, 'a plan')
  for (const name of ['roman', 'maria', 'root'] as const) t.not((await (await as(name)).get(`/files/${key}`)).statusCode, 200, name)
  const root = await as('root')
  await root.post(`/impersonate/${cast.denis}`)
  t.equal((await root.get(`/files/${key}`)).statusCode, 403, 'nor by whoever acts as its person')
  await later(3 * day, async () => {
    await sweepUploads(app)
    const daysLater = cabinet.newBrowser()
    await daysLater.post('/login', { email: 'denis@example.com', password: 'a good password' })
    const form = await daysLater.get(`/orders/add?draft=${draft}`)
    t.match(elementsOf(form.body, '.stored-file').map(textOf), ['plan.txt'])
    t.same(hiddenOf(form, 'payment_order[stored]')[0], key)
    t.equal(await keep(daysLater, { draft, receiver: 'Ivanova', 'payment_order[stored]': key }), draft)
    const placed = await daysLater.post('/orders/add', { draft, 'payment_order[stored]': key, without_lines: 1 })
    t.equal(placed.statusCode, 303)
    t.equal(orderOf(db, newOrderId(placed)).payment_order, key)
  })
})

t.test('a draft names no file of somebody else, and is kept without one that is empty', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  await sendFile(await as('daria'), '/orders/drafts', {}, 'payment_order', 'Daria’s')
  const key = String(db.select().from(uploads).get()?.key)
  const denis = await as('denis')
  const draft = await keep(denis, { receiver: 'Ivanova', 'payment_order[stored]': key })
  t.not((await denis.get(`/files/${key}`)).statusCode, 200)
  t.notMatch((await denis.get(`/orders/add?draft=${draft}`)).body, key)
  const empty = await sendFile(denis, '/orders/drafts', { draft, receiver: 'Petrova' }, 'payment_order', '')
  t.equal(empty.statusCode, 422)
  t.match(textOf(empty.body), /This file is empty/)
  t.equal(fieldOf(empty, 'receiver')?.value, 'Petrova', 'nothing typed is lost')
  t.same(parseHtml(empty.body)('form.record-form').attr('action'), '/orders/add', 'the form can be sent as it is')
  t.match(draftsIn(cabinet)[1], { fields: [['receiver', 'Petrova']] })
})

t.test('there are twenty drafts for each person, none of them too long, and the page keeps what was typed (422, 413)', async (t) => {
  const cabinet = await startCabinet(t)
  const denis = await cabinet.as('denis')
  const drafts: number[] = []
  for (let at = 0; at < 20; at++) drafts.push(await keep(denis, { receiver: `Customer ${at}` }))
  const onemore = await denis.post('/orders/drafts', { receiver: 'One more' })
  t.equal(onemore.statusCode, 422)
  t.match(textsByRole(onemore, 'alert'), ['You can keep up to 20 drafts. Delete one first.'])
  t.equal(fieldOf(onemore, 'receiver')?.value, 'One more')
  t.equal(await keep(denis, { draft: drafts[0] as number, receiver: 'Changed' }), drafts[0], 'one there is can be saved')
  await keep(await cabinet.as('roman'), { receiver: 'Roman’s' })
  await denis.post(`/orders/drafts/${drafts[1]}/delete`)
  await keep(denis, { receiver: 'One more' })
  const restore = () => denis.post(`/orders/drafts/${drafts[1]}/restore`)
  const refused = await restore()
  t.equal(refused.statusCode, 422, 'nor does one come back that was deleted')
  t.match(textOf(refused.body), /You can keep up to 20 drafts Delete one first\./)
  await denis.post(`/orders/drafts/${drafts[3]}/delete`)
  t.same([(await restore()).statusCode, (await restore()).statusCode], [303, 303], 'with room for it, and again when it is there')
  const long = await denis.post('/orders/drafts', { draft: drafts[2] as number, comment: 'x'.repeat(500_001) })
  t.equal(long.statusCode, 413)
  t.match(draftsIn(cabinet)[2], { fields: [['receiver', 'Customer 2']] })
  const lines = Object.fromEntries(Array.from({ length: 200 }, (_, at) => Object.entries(line(at, 1, 'Дверь межкомнатная', 1, 1))).flat())
  t.equal(await keep(denis, { draft: drafts[2] as number, items: '', ...lines }), drafts[2], 'two hundred lines are not too long')
  for (const id of ['0', '-1', 'x', '999999', '1 or 1', '9'.repeat(30)])
    t.equal((await denis.post('/orders/drafts', { draft: id, receiver: 'x' })).statusCode, 404, id)
})

t.test('a deleted draft comes back within a day, and one that nobody opens for 31 days is gone', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, db, cast } = cabinet
  const denis = await as('denis')
  const [kept, unopened] = [await keep(denis, { receiver: 'Kept' }), await keep(denis, { receiver: 'Unopened' })]
  t.equal((await denis.post(`/orders/drafts/${kept}/delete`)).statusCode, 303)
  const list = await denis.get('/orders/drafts')
  t.same(elementsOf(list.body, '[data-draft] a').map(textOf), ['Unopened'])
  t.equal((await denis.get(`/orders/add?draft=${kept}`)).statusCode, 404)
  const undo = parseHtml(list.body)('.flash form').attr('action')
  t.equal(undo, `/orders/drafts/${kept}/restore`)
  t.equal((await denis.post(String(undo))).statusCode, 303)
  t.equal((await denis.get(`/orders/add?draft=${kept}`)).statusCode, 200)
  const age = (id: number, days: number) =>
    db
      .update(orderDrafts)
      .set({ opened_at: Date.now() - days * day })
      .where(eq(orderDrafts.id, id))
      .run()
  age(kept, 30.9)
  age(unopened, 31.1)
  t.equal((await denis.get(`/orders/add?draft=${unopened}`)).statusCode, 404, 'even before it is swept')
  const left = (await denis.get('/orders/drafts')).body
  t.same(elementsOf(left, '[data-draft] a').map(textOf), ['Kept'])
  const opened = draftsIn(cabinet).find(({ id }) => id === kept)?.opened_at ?? 0
  t.match(textOf(left), `No lines yet. ${formatDateTime(opened)}`, 'and when they were last opened')
  deleteExpiredRows(app)
  t.same(
    draftsIn(cabinet).map(({ id }) => id),
    [kept],
  )
  await denis.get(`/orders/add?draft=${kept}`)
  t.ok((draftsIn(cabinet)[0]?.opened_at ?? 0) > Date.now() - day, 'opening it counts anew')
  await denis.post(`/orders/drafts/${kept}/delete`)
  deleteExpiredRows(app)
  t.equal(draftsIn(cabinet).length, 1)
  db.update(orderDrafts)
    .set({ deleted_at: Date.now() - 1.1 * day })
    .run()
  deleteExpiredRows(app)
  t.equal(draftsIn(cabinet).length, 0)
  await keep(denis, { receiver: 'With the person' })
  await (await as('root')).post('/dealers/delete', { id: cast.denis })
  t.equal(draftsIn(cabinet).length, 0, 'drafts go with their person')
})

t.test('a draft opens without what its person may no longer fill in', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const draft = await keep(admin, { dealer_id: cast.daria, receiver: 'Ivanova', date_make: '2027-01-01', payment: 'card' })
  revoke(db, cast.admin, 'order_can_view_prices')
  t.equal((await admin.get(`/orders/add?draft=${draft}`)).statusCode, 200)
  const clerk = await as('maria')
  const own = await keep(clerk, { dealer_id: cast.daria, receiver: 'Ivanova', items: '', ...line(0, 1, 'Door', 1, 1), payment_order: 'x' })
  revoke(db, cast.maria, 'order_can_view_prices')
  const page = await clerk.get(`/orders/add?draft=${own}`)
  t.equal(page.statusCode, 200, 'a dealer who is not theirs, and lines without the right to price them')
  t.equal(fieldOf(page, 'receiver')?.value, 'Ivanova')
  t.notMatch(page.body, 'Королёва')
})

t.test('a script gets the state of the draft, and what is wrong with it', async (t) => {
  const cabinet = await startCabinet(t)
  const denis = await cabinet.as('denis')
  const answer = await denis.post('/orders/drafts', { receiver: 'Ivanova' }, htmx)
  t.equal(answer.statusCode, 200)
  const [draft] = draftsIn(cabinet)
  t.same(hiddenOf(answer, 'draft'), [String(draft?.id)])
  t.match(textOf(answer.body), /^Draft saved at \d\d:\d\d$/)
  t.notMatch(answer.body, '<html')
  const gone = await denis.post('/orders/drafts', { draft: 999_999, receiver: 'x' }, htmx)
  t.equal(gone.statusCode, 404)
  t.ok(textsByRole(gone, 'alert')[0])
  t.same(hiddenOf(gone, 'draft'), [])
  t.equal(cabinet.db.select().from(orders).all().length, 1)
})
