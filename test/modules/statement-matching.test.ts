import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, type documents, orders, payments } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { insertDocument } from '../support/documents.ts'
import { submitForm } from '../support/files.ts'
import { parseHtml, textsByRole } from '../support/html.ts'
import { amountsOf, insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { exchange, type Paid } from '../support/statements.ts'

const inns = { alpha: '7701234567', beta: '7707083893' }

/** Two companies with an INN each; orders of Alpha have the specification numbers 5, 6 and 7, one of Beta has 7, too. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast, as } = cabinet
  for (const name of ['alpha', 'beta'] as const)
    db.update(companies).set({ inn: inns[name] }).where(eq(companies.id, cast.companies[name])).run()
  const place = (company: 'alpha' | 'beta', specification_number: number) =>
    insertOrder(cabinet, 'payment', {
      ...{ dealer_id: company === 'alpha' ? cast.denis : cast.daria, company_id: cast.companies[company] },
      ...{ cost: 500_000, specification_number },
    })
  const own = [place('alpha', 5), place('alpha', 6), place('alpha', 7)] as const
  const foreign = place('beta', 7)
  return { ...cabinet, own, foreign, admin: await as('admin') }
}

const year = (ago: number) => new Date().getFullYear() + ago
const dayOf = (ago: number) => `${year(ago)}-11-27`

const upload = (browser: Browser, content: Buffer | string) =>
  submitForm(browser, '/payments/import', [['file', new File([content as never], 'statement.txt')]])

async function open(browser: Browser, documents: Paid[]): Promise<string> {
  const answer = await upload(browser, exchange(documents))
  t.equal(answer.statusCode, 303, textsByRole(answer, 'alert').join())
  return answer.headers.location as string
}

function rowsOn({ body }: Answer) {
  const page = parseHtml(body)
  return page('tr[data-row]')
    .toArray()
    .map((element) => {
      const row = page(element)
      const box = (name: string) => row.find(`[name=${name}]`)
      return {
        row: Number(row.attr('data-row')),
        outcome: row.attr('data-outcome'),
        book: box('book').attr('value'),
        ticked: box('book').attr('checked') !== undefined,
        link: box('link').attr('value'),
        linked: box('link').attr('checked') !== undefined,
        field: row.find('input[name^=order]').attr('name'),
        typed: row.find('input[name^=order]').attr('value'),
        said: row.find('td').eq(3).text().replace(/\s+/g, ' ').trim(),
        led: row.find('td').eq(3).find('.field-warning a').attr('href'),
        error: row.find('.field-error').text().trim(),
      }
    })
    .sort((a, b) => a.row - b.row)
}

const fixture = (name: string) => readFileSync(new URL(`../support/statements/${name}.txt`, import.meta.url))

t.test('the number of an invoice leads to its order, and is that of an order only where no invoice has it', async (t) => {
  const { admin, db, cast, own, foreign } = await start(t)
  const [first, second, third] = own
  const bill = (number: string, serial: number, order_id: number, values: Partial<typeof documents.$inferInsert> = {}) =>
    insertDocument({ db, cast }, { number, serial, order_id, year: year(0), date: dayOf(0), company_id: cast.companies.alpha, ...values })
  bill(String(first), first, second)
  bill('26-41', 41, third)
  bill('900', 900, first, { state: 'canceled' })
  bill('7', 7, second, { year: year(-1), date: `${year(-1)}-03-09` })
  bill('7', 7, third)
  bill(String(second), second, foreign, { company_id: cast.companies.beta })
  const beta = { company_id: cast.companies.beta }
  bill('31', 31, foreign, beta)
  const named = async (purpose: string, inn?: string) => {
    const [row] = rowsOn(await admin.get(await open(admin, [{ number: '1', ...(inn && { inn }), purpose, amount: '5000.00' }])))
    return [row?.book?.split(':')[1], /(Order|Invoice) number in the purpose/.exec(row?.said ?? '')?.[1]]
  }
  t.same(await named(`Оплата по счёту № ${first} от 27.11.2026`, inns.alpha), [String(second), 'Invoice'])
  t.same(await named(`Счёт № ${first}`), [String(second), 'Invoice'], 'whoever pays')
  t.same(await named(`Заказ № ${first}`, inns.alpha), [String(first), 'Order'], 'an order that is named as such is meant')
  t.same(await named(`Счёт № ${third}`, inns.alpha), [String(third), 'Order'], 'no invoice has this number')
  t.same(await named('Счёт 26-41', inns.alpha), [String(third), 'Invoice'])
  t.equal((await named('Счёт № 41', inns.alpha))[1], undefined, 'a part of its number is none')
  t.same(await named('Счёт на оплату № 900', inns.alpha), [String(first), 'Invoice'], 'what became of it does not matter')
  t.same(await named('Счёт № 7', inns.alpha), [String(third), 'Invoice'], 'of several years the newest')
  t.same(await named(`Счёт № 7 от 09.03.${year(-1)}`, inns.alpha), [String(second), 'Invoice'], 'or that of the day')
  t.same(await named(`Счёт № ${second}`, inns.alpha), [String(second), 'Order'], "the payer's order rather than the invoice of another")
  t.same(await named('Счёт № 31', inns.alpha), [String(foreign), 'Invoice'], 'which is proposed where there is none')
})

t.test('a specification number is looked for among the orders of the payer only', async (t) => {
  const { admin, cast, own, foreign } = await start(t)
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, purpose: 'Спецификация № 7' },
    { number: '2', inn: inns.beta, purpose: 'Спецификация № 7' },
    { number: '3', inn: inns.beta, purpose: `Спецификация № ${own[0]}`, amount: '5000.00' },
    { number: '4', purpose: 'Спецификация № 7' },
    { number: '5', inn: inns.beta, purpose: 'Спецификация № 6' },
  ])
  const rows = rowsOn(await admin.get(address))
  t.match(rows, [
    { book: `1:${own[2]}`, ticked: true, said: /Specification number in the purpose, Payer's INN/ },
    { book: `2:${foreign}`, ticked: true },
    { book: `3:${foreign}`, ticked: false, said: /no order with this specification number: №\s\d+/ },
    { outcome: 'open', book: undefined, said: /the payer is not known/ },
    { outcome: 'open', book: `5:c${cast.companies.beta}`, ticked: false, said: /no order with this specification number: № 6/ },
  ])
})

t.test('the orders of the payer go before those of others, and these are never ticked', async (t) => {
  const { admin, db, cast, own, foreign } = await start(t)
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, purpose: `Заказ ${foreign}` },
    { number: '2', inn: inns.alpha, purpose: `Заказ ${foreign}, заказ ${own[0]}` },
    { number: '3', inn: inns.alpha, purpose: `Заказы ${own[0]}, ${foreign}` },
    { number: '4', inn: inns.alpha, purpose: `Заказов № ${own.join(', ')}` },
    { number: '5', inn: inns.alpha, purpose: `Заказ N${own[1]}` },
  ])
  t.match(rowsOn(await admin.get(address)), [
    { book: `1:${foreign}`, ticked: false, said: /INN is not that of the company/ },
    { book: `2:${own[0]}`, ticked: true },
    { book: `3:${own[0]}`, ticked: false, said: /names several orders: № \d+, № \d+/ },
    { book: `4:${own.join()}`, ticked: true },
    { book: `5:${own[1]}`, ticked: true },
  ])
  db.update(companies).set({ inn: null }).where(eq(companies.id, cast.companies.beta)).run()
  t.match(rowsOn(await admin.get(address)), [{ ticked: false }], 'nor where the other company has no INN')
})

t.test('every incoming row has a field for the number of an order, and what is typed there goes before what was offered', async (t) => {
  const { admin, db, own, foreign } = await start(t)
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, purpose: `Заказ ${foreign}` },
    { number: '2', inn: inns.alpha, purpose: `Заказ ${own[0]}` },
    { number: '3', inn: inns.alpha, purpose: 'Аванс по договору Д-138/26' },
    { number: '4', purpose: 'За стекло', outgoing: true },
  ])
  t.same(
    rowsOn(await admin.get(address)).map(({ field }) => field),
    ['order[1]', 'order[2]', 'order[3]', undefined],
  )
  const sent = { book: `2:${own[0]}`, 'order[1]': `N${own[1]}`, 'order[2]': own[2], 'order[3]': `№ ${own[1]}` }
  t.equal((await admin.post(address, sent)).statusCode, 303)
  t.same(
    [...own, foreign].map((order) => amountsOf(db, order).length),
    [0, 2, 1, 0],
  )
  t.same(
    rowsOn(await admin.get(address)).map(({ outcome }) => outcome),
    ['booked', 'booked', 'booked', 'outgoing'],
  )
})

const confirmed = { state: 'confirmed', amount: 400_50, decider_name: 'Adminov Anton' } as const

t.test('a transfer that was confirmed by hand is in doubt, with a link to that payment', async (t) => {
  const { admin, db, own, foreign } = await start(t)
  const at = (order: number, date: string, values = {}) => insertPayment(db, order, { ...confirmed, date, ...values })
  const row = { inn: inns.alpha, date: '10.02.2026', purpose: `Заказ ${own[0]}` }
  const address = await open(admin, [row, { ...row, number: '18', purpose: 'За окна' }])
  const doubts = async () => rowsOn(await admin.get(address)).map(({ ticked, link }) => (link ? Number(link.split(':')[1]) : ticked))
  t.same(await doubts(), [true, false])
  at(own[0], '2026-02-04')
  at(own[0], '2026-02-16')
  at(foreign, '2026-02-10')
  at(own[0], '2026-02-10', { amount: 400_51 })
  at(own[0], '2026-02-10', { state: 'rejected' })
  at(own[0], '2026-02-10', { statement_line: '40050 another' })
  t.same(await doubts(), [true, false], 'six days away, of another company or amount, rejected, or booked of another line')
  const far = at(own[1], '2026-02-15')
  t.same(await doubts(), [far, far], 'of another order of the company, five days later')
  const near = at(own[1], '2026-02-11')
  t.same(await doubts(), [near, near], 'the nearest')
  const same = at(own[0], '2026-02-05')
  t.same(await doubts(), [same, near], 'of the same order, five days before')
  const [first] = rowsOn(await admin.get(address))
  t.match(first, {
    ticked: false,
    linked: false,
    led: `/payments/${same}`,
    said: /Confirmed by hand already\? #\d+, 05\.02\.2026, Adminov Anton/,
  })
})

t.test('a row is booked as the payment that was confirmed by hand, or besides it, but not without a choice', async (t) => {
  const { admin, db, own } = await start(t)
  const byHand = insertPayment(db, own[0], { ...confirmed, date: '2026-02-03', note: 'By hand' })
  const row = { inn: inns.alpha, date: '02.02.2026', purpose: `Заказ ${own[0]}` }
  const address = await open(admin, [row, { ...row, number: '18' }, { number: '19', purpose: 'За окна' }])
  const [first, second] = rowsOn(await admin.get(address))
  const entered = () => amountsOf(db, own[0]).length
  const unclear: Record<string, string | string[]>[] = [
    { book: `1:${own[0]}` },
    { 'order[3]': String(own[0]) },
    { link: [first?.link, second?.link] as string[] },
  ]
  for (const body of unclear) {
    const refused = await admin.post(address, body)
    t.equal(refused.statusCode, 422, JSON.stringify(body))
    t.equal(entered(), 0)
  }
  const typed = rowsOn(await admin.post(address, { 'order[3]': own[0] }))[2]
  t.match(typed, { book: `3:${own[0]}:${byHand}`, ticked: false, link: `3:${byHand}`, typed: String(own[0]), error: /^Choose whether/ })
  const chosen = rowsOn(await admin.post(address, { 'order[3]': '98765', link: `1:${byHand}`, book: second?.book as string }))
  t.match(chosen, [{ linked: true, ticked: false }, { ticked: true, linked: false }, { typed: '98765' }])
  const sent = { link: first?.link as string, book: second?.book as string, 'order[3]': own[0] }
  t.equal((await admin.post(address, { ...sent, book: [second?.book as string, typed?.book as string] })).statusCode, 303)
  t.equal(entered(), 2, 'the payment by hand is in the ledger already')
  t.match(db.select().from(payments).where(eq(payments.id, byHand)).get(), {
    statement_line: /^40050 № 17, 02\.02\.2026/,
    note: 'By hand',
    version: 2,
  })
  t.same(
    rowsOn(await admin.get(address)).map(({ outcome }) => outcome),
    ['booked', 'booked', 'booked'],
  )
  t.equal((await admin.post(address, sent)).statusCode, 303, 'sent again')
  t.equal(entered(), 2)
  const other = insertPayment(db, own[0], { ...confirmed, amount: 1_00 })
  const next = await open(admin, [{ number: '20', inn: inns.alpha, purpose: 'За окна' }])
  for (const id of [byHand, other]) t.equal((await admin.post(next, { link: `1:${id}` })).statusCode, 409, 'booked already, another amount')
  t.equal((await admin.post(next, { link: '1:98765' })).statusCode, 422)
})

t.test('payments that somebody may not decide about are neither named nor linked', async (t) => {
  const { as, db, cast, own, foreign } = await start(t)
  grant(db, cast.maria, 'payment_can_confirm')
  const hidden = insertPayment(db, foreign, { ...confirmed, date: '2026-02-02' })
  const maria = await as('maria')
  const address = await open(maria, [{ inn: inns.beta, purpose: 'За окна' }])
  t.match(rowsOn(await maria.get(address)), [{ outcome: 'open', link: undefined, led: undefined }])
  t.equal((await maria.post(address, { link: `1:${hidden}` })).statusCode, 422)
  t.equal(amountsOf(db, own[0]).length, 0)
})

t.test('what a dealer writes into a note books no line', async (t) => {
  const { admin, db, own } = await start(t)
  const note = `№ 17, 02.02.2026, ООО «Альфа», ${inns.alpha}, За окна`
  insertPayment(db, own[0], { ...confirmed, date: '2026-01-01', note })
  const address = await open(admin, [{ inn: inns.alpha, purpose: 'За окна' }])
  t.match(rowsOn(await admin.get(address)), [{ outcome: 'open' }])
})

t.test('a statement whose bank leaves the first account of a party empty has its outgoing and its incoming payments', async (t) => {
  const { admin } = await start(t)
  const answer = await upload(admin, fixture('empty-settlement-account'))
  t.equal(answer.statusCode, 303)
  t.match(rowsOn(await admin.get(answer.headers.location as string)), [{ outcome: 'outgoing' }, { outcome: 'open' }])
})

t.test('a statement of an account that is not in rubles is refused', async (t) => {
  const { admin } = await start(t)
  const dollars = fixture('account-in-dollars')
  const unnamed = Buffer.from(dollars.toString('latin1').replace(/^.*=40702840400000000001\r\n/m, ''), 'latin1')
  for (const content of [dollars, unnamed]) {
    const answer = await upload(admin, content)
    t.equal(answer.statusCode, 422)
    t.match(textsByRole(answer, 'alert').join(), /not in rubles/)
  }
  for (const code of ['810', '643']) {
    const rubles = Buffer.from(dollars.toString('latin1').replaceAll('40702840', `40702${code}`), 'latin1')
    t.equal((await upload(admin, rubles)).statusCode, 303, code)
  }
})

t.test('purposes name specifications of the payer, several orders, and numbers after N; an advance is booked by hand', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  const { db, cast, as } = cabinet
  db.delete(orders).run()
  db.update(companies).set({ inn: inns.beta }).where(eq(companies.id, cast.companies.beta)).run()
  const place = (id: number, company: 'alpha' | 'beta', specification_number: number) => {
    const owner = { dealer_id: company === 'alpha' ? cast.denis : cast.daria, company_id: cast.companies[company] }
    return insertOrder(cabinet, 'payment', { id, ...owner, cost: 100_00, specification_number })
  }
  for (const id of [1, 2, 3, 4]) place(id, 'beta', id + 7)
  for (const id of [5, 6, 7]) place(id, 'alpha', id - 4)
  place(13, 'beta', 5)
  const admin = await as('admin')
  const answer = await upload(admin, fixture('purposes'))
  const address = answer.headers.location as string
  t.match(rowsOn(await admin.get(address)), [
    { book: '1:13', ticked: true },
    { book: '2:1,2,3', ticked: true },
    { book: '3:4', ticked: true },
    { outcome: 'enters', book: `4:c${cast.companies.beta}`, ticked: true, field: 'order[4]', said: /An advance by its purpose/ },
  ])
  t.equal((await admin.post(address, { 'order[4]': 2 })).statusCode, 303)
  t.same(amountsOf(db, 2), [['payment', 50_00]])
})
