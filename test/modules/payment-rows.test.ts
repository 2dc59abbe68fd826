import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, payments } from '../../src/database/schema/index.ts'
import { shortDateFormatter } from '../../src/i18n/format.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, hiddenOf, idsOf, parseHtml, rowsOf, textOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { endOfJob } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const shortDay = (day: string) => shortDateFormatter('en')(new Date(`${day}T12:00`).getTime()).replace('\u00a0', ' ')

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** Of Alpha one that waits, without a note, and one that was confirmed; of Beta one that was rejected. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const betas = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const decided = { decider_id: cast.admin, decider_name: 'Adminov Anton', decided_at: 1 }
  const waiting = insertPayment(db, cast.order, { amount: 123_456_78, date: '2026-02-28', kind: 'card' })
  const confirmed = insertPayment(db, cast.order, { amount: 5, date: '2026-03-01', state: 'confirmed', note: 'Second half', ...decided })
  const rejected = insertPayment(db, betas, {
    amount: 700,
    kind: 'cash',
    state: 'rejected',
    note: 'From the till',
    reason: 'Not there',
    reporter_name: 'Королёва Дарья',
    ...decided,
  })
  return { ...cabinet, betas, waiting, confirmed, rejected, admin: await cabinet.as('admin') }
}

t.test('a payment says of which order and company it is, how much, when and how it was paid, how it stands and by whom', async (t) => {
  exportInProcess(t)
  const { admin, cast, betas, waiting, confirmed, rejected } = await start(t)
  const cells = {
    [waiting]: [
      `#${cast.order}`,
      'Alpha Windows',
      'Denisov Denis',
      '—',
      '—',
      'Bank card',
      shortDay('2026-02-28'),
      'Reported',
      '123 456,78 ₽',
    ],
    [confirmed]: [
      `#${cast.order}`,
      'Alpha Windows',
      'Denisov Denis',
      'Adminov Anton',
      'Second half',
      'Transfer',
      shortDay('2026-03-01'),
      'Confirmed',
      '0,05 ₽',
    ],
    [rejected]: [
      `#${betas}`,
      'ООО «Бета Ёлка»',
      'Королёва Дарья',
      'Adminov Anton',
      'From the till',
      'Cash',
      shortDay('2026-01-15'),
      'Rejected',
      '7,00 ₽',
    ],
  }
  const shown = rowsOf(await admin.get('/payments?cols=decider,note'), 'payments')
  t.same(Object.fromEntries(shown.map((row) => [row.id, Object.values(row.cells)])), cells)
  const [header = '', ...lines] = (await admin.get('/payments/export?format=csv&cols=decider,note')).body.trim().split(/\r?\n/)
  t.match(header, /,Order,Company,Reported by,Decided by,Note,Payment type,Date,State,Amount$/)
  t.same(Object.fromEntries(lines.map((line) => [line.split(',')[0], line.split(',').slice(1).join()])), {
    [waiting]: `${cast.order},Alpha Windows,Denisov Denis,,,Bank card,2026-02-28,Reported,123456.78`,
    [confirmed]: `${cast.order},Alpha Windows,Denisov Denis,Adminov Anton,Second half,Bank transfer,2026-03-01,Confirmed,0.05`,
    [rejected]: `${betas},ООО «Бета Ёлка»,Королёва Дарья,Adminov Anton,From the till,Cash,2026-01-15,Rejected,7`,
  })
})

t.test('payments are sorted by amount, day and state, and of equal ones the newest stands first', async (t) => {
  const { admin, waiting, confirmed, rejected } = await start(t)
  const sorted = async (query: string) => idsOf(await admin.get(`/payments?${query}`), 'payments')
  t.same(await sorted('sort=amount&dir=asc'), [confirmed, rejected, waiting])
  t.same(await sorted('sort=date&dir=desc'), [confirmed, waiting, rejected])
  t.same(await sorted(''), [waiting, rejected, confirmed], 'those that wait first')
  t.same(await sorted('state=rejected'), [rejected])
  t.same(await sorted('q=till'), [rejected])
  const tabs = elementsOf((await admin.get('/payments?state=rejected')).body, '.list-tabs a').map((tab) => plain(textOf(tab)))
  t.same(tabs, ['All 3', 'Reported 1', 'Confirmed 1', 'Rejected 1'])
})

t.test('whoever confirms many is asked once, with what it comes to, and answers on the page or in the dialog', async (t) => {
  const { admin, waiting, confirmed } = await start(t)
  const query = `id=${waiting}&id=${confirmed}&state=reported`
  const formOf = ({ body }: Answer) => {
    const page = parseHtml(body)
    const form = page('form[method=post]').has('[name=once]')
    return {
      action: form.attr('action'),
      title: plain(page('#dialog-title').text()),
      buttons: form
        .find('.btn-list > *')
        .toArray()
        .map((one) => plain(page(one).text())),
      total: plain(page('p:has(.money)').text()),
    }
  }
  const question = {
    action: '/payments/confirm',
    title: 'Confirm 2 payments',
    buttons: ['Cancel', 'Confirm'],
    total: 'Total: 123 456,78 ₽',
  }
  const asked = await admin.get(`/payments/confirm?${query}`)
  t.same(formOf(asked), question)
  t.same(formOf(await admin.get(`/payments/confirm?${query}`, htmx)), question)
  t.same(hiddenOf(asked, 'id'), [waiting, confirmed].map(String))
  t.match(hiddenOf(asked, 'once'), [/./])
  t.equal((await admin.get('/payments/confirm')).statusCode, 422, 'nothing is selected')
})

t.test('a confirmed payment stands in the ledger with its note and who confirmed it; one of no company is refused', async (t) => {
  const cabinet = await start(t)
  const { db, cast, admin } = cabinet
  const noted = insertPayment(db, cast.order, { amount: 900, note: 'Advance' })
  const homeless = insertPayment(db, insertOrder(cabinet, 'payment', { cost: 5 }), { amount: 800 })
  const report = await admin.post('/payments/confirm', { id: [noted, homeless] })
  t.match(plain(textOf(report.body)), /1 payment confirmed.*1 payment was not confirmed:.*This order belongs to no company\./)
  t.equal(parseHtml(report.body)(`[data-result="${homeless}"] a`).attr('href'), `/payments/${homeless}`)
  const [entry, ...others] = rowsOf(await admin.get('/ledger'), 'ledger')
  t.match(entry?.cells, {
    company: 'Alpha Windows',
    kind: 'Payment',
    order: `#${cast.order}`,
    amount: '9,00 ₽',
    note: 'Advance',
    actor: 'Adminov Anton',
  })
  t.same(others, [])
})

t.test('of the payments of an order the newest day stands first, and of one day the one reported last', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const days = ['2026-01-02', '2026-01-03', '2026-01-02', '2026-01-01']
  const ids = days.map((date, at) => insertPayment(db, cast.order, { date, amount: at + 1 }))
  const page = parseHtml((await (await as('root')).get(`/orders/${cast.order}`)).body)
  const shown = page('#payments [data-payment]').toArray()
  t.same(
    shown.map(({ attribs }) => Number(attribs['data-payment'])),
    [ids[1], ids[2], ids[0], ids[3]],
  )
})

t.test('while more than 250 payments are confirmed, those of a company that is handed over meanwhile stay reported', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  grant(db, cast.maria, 'payment_can_confirm')
  const ids = Array.from({ length: 300 }, () => insertPayment(db, cast.order))
  const states = () =>
    db
      .select({ state: payments.state })
      .from(payments)
      .all()
      .map(({ state }) => state)
  const maria = await as('maria')
  const address = (await maria.post('/payments/confirm', { id: ids })).headers.location as string
  for (const end = Date.now() + 60_000; !states().includes('confirmed') && Date.now() < end; ) await pause(1)
  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, cast.companies.alpha)).run()
  const { skipped, report, total } = await endOfJob(cabinet, address)
  t.equal(states().filter((state) => state === 'confirmed').length, total - skipped)
  t.same(states().slice(-2), ['reported', 'reported'])
  t.match(report.at(-1)?.reason, "You don't have access.")
})

t.test('each of two who confirm is told how many payments wait for them, whoever asked first', async (t) => {
  const { db, cast, as, betas, admin } = await start(t)
  grant(db, cast.mikhail, 'payment_can_confirm')
  for (const _ of [1, 2]) insertPayment(db, betas)
  const mikhail = await as('mikhail')
  const count = async (browser: typeof admin) =>
    elementsOf((await browser.get('/news')).body, '.sidebar-menu a[href="/payments?state=reported"]').map(textOf)
  for (const browser of [admin, mikhail]) await browser.get('/news')
  t.same([await count(admin), await count(mikhail)], [['Payments Pending: 3'], ['Payments Pending: 2']])
})
