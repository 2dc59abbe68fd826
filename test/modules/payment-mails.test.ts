import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, notifications, rateHits, statusTransitions, users } from '../../src/database/schema/index.ts'
import { tellOfReport } from '../../src/modules/ledger/tell-of-payment.ts'
import { type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { callWorker } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { inboxOf } from '../support/notifications.ts'
import { insertOrder, requestTransition, setOrder, transitionBetween } from '../support/orders.ts'
import { until } from '../support/until.ts'

const quarter = 15 * 60_000

/** Anton may confirm all payments, by email and Telegram, Mikhail those of Beta. */
async function start(test: typeof t) {
  const office = await startMailServer(test)
  const telegram = await startTelegram(test)
  const channels = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: '1:x', TELEGRAM_API_URL: telegram.url }
  const cabinet = await startCabinet(test, { environment: { ...channels, PUBLIC_URL: 'https://cabinet.example' } })
  const { app, db, cast } = cabinet
  grant(db, cast.mikhail, 'payment_can_confirm')
  for (const name of ['clerk', 'root'] as const) revoke(db, cast[name], 'payment_can_confirm')
  db.update(users).set({ active: false }).where(eq(users.id, cast.root)).run()
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.admin)).run()
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  const { alpha, beta } = cast.companies
  const [second, ofBeta] = [
    insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: alpha, cost: 100_000 }),
    insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: beta, cost: 100_000 }),
  ]
  const waiting = () => db.select().from(deliveries).where(eq(deliveries.state, 'waiting')).all()
  /** As if so much time had gone by. */
  const pass = (time: number) => {
    for (const { id, next_at } of waiting())
      db.update(deliveries)
        .set({ next_at: next_at - time })
        .where(eq(deliveries.id, id))
        .run()
    for (const { id, at } of db.select().from(rateHits).all())
      db.update(rateHits)
        .set({ at: at - time })
        .where(eq(rateHits.id, id))
        .run()
    callWorker({ app, db })
  }
  const settled = () => until(() => waiting().every(({ next_at }) => next_at > Date.now()))
  const lettersTo = (name: string) => office.letters.filter(({ to }) => to === `${name}@example.com`)
  return { ...cabinet, office, telegram, order, second, ofBeta, waiting, pass, settled, lettersTo }
}

const report = (browser: Browser, order: number, amount: string, fields: Fields = {}) =>
  browser.post(`/orders/${order}/payments`, { amount, ...fields })

t.test('the first payment that is reported is mailed at once, those of the next quarter of an hour together', async (t) => {
  const cabinet = await start(t as never)
  const { as, order, second, ofBeta, waiting, pass, settled, lettersTo, telegram } = cabinet
  const denis = await as('denis')
  await report(denis, order, '400,50')
  await until(() => waiting().length === 0)
  t.match(
    lettersTo('admin').map(({ subject }) => subject),
    [`Order ${order}: Payment reported`],
  )
  const before = Date.now()
  await report(await as('roman'), order, '12')
  await report(denis, second, '7')
  await report(await as('daria'), ofBeta, '5')
  await settled()
  t.equal(lettersTo('mikhail').length, 1, 'whoever may confirm others only is told of the first of those at once')
  t.notMatch(lettersTo('mikhail')[0]?.text, `Order ${order}`)
  t.equal(waiting().length, 6, 'three wait for the same person, by email and by Telegram')
  t.ok(waiting().every(({ next_at, attempts }) => next_at > before + quarter - 60_000 && next_at <= Date.now() + quarter && attempts === 0))
  t.equal((await inboxOf(cabinet, 'admin')).length, 4, 'the inbox has an entry each, at once')
  pass(quarter - 60_000)
  await settled()
  t.equal(lettersTo('admin').length, 1)
  pass(60_000)
  await until(() => waiting().length === 0)
  const [, letter, ...more] = lettersTo('admin')
  t.same(more, [])
  t.equal(letter?.subject, '3 payments reported')
  t.same(
    letter?.text
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s/g, ' ').trim()),
    [
      '3 payments reported:',
      `12,00 ₽ · Order ${order} from Alpha Windows · Romanov Roman`,
      `7,00 ₽ · Order ${second} from Alpha Windows · Denisov Denis`,
      `5,00 ₽ · Order ${ofBeta} from ООО «Бета Ёлка» · Королёва Дарья`,
      '',
      'https://cabinet.example/payments?state=reported',
    ],
  )
  t.equal(lettersTo('mikhail').length, 1)
  t.equal(telegram.messages.length, 2, 'by Telegram alike')
  t.match(telegram.messages[1], { chat_id: '42', text: /^3 payments reported:\n/ })
  t.ok(
    cabinet.db
      .select()
      .from(deliveries)
      .all()
      .every(({ state, attempts }) => state === 'sent' && attempts === 1),
  )
  await report(denis, second, '8')
  await settled()
  t.equal(lettersTo('admin').length, 2, 'and the next quarter begins')
})

t.test('what was decided about or taken back meanwhile is left out, and the others are told', async (t) => {
  const { as, db, cast, order, waiting, pass, settled, lettersTo } = await start(t as never)
  const denis = await as('denis')
  await report(denis, order, '1')
  await settled()
  for (const amount of ['2', '3', '4']) await report(denis, order, amount)
  await settled()
  const second = db.select().from(notifications).where(eq(notifications.user_id, cast.admin)).all()[1]
  await (await as('admin')).post(`/payments/${second?.payment_id}/confirm`)
  pass(quarter)
  await until(() => waiting().length === 0)
  const letter = lettersTo('admin').at(-1)
  t.equal(letter?.subject, '2 payments reported')
  t.same(letter?.text.match(/\d,00/g), ['3,00', '4,00'])
})

t.test('one that is left over is mailed in the words of a single one', async (t) => {
  const { as, order, waiting, pass, settled, lettersTo } = await start(t as never)
  const denis = await as('denis')
  await report(denis, order, '1')
  await settled()
  await report(denis, order, '2')
  await settled()
  pass(quarter)
  await until(() => waiting().length === 0)
  t.match(lettersTo('admin')[1], { subject: `Order ${order}: Payment reported`, text: /^Payment reported: 2,00/ })
})

t.test('a payment reported with a step that can still be undone is not told with others', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order, second, waiting, settled, lettersTo } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, step)).run()
  const denis = await as('denis')
  t.equal((await requestTransition(denis, second, step, { amount: '9' })).statusCode, 303)
  await report(denis, order, '1')
  await settled()
  t.match(
    lettersTo('admin').map(({ subject }) => subject),
    [`Order ${order}: Payment reported`],
  )
  t.ok(waiting().length > 0)
})

t.test('while mail fails nothing counts as told, and what failed is told together', async (t) => {
  const { as, db, order, office, waiting, pass, lettersTo } = await start(t as never)
  office.replies = { RCPT: '451 Try later' }
  const denis = await as('denis')
  for (const amount of ['1', '2']) await report(denis, order, amount)
  const mails = () => db.select().from(deliveries).where(eq(deliveries.channel, 'email')).all()
  await until(() => mails().length === 2 && mails().every(({ last_error }) => last_error))
  office.replies = {}
  pass(60_000)
  await until(() => waiting().filter(({ channel }) => channel === 'email').length === 0)
  t.match(
    lettersTo('admin').map(({ subject }) => subject),
    ['2 payments reported'],
  )
})

t.test('a message tells of a hundred payments, the next one of the rest', async (t) => {
  const { app, db, cast, order, office, waiting, pass, settled, lettersTo } = await start(t as never)
  office.replies = { RCPT: '451 Try later' }
  const author = { id: cast.denis, name: 'Denisov Denis' }
  const ids = Array.from({ length: 102 }, () => insertPayment(db, order))
  for (const id of ids) tellOfReport(app, { id }, author)
  office.replies = {}
  db.delete(rateHits).run()
  pass(quarter)
  await settled()
  t.equal(lettersTo('admin').length, 1)
  t.equal(lettersTo('admin')[0]?.text.match(/100,00/g)?.length, 100)
  pass(quarter)
  await until(() => waiting().length === 0)
  t.equal(lettersTo('admin')[1]?.subject, '2 payments reported')
})
