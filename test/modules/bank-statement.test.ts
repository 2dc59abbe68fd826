import { load } from 'cheerio'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, imports, ledgerEntries, orders, payments } from '../../src/database/schema/index.ts'
import { formatCalendarDate, today } from '../../src/i18n/format.ts'
import { type Answer, type Browser, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { readInProcesses } from '../support/in-process-sheets.ts'
import { amountsOf, insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'
import { exchange, inEncoding } from '../support/statements.ts'

const upload = (browser: Browser, content: Buffer | string, name = 'statement.txt') =>
  submitForm(browser, '/payments/import', [['file', new File([content as never], name)]])

/** The rows of a statement that was accepted, in the order of the file: what would become of them, of which order, and why. */
async function check(browser: Browser, content: Buffer | string, name?: string) {
  const accepted = await upload(browser, content, name)
  t.equal(accepted.statusCode, 303, textsByRole(accepted, 'alert').join())
  const address = accepted.headers.location as string
  return { address, ...rowsOn(await browser.get(address)) }
}

function rowsOn({ body }: Answer) {
  const page = parseHtml(body)
  const rows = page('tr[data-row]')
    .toArray()
    .map((element) => {
      const row = page(element)
      const tick = row.find('[name=book]')
      return {
        row: Number(row.attr('data-row')),
        outcome: row.attr('data-outcome'),
        book: tick.attr('value'),
        ticked: tick.attr('checked') !== undefined,
        said: row.find('td').eq(3).text().replace(/\s+/g, ' ').trim(),
      }
    })
    .sort((a, b) => a.row - b.row)
  const book = rows.filter(({ ticked }) => ticked).map((row) => row.book as string)
  return { rows, outcomes: rows.map(({ outcome }) => outcome), book }
}

/** Alpha, with an INN, has an order of 1000 rubles; so has Beta. Anton, an administrator, is the accountant. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast, as } = cabinet
  db.update(companies).set({ inn: '7701234567' }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(orders).set({ cost: 100_000 }).where(eq(orders.id, cast.order)).run()
  const betas = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta, cost: 100_000 })
  const booked = () => db.select().from(ledgerEntries).where(eq(ledgerEntries.kind, 'payment')).all().length
  return { ...cabinet, order: cast.order, betas, booked, admin: await as('admin') }
}

t.test('payments of a bank statement are matched by number, payer and amount, and booked once they were reviewed', async (t) => {
  readInProcesses(t)
  const { admin, db, order, betas, booked } = await start(t)
  const content = exchange([
    { number: '1', purpose: `Оплата по заказу № ${order} от 01.02.2026, в т. ч. НДС 22%`, inn: '7701234567' },
    { number: '2', purpose: 'Оплата за окна', amount: '1000.00', inn: '7701234567' },
    { number: '3', purpose: 'За окна', inn: '7709999999' },
    { number: '4', purpose: `Возврат по заказу ${order}`, outgoing: true },
    { number: '5', purpose: `Заказ ${betas}`, date: '31.12.2099' },
  ])
  const { rows, outcomes, book, address } = await check(admin, content)
  t.same(outcomes, ['enters', 'enters', 'open', 'outgoing', 'unreadable'])
  t.equal(rows[3]?.said, 'Outgoing payment', 'said once')
  t.same(book, [`1:${order}`, `2:${order}`], 'what is known is ticked')
  t.match(rows[0]?.said, /Order number in the purpose, Payer's INN/)
  t.match(rows[1]?.said, /Payer's INN, The amount that is left to pay/)
  t.match(rows[2]?.said, 'No order number, and the payer is not known')
  t.match(rows[4]?.said, 'future')
  const page = (await admin.get(address)).body
  t.same(elementsOf(page, '.statement-summary li').map(textOf), [
    'Order not found: 1',
    'New payment: 2',
    'Cannot be booked: 1',
    'Outgoing payment: 1',
  ])
  t.equal(booked(), 0, 'nothing is booked unseen')
  t.equal((await admin.post(address, { book: book[0] as string })).statusCode, 303)
  t.same(amountsOf(db, order), [['payment', 400_50]])
  t.match(db.select().from(payments).all(), [{ state: 'confirmed', kind: 'transfer', date: '2026-02-02', decider_name: 'Adminov Anton' }])
  const after = rowsOn(await admin.get(address))
  t.same(after.outcomes.slice(0, 2), ['booked', 'open'], 'with less left, the amount tells no more')
})

t.test('the same statement twice, or one that overlaps it, books nothing twice; two payments alike are two', async (t) => {
  const { admin, order, booked, db } = await start(t)
  const twin = 'Payment for order '
  const line = (day: string) => `${day};"1 000,00";ООО «Альфа»;7701234567;${twin}${order}`
  const table = (...days: string[]) => ['Дата;Сумма;Плательщик;ИНН;Назначение платежа', ...days.map(line)].join('\r\n')
  const first = await check(admin, table('02.02.2026', '02.02.2026'), 'a.csv')
  const ticked = { book: first.rows.map(({ book }) => book as string) }
  await admin.post(first.address, ticked)
  t.equal(booked(), 2)
  await admin.post(first.address, ticked)
  t.equal(booked(), 2, 'sent again')
  const again = await check(admin, table('02.02.2026', '02.02.2026', '03.02.2026'), 'b.csv')
  t.same(again.outcomes, ['booked', 'booked', 'enters'])
  await admin.post(again.address, { book: [1, 2, 3].map((row) => `${row + 1}:${order}`) })
  t.equal(booked(), 3, 'only what is new')
  t.same(amountsOf(db, order).length, 3)
})

t.test('a reported payment of the amount is confirmed rather than entered once more', async (t) => {
  const { admin, db, order, booked } = await start(t)
  const reported = insertPayment(db, order, { amount: 400_50, note: 'First half' })
  const { outcomes, book, address } = await check(admin, exchange([{ purpose: `Заказ №${order}` }]))
  t.same(outcomes, ['confirms'])
  await admin.post(address, { book })
  const all = db.select().from(payments).all()
  t.match(all, [{ id: reported, state: 'confirmed' }])
  t.match(all[0]?.note, /^First half\n№\s17, 02\.02\.2026/)
  t.equal(booked(), 1)
  t.same((await check(admin, exchange([{ purpose: `Заказ №${order}` }]))).outcomes, ['booked'])
})

t.test('what is doubtful is not ticked: another payer, an order that is paid, several orders of others', async (t) => {
  const { admin, db, order, betas } = await start(t)
  payOrder(db, betas, 1000_00)
  const { rows, outcomes, book } = await check(
    admin,
    exchange([
      { number: '1', purpose: `Заказ ${order}`, inn: '7709999999' },
      { number: '2', purpose: `Заказ ${betas}`, amount: '0.01' },
      { number: '3', purpose: `Заказы № ${order}, № ${betas}` },
    ]),
  )
  t.same(outcomes, ['enters', 'enters', 'open'])
  t.same(book, [])
  t.match(rows.map(({ said }) => said).join(), /The payer's INN is not that of the company.*More than is left to pay.*names several orders/)
})

t.test('the order of a payment that names none is typed; a wrong number books nothing and keeps what was typed', async (t) => {
  const { admin, db, order, betas, booked } = await start(t)
  const { address } = await check(
    admin,
    exchange([
      { number: '1', purpose: 'За окна' },
      { number: '2', purpose: `Заказ ${order}` },
    ]),
  )
  const wrong = await admin.post(address, { 'order[1]': '987654', book: `2:${order}` })
  t.equal(wrong.statusCode, 422)
  t.equal(parseHtml(wrong.body)('[name="order[1]"]').attr('value'), '987654')
  t.match(textOf(elementsOf(wrong.body, '#order-1-error')[0] ?? ''), 'There is no order with this number')
  t.equal(booked(), 0)
  t.equal((await admin.post(address, {})).statusCode, 422, 'nothing selected')
  t.equal((await admin.post(address, { 'order[1]': `№ ${betas}`, book: `2:${order}` })).statusCode, 303)
  t.same([amountsOf(db, betas), amountsOf(db, order)], [[['payment', 400_50]], [['payment', 400_50]]])
})

t.test(
  'after a wrong number the same rows are ticked as were sent: neither one that was left out nor without one that was doubtful',
  async (t) => {
    const { admin, order, booked } = await start(t)
    const { address, book } = await check(
      admin,
      exchange([
        { number: '1', purpose: 'За окна' },
        { number: '2', purpose: `Заказ ${order}` },
        { number: '3', purpose: `Заказ ${order}` },
        { number: '4', purpose: `Заказ ${order}`, inn: '7709999999' },
      ]),
    )
    t.same(book, [`2:${order}`, `3:${order}`])
    const sent = [`3:${order}`, `4:${order}`]
    const wrong = await admin.post(address, { 'order[1]': '987654', book: sent })
    t.equal(wrong.statusCode, 422)
    t.same(rowsOn(wrong).book, sent)
    t.equal(booked(), 0)
  },
)

t.test('a wrong number on the second page of a statement is shown there', async (t) => {
  const { admin } = await start(t)
  const { address } = await check(admin, table(...Array.from({ length: 201 }, (_, at) => `02.02.2026;${at + 1},00;;A;;За окна`)), 'a.csv')
  const second = await admin.get(`${address}?page=2`)
  const [last] = rowsOn(second).rows
  t.equal(rowsOn(second).rows.length, 1)
  const wrong = await admin.post(String(parseHtml(second.body)('#statement').attr('action')), { [`order[${last?.row}]`]: '987654' })
  t.equal(wrong.statusCode, 422)
  t.same(
    rowsOn(wrong).rows.map(({ row }) => row),
    [last?.row],
  )
  t.equal(parseHtml(wrong.body)(`[name="order[${last?.row}]"]`).attr('value'), '987654', 'what was typed is kept')
  t.match(textOf(elementsOf(wrong.body, `#order-${last?.row}-error`)[0] ?? ''), 'There is no order with this number')
})

t.test('somebody books payments of the orders they see only, from statements of their own', async (t) => {
  const { as, admin, db, cast, order, betas, booked } = await start(t)
  grant(db, cast.maria, 'payment_can_confirm')
  const maria = await as('maria')
  const content = exchange([
    { number: '1', purpose: `Заказ ${order}` },
    { number: '2', purpose: `Заказ ${betas}` },
  ])
  const { outcomes, address } = await check(maria, content)
  t.same(outcomes, ['enters', 'open'], 'the order of another manager is as unknown as one that is not there')
  t.equal((await maria.post(address, { book: `2:${betas}` })).statusCode, 422)
  t.equal((await maria.post(address, { 'order[2]': betas })).statusCode, 422)
  t.equal(booked(), 0)
  t.equal((await admin.get(address)).statusCode, 404)
  t.equal((await admin.get(address.replace('/payments/import', '/imports'))).statusCode, 404, 'nor as an import of records')
  for (const name of ['denis', 'mikhail', 'pavel'] as const) t.equal((await upload(await as(name), content)).statusCode, 403)
  const rows = db.select().from(imports).get()?.row_count
  db.update(imports).set({ row_count: 0 }).run()
  t.equal((await maria.get(address)).statusCode, 404, 'a statement that is still arriving is none yet')
  db.update(imports).set({ row_count: rows }).run()
  db.update(imports).set({ list: 'companies' }).run()
  t.equal((await maria.get(address)).statusCode, 404, 'nor is an import of records a statement')
})

t.test('what is no statement, another dialect, and one that ends in the middle are refused (422), saying why', async (t) => {
  const { admin, order } = await start(t)
  const refused = async (content: Buffer | string, name: string, why: RegExp) => {
    const answer = await upload(admin, content, name)
    t.equal(answer.statusCode, 422, name)
    t.match(textsByRole(answer, 'alert').join(), why)
  }
  await refused(':20:START\r\n:25:40702810/12\r\n:61:2602020202C400,50NTRF', 'mt940.txt', /no bank statement that can be read/)
  await refused('Дата;Плательщик\r\n02.02.2026;ООО', 'columns.csv', /no bank statement that can be read/)
  await refused(exchange([{ purpose: `Заказ ${order}` }], ''), 'half.txt', /ends in the middle/)
  await refused(exchange([{ purpose: `Заказ ${order}` }]).subarray(0, 200), 'cut.txt', /ends in the middle/)
  await refused('1CClientBankExchange\r\n', 'begun.txt', /ends in the middle/)
  await refused(exchange([]), 'empty.txt', /^empty.txt: This is no table/)
  await refused(Buffer.from([0, 1, 2, 3]), 'binary.txt', /cannot be read/)
})

t.test('other formats of banks, other encodings and files that are too large are refused (4xx), saying why', async (t) => {
  const { admin, order, booked, db } = await start(t)
  const statement = exchange([{ purpose: `Заказ ${order}` }])
  const text = new TextDecoder('windows-1251').decode(statement)
  const rows = Buffer.from(`Дата;Сумма;Назначение платежа\r\n02.02.2026;5,00;Заказ ${order}\r\n`)
  const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, ' ')
  const camt = '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt/></Document>'
  const wrong: [string, Buffer, RegExp][] = [
    ['camt.xml', Buffer.from(camt), /no bank statement that can be read/],
    ['koi8.txt', inEncoding('koi8-r', text), /letters .* cannot be read.* encoding of Windows/],
    ['broken.txt', Buffer.concat([Buffer.from(text), Buffer.from([0xd0, 0x0a])]), /letters .* cannot be read.* encoding of Windows/],
    ['utf-16.txt', Buffer.from(text, 'utf16le'), /cannot be read/],
    ['below.csv', Buffer.concat([rows, megabytes(49)]), /too large/],
    ['above.csv', Buffer.concat([rows, megabytes(50)]), /50 MB/],
    ['below.txt', Buffer.concat([statement, megabytes(49)]), /too large/],
  ]
  for (const [name, content, why] of wrong) {
    const answer = await upload(admin, content, name)
    t.ok([413, 422].includes(answer.statusCode), `${name}: ${answer.statusCode}`)
    if (answer.statusCode === 422) t.equal(parseHtml(answer.body)('#file').attr('aria-describedby'), 'file-error file-hint', name)
    t.match(textsByRole(answer, 'alert').join(), why, name)
  }
  t.equal(booked(), 0)
  t.same(db.select().from(payments).all(), [])
})

t.test('a statement of 10,000 payments has fifty pages; one more is refused', async (t) => {
  const { admin } = await start(t)
  // What went out is told apart without looking for an order.
  const paid = Array.from({ length: 10_001 }, (_, at) => ({ number: String(at), amount: '1.00', purpose: 'За окна', outgoing: true }))
  const refused = await upload(admin, exchange(paid))
  t.equal(refused.statusCode, 422)
  t.match(textsByRole(refused, 'alert').join(), /10,000|10\s000|10000/)
  const accepted = await upload(admin, exchange(paid.slice(1)))
  const { rows } = rowsOn(await admin.get(`${accepted.headers.location}?page=50`))
  t.same([rows.length, rows.at(-1)?.row], [200, 10_000], 'the last page')
})

t.test('a payment whose reporter wrote what the bank will say waits until the statement confirms it', async (t) => {
  const { admin, db, order, booked } = await start(t)
  const note = `№ 17, 02.02.2026, ООО «Альфа», Заказ №${order}`
  insertPayment(db, order, { amount: 400_50, note })
  const { outcomes, book, address } = await check(admin, exchange([{ purpose: `Заказ №${order}` }]))
  t.same(outcomes, ['confirms'])
  await admin.post(address, { book })
  t.equal(booked(), 1)
  t.same(rowsOn(await admin.get(address)).outcomes, ['booked'])
})

t.test('a statement in the code page of DOS, or in UTF-8, is read alike', async (t) => {
  const { admin, order } = await start(t)
  const text = new TextDecoder('windows-1251').decode(exchange([{ purpose: `Заказ № ${order}` }]))
  t.same((await check(admin, Buffer.from(text))).outcomes, ['enters'])
  const written = text.replace('Кодировка=Windows', 'Кодировка=DOS').replace(/[«»]/g, '"')
  t.same((await check(admin, inEncoding('ibm866', written))).outcomes, ['enters'])
})

const table = (...rows: string[]) => ['Дата;Сумма;Дебет;Плательщик;ИНН;Назначение платежа', ...rows].join('\r\n')

t.test('today is no day of the future, two digits are a year of this century, and a debit of nothing is no debit', async (t) => {
  const { admin, order, db } = await start(t)
  const now = formatCalendarDate(today())
  const { outcomes, address } = await check(
    admin,
    table(
      `${now};5,00;0,00;A;;Заказ ${order}`,
      `02.02.26;6,00;;A;;Заказ ${order}`,
      `02.02.2026;;7,00;A;;Заказ ${order}`,
      `02.02.2026;-8,00;;A;;Заказ ${order}`,
      `${formatCalendarDate(dayIn(1))};9,00;;A;;Заказ ${order}`,
      `02.02.2026;−3,00;;A;;Заказ ${order}`,
    ),
    'a.csv',
  )
  t.same(outcomes, ['enters', 'enters', 'outgoing', 'outgoing', 'unreadable', 'outgoing'])
  const amounts = load((await admin.get(address)).body)('[data-kopecks]').toArray()
  t.same(
    amounts.map(({ attribs }) => attribs['data-kopecks']),
    ['500', '600', '900', '700', '800', '300'],
    'what went out is shown with its amount',
  )
  await admin.post(address, { book: [`2:${order}`, `3:${order}`] })
  t.same(
    db
      .select()
      .from(payments)
      .all()
      .map(({ date }) => date),
    [today(), '2026-02-02'],
  )
  t.equal((await admin.post(address, { book: `4:${order}` })).statusCode, 422, 'what went out is not booked')
})

t.test('a row of a statement says who paid and what for, and its tick or number which row it is for those who do not see it', async (t) => {
  const { admin, order } = await start(t)
  const { address } = await check(
    admin,
    exchange([
      { number: '1', purpose: 'За окна' },
      { number: '2', purpose: `Заказ ${order}`, payer: 'Иванов', inn: '7701234567' },
    ]),
  )
  const shown = async (answer: Answer) => {
    const page = parseHtml(answer.body)
    const words = (text?: string) => text?.replaceAll(/\s+/g, ' ').trim()
    const row = (number: number) => page(`tr[data-row=${number}]`)
    return {
      payers: [1, 2].map((number) => textOf(page.html(row(number).find('td').eq(2)))),
      number: words(row(1).find('input').attr('aria-label')),
      described: row(1).find('input').attr('aria-describedby'),
      tick: words(row(2).find('label').text()),
    }
  }
  t.same(await shown(await admin.get(address)), {
    payers: ['ООО «Альфа» За окна', `Иванов, INN 7701234567 Заказ ${order}`],
    number: 'Order number: 400,50 ₽, 02.02.2026, ООО «Альфа», За окна',
    described: undefined,
    tick: `Book 400,50 ₽, 02.02.2026, Иванов, #${order}`,
  })
  t.equal((await shown(await admin.post(address, { 'order[1]': '987654' }))).described, 'order-1-error')
  const unnamed = await check(admin, table('02.02.2026;5,00;;;;За окна'), 'a.csv')
  const page = parseHtml((await admin.get(unnamed.address)).body)
  t.match(textOf(page.html(page('tr[data-row] td').eq(2))), '— За окна', 'somebody unknown has a dash')
})

t.test('a row of a statement whose day cannot be read has a dash for it, the others their day', async (t) => {
  const { admin, order } = await start(t)
  const { address } = await check(admin, table(`02.02.2026;5,00;;A;;Заказ ${order}`, `someday;6,00;;A;;Заказ ${order}`), 'a.csv')
  const page = parseHtml((await admin.get(address)).body)
  const dayOf = (outcome: string) => page(`tr[data-outcome=${outcome}] td`).first().text().trim()
  t.same([dayOf('enters'), dayOf('unreadable')], ['02.02.2026', '—'])
})

t.test('a payment is booked with its number, whatever a bank calls that column', async (t) => {
  const { admin, order, db } = await start(t)
  const titles = ['Номер', 'Номер документа', 'Документ', '№ документа', 'Номер п/п']
  for (const [at, title] of titles.entries()) {
    const row = `7${at};02.02.2026;5,00;Заказ ${order}`
    const { address, book } = await check(admin, [`${title};Дата;Сумма;Назначение платежа`, row].join('\r\n'), 'a.csv')
    await admin.post(address, { book })
  }
  const notes = db.select({ note: payments.note }).from(payments).all()
  t.same(
    notes.map(({ note }) => note),
    titles.map((_, at) => `№ 7${at}, 02.02.2026, Заказ ${order}`),
  )
})

t.test('an amount that several orders of the payer lack belongs to none by itself; what is left counts, not the cost', async (t) => {
  const cabinet = await start(t)
  const { admin, cast, order, betas } = cabinet
  const twin = insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 100_000 })
  const row = '02.02.2026;1000,00;;A;7701234567;За окна'
  const [several] = (await check(admin, table(row), 'a.csv')).rows
  t.match(several, { outcome: 'open', said: /Several orders lack this amount: №\s\d+, №\s\d+/ })
  t.notMatch(several?.said, String(betas), 'those of another company are none of them')
  await admin.post(`/orders/${twin}/payments`, { amount: '399,50' })
  t.match((await check(admin, table(row), 'a.csv')).rows, [{ outcome: 'enters', book: `2:${order}` }], 'one is left that lacks it')
  const rest = await check(admin, table('02.02.2026;600,50;;A;7701234567;За окна'), 'b.csv')
  t.match(rest.rows, [{ outcome: 'enters', book: `2:${twin}`, ticked: true, said: /The amount that is left to pay/ }])
})

t.test('what is left to pay is booked without doubt to the kopeck; a company whose INN is not known raises none', async (t) => {
  const { admin, order, betas } = await start(t)
  const { rows } = await check(
    admin,
    table(
      `02.02.2026;1000,00;;A;7701234567;Заказ ${order}`,
      `02.02.2026;1000,00;;B;7709999999;Заказ ${betas}`,
      `02.02.2026;1000,00;;B;;Заказ ${order}`,
    ),
    'a.csv',
  )
  t.same(
    rows.map(({ book, ticked }) => [book, ticked]),
    [
      [`2:${order}`, true],
      [`3:${betas}`, true],
      [`4:${order}`, true],
    ],
  )
  t.notMatch(rows.map(({ said }) => said).join(), /is not that|More than/)
})

t.test('of two payments reported alike the older is confirmed first, and one that was rejected is not', async (t) => {
  const { admin, db, order } = await start(t)
  const rejected = insertPayment(db, order, { amount: 400_50, date: '2026-01-01', state: 'rejected', note: 'No' })
  const [newer, older] = ['2026-01-03', '2026-01-02'].map((date) => insertPayment(db, order, { amount: 400_50, date })) as [number, number]
  const state = (id: number) => db.select().from(payments).where(eq(payments.id, id)).get()?.state
  const statement = async (number: string) => {
    const { address, book } = await check(admin, exchange([{ number, purpose: `Заказ №${order}` }]))
    await admin.post(address, { book })
    return [rejected, older, newer].map(state)
  }
  t.same(await statement('1'), ['rejected', 'confirmed', 'reported'])
  t.same(await statement('2'), ['rejected', 'confirmed', 'confirmed'])
})

t.test('the message counts what was booked, not what was ticked; rows lead to their orders', async (t) => {
  const { admin, order, betas } = await start(t)
  const content = exchange([
    { number: '1', purpose: `Заказ ${order}` },
    { number: '2', purpose: `Заказ ${betas}` },
  ])
  const { address } = await check(admin, content)
  const link = async (row: number) => parseHtml((await admin.get(address)).body)(`tr[data-row="${row}"] a`).attr('href')
  t.same([await link(1), await link(2)], [`/orders/${order}#payments`, `/orders/${betas}#payments`])
  await admin.post(address, { book: `1:${order}` })
  t.match(textsByRole(await admin.get(address), 'status').join(), '1 payment booked')
  await admin.post(address, { book: [`1:${order}`, `2:${betas}`] })
  t.match(textsByRole(await admin.get(address), 'status').join(), '1 payment booked')
  t.equal(await link(1), `/orders/${order}#payments`, 'booked rows, too')
})

t.test('two hundred rows fill a page, those to decide about first, and each page holds its own', async (t) => {
  const { admin, order } = await start(t)
  const rows = Array.from({ length: 200 }, (_, at) => `02.02.2026;${at + 1},00;;A;;Заказ ${order}`)
  const full = await check(admin, table(...rows), 'full.csv')
  t.equal(full.rows.length, 200)
  t.same(elementsOf((await admin.get(full.address)).body, '.pagination'), [], 'exactly two hundred are one page')
  const more = await check(admin, table(...rows, '02.02.2026;5,00;;A;;За окна'), 'more.csv')
  const first = await admin.get(more.address)
  t.equal(more.rows.length, 200)
  t.equal(parseHtml(first.body)('tr[data-row]').first().attr('data-outcome'), 'open', 'the last row of the file is asked about first')
  const links = elementsOf(first.body, '.pagination a').map((link) => /page=(\d+)/.exec(link)?.[1])
  t.same(links, ['1', '2'])
  const current = ({ body }: Answer) => elementsOf(body, '.pagination [aria-current=page]').map((link) => textOf(link))
  t.same([current(first), current(await admin.get(`${more.address}?page=2`))], [['1'], ['2']], 'the page that is shown is marked')
  const second = rowsOn(await admin.get(`${more.address}?page=2`)).rows
  t.match(second, [{ row: 201, outcome: 'enters' }])
  for (const page of ['3', '0', 'x']) t.ok(rowsOn(await admin.get(`${more.address}?page=${page}`)).rows.length > 0, page)
})
