import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { companies, orders, payments, settings } from '../../src/database/schema/index.ts'
import { allocationsOf } from '../../src/modules/ledger/allocations.ts'
import { companyBalance } from '../../src/modules/ledger/balance.ts'
import { type Answer, type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { parseHtml, textsByRole } from '../support/html.ts'
import { amountsOf, balanceOf, insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder, orderOf, statusId } from '../support/orders.ts'
import { exchange, type Paid } from '../support/statements.ts'

const inns = { alpha: '7701234567', beta: '7707083893' }
const stranger = '7709999999'

/** Alpha, of Maria, has three orders of 100 rubles, Beta one. Anton, an administrator, is the accountant. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast, as } = cabinet
  for (const name of ['alpha', 'beta'] as const)
    db.update(companies).set({ inn: inns[name] }).where(eq(companies.id, cast.companies[name])).run()
  const place = (company: 'alpha' | 'beta', cost = 100_00) =>
    insertOrder(cabinet, 'payment', {
      ...{ dealer_id: company === 'alpha' ? cast.denis : cast.daria, company_id: cast.companies[company], cost },
    })
  const own = [place('alpha'), place('alpha'), place('alpha')] as const
  return { ...cabinet, ...cast.companies, place, own, foreign: place('beta'), admin: await as('admin') }
}

const upload = (browser: Browser, content: Buffer | string, name = 'statement.txt') =>
  submitForm(browser, '/payments/import', [['file', new File([content as never], name)]])

async function open(browser: Browser, documents: Paid[]): Promise<string> {
  const answer = await upload(browser, exchange(documents))
  t.equal(answer.statusCode, 303, textsByRole(answer, 'alert').join())
  return answer.headers.location as string
}

function rowsOn({ body }: Answer) {
  const page = parseHtml(body)
  const rows = page('tr[data-row]').toArray()
  const read = rows.map((element) => {
    const row = page(element)
    const box = (name: string) => row.find(`[name=${name}]`)
    return {
      row: Number(row.attr('data-row')),
      outcome: row.attr('data-outcome'),
      book: box('book').attr('value'),
      ticked: box('book').attr('checked') !== undefined,
      link: box('link').attr('value'),
      fields: row
        .find('.statement-typed input')
        .toArray()
        .map(({ attribs }) => [attribs.name, attribs.value]),
      said: row.find('td').eq(3).text().replace(/\s+/g, ' ').trim(),
      split: row
        .find('[data-split]')
        .toArray()
        .map(({ attribs }) => [Number(attribs['data-split']), Number(attribs['data-kopecks'])]),
      rest: Number(row.find('[data-rest]').attr('data-kopecks') ?? 0),
      error: row.find('.field-error').text().trim(),
    }
  })
  return read.sort((a, b) => a.row - b.row)
}

type Cabinet = Awaited<ReturnType<typeof start>>

const paymentsOf = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(payments).orderBy(payments.id).all()
const paidBy = ({ db }: Pick<Cabinet, 'db'>, id = 0) => allocationsOf(db, id).map(({ order_id, amount }) => [order_id, amount])

t.test('a row whose purpose names three orders pays each what it lacks, and the rest is credit', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, foreign, alpha } = cabinet
  payOrder(db, own[1], 30_00)
  const purpose = `Оплата заказов № ${own.join(', ')}`
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, amount: '280.00', purpose },
    { number: '2', inn: inns.alpha, amount: '10.00', purpose: `Заказы № ${own[0]}, ${foreign}` },
    { number: '3', inn: inns.alpha, amount: '10.00', purpose: `Заказы № ${own[0]}, 987654` },
  ])
  const split = [
    [own[0], 100_00],
    [own[1], 70_00],
    [own[2], 100_00],
  ]
  const [first, ...others] = rowsOn(await admin.get(address))
  t.match(first, { outcome: 'enters', book: `1:${own.join()}`, ticked: true, split, rest: 10_00, said: /The rest stays credit: 10,00 ₽/ })
  t.match(others, [
    { book: `2:${own[0]}`, ticked: false },
    { book: `3:${own[0]}`, ticked: false },
  ])
  t.equal((await admin.post(address, { book: first?.book as string })).statusCode, 303)
  const booked = paymentsOf(cabinet).at(-1)
  t.match(booked, { company_id: alpha, order_id: null, amount: 280_00, state: 'confirmed', payer: inns.alpha })
  t.same(paidBy(cabinet, booked?.id), split)
  t.equal(companyBalance(db, alpha).credit, 10_00)
  t.same(
    own.map((id) => orderOf(db, id).status_id),
    own.map(() => statusId('paid')),
    'each is paid and moves on',
  )
  t.match(rowsOn(await admin.get(address))[0], { outcome: 'booked', book: undefined })
})

t.test('several orders that are typed are shown with what each would get before they are booked, in the order written', async (t) => {
  const cabinet = await start(t)
  const { admin, own, foreign } = cabinet
  const address = await open(admin, [
    { number: '1', amount: '150.00', purpose: 'За окна' },
    { number: '2', amount: '1.00', purpose: `Заказ ${own[2]}` },
  ])
  const typed = `№ ${own[1]}, ${own[0]} и ${own[1]}`.replace(' и ', ', ')
  const sent = { 'order[1]': typed, book: `2:${own[2]}` }
  const shown = await admin.post(address, sent)
  t.equal(shown.statusCode, 422)
  const [first, second] = rowsOn(shown)
  t.match(first, {
    ...{ book: `1:${own[1]},${own[0]}`, ticked: true, error: /^Check how the amount is split/ },
    split: [
      [own[1], 100_00],
      [own[0], 50_00],
    ],
  })
  t.same(first?.fields[0], ['order[1]', typed])
  t.equal(second?.ticked, true, 'what was ticked stays so')
  t.equal(paymentsOf(cabinet).length, 0)
  const swapped = { ...sent, book: [`1:${own[0]},${own[1]}`, `2:${own[2]}`] }
  t.equal((await admin.post(address, swapped)).statusCode, 422, 'another order of them was not seen')
  for (const [wrong, why] of [
    [`${own[0]}, ${foreign}`, 'These orders are of different companies.'],
    [`${own[0]}, 987654`, 'There is no order with this number whose payments you may confirm.'],
    [`${own[0]}, x`, 'There is no order with this number whose payments you may confirm.'],
    [',', 'There is no order with this number whose payments you may confirm.'],
  ] as const) {
    const refused = await admin.post(address, { 'order[1]': wrong })
    t.same([refused.statusCode, rowsOn(refused)[0]?.error, rowsOn(refused)[0]?.fields[0]?.[1]], [422, why, wrong])
  }
  t.equal((await admin.post(address, { ...sent, book: [first?.book as string, sent.book] })).statusCode, 303)
  const [split, single] = paymentsOf(cabinet)
  t.same(paidBy(cabinet, split?.id), first?.split)
  t.match(single, { order_id: own[2] })
})

t.test('what was split pays no order more than it lacks, and no row more than it has, whatever is booked', async (t) => {
  const cabinet = await start(t)
  const { admin, db, place } = cabinet
  const amount = fc.integer({ min: 1, max: 300_00 })
  const property = fc.property(
    fc.array(amount, { minLength: 4, maxLength: 4 }),
    fc.array(fc.record({ amount, named: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }) }), { minLength: 6, maxLength: 6 }),
    (costs, rows) => void histories.push({ costs, rows }),
  )
  const histories: { costs: number[]; rows: { amount: number; named: number[] }[] }[] = []
  fc.assert(property, { numRuns: 12 })
  for (const { costs, rows } of histories) {
    const ids = costs.map((cost) => place('alpha', cost))
    const lacks = new Map(ids.map((id, at) => [id, costs[at] ?? 0]))
    const documents = rows.map(({ amount, named }, at) => ({
      ...{ number: `${ids[0]}-${at}`, inn: inns.alpha, amount: (amount / 100).toFixed(2) },
      purpose: `Заказы № ${named.map((one) => ids[one]).join(', ')}`,
    }))
    const address = await open(admin, documents)
    const before = paymentsOf(cabinet).length
    const book = rows.map(({ named }, at) => `${at + 1}:${named.map((one) => ids[one]).join()}`)
    t.equal((await admin.post(address, { book })).statusCode, 303)
    const wanted = rows.map(({ amount, named }) => {
      let rest = amount
      const parts = named.map((one) => {
        const id = ids[one] as number
        const part = Math.min(rest, lacks.get(id) ?? 0)
        lacks.set(id, (lacks.get(id) ?? 0) - part)
        rest -= part
        return [id, part]
      })
      return parts.filter(([, part]) => part)
    })
    const paid = paymentsOf(cabinet).slice(before)
    t.same(
      paid.map(({ id }) => paidBy(cabinet, id)),
      wanted,
    )
  }
  t.equal(
    companyBalance(db, cabinet.alpha).credit,
    paymentsOf(cabinet).reduce((sum, { amount, allocated }) => sum + amount - allocated, 0),
  )
})

t.test('money that pays no order is an advance of the company with the INN, or of one that is typed', async (t) => {
  const cabinet = await start(t)
  const { admin, db, alpha, beta } = cabinet
  const org = db.select().from(companies).where(eq(companies.id, beta)).get()?.org as string
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, amount: '7.00', purpose: 'Аванс по договору Д-138/26' },
    { number: '2', inn: inns.alpha, amount: '8.00', purpose: 'За окна' },
    { number: '3', amount: '1.00', purpose: 'За стекло' },
    { number: '4', amount: '2.00', purpose: 'За стекло' },
    { number: '5', amount: '3.00', purpose: 'За стекло' },
    { number: '6', amount: '4.00', purpose: 'За стекло' },
    { number: '7', amount: '5.00', inn: stranger, purpose: 'Аванс' },
  ])
  const page = await admin.get(address)
  t.match(rowsOn(page), [
    { outcome: 'enters', book: `1:c${alpha}`, ticked: true, said: /An advance by its purpose, Payer's INN/ },
    { outcome: 'open', book: `2:c${alpha}`, ticked: false },
    {
      outcome: 'open',
      book: undefined,
      fields: [
        ['order[3]', ''],
        ['company[3]', ''],
      ],
    },
    {},
    {},
    {},
    { outcome: 'open', book: undefined },
  ])
  const offered = parseHtml(page.body)('#companies option').toArray()
  t.ok(offered.some(({ attribs }) => attribs.value === `${org}, INN ${inns.beta}`))
  for (const [wrong, why] of [
    ['987654', 'There is no company with this name or INN whose payments you may confirm.'],
    [stranger, 'There is no company with this name or INN whose payments you may confirm.'],
    ['Никто', 'There is no company with this name or INN whose payments you may confirm.'],
  ] as const) {
    const refused = await admin.post(address, { 'company[3]': wrong, book: `2:c${alpha}` })
    const [, second, third] = rowsOn(refused)
    t.same([refused.statusCode, second?.ticked, third?.error, third?.fields[1]], [422, true, why, ['company[3]', wrong]])
  }
  t.equal(paymentsOf(cabinet).length, 0)
  const typed = { 'company[3]': beta, 'company[4]': inns.beta, 'company[5]': org.toUpperCase(), 'company[6]': `${org}, INN ${inns.beta}` }
  t.equal((await admin.post(address, { book: [`1:c${alpha}`, `2:c${alpha}`], ...typed })).statusCode, 303)
  t.same([companyBalance(db, alpha).credit, companyBalance(db, beta).credit], [15_00, 10_00])
  t.same(
    paymentsOf(cabinet).map(({ company_id, order_id, state }) => [company_id, order_id, state]),
    [alpha, alpha, beta, beta, beta, beta].map((id) => [id, null, 'confirmed']),
  )
  db.update(companies).set({ inn: inns.beta }).where(eq(companies.id, alpha)).run()
  t.match(rowsOn(await admin.post(address, { 'company[7]': inns.beta }))[6]?.error, 'Several companies have this name or INN')
  t.equal((await admin.post(address, { 'company[7]': `${org}, INN ${inns.beta}` })).statusCode, 303)
  t.equal(companyBalance(db, beta).credit, 15_00)
})

t.test('a manager books advances and refunds of companies they manage, and of no others', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, alpha, beta } = cabinet
  grant(db, cast.maria, 'payment_can_confirm')
  const maria = await as('maria')
  const address = await open(maria, [
    { number: '1', inn: inns.beta, amount: '1.00', purpose: 'Аванс' },
    { number: '2', inn: inns.alpha, amount: '1.00', purpose: 'Аванс' },
    { number: '3', inn: inns.beta, amount: '1.00', purpose: 'Возврат', outgoing: true },
  ])
  const page = await maria.get(address)
  t.match(rowsOn(page), [{ outcome: 'open', book: undefined }, { book: `2:c${alpha}` }, { outcome: 'outgoing', book: undefined }])
  t.notMatch(parseHtml(page.body)('#companies').html(), inns.beta)
  for (const body of [{ book: `1:c${beta}` }, { 'company[1]': beta }, { 'company[1]': inns.beta }, { book: `3:c${beta}` }] as Fields[])
    t.equal((await maria.post(address, body)).statusCode, 422, JSON.stringify(body))
  t.equal(paymentsOf(cabinet).length, 0)
})

t.test('an outgoing row is booked as a refund of the company with the INN of the recipient, only if it is ticked', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, foreign, alpha, beta } = cabinet
  payOrder(db, own[0], 50_00)
  const row = { outgoing: true, inn: inns.alpha, amount: '20.00' }
  const address = await open(admin, [
    { ...row, number: '1', purpose: `Возврат по заказу № ${own[0]}` },
    { ...row, number: '2', purpose: `Возврат по заказу № ${foreign}` },
    { ...row, number: '3', inn: stranger, purpose: `Возврат по заказу № ${own[0]}` },
    { ...row, number: '4', date: '31.12.2099', purpose: 'Возврат' },
  ])
  t.match(rowsOn(await admin.get(address)), [
    { outcome: 'outgoing', book: `1:${own[0]}`, ticked: false, said: /Refund.*Recipient's INN/, fields: [['order[1]', '']] },
    { outcome: 'outgoing', book: `2:c${alpha}`, ticked: false },
    { outcome: 'outgoing', book: undefined, fields: [] },
    { outcome: 'outgoing', book: undefined, said: 'Outgoing payment' },
  ])
  const wrong: Fields[] = [
    ...[`1:${foreign}`, `1:c${beta}`, `1:${own[0]},${own[1]}`, `3:c${alpha}`, `4:c${alpha}`].map((book) => ({ book })),
    { 'order[2]': foreign },
  ]
  for (const body of wrong) t.equal((await admin.post(address, body)).statusCode, 422, JSON.stringify(body))
  t.equal(balanceOf(db, alpha), 50_00)
  for (const _ of ['once', 'again']) t.equal((await admin.post(address, { book: `1:${own[0]}`, 'order[2]': own[1] })).statusCode, 303)
  t.equal(balanceOf(db, alpha), 10_00)
  t.same(amountsOf(db, own[0]), [
    ['payment', 50_00],
    ['refund', -20_00],
  ])
  const refunds = paymentsOf(cabinet).filter(({ direction }) => direction === 'refund')
  t.match(refunds, [
    { company_id: alpha, order_id: own[0], amount: 20_00, state: 'confirmed', date: '2026-02-02', note: /^№ 1, 02\.02\.2026/ },
    { company_id: alpha, order_id: own[1] },
  ])
  t.match(rowsOn(await admin.get(address)), [{ outcome: 'booked' }, { outcome: 'booked' }, {}, {}])
})

t.test('a refund that was booked by hand is not booked once more unless somebody says so', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, alpha } = cabinet
  const byHand = insertPayment(db, own[0], {
    direction: 'refund',
    state: 'confirmed',
    company_id: alpha,
    amount: 20_00,
    date: '2026-02-03',
  })
  insertPayment(db, own[0], { state: 'confirmed', amount: 20_00, date: '2026-02-02' })
  const address = await open(admin, [{ outgoing: true, inn: inns.alpha, amount: '20.00', purpose: 'Возврат' }])
  t.match(rowsOn(await admin.get(address)), [{ link: `1:${byHand}`, book: `1:c${alpha}:${byHand}` }])
  t.equal((await admin.post(address, { book: `1:c${alpha}` })).statusCode, 422)
  t.equal((await admin.post(address, { link: `1:${byHand}` })).statusCode, 303)
  t.match(rowsOn(await admin.get(address)), [{ outcome: 'booked' }])
  t.equal(balanceOf(db, alpha), 0)
})

t.test('somebody who has paid for a company before is known again, until that payment is reversed', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, foreign, beta } = cabinet
  const account = '40802810100000000055'
  const rows: Paid[] = [
    { number: '1', inn: inns.alpha, amount: '1.00', purpose: `Заказ ${foreign}` },
    { number: '2', account, amount: '1.00', purpose: 'За окна' },
    { number: '3', account: '30232810100000000055', amount: '1.00', purpose: 'За окна' },
  ]
  const next = rows.map((row) => ({ ...row, number: `1${row.number}` }))
  t.match(rowsOn(await admin.get(await open(admin, rows))), [{ ticked: false, said: /not that of the company/ }, {}, {}])
  const address = await open(admin, rows)
  t.equal((await admin.post(address, { book: `1:${foreign}`, 'order[2]': foreign, 'order[3]': foreign })).statusCode, 303)
  const again = await open(admin, [...next, { number: '20', inn: inns.alpha, amount: '1.00', purpose: `Заказ ${own[0]}` }])
  t.match(rowsOn(await admin.get(again)), [
    { book: `1:${foreign}`, ticked: true, said: /Order number in the purpose, Paid for this company before/ },
    { outcome: 'open', book: `2:c${beta}`, ticked: false, said: /lacks this amount/ },
    { outcome: 'open', book: undefined, said: /the payer is not known/ },
    { book: `4:${own[0]}`, ticked: true, said: /Payer's INN/ },
  ])
  t.equal((await admin.post(again, { book: `4:${own[0]}` })).statusCode, 303)
  const later = await open(admin, [{ number: '21', inn: inns.alpha, amount: '1.00', purpose: `Заказ ${own[0]}` }])
  t.match(rowsOn(await admin.get(later)), [{ said: /Order number in the purpose, Payer's INN$/ }], 'their own company is not another one')
  db.update(payments).set({ state: 'reversed' }).where(eq(payments.payer, inns.alpha)).run()
  t.match(rowsOn(await admin.get(again)), [{ ticked: false, said: /not that of the company/ }, { book: `2:c${beta}` }, {}, {}])
})

t.test('one row of two statements that overlap, booked by two people at once, is booked once; after its reversal again', async (t) => {
  const cabinet = await start(t)
  const { admin, as, db, own, alpha } = cabinet
  const row = { number: '1', inn: inns.alpha, amount: '150.00', purpose: `Заказы ${own[0]}, ${own[1]}` }
  const clerk = await as('clerk')
  const addresses = [await open(admin, [row]), await open(clerk, [{ ...row, number: '2' }, row])]
  const answers = await Promise.all([
    admin.post(addresses[0] as string, { book: `1:${own[0]},${own[1]}` }),
    clerk.post(addresses[1] as string, { book: `2:${own[0]},${own[1]}` }),
  ])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  t.equal(balanceOf(db, alpha), 150_00)
  db.update(payments).set({ state: 'reversed', statement_line: null }).run()
  t.match(rowsOn(await admin.get(addresses[0] as string)), [{ outcome: 'enters' }])
  t.equal((await admin.post(addresses[0] as string, { book: `1:${own[0]},${own[1]}` })).statusCode, 303)
  t.equal(balanceOf(db, alpha), 300_00)
})

t.test('nothing is booked on a closed day, and what was ticked and typed stays', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, alpha } = cabinet
  const close = (closed_until: string) => db.update(settings).set({ closed_until }).run()
  const address = await open(admin, [
    { number: '1', inn: inns.alpha, date: '02.02.2026', purpose: `Заказ ${own[0]}` },
    { number: '2', inn: inns.alpha, date: '03.02.2026', purpose: `Заказ ${own[0]}` },
    { number: '3', inn: inns.alpha, date: '02.02.2026', purpose: 'Возврат', outgoing: true },
  ])
  close('2026-02-01')
  t.match(rowsOn(await admin.get(address)), [{ ticked: true }, { ticked: true }, { book: `3:c${alpha}` }])
  close('2026-02-02')
  t.match(rowsOn(await admin.get(address)), [
    { outcome: 'unreadable', book: undefined, said: /The books are closed until 02\.02\.2026\./ },
    { ticked: true },
    { outcome: 'outgoing', book: undefined, said: /The books are closed until/ },
  ])
  const refused = await admin.post(address, { book: [`1:${own[0]}`, `2:${own[0]}`, `3:c${alpha}`] })
  t.equal(refused.statusCode, 422)
  t.match(rowsOn(refused), [{ error: /closed until 02\.02\.2026/ }, { ticked: true, error: '' }, { error: /closed until/ }])
  t.equal(paymentsOf(cabinet).length, 0)
})

const fixture = (name: string) =>
  new TextDecoder('windows-1251').decode(readFileSync(new URL(`../support/statements/${name}.txt`, import.meta.url)))

t.test("what is incoming is said by the statement's account, else by one's own account and INN, else by the days", async (t) => {
  const { admin, db } = await start(t)
  const text = fixture('empty-settlement-account')
  const outcomes = async (content: string) =>
    rowsOn(await admin.get((await upload(admin, Buffer.from(content))).headers.location as string)).map(({ outcome }) => outcome)
  const unnamed = text.replace(/^РасчСчет=\d+/m, 'РасчСчет=')
  t.same(await outcomes(text), ['outgoing', 'open'])
  t.same(await outcomes(unnamed), ['open', 'outgoing'], 'by the days alone')
  t.same(await outcomes(unnamed.replace(/Счет=\d+/g, 'Счет=')), ['open', 'outgoing'], 'no account is none of ours')
  db.update(settings).set({ rs: '40702810400000000001' }).run()
  t.same(await outcomes(unnamed), ['outgoing', 'open'])
  db.update(settings).set({ rs: null, inn: inns.alpha }).run()
  t.same(await outcomes(unnamed), ['outgoing', 'open'])
  db.update(settings).set({ inn: stranger, rs: '40702810400000000002' }).run()
  t.same(await outcomes(unnamed), ['open', 'outgoing'], 'those of others say nothing')
  const ownTransfer = text.replaceAll(inns.beta, stranger).replaceAll(inns.alpha, stranger)
  t.same(await outcomes(ownTransfer), ['outgoing', 'open'], 'between accounts of one owner the statement decides')
})

t.test('a table names recipients, too', async (t) => {
  const { admin, db, alpha } = await start(t)
  db.update(settings).set({ inn: stranger }).run()
  const table = [
    'Дата;Сумма;Плательщик;ИНН плательщика;Получатель;ИНН получателя;Назначение платежа',
    `02.02.2026;5,00;Мы;${stranger};ООО «Альфа»;${inns.alpha};Возврат`,
    `02.02.2026;-6,00;Мы;;ООО «Альфа»;${inns.alpha};Возврат`,
    `02.02.2026;7,00;ООО «Альфа»;${inns.alpha};Мы;${stranger};Аванс`,
  ]
  const answer = await upload(admin, table.join('\r\n'), 'a.csv')
  const rows = rowsOn(await admin.get(answer.headers.location as string))
  t.match(rows, [
    { outcome: 'outgoing', book: `2:c${alpha}` },
    { outcome: 'outgoing', book: `3:c${alpha}` },
    { outcome: 'enters', book: `4:c${alpha}` },
  ])
})

t.test('an advance that was reported is confirmed rather than entered once more', async (t) => {
  const cabinet = await start(t)
  const { admin, db, own, alpha, beta } = cabinet
  const [, id] = [beta, alpha].map((company_id) => insertPayment(db, own[0], { order_id: null, company_id, amount: 400_50 }))
  const address = await open(admin, [{ inn: inns.alpha, purpose: 'Аванс' }])
  const [row] = rowsOn(await admin.get(address))
  t.match(row, { outcome: 'confirms', ticked: true, said: /A reported payment of this amount/ })
  t.equal((await admin.post(address, { book: row?.book as string })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ state: 'reported' }, { id, state: 'confirmed' }])
  t.equal(companyBalance(db, alpha).credit, 400_50)
})

t.test('an order that moved to another company between is not booked together with those of the first', async (t) => {
  const cabinet = await start(t)
  const { admin, db, cast, own, beta } = cabinet
  const address = await open(admin, [{ inn: inns.alpha, amount: '150.00', purpose: `Заказы ${own[0]}, ${own[1]}` }])
  const [row] = rowsOn(await admin.get(address))
  db.update(orders).set({ company_id: beta, dealer_id: cast.daria }).where(eq(orders.id, own[1])).run()
  const refused = await admin.post(address, { book: row?.book as string })
  t.equal(refused.statusCode, 422)
  t.equal(rowsOn(refused)[0]?.error, 'These orders are of different companies.')
  t.equal(paymentsOf(cabinet).length, 0)
})
