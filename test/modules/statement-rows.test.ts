import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, imports, orders, payments } from '../../src/database/schema/index.ts'
import { readStatementRow, statementColumns } from '../../src/modules/payments/statement/columns.ts'
import { namedIn } from '../../src/modules/payments/statement/named.ts'
import { type Answer, type Browser, startCabinet } from '../support/cabinet.ts'
import { submitForm } from '../support/files.ts'
import { controlsOf, elementsOf, fieldOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { xlsx } from '../support/imports.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const inn = '7701234567'

/** Alpha, with an INN, has an order of 1000 rubles. Anton, an administrator, is the accountant. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast, as } = cabinet
  db.update(companies).set({ inn }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(orders).set({ cost: 100_000 }).where(eq(orders.id, cast.order)).run()
  return { ...cabinet, order: cast.order, admin: await as('admin') }
}

async function upload(browser: Browser, lines: string[]): Promise<string> {
  const file = new File([lines.join('\r\n')], 'february.csv')
  const answer = await submitForm(browser, '/payments/import', [['file', file]])
  if (answer.statusCode !== 303) throw new Error(textsByRole(answer, 'alert').join())
  return answer.headers.location as string
}

/** The rows in the order of the page: their cells, and how they are decided about. */
function rowsOn({ body }: Answer) {
  const page = parseHtml(body)
  return page('tr[data-row]')
    .toArray()
    .map((row) => {
      const cells = page(row)
        .find('td')
        .toArray()
        .map((cell) => textOf(page.html(cell)))
      const control = page(row).find('input')
      const decision = [control.attr('name'), control.attr('value'), control.attr('checked') === undefined ? undefined : 'ticked']
      return [...cells.slice(0, 4), decision.filter(Boolean).join(' ')]
    })
}

const headers = 'Номер;Дата;Сумма;Дебет;Плательщик;ИНН;Назначение платежа'

t.test('every row of a statement says what would become of it and why', async (t) => {
  const cabinet = await start(t)
  const { admin, db, order, cast } = cabinet
  const other = insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 300_00 })
  insertPayment(db, order, { amount: 250_00 })
  const address = await upload(admin, [
    headers,
    `1;02.02.2026;1000;;ООО «Альфа»;${inn};Заказ ${order}`,
    `2;02.02.2026;250;;Иванов;;Заказ ${order}`,
    `3;02.02.2026;1000,01;;ООО «Альфа»;${inn};Заказ № ${order}`,
    `4;02.02.2026;5;;ООО «Бета»;7709999999;Счёт ${order}`,
    `5;02.02.2026;300;;ООО «Альфа»;${inn};За окна`,
    `6;02.02.2026;77;;ООО «Альфа»;${inn};За окна`,
    '7;02.02.2026;77;;Кто-то;;За окна',
    `8;02.02.2026;77;;Кто-то;;Заказы № ${order}, № ${other}`,
    '9;someday;77;;Кто-то;;За окна',
    '10;02.02.2026;much;;Кто-то;;За окна',
    '11;31.12.2099;77;;Кто-то;;За окна',
    '14;31.12.1999;77;;Кто-то;;За окна',
    '12;02.02.2026;;77;Мы;;За стекло',
  ])
  const page = await admin.get(address)
  const enters = (id: number) => `#${id} · New payment`
  const open = (number: number) => `order[${number + 1}]`
  const alpha = db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.org
  t.same(rowsOn(page), [
    [
      '02.02.2026',
      '77,00 ₽',
      `ООО «Альфа», INN ${inn} За окна`,
      `Order not found · ${alpha} No order of this payer lacks this amount`,
      `book 7:c${cast.companies.alpha}`,
    ],
    ['02.02.2026', '77,00 ₽', 'Кто-то За окна', 'Order not found No order number, and the payer is not known', open(7)],
    [
      '02.02.2026',
      '77,00 ₽',
      `Кто-то Заказы № ${order}, № ${other}`,
      `Order not found The purpose names several orders: № ${order}, № ${other}`,
      open(8),
    ],
    [
      '02.02.2026',
      '1 000,00 ₽',
      `ООО «Альфа», INN ${inn} Заказ ${order}`,
      `${enters(order)} Order number in the purpose, Payer's INN, The amount that is left to pay`,
      `book 2:${order} ticked`,
    ],
    [
      '02.02.2026',
      '1 000,01 ₽',
      `ООО «Альфа», INN ${inn} Заказ № ${order}`,
      `${enters(order)} Order number in the purpose, Payer's INN The rest stays credit: 0,01 ₽`,
      `book 4:${order} ticked`,
    ],
    [
      '02.02.2026',
      '5,00 ₽',
      `ООО «Бета», INN 7709999999 Счёт ${order}`,
      `${enters(order)} Order number in the purpose The payer's INN is not that of the company`,
      `book 5:${order}`,
    ],
    [
      '02.02.2026',
      '300,00 ₽',
      `ООО «Альфа», INN ${inn} За окна`,
      `${enters(other)} Payer's INN, The amount that is left to pay`,
      `book 6:${other} ticked`,
    ],
    [
      '02.02.2026',
      '250,00 ₽',
      `Иванов Заказ ${order}`,
      `#${order} · Confirms a reported payment Order number in the purpose, A reported payment of this amount`,
      `book 3:${order} ticked`,
    ],
    ['—', '77,00 ₽', 'Кто-то За окна', 'Cannot be booked The date cannot be read.', ''],
    ['02.02.2026', '0,00 ₽', 'Кто-то За окна', 'Cannot be booked The amount cannot be read.', ''],
    ['31.12.2099', '77,00 ₽', 'Кто-то За окна', 'Cannot be booked A payment cannot be dated in the future.', ''],
    ['31.12.1999', '77,00 ₽', 'Кто-то За окна', 'Cannot be booked A payment cannot be dated before 2000.', ''],
    ['02.02.2026', '77,00 ₽', 'Мы За стекло', 'Outgoing payment', ''],
  ])
  const html = parseHtml(page.body)
  const texts = (selector: string) =>
    html(selector)
      .toArray()
      .map((one) => plain(html(one).text()))
  t.same(texts('.statement-summary li'), [
    'Order not found: 3',
    'New payment: 4',
    'Confirms a reported payment: 1',
    'Cannot be booked: 4',
    'Outgoing payment: 1',
  ])
  t.same(texts('h1, .record-lead, .back-link, th, .statement-summary button'), [
    'Payments',
    'Bank statement',
    'february.csv',
    'Book ticked payments',
    'Date',
    'Amount',
    'Payer and purpose',
    'Order',
    'Decision',
  ])
  const labels = html('tr[data-row]')
    .first()
    .find('td')
    .toArray()
    .map(({ attribs }) => attribs['data-label'])
  t.same(labels.join(), texts('th').join(), 'on a phone each cell says what it is')
  t.same(texts('caption'), ['Bank statement'])
  t.same([html('.back-link').attr('href'), html('#statement').attr('action')], ['/payments', address])
  const typed = html('[name="order[7]"]')
  t.same([typed.attr('placeholder'), typed.attr('aria-invalid')], ['Order number', undefined])
  const wrong = parseHtml((await admin.post(address, { 'order[7]': '0' })).body)
  t.same([wrong('[name="order[7]"]').attr('aria-invalid'), wrong('[name="order[8]"]').attr('aria-invalid')], ['true', undefined])
  t.match(wrong('[role=alert]').text(), 'Nothing was booked. Check the rows that are marked.')
  const booked = await admin.post(address, { book: [`2:${order}`, `3:${order}`], 'order[7]': `#${other}` })
  t.same([booked.statusCode, booked.headers.location], [303, address])
  t.same(
    db
      .select()
      .from(payments)
      .all()
      .map(({ order_id, amount, state, kind, date, note, reporter_name }) => [order_id, amount, state, kind, date, note, reporter_name]),
    [
      [order, 250_00, 'confirmed', 'transfer', '2026-01-15', `№ 2, 02.02.2026, Иванов, Заказ ${order}`, 'Denisov Denis'],
      [order, 1000_00, 'confirmed', 'transfer', '2026-02-02', `№ 1, 02.02.2026, ООО «Альфа», ${inn}, Заказ ${order}`, 'Adminov Anton'],
      [other, 77_00, 'confirmed', 'transfer', '2026-02-02', `№ 6, 02.02.2026, ООО «Альфа», ${inn}, За окна`, 'Adminov Anton'],
    ],
  )
  const after = await admin.get(address)
  t.match(textsByRole(after, 'status').join(), '3 payments booked')
  t.match(
    rowsOn(after).filter(([, , , said]) => said?.includes('Booked already')),
    [
      ['02.02.2026', '1 000,00 ₽', /Заказ/, `#${order} · Booked already`, ''],
      ['02.02.2026', '250,00 ₽', /Заказ/, `#${order} · Booked already`, ''],
      ['02.02.2026', '77,00 ₽', /За окна/, `#${other} · Booked already`, ''],
    ],
  )
})

t.test('a statement is chosen on a page that says what it may be, and that nothing is booked unseen', async (t) => {
  const { admin, as } = await start(t)
  const answer = await admin.get('/payments/import')
  const page = parseHtml(answer.body)
  t.match(
    textOf(page.html(page('.page-header, .record-lead'))),
    /Payments Bank statement Nothing is booked until you have reviewed which order each/,
  )
  t.equal(page('.back-link').attr('href'), '/payments')
  t.match(fieldOf(answer, 'file'), { type: 'file', required: true, describedBy: ['file-hint'], invalid: false })
  t.equal(page('#file').attr('accept'), '.txt,.csv,.xlsx')
  t.equal(page('#file').attr('title'), 'Choose a file')
  t.match(page('#file-hint').text(), '1CClientBankExchange')
  t.match(elementsOf(answer.body, '.import-upload button').map(textOf), ['Check'])
  const refused = await submitForm(admin, '/payments/import', [['file', new File(['x'], 'x.csv')]])
  t.equal(refused.statusCode, 422)
  t.ok(controlsOf(refused.body).find(({ id }) => id === 'file')?.invalid)
  t.ok(page('form[enctype="multipart/form-data"][action="/payments/import"]').length)
  const links = (name: Browser) => name.get('/payments').then(({ body }) => elementsOf(body, 'a[href="/payments/import"]').length)
  t.same([await links(await as('denis')), await links(await as('maria'))], [0, 0])
})

/** The first row of a table as the service reads it. */
function read(titles: string, ...cells: string[]) {
  return readStatementRow({ row: 2, cells } as never, statementColumns(titles.split(';')))
}

t.test('a column is known by what banks call it, the first of those that mean the same', (t) => {
  const named: [string, string[], string, number | undefined][] = [
    ['Date;Amount;Description', ['02.02.2026', '5', 'A'], '2026-02-02', 500],
    ['date;credit;purpose;debit', ['2026-02-02', '5', 'A', '0'], '2026-02-02', 500],
    ['Дата операции;Сумма операции;Основание', ['2.2.26', '1 005,50 ₽', 'A'], '2026-02-02', 100_550],
    ['Дата проводки;Кредит;Назначение', ['02/02/2026', '+5,5 руб.', 'A'], '2026-02-02', 550],
    ['Дата документа;Сумма по кредиту;Назначение платежа', ['2026-02-02T10:20:30', '5', 'A'], '2026-02-02', 500],
    ['Дата платежа;Поступление;Назначение', ['02.02.2026 10:20', '5', 'A'], '2026-02-02', 500],
    ['Дата поступления;Приход;Назначение;Дата', ['02.02.2026', '5', 'A', '03.03.2026'], '2026-02-02', 500],
    ['Дата;Сумма платежа;Назначение', ['31.02.2026', '5', 'A'], '', 500],
  ]
  for (const [titles, cells, date, kopecks] of named)
    t.match(read(titles, ...cells), { date, kopecks, purpose: 'A', outgoing: false }, titles)
  const payers = ['Payer', 'Counterparty', 'Плательщик', 'Наименование плательщика', 'Контрагент', 'Наименование контрагента']
  for (const payer of payers) t.equal(read(`Дата;Сумма;Назначение;${payer}`, '', '', '', ' Иванов ').payer, 'Иванов', payer)
  for (const title of ['Payer INN', 'INN', 'ИНН плательщика', 'ИНН контрагента', 'ИНН'])
    t.equal(read(`Дата;Сумма;Назначение;${title}`, '', '', '', 'ИНН 7701234567').inn, '7701234567', title)
  for (const title of ['Number', 'Номер', 'Номер документа', 'Документ', '№ документа', 'Номер п/п'])
    t.equal(read(`Дата;Сумма;Назначение;${title}`, '', '', '', '17').number, '17', title)
  for (const title of ['Outgoing', 'Debit', 'Дебет', 'Сумма по дебету', 'Списание', 'Расход'])
    t.match(read(`Дата;Сумма;Назначение;${title}`, '02.02.2026', '', '', '7'), { outgoing: true, kopecks: 700, problem: undefined }, title)
  t.end()
})

t.test(
  'a row with an error or an uncomputed formula is never booked, nor taken for an outgoing one, and texts are as they are shown',
  (t) => {
    const columns = statementColumns(['Дата', 'Сумма', 'Назначение', 'Дебет', 'ИНН', 'Номер', 'Other'])
    const cells = ['02.02.2026', '5', 'A', '', '274062111', '7', '']
    const read = (more: object) => readStatementRow({ row: 2, cells, ...more }, columns)
    const problem = 'A cell of this row holds an error, or a formula without a computed value.'
    t.match(read({}), { outgoing: false, problem: undefined, inn: '274062111', number: '7' })
    t.match(read({ shown: { 4: '0274062111', 5: '00007', 1: '5.00' } }), { kopecks: 500, inn: '0274062111', number: '00007' })
    for (const at of [0, 1, 2, 3, 4, 5])
      t.match(read({ cells: cells.with(at, '#N/A'), faulty: [at] }), { outgoing: false, problem }, String(at))
    t.match(read({ faulty: [6] }), { problem: undefined }, 'not in a column that is not read')
    t.end()
  },
)

const named = (of: 'orders' | 'specifications' | 'invoices', purpose: string) =>
  namedIn(purpose)
    .filter((one) => one.of === of)
    .map(({ numbers }) => numbers)

t.test('an order is found by its number however a purpose introduces it, and by no other number', (t) => {
  for (const purpose of [
    ...['Заказ 12', 'по заказу: 12', 'ORDER #12', 'No. 12', '№12, за окна', 'зак. 12'],
    ...[
      'Заказ N12',
      'заказ N 12',
      'ЗАКАЗ №12',
      'заказ #12',
      'N12',
      'Заказ 12. За окна',
      'Заказ 12, 22% НДС',
      'Заказ 12, 3 шт',
      'Заказ 12, 50 руб.',
    ],
    'Заказ 12 по договору поставки № 5, сч.-фактура 7, счёт-фактура № 8, акт № 9, п/п № 10',
  ])
    t.same(named('orders', purpose), [[12]], purpose)
  for (const purpose of [
    ...['12', 'Договор 12', 'Договор № 12', 'по договору поставки № 12', 'Заказ 12/25', 'Заказ 12.02.2026', 'Заказ 0', 'Заказ 1234567890'],
    ...['Заказ 12,50', 'Заказ 12-25', 'р/счет 40702810900000000001', 'Спецификация № 12', 'Контакт 12'],
  ])
    t.same(named('orders', purpose), [], purpose)
  t.end()
})

t.test('invoices are named by their numbers as they are written, with the day if it is there', (t) => {
  const written = (purpose: string) =>
    namedIn(purpose).flatMap(({ of, written, day }) => (of === 'invoices' ? [...(written ?? []), ...(day ? [day] : [])] : [of]))
  for (const purpose of [
    'Счет № 12',
    'оплата по счёту 12',
    'Счёт N12',
    'по счету на оплату № 12',
    'Счет №12.',
    'invoice No. 12',
    'счёту: 12, НДС 22%',
  ])
    t.same(written(purpose), ['12'], purpose)
  t.same(written('Оплата по счёту № 12 от 27.11.2026'), ['12', '2026-11-27'])
  t.same(written('Payment of invoice 12 from 27.11.2026. VAT'), ['12', '2026-11-27'])
  for (const number of ['26-12', '12/26', 'А-12', 'INV-2026/12', '2026_7']) t.same(written(`По счёту № ${number} за окна`), [number])
  t.same(written('Счета № 12, 13 и №14'), ['12', '13', '14'])
  t.same(written('Счета 26-12; 26-13'), ['26-12', '26-13'])
  for (const purpose of ['счёт-фактура № 8', 'Счет за окна', 'счета 12,50 руб', 'Счёт 5 шт', 'расчет 12', 'р/счет 40702810900000000001 x'])
    t.notOk(
      written(purpose).some((one) => one !== 'orders' && one.length < 20),
      purpose,
    )
  t.same(named('orders', 'по счету № 12, заказ 7'), [[7]])
  t.same(named('invoices', 'по счету № 12, заказ 7'), [[12]])
  t.end()
})

t.test('several numbers that a purpose names together are several, of orders and of specifications', (t) => {
  for (const purpose of [
    'заказов № 478, 398, 386',
    'Заказы 478; 398 и 386',
    'заказы №№ 478,398,386',
    'заказам №478, №398 и N386',
    'Заказ 478+398, 386',
  ])
    t.same(named('orders', purpose), [[478, 398, 386]], purpose)
  t.same(named('orders', 'Заказ 12, заказ № 12, заказ № 13'), [[12], [12], [13]])
  for (const purpose of ['Спецификация N 12', 'по спецификации № 12 к договору № 5', 'спец. 12', 'specification 12'])
    t.same(named('specifications', purpose), [[12]], purpose)
  t.same(named('specifications', 'спецификациям № 5, 6'), [[5, 6]])
  const many = Array.from({ length: 11 }, (_, at) => at + 1)
  t.same(named('orders', `№ ${many.join(', ')}`), [many.slice(0, 10)])
  t.end()
})

t.test('no purpose takes long to read, however it goes on', (t) => {
  const begun = process.cpuUsage().user
  const parts = [
    'заказ',
    'счёт ',
    'счёт № 1-',
    'счет на а 1',
    'А1-',
    'заказ ',
    '№ ',
    '1,',
    '1, ',
    'заказ № 1, ',
    'акт а',
    'N',
    ' ',
    ':.',
    'договор заказ',
    '1 и ',
  ]
  for (const part of parts)
    for (const start of ['', 'заказ', 'заказ № 1'])
      for (let time = 0; time < 5; time += 1) read('Дата;Сумма;Назначение', '', '', (start + part.repeat(2500)).slice(0, 5000))
  const texts = parts.map((part) => part.repeat(500).slice(0, 500))
  for (let time = 0; time < 20; time += 1) for (const text of texts) namedIn(text)
  const spent = (process.cpuUsage().user - begun) / 1000
  t.ok(spent < 1000, `${spent} ms`)
  t.equal(read('Дата;Сумма;Назначение', '', '', `Заказ \t 12${' '.repeat(4000)}${'я'.repeat(600)}`).purpose, `Заказ 12 ${'я'.repeat(491)}`)
  t.end()
})

t.test('a table of an account, or with money, that is not in rubles is refused, whatever the bank calls the column', async (t) => {
  const { admin, db } = await start(t)
  const send = async (rows: string[][], name = 'a.csv') => {
    const content = name.endsWith('x') ? new Uint8Array(await xlsx(rows)) : rows.map((row) => row.join(';')).join('\r\n')
    return submitForm(admin, '/payments/import', [['file', new File([content], name)]])
  }
  const table = (title: string, ...cells: string[]) => [
    ['Дата', 'Сумма', 'Назначение платежа', title],
    ...cells.map((cell) => ['02.02.2026', '100', 'Заказ 1', cell]),
  ]
  const account = (code: string) => `40702${code}500000000001`
  const foreign = [
    ['Валюта', 'USD'],
    ['currency', 'eur'],
    ['Код валюты', '840'],
    ['Валюта счёта', 'Белорусский рубль'],
    ['Счёт', account('840')],
    ['Счёт получателя', account('978')],
    ['Account', '40702.156.5.00000000001'],
  ] as const
  for (const [title, cell] of foreign) {
    const answer = await send(table(title, 'Валюта' === title ? 'RUB' : '', cell))
    t.equal(answer.statusCode, 422, title)
    t.match(textsByRole(answer, 'alert').join(), /not in rubles/, title)
  }
  for (const [title, cell] of [foreign[0], foreign[4]])
    t.equal((await send(table(title, cell), 'a.xlsx')).statusCode, 422, `xlsx, ${title}`)
  t.equal(db.select().from(imports).all().length, 0, 'nothing is stored')
  for (const cell of ['', 'RUB', 'rur', 'руб.', 'Рубль', 'Российский рубль', 'Рубль РФ', '₽', '643', '810', 'Russian ruble'])
    t.equal((await send(table('Валюта', cell))).statusCode, 303, cell)
  for (const cell of ['', account('810'), account('643'), '12345']) t.equal((await send(table('Счёт', cell))).statusCode, 303, cell)
  const out = [
    ['Дата', 'Сумма', 'Назначение платежа', 'Валюта'],
    ['02.02.2026', '-100', 'Подписка', 'USD'],
  ]
  t.equal((await send(out)).statusCode, 303, 'what goes out is not booked')
})
