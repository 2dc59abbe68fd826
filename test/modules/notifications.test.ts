import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { write } from '../../src/database/open.ts'
import { deliveries, notifications, orders, sessions, users } from '../../src/database/schema/index.ts'
import { queueNotifications } from '../../src/modules/notifications/queue.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { type Answer, type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import {
  attributesOf,
  cellsOf,
  elementById,
  elementsOf,
  hiddenOf,
  isDocument,
  parseHtml,
  tagsOf,
  textOf,
  totalOf,
} from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'
import { listen } from '../support/stream.ts'

const channels = { SMTP_URL: 'smtp://127.0.0.1:9', TELEGRAM_BOT_TOKEN: 'secret', TELEGRAM_API_URL: 'http://127.0.0.1:9' }

t.test('notifications are queued', async (t) => {
  const cabinet = await startCabinet(t, { environment: channels })
  const { app, db, cast } = cabinet
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.denis)).run()

  t.test('a status change notifies each recipient once, with one message on each channel', async (t) => {
    const change = notifyRecipients(cabinet, [cast.denis, cast.maria, cast.denis])
    const again = { recipients: [cast.denis], acted: null, order_id: cast.order, history_id: change, status_name: 'Paid' }
    write(db, () => queueNotifications(app, again))
    const stored = db.select().from(notifications).all()
    t.same(stored.map(({ user_id }) => user_id).sort(), [cast.denis, cast.maria].sort())
    const waiting = db.select().from(deliveries).all()
    t.same(waiting.map(({ channel }) => channel).sort(), ['email', 'email', 'telegram'])
  })

  t.test('deactivated users find notifications in their inbox later, but nothing is sent to them', async (t) => {
    db.delete(notifications).run()
    notifyRecipients(cabinet, [cast.ivan])
    t.equal(db.select().from(notifications).all().length, 1)
    t.equal(db.select().from(deliveries).all().length, 0)
  })

  t.test('a transaction that is rolled back queues no notifications', async (t) => {
    db.delete(notifications).run()
    t.throws(() =>
      write(db, () => {
        notifyRecipients(cabinet, [cast.denis])
        throw new Error('no')
      }),
    )
    t.equal(db.select().from(notifications).all().length, 0)
  })

  t.test('a status change without recipients queues nothing', async (t) => {
    notifyRecipients(cabinet, [])
    t.equal(db.select().from(notifications).all().length, 0)
  })
})

const stored = ({ db }: Pick<Cabinet, 'db'>, id: number) => db.select().from(notifications).where(eq(notifications.id, id)).get()
const newest = ({ db }: Cabinet) =>
  db.select().from(notifications).orderBy(desc(notifications.id)).get() as typeof notifications.$inferSelect
const inboxOf = (answer: Answer) =>
  tagsOf(answer.body, 'tr')
    .flatMap((row) => row['data-notification'] ?? [])
    .map(Number)
const bellOf = (answer: Answer) => textOf(elementById(answer, 'bell') ?? '')

t.test(
  'what is unread is marked in the panel of the bell, and the inbox offers to mark it: each by name, all while one is left',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, cast } = cabinet
    const denis = await as('denis')
    const other = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha })
    notifyRecipients(cabinet, [cast.denis], 'Paid')
    const paid = newest(cabinet).id
    notifyRecipients(cabinet, [cast.denis], 'Apply', other)
    const named = async () => {
      const page = parseHtml((await denis.get('/notifications')).body)
      const labels = page('tr[data-notification] .row-actions button').toArray()
      return labels.map(({ attribs }) => attribs['aria-label']?.replace(/, [\d. :]+$/, ''))
    }
    t.same(await named(), [`Mark as read: Order #${other}, Apply`, `Mark as read: Order #${cast.order}, Paid`])
    await denis.post(`/notifications/${paid}/read`, { value: 1 })
    t.same(await named(), [`Mark as read: Order #${other}, Apply`, `Mark as unread: Order #${cast.order}, Paid`])
    const entries = parseHtml((await denis.get('/notifications/latest', htmx)).body)('li').toArray()
    t.same(
      entries.map(({ attribs }) => 'data-unread' in attribs),
      [true, false],
    )
    const offersAll = async () => (await denis.get('/notifications')).body.includes('Mark all as read')
    t.equal(await offersAll(), true)
    await denis.post('/notifications/read')
    t.equal(await offersAll(), false, 'nothing is left to mark')
  },
)

t.test('what was not delivered can be sent again from the outbox, and each button says what', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const insert = (user_id: number, values: Partial<typeof notifications.$inferInsert>, state: 'waiting' | 'failed' | 'sent') => {
    const row = { user_id, status_name: '', created_at: Date.now(), ...values }
    const notification_id = Number(db.insert(notifications).values(row).run().lastInsertRowid)
    const delivery = { notification_id, channel: 'email', state, attempts: 3, next_at: Date.now() + 3600_000 }
    return Number(db.insert(deliveries).values(delivery).run().lastInsertRowid)
  }
  const about = { order_id: cast.order, status_name: 'Paid' }
  const failed = insert(cast.denis, about, 'failed')
  const waiting = insert(cast.maria, about, 'waiting')
  const notice = insert(cast.roman, { event: 'password-changed' }, 'failed')
  const sent = insert(cast.denis, about, 'sent')
  const admin = await as('admin')
  grant(db, cast.admin, 'order_can_view')
  const offered = async (id: number) => {
    const page = parseHtml((await admin.get('/outbox')).body)
    const row = page(`#outbox-${id}`)
    t.equal(row.length, 1, 'the delivery is listed')
    return [row.find('form').attr('action'), row.find('button').attr('aria-label')]
  }
  t.same(await offered(failed), [`/outbox/${failed}/retry`, `Retry now: Denisov Denis, Order #${cast.order}`])
  t.same(await offered(waiting), [`/outbox/${waiting}/retry`, `Retry now: Petrova Maria Ivanovna, Order #${cast.order}`])
  t.same(await offered(notice), [`/outbox/${notice}/retry`, 'Retry now: Romanov Roman'], 'a notice is about no order')
  t.same(await offered(sent), [undefined, undefined], 'what was sent is not sent again')
  const stateOf = (id: number) => db.select().from(deliveries).where(eq(deliveries.id, id)).get()
  const before = stateOf(waiting)
  const answer = await admin.post((await offered(failed))[0] as string)
  t.equal(answer.statusCode, 303)
  t.match(stateOf(failed), { state: 'waiting' })
  t.same(stateOf(waiting), before, 'the others stay as they are')
})

t.test('the inbox', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [denis, daria] = [await as('denis'), await as('daria')]

  t.test('an empty inbox says that there is nothing yet', async (t) => {
    const page = await denis.get('/notifications')
    t.match(textOf(page.body), 'Status changes, messages, and payments that concern you appear here.')
    t.match(bellOf(page), 'Notifications: no unread notifications')
    t.notMatch(page.body, 'Mark all as read')
  })

  t.test('the inbox shows a user their own notifications, the newest first', async (t) => {
    for (const status of ['Apply', 'Payment', 'Paid']) notifyRecipients(cabinet, [cast.denis], status)
    const page = await denis.get('/notifications')
    const [first, ...others] = inboxOf(page)
    t.equal(first, newest(cabinet).id)
    t.equal(others.length, 2)
    const row = elementById(page, `notifications-${first}`) as string
    t.match(cellsOf(row), {
      order: /Order #\d+ Not read yet Alpha Windows/,
      status: 'Paid Previous status: Payment',
      changed_by: 'Petrova Maria',
    })
    t.match(row, `href="/orders/${cast.order}"`)
    t.equal(totalOf(page, 'notifications'), 3)
    t.match(bellOf(page), 'Notifications: 3 3 unread notifications', 'the bell counts what the list does')
    t.match(bellOf(await denis.get('/')), '3 unread notifications', 'on every page')
    t.same(inboxOf(await daria.get('/notifications')), [])
    t.match(bellOf(await daria.get('/')), 'no unread notifications')
  })

  t.test('the inbox is searched, paged and filtered by unread', async (t) => {
    t.equal(inboxOf(await denis.get('/notifications?q=paid')).length, 1)
    t.equal(inboxOf(await denis.get('/notifications?q=nothing')).length, 0)
    t.equal(inboxOf(await denis.get(`/notifications?q=${cast.order}`)).length, 3, 'by the number of the order')
    t.equal(inboxOf(await denis.get(`/notifications?q=${cast.order + 1}`)).length, 0)
    await denis.post(`/notifications/${newest(cabinet).id}/read`)
    t.equal(inboxOf(await denis.get('/notifications?unread=1')).length, 2)
    t.equal(totalOf(await denis.get('/notifications?unread=1', htmx), 'notifications'), 2)
    for (const query of invalidQueries) t.equal((await denis.get(`/notifications?${query}`)).statusCode, 200, query)
  })

  t.test('a notification is marked as read and as unread again', async (t) => {
    const { id } = newest(cabinet)
    const answer = await denis.post(`/notifications/${id}/read`, { value: 1, unread: 1 })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/notifications?unread=1', 'back to the list as it was')
    const { read_at } = stored(cabinet, id) ?? {}
    t.ok(read_at)
    const offered = async () => {
      const row = elementById(await denis.get('/notifications'), `notifications-${id}`) as string
      return [tagsOf(row, 'button')[0]?.title, tagsOf(row, 'input').find(({ name }) => name === 'value')?.value]
    }
    t.same(await offered(), ['Mark as unread', '0'])
    await denis.post(`/notifications/${id}/read`, { value: 1 })
    t.equal(stored(cabinet, id)?.read_at, read_at, 'once')
    await denis.post(`/notifications/${id}/read`, { value: 0 })
    t.equal(stored(cabinet, id)?.read_at, null)
    t.same(await offered(), ['Mark as read', '1'])
    const fragment = await denis.post(`/notifications/${id}/read`, { value: 1 }, htmx)
    t.equal(fragment.statusCode, 200)
    t.equal(totalOf(fragment, 'notifications'), 3)
    t.notOk(isDocument(fragment))
    t.equal((await denis.post(`/notifications/${id}/read`, { value: 2 })).statusCode, 422)
  })

  t.test("nobody marks another user's notification (403)", async (t) => {
    const { id } = newest(cabinet)
    await denis.post(`/notifications/${id}/read`, { value: 0 })
    for (const name of ['daria', 'root'] as const) t.equal((await (await as(name)).post(`/notifications/${id}/read`)).statusCode, 403, name)
    t.equal((await denis.post('/notifications/987654/read')).statusCode, 404)
    t.equal((await denis.post('/notifications/word/read')).statusCode, 404)
    await daria.post('/notifications/read')
    t.equal(stored(cabinet, id)?.read_at, null)
  })

  t.test('marking all as read leaves out notifications that arrived after the page was opened', async (t) => {
    const { id } = newest(cabinet)
    notifyRecipients(cabinet, [cast.roman], 'Of somebody else')
    const page = await denis.get('/notifications')
    const [seen] = hiddenOf(page, 'newest')
    t.equal(Number(seen), id)
    notifyRecipients(cabinet, [cast.denis], 'Production')
    await denis.post('/notifications/read', { newest: seen as string })
    t.match(bellOf(await denis.get('/')), '1 unread')
    t.equal((await denis.post('/notifications/read')).statusCode, 303)
    t.match(bellOf(await denis.get('/')), 'no unread notifications')
  })

  t.test('a notification about a deleted order has no link', async (t) => {
    db.delete(orders).run()
    const page = await denis.get('/notifications')
    t.match(textOf(page.body), 'Deleted order')
    t.same(elementsOf(page.body, '#notifications-table a[href^="/orders/"]'), [])
  })

  t.test("an impersonator sees the target's notifications, and opening the page does not mark them as read", async (t) => {
    db.update(notifications).set({ read_at: null }).run()
    const root = await as('root')
    t.match((await denis.get('/notifications')).body, 'data-read-by')
    await root.get(`/impersonate/${cast.denis}`)
    const page = await root.get('/notifications')
    t.equal(inboxOf(page).length, 4)
    t.notMatch(page.body, 'data-read-by')
    t.match(bellOf(page), '4 unread')
    await root.post(`/notifications/${newest(cabinet).id}/read`)
    t.match(bellOf(await root.get('/')), '3 unread')
    await root.post('/impersonate/leave')
  })

  t.test('bell and inbox say the same number of unread notifications, more than 99 of them, too', async (t) => {
    const row = { user_id: cast.daria, status_name: 'Paid', created_at: Date.now() }
    const add = (length: number) =>
      db
        .insert(notifications)
        .values(Array.from({ length }, () => row))
        .run()
    add(120)
    const home = await daria.get('/')
    t.equal(bellOf(home), 'Notifications: 120 120 unread notifications')
    t.equal(parseHtml(home.body)('#main [href^="/notifications"]').length, 0, 'the home page does not repeat it')
    const page = await daria.get('/notifications?page=5')
    t.equal(inboxOf(page).length, 20)
    t.match(textOf(page.body), 'Unread 120')
    t.match(textOf((await daria.get('/notifications/unread')).body), '120 unread notifications')
    db.update(notifications).set({ read_at: Date.now() }).where(eq(notifications.user_id, cast.daria)).run()
    t.equal(bellOf(await daria.get('/')), 'Notifications: no unread notifications')
    add(1)
    t.equal(bellOf(await daria.get('/')), 'Notifications: 1 1 unread notification', 'what was read counts no more')
  })

  t.test('a page without a stream polls the unread count', async (t) => {
    const answer = await daria.get('/notifications/unread')
    t.equal(textOf(answer.body), '1 1 unread notification')
    t.notMatch(answer.body, '<html')
    t.equal((await cabinet.newBrowser().get('/notifications/unread')).statusCode, 303)
  })

  t.test('notifications read half a year ago are deleted', async (t) => {
    const day = 24 * 3600_000
    const [old, younger] = [Date.now() - 180.1 * day, Date.now() - 179.9 * day]
    db.delete(notifications).run()
    for (const read_at of [old, younger, null])
      db.insert(notifications).values({ user_id: cast.denis, status_name: 'Paid', created_at: old, read_at }).run()
    deleteExpiredRows(cabinet.app)
    t.same(
      db
        .select()
        .from(notifications)
        .all()
        .map(({ read_at }) => read_at),
      [younger, null],
    )
  })
})

t.test('messages in the inbox and in the panel of the bell', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [maria, denis, root] = [await as('maria'), await as('denis'), await as('root')]
  const path = `/orders/${cast.order}`
  const write = async (browser: Browser, text: string, internal = '0') => {
    await browser.post(`${path}/messages`, { text, internal })
    return newest(cabinet).message_id as number
  }
  const open = await write(root, 'An open word')
  const hidden = await write(root, 'A secret word', '1')
  const gone = await write(root, 'A word too much')
  await root.post(`${path}/messages/${gone}/withdraw`)
  const places: [string, (browser: Browser) => Promise<string[]>][] = [
    ['inbox', async (browser) => elementsOf((await browser.get('/notifications')).body, 'tr[data-notification]')],
    ['panel', async (browser) => elementsOf((await browser.get('/notifications/latest', htmx)).body, 'li p')],
  ]
  for (const [place, load] of places)
    t.test(`the ${place} shows what was written and leads to it, unless it was withdrawn`, async (t) => {
      const rows = await load(maria)
      t.match(rows.map(textOf), [/Message withdrawn/, /A secret word/, /An open word/])
      t.notMatch(rows.join(), 'too much')
      const links = rows.map((row) => tagsOf(row, 'a')[0]?.href)
      const inPanel = elementsOf((await maria.get('/notifications/latest', htmx)).body, 'li > a').map((link) => attributesOf(link).href)
      if (place === 'panel') t.same(inPanel, [path], 'the newest was withdrawn')
      if (place === 'inbox') t.same(links, [path, `${path}#message-${hidden}`, `${path}#message-${open}`])
      for (const row of rows) t.match(textOf(row), 'Root Olga', 'with its author')
      const dealers = await load(denis)
      t.match(dealers.map(textOf), [/Message withdrawn/, /An open word/])
      t.equal(dealers.length, 2)
    })

  t.test('the inbox marks internal messages, and only those', async (t) => {
    const [inbox] = places
    const marks = (await inbox?.[1](maria))?.map((row) => /Internal/.test(textOf(row)))
    t.same(marks, [false, true, false])
  })

  t.test('the exported inbox names the author of a message or who moved the order', async (t) => {
    notifyRecipients(cabinet, [cast.denis], 'Paid')
    const { body } = await denis.get('/notifications/export?format=csv')
    const lines = body.trim().split(/\r?\n/)
    t.match(lines[1], /Alpha Windows.*Paid.*Petrova Maria/)
    t.match(lines[2], /Alpha Windows.*Message.*Root Olga/)
    t.equal(lines.length, 4)
    const columns = lines.map((line) => line.split(/[,;]/).map((cell) => cell.replace(/^\ufeff|"/g, '')))
    const readAt = columns[0]?.indexOf('Read at') as number
    t.ok(
      columns.slice(1).every((cells) => cells[readAt] === ''),
      'not read yet',
    )
    const paid = newest(cabinet)
    const moment = new Date(2026, 2, 5, 10, 20).getTime()
    db.update(notifications).set({ read_at: moment }).where(eq(notifications.id, paid.id)).run()
    const again = (await denis.get('/notifications/export?format=csv')).body.trim().split(/\r?\n/)
    t.match(again[1]?.split(/[,;]/)[readAt], '2026-03-05 10:20')
    t.equal(again[2]?.split(/[,;]/)[readAt]?.replaceAll('"', ''), '')
  })

  t.test('of what happened at the same moment the newest comes first in the panel', async (t) => {
    db.delete(notifications).run()
    const [one, two] = [insertOrder(cabinet, 'new'), insertOrder(cabinet, 'new')]
    for (const [order, name] of [
      [one, 'First'],
      [two, 'Second'],
      [one, 'Third'],
    ] as const)
      notifyRecipients(cabinet, [cast.denis], name, order)
    db.update(notifications).set({ created_at: Date.now() }).run()
    const entries = elementsOf((await denis.get('/notifications/latest', htmx)).body, 'li').map(textOf)
    t.match(entries[0], /Third.*First/)
    t.match(entries[1], 'Second')
    t.equal(entries.length, 2)
  })

  t.test('the panel names the company of an order once, beside its newest status', async (t) => {
    db.delete(notifications).run()
    const betas = insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta })
    for (const step of ['Payment', 'Paid']) notifyRecipients(cabinet, [cast.root], step)
    notifyRecipients(cabinet, [cast.root], 'Apply', betas)
    const said = elementsOf((await root.get('/notifications/latest', htmx)).body, 'li').map((entry) => elementsOf(entry, 'p').map(textOf))
    t.same(said, [['Apply · ООО «Бета Ёлка»'], ['Paid · Alpha Windows', 'Payment']])
    db.delete(notifications).run()
  })

  t.test('the panel shows the ten newest of this person and how many more are unread, and offers to mark them', async (t) => {
    db.delete(notifications).run()
    for (let number = 1; number <= 11; number++) notifyRecipients(cabinet, [cast.denis], `Step ${number}`, insertOrder(cabinet, 'new'))
    notifyRecipients(cabinet, [cast.maria], 'Of Maria')
    const panel = async () => (await denis.get('/notifications/latest', htmx)).body
    const steps = elementsOf(await panel(), 'li').map((row) => /Step \d+|Of Maria/.exec(textOf(row))?.[0])
    t.same(
      steps,
      Array.from({ length: 10 }, (_, index) => `Step ${11 - index}`),
    )
    const counted = async () => elementsOf(await panel(), '.card-title, .bell-more').map(textOf)
    t.same(await counted(), ['Notifications 11', 'and 1 more'], 'as many as the bell')
    db.update(notifications).set({ read_at: 1 }).where(eq(notifications.status_name, 'Step 5')).run()
    t.same(await counted(), ['Notifications 10', 'and 1 more'], 'of which nine stand there')
    db.update(notifications).set({ read_at: 1 }).where(eq(notifications.status_name, 'Step 1')).run()
    t.same(await counted(), ['Notifications 9'])
    const root = await as('root')
    await root.get(`/impersonate/${cast.denis}`)
    const isReadBy = async (browser: Browser) => (await browser.get('/notifications/latest', htmx)).body.includes('data-read-by')
    t.same([await isReadBy(denis), await isReadBy(root)], [true, false], 'whoever impersonates reads nothing for them by looking')
    await root.post('/impersonate/leave')
    const offered = async () => tagsOf(await panel(), 'input').find(({ name }) => name === 'newest')?.value
    const newestOfDenis = db.select().from(notifications).where(eq(notifications.user_id, cast.denis)).all().at(-1)
    t.equal(Number(await offered()), newestOfDenis?.id)
    await denis.post('/notifications/read', { newest: newestOfDenis?.id as number })
    t.equal(await offered(), undefined)
    await maria.post('/notifications/read')
    db.delete(notifications).run()
    t.match(textOf(await panel()), "You're all caught up.")
  })
})

t.test('the notification stream', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')

  t.test('the notification stream sends the unread count at once and whenever it changes', async (t) => {
    const { answer, next } = await listen(t, cabinet, denis)
    t.match(answer.headers.get('content-type'), 'text/event-stream')
    t.equal(answer.headers.get('content-encoding'), null, 'never collected for packing')
    t.equal(answer.headers.get('x-accel-buffering'), 'no')
    t.match(answer.headers.get('cache-control'), 'no-store')
    t.equal(await next(), 'unread no unread notifications')
    cabinet.app.notificationEvents.emit('queued', [cast.denis])
    notifyRecipients(cabinet, [cast.daria])
    notifyRecipients(cabinet, [cast.denis, cast.daria])
    t.equal(await next(), 'unread 1 1 unread notification')
    await denis.post(`/notifications/read`)
    t.equal(await next(), 'unread no unread notifications')
  })

  t.test('the notification stream uses the language of the page', async (t) => {
    const { next } = await listen(t, cabinet, denis, { headers: { 'accept-language': 'ru' } })
    t.equal(await next(), 'unread нет непрочитанных')
    notifyRecipients(cabinet, [cast.denis])
    t.equal(await next(), 'unread 1 1 непрочитанное уведомление')
    await denis.post('/notifications/read')
  })

  const ends: [string, Name, () => Promise<unknown>][] = [
    ['signing out', 'vera', async () => (await as('vera')).post('/logout')],
    ['deactivation', 'roman', async () => (await as('root')).post(`/dealers/${cast.roman}/active`, { value: 0 })],
    ['the start of an impersonation', 'root', async () => (await as('root')).get(`/impersonate/${cast.denis}`)],
    ['the end of an impersonation', 'root', async () => (await as('root')).post('/impersonate/leave')],
  ]
  for (const [what, name, end] of ends)
    t.test(`the notification stream ends with ${what}`, async (t) => {
      const { next } = await listen(t, cabinet, await as(name))
      await next()
      await end()
      notifyRecipients(cabinet, [cast.vera, cast.roman, cast.root, cast.denis])
      t.equal(await next(), 'end', 'and tells nothing more')
      t.equal(await next(), undefined)
    })

  t.test('an open page of an order hears of no message once its session has ended', async (t) => {
    const mikhail = await as('mikhail')
    const { next } = await listen(t, cabinet, mikhail, { order: cast.order })
    await next()
    db.delete(sessions).where(eq(sessions.user_id, cast.mikhail)).run()
    cabinet.app.notificationEvents.emit('posted', cast.order, [cast.mikhail])
    t.equal(await next(), 'end')
  })

  t.test('the notification stream ends when its session does, even when nothing happens', async (t) => {
    const { next } = await listen(t, cabinet, denis)
    await next()
    db.delete(sessions).where(eq(sessions.user_id, cast.denis)).run()
    t.equal(await next(), 'end')
  })

  t.test('the notification stream is refused to visitors (303) and to requests for another type (406)', async (t) => {
    const { newBrowser } = cabinet
    const events = { accept: 'text/event-stream' }
    t.equal((await newBrowser().get('/notifications/stream', events)).statusCode, 303)
    const root = await as('root')
    t.equal((await root.get('/notifications/stream')).statusCode, 406)
    t.equal((await root.send('HEAD', '/notifications/stream', events)).statusCode, 404)
  })

  t.test('the notification stream of a lost impersonation ends without ending the impersonation itself', async (t) => {
    const admin = await as('admin')
    await admin.get(`/impersonate/${cast.denis}`)
    const { next } = await listen(t, cabinet, admin)
    await next()
    revoke(db, cast.admin, 'dealer_can_auth')
    notifyRecipients(cabinet, [cast.denis])
    t.equal(await next(), 'end')
    t.match((await admin.get('/notifications/unread')).headers.location, '/login')
    const answer = await admin.post('/notifications/read')
    t.equal(answer.statusCode, 303, 'and nothing is carried out in their own name')
    t.match((await admin.get('/')).body, 'Impersonation ended')
  })

  t.test('a session has at most twenty streams; the oldest is closed', async (t) => {
    const root = await as('root')
    const first = await listen(t, cabinet, root)
    await first.next()
    for (let opened = 1; opened <= 20; opened++) await (await listen(t, cabinet, root)).next()
    t.equal(await first.next(), 'end')
  })

  t.test('a notification stream does not keep its session alive', async (t) => {
    const root = await as('root')
    const longAgo = Date.now() - 3600_000
    const seenAt = () => db.select().from(sessions).where(eq(sessions.user_id, cast.root)).get()?.seen_at
    db.update(sessions).set({ seen_at: longAgo }).where(eq(sessions.user_id, cast.root)).run()
    await (await listen(t, cabinet, root)).next()
    await root.get('/notifications/unread')
    t.equal(seenAt(), longAgo)
    await root.get('/notifications')
    t.ok((seenAt() ?? 0) > longAgo)
  })
})

t.test('an open notification stream does not delay shutdown', async (t) => {
  const cabinet = await startCabinet(t)
  const { next } = await listen(t, cabinet, await cabinet.as('root'))
  await next()
  await cabinet.app.close()
  t.equal(await next(), undefined)
})
