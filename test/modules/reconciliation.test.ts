import fc from 'fast-check'
import t from 'tap'
import { settings } from '../../src/database/schema/index.ts'
import { amountInWords } from '../../src/i18n/amount-in-words.ts'
import { today } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertEntry } from '../support/ledger.ts'

const period = 'from=2026-07-01&until=2026-09-30'

/** Alpha owed 1,000 before July, orders and pays in the quarter, and more after it. */
async function startWithEntries(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { alpha, beta } = cabinet.cast.companies
  const add = (values: Parameters<typeof insertEntry>[2], company = alpha) => insertEntry(cabinet.db, company, values)
  add({ amount: -1_000_00, date: '2026-06-30' })
  const ids = [
    add({ amount: 50_00, kind: 'correction', date: '2026-09-30', note: 'Rounded' }),
    add({ amount: -12_345_67, order_id: 77, date: '2026-07-01' }),
    add({ amount: 2_000_00, kind: 'payment', payment_id: 5, order_id: 77, date: '2026-08-10' }),
    add({ amount: 345_67, order_id: 77, date: '2026-08-10' }),
    add({ amount: -100_00, kind: 'refund', date: '2026-08-11' }),
  ] as const
  add({ amount: -9_00, date: '2026-10-01' })
  add({ amount: -5_00, date: '2026-08-10' }, beta)
  const [correction, charge, payment, reversal, refund] = ids
  return { ...cabinet, alpha, beta, entries: [charge, payment, reversal, refund, correction] }
}

const linesOf = (html: string) => {
  const page = parseHtml(html)
  return page('tr[data-entry]')
    .toArray()
    .map((row) =>
      page(row)
        .find('td')
        .toArray()
        .map((cell) => page(cell).text().replaceAll(/\s+/g, ' ').trim()),
    )
}

t.test('the act of a company has what it owed at first, each entry with the balance after it, and what it owes in the end', async (t) => {
  const { as, alpha, entries } = await startWithEntries(t)
  const act = await (await as('root')).get(`/company/${alpha}/reconciliation?${period}`)
  t.equal(act.statusCode, 200)
  const page = parseHtml(act.body)
  t.equal(page('[data-opening]').attr('data-kopecks'), '-100000')
  t.equal(page('[data-closing]').attr('data-kopecks'), String(-1_000_00 - 12_345_67 + 2_000_00 + 345_67 - 100_00 + 50_00))
  t.same(
    page('tr[data-entry]')
      .toArray()
      .map((row) => Number(page(row).attr('data-entry'))),
    entries,
    'in the order of their days',
  )
  t.same(linesOf(act.body), [
    ['01.07.2026', 'Charge', '77', '12 345,67 ₽', '', '−13 345,67 ₽'],
    ['10.08.2026', 'Payment', '5', '', '2 000,00 ₽', '−11 345,67 ₽'],
    ['10.08.2026', 'Reversal', '77', '', '345,67 ₽', '−11 000,00 ₽'],
    ['11.08.2026', 'Refund', String(entries[3]), '100,00 ₽', '', '−11 100,00 ₽'],
    ['30.09.2026', 'Correction Rounded', String(entries[4]), '', '50,00 ₽', '−11 050,00 ₽'],
  ])
  const text = textOf(act.body)
  t.match(text, 'Turnover of the period 12 445,67 ₽ 2 395,67 ₽')
  t.match(text, 'Owed on 30.09.2026: 11 050,00 ₽ (Eleven thousand fifty rubles 00 kopecks).')
  t.match(text, 'Debtor: Alpha Windows')
  t.equal(page('.sheet-signatures > div').length, 2)
})

t.test(
  'an act names both parties and whoever signs, says who owes, or that nobody does, and names rubles only where amounts are rubles',
  async (t) => {
    const { as, db, alpha, beta, cast } = await startWithEntries(t)
    db.update(settings).set({ legal_name: 'Frames Ltd', inn: '7707083893', signatory: 'Frolov F.' }).run()
    const root = await as('root')
    const text = async (address: string) => textOf((await root.get(address)).body)
    t.match(
      await text(`/company/${alpha}/reconciliation?${period}`),
      /Frames Ltd INN 7707083893 .*Alpha Windows.* Creditor: Frames Ltd Frames Ltd Signature \/ Frolov F\./,
    )
    insertEntry(db, beta, { amount: 25_00, kind: 'payment', date: '2026-08-12' })
    t.match(
      await text(`/company/${beta}/reconciliation?${period}`),
      /Owed on 30\.09\.2026: 20,00 ₽ .*Debtor: Frames Ltd Creditor: ООО «Бета Ёлка»/,
    )
    t.match(await text(`/company/${cast.companies.nobodys}/reconciliation?${period}`), 'On 30.09.2026 neither owes the other anything.')
    db.update(settings).set({ currency_symbol: '€' }).run()
    t.notMatch(await text(`/company/${alpha}/reconciliation?${period}`), /rubles/)
  },
)

t.test('an act is of this year until today, or of the days that are asked for', async (t) => {
  const { as, alpha } = await startWithEntries(t)
  const root = await as('root')
  const daysOf = async (query: string) => {
    const page = parseHtml((await root.get(`/company/${alpha}/reconciliation${query}`)).body)
    return ['from', 'until'].map((name) => page(`input[name=${name}]`).attr('value'))
  }
  t.same(await daysOf(''), [`${today().slice(0, 4)}-01-01`, today()])
  t.same(await daysOf('?until=2025-05-31'), ['2025-01-01', '2025-05-31'])
  t.same(await daysOf('?from=2025-06-01&until=2025-05-31'), ['2025-01-01', '2025-05-31'], 'no such period')
  t.same(await daysOf('?from=yesterday&until=2025-02-30'), [`${today().slice(0, 4)}-01-01`, today()])
})

t.test('the spreadsheet of an act has its balances and entries', async (t) => {
  exportInProcess(t)
  const { as, alpha, entries } = await startWithEntries(t)
  const root = await as('root')
  const asked = await root.get(`/company/${alpha}/reconciliation?${period}&format=csv`)
  t.equal(asked.statusCode, 303)
  const sheet = await root.get(String(asked.headers.location))
  t.same(sheet.body.replace('\ufeff', '').trim().split(/\r?\n/), [
    'Date,Document,Number,Debit,Credit,Balance,Note',
    '2026-07-01,Opening balance,,,,-1000,',
    '2026-07-01,Charge,77,12345.67,,-13345.67,',
    '2026-08-10,Payment,5,,2000,-11345.67,',
    '2026-08-10,Reversal,77,,345.67,-11000,',
    `2026-08-11,Refund,${entries[3]},100,,-11100,`,
    `2026-09-30,Correction,${entries[4]},,50,-11050,Rounded`,
    '2026-09-30,Closing balance,,,,-11050,',
  ])
  const workbook = await root.get(`/company/${alpha}/reconciliation/export?${period}`)
  t.match(workbook.headers['content-type'], /spreadsheetml/)
})

t.test('a long act is sent in parts, and its balances go on', async (t) => {
  const cabinet = await startWithEntries(t)
  const { as, db, beta } = cabinet
  db.transaction(() => {
    for (let index = 0; index < 250; index++) insertEntry(db, beta, { amount: -1_00, date: '2026-09-01' })
  })
  const act = await (await as('root')).get(`/company/${beta}/reconciliation?${period}`)
  const page = parseHtml(act.body)
  const balances = page('tr[data-entry] td[data-kopecks]')
    .toArray()
    .map((cell) => Number(page(cell).attr('data-kopecks')))
  t.same(
    balances,
    Array.from({ length: 251 }, (_, index) => -5_00 - index * 1_00),
  )
  t.equal(page('[data-closing]').attr('data-kopecks'), '-25500')
})

t.test('dealers have the act of their own company, managers those of theirs, and nobody without prices', async (t) => {
  const { as, db, cast, alpha, beta } = await startWithEntries(t)
  const status = async (name: Parameters<typeof as>[0], company: number | string) =>
    (await (await as(name)).get(`/company/${company}/reconciliation?${period}`)).statusCode
  for (const [name, own, other] of [
    ['denis', alpha, beta],
    ['daria', beta, alpha],
    ['vera', beta, alpha],
    ['maria', alpha, beta],
    ['mikhail', beta, alpha],
  ] as const) {
    t.equal(await status(name, own), 200, name)
    t.equal(await status(name, other), 403, name)
    t.equal(await status(name, 4711), 404, name)
  }
  for (const name of ['pavel', 'plain', 'clerk'] as const) t.equal(await status(name, alpha), 403, name)
  const dealer = await as('denis')
  t.equal(
    parseHtml((await dealer.get(`/company/${alpha}/reconciliation`)).body)('.sheet-tools a')
      .first()
      .attr('href'),
    '/ledger',
  )
  t.match((await dealer.get('/ledger')).body, `href="/company/${alpha}/reconciliation"`)
  t.match((await (await as('maria')).get(`/company/edit/${alpha}?tab=ledger`)).body, `href="/company/${alpha}/reconciliation"`)
  revoke(db, cast.denis, 'order_can_view_prices')
  t.equal(await status('denis', alpha), 403)
  grant(db, cast.pavel, 'company_can_view', 'order_can_view_prices')
  t.equal(await status('pavel', alpha), 200, 'whoever sees the company and prices')
})

t.test('amounts are named in words as documents name them', async (t) => {
  const russian = (kopecks: number) => amountInWords(kopecks, 'ru').replaceAll('\u00a0', ' ')
  t.same([0, 1, 100, 2_21, 5_02, 11_11, 21_00].map(russian), [
    'Ноль рублей 00 копеек',
    'Ноль рублей 01 копейка',
    'Один рубль 00 копеек',
    'Два рубля 21 копейка',
    'Пять рублей 02 копейки',
    'Одиннадцать рублей 11 копеек',
    'Двадцать один рубль 00 копеек',
  ])
  t.equal(russian(-1_000_00), 'Одна тысяча рублей 00 копеек')
  t.equal(russian(2_001_00), 'Две тысячи один рубль 00 копеек')
  t.equal(russian(12_345_67), 'Двенадцать тысяч триста сорок пять рублей 67 копеек')
  t.equal(russian(111_000_000_00), 'Сто одиннадцать миллионов рублей 00 копеек')
  t.equal(russian(2_000_021_000_90), 'Два миллиарда двадцать одна тысяча рублей 90 копеек')
  t.equal(amountInWords(90_071_992_547_409_91, 'ru').split(' ').slice(0, 4).join(' '), 'Девяносто триллионов семьдесят один')
  t.equal(
    amountInWords(1_234_021_01, 'en').replaceAll('\u00a0', ' '),
    'One million two hundred thirty-four thousand twenty-one rubles 01 kopeck',
  )
  t.equal(amountInWords(1_13, 'en').replaceAll('\u00a0', ' '), 'One ruble 13 kopecks')
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      (kopecks) => /^[А-ЯЁ][а-яё ]+ рубл(ь|я|ей) \d\d копе(йка|йки|ек)$/.test(russian(kopecks)) && !russian(kopecks).includes('  '),
    ),
  )
})
