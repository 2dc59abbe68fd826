import { eq } from 'drizzle-orm'
import t from 'tap'
import { write } from '../../src/database/open.ts'
import { apiTokens, changes, orders, payments, users, webhooks } from '../../src/database/schema/index.ts'
import { findPayment, withdrawPayment } from '../../src/modules/ledger/payment.ts'
import { type Delivery, recordAnswer } from '../../src/modules/notifications/webhooks/deliveries.ts'
import { tokenFor } from '../support/api.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementsOf, fieldOf, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'

// What has no card of its own, such as payments and webhooks: told of like all records, and on the cards of what it belongs to.

const plain = (text = '') => text.replaceAll('\u00a0', ' ')

function entriesOf(answer: Answer, list = 'activity') {
  return rowsOf(answer, list).map(({ cells, html }) => ({
    who: cells.actor?.replace(' 127.0.0.1', ''),
    what: plain(`${cells.record}: ${cells.action}`),
    fields: elementsOf(html, 'dt').map((label, at) => plain(`${textOf(label)} ${textOf(elementsOf(html, 'dd')[at] ?? '')}`)),
  }))
}

const linksOf = ({ body }: Answer) =>
  parseHtml(body)('td[data-col=record] a')
    .toArray()
    .map(({ attribs }) => attribs.href)

/** Denis has reported 60 rubles for order 1 of 100; Anton has confirmed them, and entered and rejected others. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast, as } = cabinet
  const [root, denis, admin] = [await as('root'), await as('denis'), await as('admin')]
  db.update(orders).set({ cost: 100_00 }).where(eq(orders.id, cast.order)).run()
  db.delete(changes).run()
  const pay = `/orders/${cast.order}/payments`
  t.equal((await denis.post(pay, { amount: '60', date: '2026-01-15', kind: 'transfer', note: 'First part' })).statusCode, 303)
  const [reported] = db.select().from(payments).all()
  t.equal((await admin.post(`/payments/${reported?.id}/confirm`)).statusCode, 303)
  return { ...cabinet, root, denis, admin, pay, payment: Number(reported?.id) }
}

t.test('payments and the ledger are told of in the history: who, what and when, found by kind and person', async (t) => {
  const { root, denis, admin, pay, cast, db } = await start(t)
  const { order, companies } = cast
  const kinds = async (query: string) => entriesOf(await root.get(`/activity?${query}`)).map(({ what }) => what)
  t.same(entriesOf(await root.get('/activity?kind=payments')), [
    { who: 'Adminov Anton', what: `#${order} Payments: Updated`, fields: ['State: Reported → Confirmed'] },
    {
      who: 'Denisov Denis',
      what: `#${order} Payments: Created`,
      fields: [
        'Company: Alpha Windows',
        `Order: #${order}`,
        'State: Reported',
        'Amount: 60,00 ₽',
        'Date: 15.01.2026',
        'Payment type: Bank transfer',
        'Note: First part',
      ],
    },
  ])
  t.same(entriesOf(await root.get('/activity?kind=ledger_entries')), [
    {
      who: 'Adminov Anton',
      what: 'Alpha Windows Ledger entries: Created',
      fields: ['Company: Alpha Windows', 'Entry: Payment', 'Amount: 60,00 ₽', `Order: #${order}`, 'Date: 15.01.2026', 'Note: First part'],
    },
  ])
  t.same(linksOf(await root.get('/activity')), [
    `/orders/${order}`,
    `/company/edit/${companies.alpha}?tab=history`,
    `/orders/${order}`,
    `/orders/${order}`,
  ])
  t.same(await kinds(`actor=${cast.admin}&kind=payments`), [`#${order} Payments: Updated`])
  t.same(await kinds(`actor=${cast.denis}`), [`#${order} Payments: Created`])
  t.match((await root.get(`/activity?actor=${cast.denis}`)).body, /Who: Denisov Denis/)
  t.match(entriesOf(await root.get('/activity', { 'accept-language': 'ru' }))[2]?.what, `№ ${order} Оплаты: Изменено`)
  await denis.post(pay, { amount: '5', date: '2026-01-16', kind: 'cash' })
  const rejected = db.select().from(payments).where(eq(payments.amount, 5_00)).get()
  await admin.post(`/payments/${rejected?.id}/reject`, { reason: 'Nothing came' })
  const [latest] = entriesOf(await root.get('/activity'))
  t.same(latest?.fields, ['State: Reported → Rejected', 'Reason: — → Nothing came'])
})

t.test('an order tells of its payments and a company of its entries, and of no others', async (t) => {
  const { root, denis, db, cast, pay, app } = await start(t)
  const { alpha, beta } = cast.companies
  const told = async (path: string) => entriesOf(await root.get(`${path}?tab=history`), 'history').map(({ what }) => what)
  const other = db.insert(orders).values({ status_id: 1, dealer_id: cast.daria, company_id: beta, cost: 100 }).returning().get()
  await root.post(`/orders/${other.id}/payments`, { amount: '1', date: '2026-01-15', kind: 'cash' })
  const ofPayment = (order: number) => [`#${order} Payments: Updated`, `#${order} Payments: Created`]
  const paid = (order: number) => `#${order} Allocations: Created`
  t.same(await told(`/orders/edit/${cast.order}`), [paid(cast.order), ...ofPayment(cast.order)])
  t.same(await told(`/company/edit/${alpha}`), [paid(cast.order), 'Alpha Windows Ledger entries: Created', ...ofPayment(cast.order)])
  t.same(await told(`/company/edit/${beta}`), [paid(other.id), 'ООО «Бета Ёлка» Ledger entries: Created', ...ofPayment(other.id)])
  await denis.post(pay, { amount: '7', date: '2026-01-15', kind: 'cash' })
  const author = { id: cast.denis, name: 'Denisov Denis' }
  const withdrawn = db.select().from(payments).where(eq(payments.amount, 7_00)).get()
  write(db, () => withdrawPayment(app, findPayment(db, Number(withdrawn?.id)) as never, author))
  t.match(entriesOf(await root.get('/activity?kind=payments&action=delete')), [
    {
      who: 'Denisov Denis',
      what: `#${cast.order} Payments: Deleted`,
      fields: ['Company: Alpha Windows', `Order: #${cast.order}`, 'Direction: Incoming', 'State: Reported', 'Amount: 7,00 ₽'],
    },
  ])
})

t.test('who sees no prices sees nothing of payments in the history', async (t) => {
  exportInProcess(t)
  const { db, cast, as, root } = await start(t)
  const reader = await as('admin')
  grant(db, cast.admin, 'activity_can_view', 'order_can_view')
  const order = `/orders/edit/${cast.order}?tab=history`
  const company = `/company/edit/${cast.companies.alpha}?tab=history`
  const whole = ['/activity', '/activity/export?format=csv', '/', order, company]
  for (const path of whole) t.match((await reader.get(path)).body, /Payments|Ledger entries|Оплаты/, path)
  revoke(db, cast.admin, 'order_can_view_prices')
  t.equal(totalOf(await reader.get('/activity'), 'activity'), 0)
  t.equal(totalOf(await reader.get('/activity?kind=payments'), 'activity'), 0)
  t.equal(totalOf(await reader.get(`/activity?actor=${cast.denis}`), 'activity'), 0)
  for (const path of whole)
    t.notMatch((await reader.get(path)).body, /60,00|First part|Payments<|Ledger entries|Allocations|>Payments/, path)
  t.notMatch(JSON.stringify(fieldOf(await reader.get('/activity'), 'kind') ?? ''), /payments|ledger|allocations/)
  t.equal(totalOf(await root.get('/activity'), 'activity'), 4)
})

t.test('webhooks are told of by their host, in the settings too; their keys never', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  const root = await as('root')
  db.delete(changes).run()
  await root.post('/webhooks', { url: 'https://erp.example/hook?key=in-the-address', events: ['order.created', 'payment.confirmed'] })
  const webhook = db.select().from(webhooks).get()
  const delivery = { webhook: Number(webhook?.id), id: 1, attempts: 0 } as Delivery
  const answer = (status: number | null) => {
    db.$client.pragma('foreign_keys = off')
    db.$client.exec(
      `insert or replace into webhook_deliveries (id, webhook_id, message_id, attempts, next_at) values (1, ${webhook?.id}, 1, 0, 0)`,
    )
    write(db, () => recordAnswer(db, delivery, { status, text: '' }))
    db.$client.pragma('foreign_keys = on')
  }
  answer(500)
  db.update(webhooks).set({ failing_since: 1 }).run()
  for (const status of [500, 500, 200, 200]) answer(status)
  await root.post(`/webhooks/${webhook?.id}/delete`)
  const entries = entriesOf(await root.get('/activity?kind=webhooks'))
  t.match(entries, [
    { who: 'Root Olga', what: 'erp.example Webhooks: Deleted', fields: ['Events: Order placed, Payment confirmed'] },
    { who: 'System', what: 'erp.example Webhooks: Updated', fields: [/^Paused: \d.* → —$/] },
    { who: 'System', what: 'erp.example Webhooks: Updated', fields: [/^Paused: — → \d/] },
    { who: 'Root Olga', what: 'erp.example Webhooks: Created', fields: ['Events: Order placed, Payment confirmed'] },
  ])
  t.equal(entries.length, 4)
  await root.post('/settings', { name: 'Cabinet' })
  const settings = await root.get('/settings?tab=history')
  t.match(
    entriesOf(settings, 'history').map(({ what }) => what),
    ['Cabinet Settings: Updated', ...entries.map(({ what }) => what)],
  )
  t.notMatch(JSON.stringify(db.select().from(changes).all()), /in-the-address|whsec_/)
  t.equal(totalOf(await root.get('/activity?kind=settings'), 'activity'), 1)
})

t.test('API tokens are told of on the cards of their people; the token never', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const [root, denis, daria] = [await as('root'), await as('denis'), await as('daria')]
  db.delete(changes).run()
  await denis.post('/profile/tokens', { name: 'Accounting', expires: '2099-01-01', read_only: 1 })
  const token = db.select().from(apiTokens).get()
  await daria.post('/profile/tokens', { name: 'Other', read_only: 0 })
  await denis.post(`/profile/tokens/${token?.id}/revoke`)
  const card = `/dealers/edit/${cast.denis}`
  const told = entriesOf(await root.get(`${card}?tab=history`), 'history')
  t.match(told, [
    { who: 'Denisov Denis', what: 'Accounting API tokens: Updated', fields: [/^Revoked: — → \d/] },
    {
      who: 'Denisov Denis',
      what: 'Accounting API tokens: Created',
      fields: ['User: Denisov Denis', 'Token name: Accounting', 'Read-only: Yes', /^Valid until: /],
    },
  ])
  t.equal(told.length, 2, 'not those of others')
  tokenFor(cabinet, cast.denis, { name: 'Second' })
  tokenFor(cabinet, cast.denis, { name: 'Third' })
  await root.post(`/dealers/${cast.denis}/active`, { value: 0 })
  t.same(
    entriesOf(await root.get('/activity?kind=api_tokens&action=update'))
      .map(({ who, what }) => `${who}: ${what}`)
      .sort(),
    ['Denisov Denis: Accounting API tokens: Updated', 'Root Olga: Second API tokens: Updated', 'Root Olga: Third API tokens: Updated'],
    'those that end with an account, too',
  )
  t.notMatch(JSON.stringify(db.select().from(changes).all()), String(token?.token_hash))
})

t.test('a filter of the history by person names whoever the reader may know, also without entries', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [root, maria] = [await as('root'), await as('maria')]
  db.delete(changes).run()
  await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha One' })
  const who = async (browser: typeof root, id: number) =>
    /Who: ([^<"]*)/.exec((await browser.get(`/activity?actor=${id}`)).body)?.[1]?.trim()
  t.equal(await who(root, cast.daria), 'Королёва Дарья')
  grant(db, cast.maria, 'activity_can_view')
  t.equal(await who(maria, cast.denis), 'Denisov Denis', 'a dealer of their own')
  t.equal(await who(maria, cast.admin), `#${cast.admin}`, 'whoever they may not see stays a number')
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha Two' })
  await root.post('/impersonate/leave')
  db.delete(users).where(eq(users.id, cast.root)).run()
  t.equal(await who(maria, cast.root), 'Root Olga', 'as whoever acted for somebody is named')
})
