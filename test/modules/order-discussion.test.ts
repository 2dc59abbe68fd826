import { eq } from 'drizzle-orm'
import t from 'tap'
import type { ChangedFields } from '../../src/database/schema/audit-log.ts'
import {
  changes,
  companies,
  notifications,
  orderMessageEdits,
  orderMessages,
  orderVisits,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, errorsOf, fieldOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder, transitionBetween } from '../support/orders.ts'
import { listen } from '../support/stream.ts'

const newest = ({ db }: Cabinet) => db.select().from(orderMessages).all().at(-1)?.id as number

async function write(cabinet: Cabinet, browser: Browser, text: string, fields: Record<string, string> = {}): Promise<number> {
  const answer = await browser.post(`/orders/${cabinet.cast.order}/messages`, { text, ...fields })
  if (answer.statusCode !== 303) throw new Error(`${text}: ${answer.statusCode}`)
  return newest(cabinet)
}

const toldOf = ({ db }: Cabinet, id: number) =>
  db
    .select()
    .from(notifications)
    .where(eq(notifications.message_id, id))
    .all()
    .map(({ user_id }) => user_id)
    .sort()

t.test('the open pages of an order hear of a message when their person may read it, and no other page does', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const elsewhere = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  const [maria, denis, daria, root] = [await as('maria'), await as('denis'), await as('daria'), await as('root')]
  const opened = async (browser: Browser, order: number) => {
    const { next } = await listen(t, cabinet, browser, { order })
    t.match(await next(), /^unread/)
    return next
  }
  const [dealers, strangers, managers, roots, others] = [
    await opened(denis, cast.order),
    await opened(daria, cast.order),
    await opened(maria, cast.order),
    await opened(root, cast.order),
    await opened(denis, elsewhere),
  ]
  const hidden = await write(cabinet, maria, 'hush', { internal: '1' })
  await maria.post(`/orders/${cast.order}/messages/${hidden}`, { text: 'hush, hush' })
  await maria.post(`/orders/${cast.order}/messages/${hidden}/withdraw`)
  const open = await write(cabinet, maria, 'Ready')
  await maria.post(`/orders/${cast.order}/messages/${open}`, { text: 'Ready tomorrow' })
  const discussion = `discussion ${cast.order}`
  for (const change of ['written', 'edited', 'withdrawn', 'written', 'edited']) {
    t.equal(await managers(), discussion, `${change}: the manager`)
    t.equal(await roots(), discussion, `${change}: a superadministrator`)
  }
  t.equal(await dealers(), 'unread 1 1 unread notification', 'the dealer hears nothing of the internal message')
  t.equal(await dealers(), discussion, 'only of the open one')
  t.equal(await dealers(), discussion, 'and its change')
  notifyRecipients(cabinet, [cast.denis, cast.daria])
  t.equal(await strangers(), 'unread 1 1 unread notification', 'who may not see the order hears of nothing')
  t.same(
    [await others(), await others()],
    ['unread 1 1 unread notification', 'unread 2 2 unread notifications'],
    'the page of another order neither',
  )
})

t.test('a discussion shows whose each message is, what is internal, edited or withdrawn, and what can still be changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const [maria, denis, root] = [await as('maria'), await as('denis'), await as('root')]
  const address = `/orders/${cast.order}`
  const [asked, secret, gone] = [
    await write(cabinet, denis, 'Question'),
    await write(cabinet, maria, 'Secret', { internal: '1' }),
    await write(cabinet, maria, 'Withdrawn'),
  ]
  const message = async (browser: Browser, id: number, query = '') =>
    elementsOf((await browser.get(`${address}${query}`)).body, `[data-message="${id}"]`)[0] ?? ''
  const offers = (source: string) => parseHtml(source)('a[href*="?edit="], form').length > 0
  t.match(textOf(await message(maria, asked)), /^DD Denisov Denis Dealer · /)
  t.match(textOf(await message(maria, secret)), /^MP Petrova Maria Manager · .* Internal /)
  t.notMatch(textOf(await message(maria, asked)), 'Internal')
  t.same([offers(await message(maria, secret)), offers(await message(maria, asked))], [true, false], 'one changes what one wrote')
  t.same([offers(await message(denis, asked)), offers(await message(denis, gone))], [true, false])
  const byEdit = parseHtml(await message(root, asked, `?edit=${asked}`))
  t.equal(byEdit('textarea').length, 0, 'nor by an address')

  await denis.post(`${address}/messages/${asked}`, { text: 'Question' })
  t.notMatch(textOf(await message(root, asked)), 'edited', 'saved unchanged it is not edited')
  t.equal(db.select().from(orderMessageEdits).all().length, 0)
  await denis.post(`${address}/messages/${asked}`, { text: 'Better question' })
  t.match(textOf(await message(maria, asked)), /edited Better question/)
  db.update(orderMessageEdits)
    .set({ at: Date.parse('2026-02-03T12:34:00') })
    .run()
  t.same(elementsOf(await message(root, asked), '.message-edits li').map(textOf), ['03.02.2026 12:34 Question'])
  const refused = await denis.post(`${address}/messages/${asked}`, { text: `${'x'.repeat(10_001)}` })
  t.equal(refused.statusCode, 422)
  t.match(parseHtml(refused.body)('#edit-text').text().length, 10_002, 'what was typed stays')
  t.match(textOf(elementsOf(refused.body, '.message-edit').join()), 'Up to 10000 characters')

  await maria.post(`${address}/messages/${gone}/withdraw`)
  t.match(textsByRole(await maria.get('/profile'), 'status'), [`Message on order #${cast.order} withdrawn`])
  for (const browser of [maria, denis, root]) {
    const source = await message(browser, gone, `?edit=${gone}`)
    t.match(textOf(source), 'Message withdrawn')
    t.equal(offers(source), false, 'what is withdrawn cannot be changed')
    t.equal(parseHtml(source)('textarea').length, 0)
  }
  t.match(textOf(await message(root, gone)), 'Withdrawn', 'those who read the history still read it')
  await denis.post(`${address}/messages/${asked}/withdraw`)
  t.notMatch(textOf(await message(root, asked)), /· edited/)
})

t.test('an impersonator is named with what they wrote and with what they changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  const id = await write(cabinet, root, 'In the name of Denis')
  await root.post(`/orders/${cast.order}/messages/${id}`, { text: 'Still in the name of Denis' })
  t.match(textOf((await (await as('maria')).get(`/orders/${cast.order}`)).body), /Denisov Denis Dealer · .* \(impersonated by Root Olga\)/)
  t.match(db.select().from(orderMessageEdits).all(), [{ impersonator_name: 'Root Olga' }])
})

t.test('a message that is refused stays in its field, internal as it was', async (t) => {
  const { cast, as } = await startCabinet(t)
  const maria = await as('maria')
  for (const internal of ['0', '1']) {
    const refused = await maria.post(`/orders/${cast.order}/messages`, { text: `${'y'.repeat(10_001)}`, internal })
    t.equal(refused.statusCode, 422)
    t.match(errorsOf(refused), { text: 'Up to 10000 characters.' })
    t.match(fieldOf(refused, 'text')?.value.trim(), /^y{10001}$/)
    t.equal(parseHtml(refused.body)('input[name=internal][type=checkbox]').is('[checked]'), internal === '1')
  }
  t.notOk(parseHtml((await maria.get(`/orders/${cast.order}`)).body)('input[name=internal][type=checkbox]').is('[checked]'))
})

t.test('what others wrote since the last visit is marked as new, in the order in which it happened', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const [maria, denis] = [await as('maria'), await as('denis')]
  const address = `/orders/${cast.order}`
  await write(cabinet, maria, 'before')
  t.notMatch(textOf((await denis.get(address)).body), 'New since your last visit', 'at first everything is')
  await write(cabinet, denis, 'mine')
  await write(cabinet, maria, 'theirs')
  await write(cabinet, maria, 'also theirs')
  const start = Date.now()
  for (const [index, { id }] of db.select().from(orderMessages).all().entries())
    db.update(orderMessages)
      .set({ at: start + index })
      .where(eq(orderMessages.id, id))
      .run()
  db.$client.prepare('update order_visits set seen_at = ?').run(start)
  const timeline = elementsOf((await denis.get(address)).body, '#timeline > li').map(textOf)
  const marks = timeline.map((text) => [/mine|theirs|before|also/.exec(text)?.[0] ?? text, / New since | Not read yet /.test(` ${text} `)])
  t.same(marks, [
    ['before', false],
    ['mine', false],
    ['New since your last visit', true],
    ['theirs', true],
    ['also', true],
  ])
  t.notMatch(textOf((await denis.get(address)).body), 'New since your last visit', 'once')
  const root = await as('root')
  await root.post(`/impersonate/${cast.denis}`)
  await write(cabinet, root, 'in his name')
  t.notMatch(textOf((await root.get(address)).body), 'New since your last visit', 'whoever wrote it knows')
  t.match(textOf((await denis.get(address)).body), /New since your last visit .*in his name/, 'he does not')
})

t.test('of two visits the later one counts, whichever page was loaded last', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const denis = await as('denis')
  await write(cabinet, await as('maria'), 'Seen on another device')
  await denis.get(`/orders/${cast.order}`)
  const later = Date.now() + 3600_000
  db.update(orderVisits).set({ seen_at: later }).run()
  await write(cabinet, await as('maria'), 'Not read yet')
  await denis.get(`/orders/${cast.order}`)
  t.match(db.select().from(orderVisits).where(eq(orderVisits.user_id, cast.denis)).all(), [{ order_id: cast.order, seen_at: later }])
})

t.test('what happened at the same moment is told as it was done: step, change, message', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const maria = await as('maria')
  await write(cabinet, maria, 'Comment')
  await maria.post(`/orders/edit/${cast.order}`, { receiver: 'Anna', version: 1 })
  await maria.post(`/orders/${cast.order}/transition`, { transition_id: 1 })
  for (const table of ['order_messages', 'changes', 'order_history']) db.$client.exec(`update ${table} set at = 1700000000000`)
  const events = elementsOf((await maria.get(`/orders/${cast.order}`)).body, '#timeline > li').map(textOf)
  t.match(events, [/^Petrova Maria sent the order for signing Awaiting signing \d/, /changed: Customer full name/, /Comment/])
})

t.test('a long discussion shows its last fifty events, then fifty more, and a thousand at most', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  const denis = await as('denis')
  const add = (from: number, count: number) =>
    db.$client.transaction(() => {
      for (let number = from; number < from + count; number++)
        db.insert(orderMessages)
          .values({
            order_id: cast.order,
            at: number,
            author_id: cast.maria,
            author_name: 'M',
            author_group: 3,
            text: `message-${number}.`,
          })
          .run()
    })()
  const shown = async (query = '') => {
    const { body } = await denis.get(`/orders/${cast.order}${query}`)
    const texts = elementsOf(body, '.message-text').map(textOf)
    return { count: texts.length, first: texts[0], last: texts.at(-1), earlier: parseHtml(body)('.is-earlier > a').attr('href') }
  }
  add(1, 50)
  t.same(await shown(), { count: 50, first: 'message-1.', last: 'message-50.', earlier: undefined })
  add(51, 1)
  t.same(await shown(), { count: 50, first: 'message-2.', last: 'message-51.', earlier: `/orders/${cast.order}?shown=100#discussion` })
  t.same(await shown('?shown=100'), { count: 51, first: 'message-1.', last: 'message-51.', earlier: undefined })
  add(52, 960)
  t.same(await shown('?shown=5000'), { count: 1000, first: 'message-12.', last: 'message-1011.', earlier: undefined })
  for (let version = 2; version < 60; version++) {
    const fields: ChangedFields = { [version === 59 ? 'receiver' : 'comment']: [null, 'Anna'] }
    const change = { at: 2000 + version, action: 'update', entity: 'orders', record_id: cast.order, record_version: version } as const
    db.insert(changes)
      .values({ ...change, actor_name: 'M', label: '#1', fields })
      .run()
  }
  const last = elementsOf((await denis.get(`/orders/${cast.order}`)).body, '#timeline > li').at(-1)
  t.match(textOf(last ?? ''), 'M changed: Customer full name', 'of many changes, too, the latest')
})

t.test('what somebody wrote keeps their name and initials when they are gone', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const root = await as('root')
  const id = await write(cabinet, await as('maria'), 'Farewell')
  const signed = async () => {
    const message = parseHtml((await root.get(`/orders/${cast.order}`)).body)(`#message-${id}`)
    return [message.find('.avatar').text(), message.find('.timeline-head strong').text()]
  }
  t.same(await signed(), ['MP', 'Petrova Maria'])
  t.equal((await root.post('/managers/delete', { id: cast.maria })).statusCode, 303)
  t.same(await signed(), ['MP', 'Petrova Maria'])
})

t.test('reading an order reads its messages: by opening the page, in one’s own name, and nothing but messages', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const [maria, denis, root] = [await as('maria'), await as('denis'), await as('root')]
  const address = `/orders/${cast.order}`
  notifyRecipients(cabinet, [cast.denis])
  await write(cabinet, maria, 'Unread')
  const isMarked = async () => rowsOf(await denis.get('/orders'), 'orders')[0]?.cells.id?.includes('New message')
  await root.get(`/impersonate/${cast.denis}`)
  await root.get(address)
  await root.post('/impersonate/leave')
  t.equal(await isMarked(), true, 'an impersonator reads nothing for them')
  await denis.get(address, { 'sec-purpose': 'prefetch' })
  await denis.get(`${address}/timeline`, htmx)
  t.equal(await isMarked(), true, 'nor does a browser that fetches ahead, nor a page in the background')
  t.match(textOf((await denis.get('/')).body), 'Orders Unread messages: 1 Waiting for you 1', 'the menu counts the order')
  const { next } = await listen(t, cabinet, denis)
  t.equal(await next(), 'unread 2 2 unread notifications')
  await denis.get(address)
  t.equal(await next(), 'unread 1 1 unread notification', 'open pages hear of it; the change of status is still unread')
  t.equal(await isMarked(), false)
  t.match(textOf((await maria.get('/orders')).body), /^(?!.*New message)/, 'and it was never new to its author')
})

t.test('@ offers those who may read the message: staff everybody, dealers their colleagues and their manager', async (t) => {
  const { cast, as, db } = await startCabinet(t)
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const offered = async (browser: Browser) =>
    elementsOf((await browser.get(`/orders/${cast.order}/people`, htmx)).body, 'button').map(textOf)
  t.same(await offered(await as('denis')), ['Romanov Roman Dealer', 'Petrova Maria Manager'])
  t.same(await offered(await as('maria')), [
    'Adminov Anton Administrator',
    'Clerkova Klara Administrator',
    'Root Olga Administrator',
    'Denisov Denis Dealer',
    'Romanov Roman Dealer',
    'Masterov Pavel Production user',
  ])
})

t.test('a name that two readers share mentions neither; with the first name it is one of them', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  db.update(users).set({ lastname: 'Denisov' }).where(eq(users.id, cast.roman)).run()
  const [denis, root] = [await as('denis'), await as('root')]
  t.same(toldOf(cabinet, await write(cabinet, denis, 'Hello @Denisov!')), [cast.maria])
  t.match(textsByRole(await denis.get('/profile'), 'status'), [/Not notified.*@Denisov/])
  await write(cabinet, denis, 'Hello @O’Brien-Smith, you there?')
  t.match(textsByRole(await denis.get('/profile'), 'status'), [/Not notified.*: @O’Brien-Smith$/], 'the whole of a name')
  t.same(toldOf(cabinet, await write(cabinet, denis, 'Hello @Denisov Roman, and @denisov roman')), [cast.maria, cast.roman].sort())
  t.notMatch(textsByRole(await denis.get('/profile'), 'status').join(), 'Not notified')
  t.same(toldOf(cabinet, await write(cabinet, root, 'Thanks')), [cast.maria, cast.denis].sort(), 'whom it mentioned once is not told again')
  t.same(toldOf(cabinet, await write(cabinet, denis, 'Welcome')), [cast.maria, cast.root].sort(), 'who wrote before is')
  t.same(toldOf(cabinet, await write(cabinet, denis, 'mail@Denisov.example')), [cast.maria, cast.root].sort())
  grant(db, cast.mikhail, 'order_can_view')
  t.same(toldOf(cabinet, await write(cabinet, denis, '@Sidorov')), [cast.maria, cast.root].sort(), 'a dealer does not know him')
  t.same(toldOf(cabinet, await write(cabinet, root, '@Sidorov')), [cast.maria, cast.denis, cast.mikhail].sort())
})

t.test('the history of an order tells in sentences, in the language of its reader, who did what with which files', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const [maria, denis] = [await as('maria'), await as('denis')]
  const category = { 'items[0][category_id]': cast.category, 'items[0][name]': 'Window', 'items[0][quantity]': 1, 'items[0][price]': 1 }
  const placed = await denis.post('/orders/add', { items: '', ...category, without_lines: 1 })
  const id = Number(/orders\/(?:edit\/)?(\d+)/.exec(String(placed.headers.location))?.[1])
  const step = (from: string, to: string) => transitionBetween(cabinet, from, to).id
  const move = (from: string, to: string, fields: [string, string | File][] = []) =>
    submitForm(maria, `/orders/${id}/transition`, [['transition_id', String(step(from, to))], ...fields])
  t.equal((await move('new', 'apply')).statusCode, 303)
  const file = (name: string) => new File([name], name)
  const papers: [string, File][] = [
    ['specification', file('specification.pdf')],
    ['invoice', file('invoice.pdf')],
  ]
  t.equal((await move('apply', 'payment', papers)).statusCode, 303)
  t.equal(
    (
      await move('payment', 'paid', [
        ['payment_order', file('paid.pdf')],
        ['payment', 'card'],
      ])
    ).statusCode,
    303,
  )
  db.update(statusTransitions)
    .set({ action_name: 'Off we go' })
    .where(eq(statusTransitions.id, step('paid', 'production')))
    .run()
  t.equal((await move('paid', 'production', [['date_make', '2030-01-31']])).statusCode, 303)
  await maria.post(`/orders/edit/${id}`, { receiver: 'Anna' })
  const told = async (path: string, selector: string) =>
    elementsOf((await maria.get(path)).body, selector).map((source) => textOf(elementsOf(source, 'p')[0] ?? ''))
  const sentences = [
    'Denisov Denis placed the order',
    'Petrova Maria sent the order for signing',
    'Petrova Maria requested payment and attached specification.pdf and invoice.pdf',
    'Petrova Maria reported payment and attached paid.pdf',
    'Petrova Maria moved the order to "In production"',
  ]
  t.same(await told(`/orders/${id}`, '#timeline [data-transition]'), sentences)
  t.same((await told(`/orders/edit/${id}?tab=history`, '[data-transition]')).reverse(), sentences)
  const whole = textOf(elementsOf((await maria.get(`/orders/${id}`)).body, '#timeline')[0] as string)
  t.match(whole, 'Filled in: Payment type "Bank card"', 'files are named in the sentence, other values below it')
  t.match(whole, 'Petrova Maria changed: Customer full name')
  t.notMatch(whole, '0 days')
  await maria.post('/preferences', { language: 'ru' })
  t.same(await told(`/orders/${id}`, '#timeline [data-transition]'), [
    'Denisov Denis: заказ оформлен',
    'Petrova Maria: заказ отправлен на подписание',
    'Petrova Maria: выставлен счёт, приложено: specification.pdf и invoice.pdf',
    'Petrova Maria: сообщено об оплате, приложено: paid.pdf',
    'Petrova Maria: заказ переведён в статус «В производстве»',
  ])
  for (const path of ['/orders?cols=since', '/orders/board']) t.notMatch(textOf((await maria.get(path)).body), /(^|\s)0 (days|дней)/, path)
  t.match(textOf((await maria.get('/orders/board')).body), 'сегодня')
})
