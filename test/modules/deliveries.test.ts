import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { openDatabase } from '../../src/database/open.ts'
import { deliveries, notifications, orderHistory, orders, settings, users } from '../../src/database/schema/index.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke, seedCast } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { templateFile } from '../support/database-template.ts'
import { attributesOf, cellsOf, columnsOf, elementById, elementsOf, rowsOf, textOf, textsByRole, totalOf } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { until } from '../support/until.ts'

const token = '123:very-secret'

async function start(test: typeof t, environment: Record<string, string> = {}) {
  const office = await startMailServer(test)
  const telegram = await startTelegram(test)
  const channels = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: telegram.url }
  const cabinet = await startCabinet(test, { environment: { ...channels, PUBLIC_URL: 'https://cabinet.example', ...environment } })
  return { ...cabinet, office, telegram }
}

const all = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(deliveries).all()
const only = (cabinet: Pick<Cabinet, 'db'>) => all(cabinet)[0] as typeof deliveries.$inferSelect

/** As if the time until the next attempt had gone by. */
function laterOn({ app, db }: Cabinet): void {
  db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.state, 'waiting')).run()
  callWorker({ app, db })
}

t.test('the language of the settings counts before that of the environment, for the status and the one before it', async (t) => {
  const cabinet = await start(t as never, { LANGUAGE: 'en' })
  const { db, cast, office } = cabinet
  db.update(settings).set({ language: 'ru' }).run()
  const history = notifyRecipients(cabinet, [cast.denis], 'New')
  db.update(orderHistory).set({ from_name: 'Awaiting payment' }).where(eq(orderHistory.id, history)).run()
  await until(() => office.letters.length === 1)
  t.match(office.letters, [{ subject: `Заказ №\u00a0${cast.order}: Новый`, text: /Прежний статус: Ожидает оплаты/ }])
})

t.test('a status change is delivered by email and Telegram', async (t) => {
  const cabinet = await start(t as never, { BASE_URL: '/cabinet', TZ: 'UTC' })
  const { db, cast, office, telegram } = cabinet
  db.update(users).set({ tg_id: '42', language: 'ru' }).where(eq(users.id, cast.daria)).run()
  db.update(orders).set({ specification_number: 1003 }).run()
  notifyRecipients(cabinet, [cast.denis, cast.daria])
  await until(() => all(cabinet).every(({ state }) => state === 'sent'))

  const letter = (to: string) => office.letters.find((one) => one.to === to)
  t.match(letter('denis@example.com'), {
    subject: `Order ${cast.order}: Paid`,
    text: /^Order \d+ from Alpha Windows moved to "Paid"\.\nSpecification number: 1003\nPrevious status: Payment\nChanged by: Petrova Maria, \d\d\.\d\d\.\d{4} \d\d:\d\d\n\nhttps:\/\/cabinet\.example\/cabinet\/orders\/\d+\s*$/,
    messageId: /^<delivery\.\d+\.\d+@cabinet>$/,
  })
  t.match(
    letter('daria@example.com'),
    { subject: `Заказ №\u00a0${cast.order}: Paid`, text: /Прежний статус: Payment/ },
    'in their own language',
  )
  t.equal(office.letters.length, 2)
  t.match(telegram.messages, [{ path: `/bot${token}/sendMessage`, chat_id: '42', text: /^Заказ .*\n/ }])
  t.equal(telegram.messages.length, 1)
  t.ok(
    all(cabinet).every(({ attempts, sent_at, last_error }) => attempts === 1 && sent_at && !last_error),
    'and noted',
  )
})

t.test('what is due is sent in the order in which it became due, a few at a time', async (t) => {
  const cabinet = await start(t as never)
  const { app, db, cast, office } = cabinet
  const people = [cast.root, cast.admin, cast.clerk, cast.maria, cast.denis, cast.daria]
  for (const [at, id] of people.entries()) {
    notifyRecipients(cabinet, [id])
    db.update(deliveries)
      .set({ next_at: Date.now() - at * 1000 })
      .where(eq(deliveries.id, at + 1))
      .run()
  }
  callWorker({ app, db })
  await until(() => all(cabinet).every(({ state }) => state === 'sent'))
  t.equal(office.letters.length, 6)
  t.equal(office.letters.at(-1)?.to, 'root@example.com', 'last what became due last')
})

t.test('a message is delivered with its text, its author and a link; an internal one says so, a withdrawn one is kept back', async (t) => {
  const cabinet = await start(t as never)
  const { db, cast, office, as } = cabinet
  const root = await as('root')
  const path = `/orders/${cast.order}/messages`
  const letterAfter = async (text: string, fields: Record<string, string> = {}) => {
    office.letters.length = 0
    await root.post(path, { text, ...fields })
    await until(() => all(cabinet).every(({ state }) => state === 'sent'))
    return office.letters.find(({ to }) => to === 'maria@example.com')
  }
  const head = `Root Olga wrote about order ${cast.order} from Alpha Windows:`
  const link = `https://cabinet.example/orders/${cast.order}#message-`
  const open = await letterAfter('Is it ready?')
  t.match(open, { subject: `Order ${cast.order}: message from Root Olga`, text: `${head}\n\nIs it ready?\n\n${link}1` })
  const internal = await letterAfter('Between us', { internal: '1' })
  t.match(internal?.text, `${head}\nInternal: this message is hidden from dealers.\n\nBetween us\n\n${link}2`)
  t.same(
    office.letters.map(({ to }) => to),
    ['maria@example.com'],
  )
  const long = await letterAfter(`${'x'.repeat(1000)}yyy`)
  t.match(long?.text, 'x'.repeat(1000))
  t.notMatch(long?.text, 'xy', 'a thousand characters of it')
  const files = await sendFile(root, path, 'plan.txt')
  t.equal(files, 303)
  await until(() => all(cabinet).every(({ state }) => state === 'sent'))
  const bare = office.letters.findLast(({ to }) => to === 'maria@example.com')
  t.match(bare?.text, `${head}\n\nFiles are attached.\n\n${link}4`, 'a message of files alone')
  office.letters.length = 0
  office.replies = { RCPT: '451 Try later' }
  await root.post(path, { text: 'Too hasty' })
  await until(() => all(cabinet).some(({ last_error }) => last_error))
  const { message_id } = db.select().from(notifications).all().at(-1) ?? {}
  await root.post(`${path}/${message_id}/withdraw`)
  office.replies = {}
  laterOn(cabinet)
  await until(() => all(cabinet).every(({ state }) => state !== 'waiting'))
  t.same(office.letters, [], 'what was withdrawn meanwhile is not sent')
  t.match(textOf((await (await as('admin')).get('/outbox')).body), 'The message was withdrawn.')
})

function sendFile(browser: Browser, path: string, name: string): Promise<number> {
  const part = (field: string, value: string, more = '') =>
    `--x\r\nContent-Disposition: form-data; name="${field}"${more}\r\n\r\n${value}\r\n`
  const body = `${part('text', '')}${part('files', 'content', `; filename="${name}"`)}--x--\r\n`
  return browser.send('POST', path, { 'content-type': 'multipart/form-data; boundary=x' }, body).then(({ statusCode }) => statusCode)
}

t.test('a new order notifies the recipients of its status', async (t) => {
  const cabinet = await start(t as never)
  const answer = await (await cabinet.as('denis')).post('/orders/add', { items: '', without_lines: 1 })
  t.equal(answer.statusCode, 303)
  await until(() => cabinet.office.letters.length === 1)
  t.match(cabinet.office.letters, [
    {
      to: 'maria@example.com',
      subject: /^Order \d+: New$/,
      text: `https://cabinet.example/orders/${/\d+$/.exec(String(answer.headers.location))}`,
    },
  ])
  t.match(textOf((await (await cabinet.as('maria')).get('/notifications')).body), 'Alpha Windows')
})

t.test('mail that the server did not accept', async (t) => {
  const cabinet = await start(t as never)
  const { db, cast, office } = cabinet
  const send = async (mood: typeof office.replies) => {
    db.delete(deliveries).run()
    office.letters.length = 0
    office.replies = mood
    // The greeting is for new connections only.
    office.hangUp()
    await pause(20)
    notifyRecipients(cabinet, [cast.denis])
    await until(() => only(cabinet)?.attempts > 0)
    return only(cabinet)
  }

  const passing: [string, typeof office.replies, RegExp][] = [
    ['a full mailbox', { RCPT: '452 Mailbox full' }, /452/],
    ['greylisting', { RCPT: '451 Try later' }, /451/],
    ['a busy server', { greeting: '421 Too busy' }, /421/],
    ['a sender that the server does not know', { MAIL: '550 Who are you' }, /550/],
    ['a letter refused for now', { 'after data': '451 Try later' }, /451/],
    ['a connection that is lost before the greeting', { greeting: 'drop' }, /./],
    ['one that is lost in the middle', { RCPT: 'drop' }, /./],
  ]
  for (const [what, mood, told] of passing)
    t.test(`${what}: the mail waits for another attempt, which succeeds`, async (t) => {
      const missed = await send(mood)
      t.equal(missed.state, 'waiting')
      t.match(missed.last_error, told)
      t.ok(missed.next_at > Date.now())
      office.replies = {}
      laterOn(cabinet)
      await until(() => only(cabinet).state === 'sent')
      t.match(only(cabinet), { state: 'sent', attempts: 2, last_error: null })
      t.equal(office.letters.length, 1)
    })

  t.test('a server that disconnects after accepting a message gets it again with the same message id', async (t) => {
    await send({ 'after data': 'drop' })
    t.equal(only(cabinet).state, 'waiting')
    office.replies = {}
    laterOn(cabinet)
    await until(() => only(cabinet).state === 'sent')
    t.equal(office.letters.length, 2)
    t.equal(office.letters[0]?.messageId, office.letters[1]?.messageId)
  })

  const final: [string, typeof office.replies][] = [
    ['an address that does not exist', { RCPT: '550 No such user' }],
    ['a letter that is refused for good', { 'after data': '554 Not wanted' }],
  ]
  for (const [what, mood] of final)
    t.test(`${what}: the mail fails at once`, async (t) => {
      const failed = await send(mood)
      t.match(failed, { state: 'failed', attempts: 1, last_error: /5\d\d/ })
    })

  t.test('each attempt waits twice as long as the one before, and attempts end', async (t) => {
    const waits: number[] = []
    await send({ RCPT: '451 Try later' })
    while (only(cabinet).state === 'waiting' && waits.length < 100) {
      const { attempts, next_at } = only(cabinet)
      waits.push(Math.round((next_at - Date.now()) / 1000))
      laterOn(cabinet)
      await until(() => only(cabinet).attempts > attempts)
    }
    t.same(waits.slice(0, 5), [5, 10, 20, 40, 80])
    t.equal(Math.max(...waits), 6 * 3600, 'six hours at most')
    t.match(only(cabinet), { state: 'failed', attempts: 25, last_error: /451/ })
  })

  t.test('nothing is delivered to users deactivated meanwhile or about orders deleted meanwhile', async (t) => {
    await send({ RCPT: '451 Try later' })
    db.update(users).set({ active: false }).where(eq(users.id, cast.denis)).run()
    office.replies = {}
    laterOn(cabinet)
    await until(() => only(cabinet).state === 'failed')
    t.equal(only(cabinet).last_error, 'no-recipient')
    db.update(users).set({ active: true }).where(eq(users.id, cast.denis)).run()
    await send({ RCPT: '451 Try later' })
    db.delete(orders).run()
    laterOn(cabinet)
    await until(() => only(cabinet).state === 'failed')
    t.equal(only(cabinet).last_error, 'no-order')
    t.equal(office.letters.length, 0)
  })
})

t.test('Telegram messages', async (t) => {
  const cabinet = await start(t as never)
  const { db, cast, telegram, office } = cabinet
  db.update(users).set({ tg_id: '42', email: '' }).where(eq(users.id, cast.denis)).run()
  const send = async (...answers: typeof telegram.answers) => {
    db.delete(deliveries).run()
    telegram.messages.length = 0
    telegram.answers = answers
    notifyRecipients(cabinet, [cast.denis])
    await until(() => Boolean(only(cabinet)?.last_error) || only(cabinet)?.state === 'sent')
    return only(cabinet)
  }

  t.test('a rate limit of Telegram pauses every waiting message', async (t) => {
    const asked = { ok: false, description: 'Too Many Requests: retry after 77', parameters: { retry_after: 77 } }
    const paused = await send({ status: 429, body: asked })
    t.match(paused, { state: 'waiting', attempts: 0, last_error: /429 Too Many/ })
    t.ok(Math.abs(paused.next_at - Date.now() - 77_000) < 10_000)
    const later = Date.now() + 20_000
    const { notification_id, id } = paused
    const others = [
      { state: 'waiting' as const, next_at: Date.now() + 3600_000 },
      { state: 'waiting' as const, next_at: Date.now() + 30_000 },
      { state: 'failed' as const, next_at: 1000, last_error: 'blocked' },
      { state: 'sent' as const, next_at: 1000 },
    ].map((values) => {
      const row = { user_id: cast.maria, order_id: cast.order, status_name: 'Paid', created_at: 1 }
      const notice = db.insert(notifications).values(row).returning().get().id
      const delivery = { notification_id: notice, channel: 'telegram', last_error: null, ...values }
      return db.insert(deliveries).values(delivery).returning().get()
    })
    db.insert(deliveries).values({ notification_id, channel: 'email', next_at: later }).run()
    telegram.answers = [{ status: 429, body: asked }]
    db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.id, id)).run()
    callWorker(cabinet)
    await until(() => only(cabinet).next_at > 0)
    t.equal(all(cabinet).find(({ channel }) => channel === 'email')?.next_at, later, 'but no email')
    const now = others.map((before) => all(cabinet).find((one) => one.id === before.id))
    t.same([now[0], now[2], now[3]], [others[0], others[2], others[3]], 'nor what is due later, or neither waits nor will be sent')
    t.match(
      now[1],
      { next_at: only(cabinet).next_at, last_error: /429 Too Many/, attempts: 0 },
      'what would be due meanwhile, for the same reason',
    )
    const day = await send({ status: 429, body: { ...asked, parameters: { retry_after: 1e6 } } })
    t.ok(day.next_at - Date.now() <= 24 * 3600_000, 'for a day at most')
    laterOn(cabinet)
    await until(() => only(cabinet).state === 'sent')
    t.equal(telegram.messages.length, 1)
    t.match(telegram.messages[0], { link_preview_options: { is_disabled: true } }, 'without a preview of the link, which asks to sign in')
    const unsaid = await send({ status: 429, body: { ok: false, description: 'Too Many Requests' } })
    t.ok(Math.abs(unsaid.next_at - Date.now() - 30_000) < 10_000, 'half a minute where it does not say how long')
  })

  t.test('an unknown chat or a bot that was blocked fails at once', async (t) => {
    for (const [status, description] of [
      [400, 'Bad Request: chat not found'],
      [403, 'Forbidden: bot was blocked by the user'],
    ] as const)
      t.match(await send({ status, body: { ok: false, description } }), {
        state: 'failed',
        attempts: 1,
        last_error: `${status} ${description}`,
      })
    const long = await send({ status: 400, body: { ok: false, description: 'x'.repeat(400) } })
    t.equal(long.last_error, `400 ${'x'.repeat(296)}`, 'of a long reason its first 300 characters')
  })

  t.test('a server error or a wrong token of Telegram leads to another attempt, and the token is not logged', async (t) => {
    for (const status of [500, 502, 401, 404]) {
      const missed = await send({ status, body: { ok: false, description: `about bot${token}` } })
      t.match(missed, { state: 'waiting', attempts: 1 })
      t.notMatch(missed.last_error, 'secret', 'and the token is not repeated')
    }
  })

  t.test('an unreachable Telegram leads to another attempt', async (t) => {
    const { url } = telegram
    for (const wrong of ['http://127.0.0.1:9', 'http://127.0.0.1:99999']) {
      Object.assign(cabinet.app.config.telegram as object, { url: wrong })
      const missed = await send()
      t.equal(missed.state, 'waiting')
      t.ok(missed.last_error)
      t.notMatch(missed.last_error, 'secret', 'even where the reason names the address')
    }
    Object.assign(cabinet.app.config.telegram as object, { url })
  })
  t.equal(office.letters.length, 0)
})

t.test('administrators see the outbox and retry deliveries', async (t) => {
  const cabinet = await start(t as never)
  const { db, cast, office, telegram, as } = cabinet
  revoke(db, cast.clerk, 'order_can_view')
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.daria)).run()
  office.replies = { RCPT: '550 No such user' }
  notifyRecipients(cabinet, [cast.denis, cast.daria])
  await until(() => all(cabinet).every(({ state }) => state !== 'waiting'))
  const admin = await as('admin')
  const failed = () => all(cabinet).filter(({ state }) => state === 'failed')
  const nextAttempts = async () => {
    const lines = (await admin.get('/outbox/export?format=csv')).body.trim().split(/\r?\n/)
    const [names = [], ...rows] = lines.map((line) => line.split(/[,;]/).map((cell) => cell.replaceAll('"', '')))
    return rows.map((cells) => cells[names.indexOf('Next attempt')])
  }
  const [{ id } = { id: 0 }] = failed()

  t.test('the outbox shows each delivery with its result', async (t) => {
    const page = await admin.get('/outbox')
    t.equal(totalOf(page, 'outbox'), 3)
    t.match(textOf(page.body), /All 3 Failed 2 Sent 1/)
    t.match(cellsOf(elementById(page, `outbox-${id}`) as string), {
      recipient: 'Denisov Denis denis@example.com',
      channel: 'Email',
      order: `Order #${cast.order} Paid`,
      state: 'Failed',
      attempts: '1',
      last_error: /550 No such user/,
    })
    t.equal(totalOf(await admin.get('/outbox?state=sent'), 'outbox'), 1)
    t.equal(totalOf(await admin.get('/outbox?channel=email&q=denis'), 'outbox'), 1)
    t.equal(totalOf(await admin.get('/outbox?q=denis@example.com'), 'outbox'), 1, 'by the address that it shows')
    t.equal(totalOf(await admin.get('/outbox?q=42'), 'outbox'), 1, 'by the Telegram ID, where that is shown')
    t.equal(totalOf(await admin.get('/outbox?q=alpha'), 'outbox'), 0, 'not by what else is known of a dealer')
    t.equal(totalOf(await admin.get(`/outbox?q=${cast.order}`), 'outbox'), 3, 'by the number of the order')
    const [byTelegram, ...others] = rowsOf(await admin.get('/outbox?channel=telegram'), 'outbox')
    t.match(byTelegram?.cells, { recipient: 'Королёва Дарья 42', channel: 'Telegram', state: 'Sent' })
    t.same(columnsOf(await admin.get('/outbox?channel=telegram')).slice(-2), ['state', 'attempts'], 'nothing is to be said of mistakes')
    t.same(others, [])
    const exported = (await admin.get('/outbox/export?format=csv')).body
    t.match(exported, /Королёва Дарья[",;]+42[",;]+Telegram/)
    t.match(exported, /Denisov Denis[",;]+denis@example\.com[",;]+Email/)
    t.same(await nextAttempts(), ['', '', ''], 'what was sent or given up is not tried again')
    const of = eq(deliveries.id, id)
    const { next_at: before } = failed()[0] ?? {}
    db.update(deliveries)
      .set({ state: 'waiting', next_at: new Date(2030, 0, 2, 3, 4).getTime() })
      .where(of)
      .run()
    t.same((await nextAttempts()).sort(), ['', '', '2030-01-02 03:04'])
    db.update(deliveries).set({ state: 'failed', next_at: before }).where(of).run()
    t.match(textOf((await admin.get('/')).body), 'Outbox Pending: 2', 'and the menu tells of what failed')
    const { next_at } = failed()[0] ?? {}
    const fail = (moment: number) => db.update(deliveries).set({ next_at: moment }).where(eq(deliveries.id, id)).run()
    const week = 7 * 24 * 3600_000
    fail(Date.now() - week + 60_000)
    t.match(textOf((await admin.get('/')).body), 'Outbox Pending: 2')
    fail(Date.now() - week - 60_000)
    const home = await admin.get('/')
    t.match(textOf(home.body), 'Outbox Pending: 1', 'within a week')
    const links = elementsOf(home.body, '.sidebar a[href^="/outbox"], .pending-task a[href^="/outbox"]').map(
      (link) => attributesOf(link).href as string,
    )
    t.equal(links.length, 2)
    for (const link of links) t.equal(totalOf(await admin.get(link), 'outbox'), 1, 'the number leads to exactly what it counts')
    t.equal(totalOf(await admin.get('/outbox?state=failed'), 'outbox'), 2)
    fail(next_at as number)
    for (const query of [...invalidQueries, 'state=__proto__', 'channel=x'])
      t.equal((await admin.get(`/outbox?${query}`)).statusCode, 200, query)
  })

  t.test('users without the permission cannot open the outbox or retry a delivery (403)', async (t) => {
    for (const name of ['clerk', 'maria', 'denis'] as const) {
      const browser = await as(name)
      t.equal((await browser.get('/outbox')).statusCode, 403, name)
      t.equal((await browser.post(`/outbox/${id}/retry`)).statusCode, 403, name)
      t.notMatch((await browser.get('/')).body, '/outbox')
    }
    t.equal((await admin.post('/outbox/987654/retry')).statusCode, 404)
  })

  t.test('a failed delivery is retried, a sent one is not (409)', async (t) => {
    office.replies = {}
    const answer = await admin.post(`/outbox/${id}/retry`, { state: 'failed' })
    t.equal(answer.headers.location, '/outbox?state=failed')
    await until(() => all(cabinet).some((one) => one.id === id && one.state === 'sent'))
    t.equal(all(cabinet).find((one) => one.id === id)?.attempts, 1, 'attempts are counted anew')
    t.equal(office.letters.length, 1)
    t.equal((await admin.post(`/outbox/${id}/retry`)).statusCode, 409)
    const fragment = await admin.post(`/outbox/${failed()[0]?.id}/retry`, {}, htmx)
    t.match(textsByRole(fragment, 'status'), ['Retrying delivery'])
    await until(() => all(cabinet).every(({ state }) => state === 'sent'))
    t.same([office.letters.length, telegram.messages.length], [2, 1])
  })

  t.test('the number of an order finds what was sent of it, and of no order whose number begins with it', async (t) => {
    const other = insertOrder(cabinet, 'new', { id: cast.order * 10 })
    notifyRecipients(cabinet, [cast.clerk], 'Paid', other)
    t.equal(totalOf(await admin.get(`/outbox?q=${cast.order}`), 'outbox'), 3)
    t.equal(totalOf(await admin.get(`/outbox?q=${other}`), 'outbox'), 1)
  })
})

t.test('a service killed between sending a message and recording it sends it once more after its restart', async (t) => {
  const office = await startMailServer(t)
  const DATA_DIR = temporaryFolder(t)
  copyFileSync(templateFile(), join(DATA_DIR, 'cabinet.sqlite'))
  const db = openDatabase(join(DATA_DIR, 'cabinet.sqlite'))
  t.teardown(() => db.$client.close())
  const cast = seedCast(db)
  const notification_id = Number(
    db.insert(notifications).values({ user_id: cast.denis, order_id: cast.order, status_name: 'Paid', created_at: Date.now() }).run()
      .lastInsertRowid,
  )
  db.insert(deliveries).values({ notification_id, channel: 'email', next_at: Date.now() }).run()

  office.replies = { 'after data': 'silence' }
  const killed = await startService(t, { DATA_DIR, SMTP_URL: office.url })
  await until(() => office.letters.length === 1)
  await killed.kill()
  t.match(only({ db }), { state: 'waiting', attempts: 0 })
  office.replies = {}
  await startService(t, { DATA_DIR, SMTP_URL: office.url })
  await until(() => only({ db }).state === 'sent')
  t.equal(office.letters.length, 2)
  t.equal(office.letters[0]?.messageId, office.letters[1]?.messageId)
})

t.test('a mail server that does not respond does not delay shutdown', async (t) => {
  const cabinet = await start(t as never)
  cabinet.office.replies = { 'after data': 'silence' }
  notifyRecipients(cabinet, [cabinet.cast.denis])
  await until(() => cabinet.office.letters.length === 1)
  await cabinet.app.close()
  t.match(only(cabinet), { state: 'waiting', attempts: 0 }, 'what became of it is not known')
})
