import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, ledgerEntries, orders, users } from '../../src/database/schema/index.ts'
import { formatDateTime, today } from '../../src/i18n/format.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { type Answer, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { insertCompany } from '../support/companies.ts'
import { columnsOf, elementsOf, errorsOf, fieldOf, hiddenOf, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { balanceOf, insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** What is said above a company of its account, fact by fact; one that is late says so. */
function accountOn({ body }: Answer) {
  const page = parseHtml(body)
  return page('.record-facts > div:not(:has(#turnover))')
    .toArray()
    .map((line) => {
      const [label, amount] = ['dt', 'dd'].map((part) => plain(page(line).find(part).text()))
      return `${label} ${amount}${page(line).hasClass('is-late') ? ' late' : ''}`
    })
}

t.test('an entry says when it was made, what of, for which order, how much, why and by whom; so does the spreadsheet', async (t) => {
  exportInProcess(t)
  const { as, db, cast } = await startCabinet(t)
  const { alpha, beta } = cast.companies
  const [before, after] = [Date.parse('2024-04-01T23:30:00'), Date.parse('2024-04-02T00:30:00')]
  const [first, second, third] = ['2024-03-01', '2024-03-02', '2024-03-03']
  const by = { actor_id: cast.root, actor_name: 'Root Olga' }
  const entries = [
    { company_id: alpha, kind: 'charge', amount: -123_456, order_id: cast.order, date: second, at: before, actor_name: 'Somebody' },
    { company_id: beta, kind: 'refund', amount: -50, order_id: 4711, date: third, at: before, note: 'Paid back', ...by },
    {
      company_id: alpha,
      kind: 'correction',
      amount: 1_000_000,
      date: first,
      at: after,
      note: 'Opening balance',
      impersonator_name: 'Root Olga',
    },
  ] as const
  for (const entry of entries)
    db.insert(ledgerEntries)
      .values({ actor_name: 'Adminov Anton', ...entry })
      .run()
  const root = await as('root')
  const rows = rowsOf(await root.get('/ledger'), 'ledger')
  t.same(
    rows.map(({ cells }) => cells),
    [
      {
        date: '3 Mar 2024',
        company: 'ООО «Бета Ёлка»',
        kind: 'Refund',
        order: '#4711',
        amount: '−0,50 ₽',
        note: 'Paid back',
        actor: 'Root Olga',
      },
      {
        date: '2 Mar 2024',
        company: 'Alpha Windows',
        kind: 'Charge',
        order: `#${cast.order}`,
        amount: '−1 234,56 ₽',
        note: '—',
        actor: 'Somebody',
      },
      {
        date: '1 Mar 2024',
        company: 'Alpha Windows',
        kind: 'Correction',
        order: '—',
        amount: '10 000,00 ₽',
        note: 'Opening balance',
        actor: 'Adminov Anton impersonated by Root Olga',
      },
    ],
  )
  const last = parseHtml(`<table>${rows[2]?.html}</table>`)
  t.equal(last('[data-col=date]').attr('title'), `Entered: ${formatDateTime(after)}`, 'the minute')
  t.same(
    rows.map(({ html }) => parseHtml(`<table>${html}</table>`)('[data-col=note]').hasClass('is-blank')),
    [false, true, false],
  )
  const columns = async (query: string) => columnsOf(await root.get(`/ledger?${query}`))
  t.same(
    await columns('kind=charge'),
    ['date', 'company', 'kind', 'order', 'actor', 'amount'],
    'of entries without notes no column says so',
  )
  t.same(await columns('kind=refund'), ['date', 'company', 'kind', 'order', 'note', 'actor', 'amount'])
  t.equal(parseHtml(`<table>${rows[0]?.html}</table>`)('[data-col=date]').text().trim(), '3\u00a0Mar 2024', 'another year is said')
  const sheet = (await root.get('/ledger/export?format=csv')).body.trim().split(/\r?\n/).slice(1)
  t.same(sheet, [
    '2024-03-03,ООО «Бета Ёлка»,Refund,4711,-0.5,Paid back,Root Olga,,2024-04-01 23:30',
    `2024-03-02,Alpha Windows,Charge,${cast.order},-1234.56,,Somebody,,2024-04-01 23:30`,
    '2024-03-01,Alpha Windows,Correction,,10000,Opening balance,Adminov Anton,Root Olga,2024-04-02 00:30',
  ])
  const days = async (query: string) => rowsOf(await root.get(`/ledger?${query}`), 'ledger').map(({ cells }) => cells.date?.split(/\s/)[0])
  t.same(await days('from=2024-03-02'), ['3', '2'])
  t.same(await days('until=2024-03-02&sort=date&dir=asc'), ['1', '2'])
  t.same(await days('from=2024-03-02&until=2024-03-02'), ['2'])
  t.same(await days('from=2024-04-01'), [])
  const named = await root.get(`/ledger?company=${beta}`)
  t.match(elementsOf(named.body, '.list-tools a.tag').map(textOf), [/^Company: ООО «Бета Ёлка»/])
  const tab = await root.get(`/company/edit/${alpha}?tab=ledger`)
  t.equal(totalOf(tab, 'ledger'), 2, 'the tab counts what the company has')
  t.ok(parseHtml(tab.body)('.list-card').hasClass('is-filtered'))
  t.same(
    rowsOf(await root.get(`/company/edit/${alpha}?tab=ledger&q=opening`), 'ledger').map(({ cells }) => Object.keys(cells).join(' ')),
    ['date kind order note actor amount balance'],
    'whose entries they are stands above',
  )
  t.equal(fieldOf(tab, 'q')?.type, 'search')
})

t.test('a charge that is taken back is a reversal: in the list, its filter, the spreadsheet and the history', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha } = cast.companies
  const author = { id: cast.root, name: 'Root Olga' }
  const change = (id: number, values: Partial<typeof orders.$inferInsert>) => {
    db.update(orders).set(values).where(eq(orders.id, id)).run()
    settleOrder(db, id, author)
  }
  const id = insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: alpha })
  change(id, { cost: 10_000, due_since: today() })
  change(id, { cost: 7_000 })
  change(id, { due_since: null })
  const root = await as('root')
  const shown = async (query: string) =>
    rowsOf(await root.get(`/ledger?cols=balance${query}`), 'ledger').map(({ cells }) => [cells.kind, cells.amount, cells.balance])
  const [last, first, charge] = [
    ['Reversal', '70,00 ₽', '0,00 ₽'],
    ['Reversal', '30,00 ₽', '−70,00 ₽'],
    ['Charge', '−100,00 ₽', '−100,00 ₽'],
  ]
  t.same(await shown(''), [last, first, charge])
  t.same(await shown('&kind=reversal'), [last, first])
  t.same(await shown('&kind=charge'), [charge])
  t.match(textOf((await root.get('/ledger?kind=reversal')).body), /Entry: Reversal/)
  const sheet = (await root.get('/ledger/export?format=csv')).body.trim().split(/\r?\n/).slice(1)
  t.same(
    sheet.map((line) => line.split(',')[2]),
    ['Reversal', 'Reversal', 'Charge'],
  )
  const told = textOf((await root.get(`/company/edit/${alpha}?tab=history`)).body)
  t.match(told, /Entry.{0,20}Charge or reversal/s, 'the history knows the amount apart from what it is called')
})

t.test('each entry says what the balance of its company was after it, whatever else is shown, and what signs mean', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const { alpha, beta } = cast.companies
  const enter = (company_id: number, amount: number, date: string) =>
    db.insert(ledgerEntries).values({ company_id, kind: 'correction', amount, date, at: 1, actor_name: 'The test', note: date }).run()
  enter(alpha, 100, '2026-01-03')
  enter(alpha, -250, '2026-01-01')
  enter(beta, 999, '2026-01-02')
  enter(alpha, 30, '2026-01-03')
  const root = await as('root')
  const balancesOn = async (path: string) =>
    rowsOf(await root.get(path), 'ledger').map(({ html }) => parseHtml(`<table>${html}</table>`)('[data-col=balance]').attr('data-kopecks'))
  t.same(await balancesOn(`/company/edit/${alpha}?tab=ledger`), ['-120', '-150', '-250'])
  t.same(await balancesOn('/ledger?cols=balance'), ['-120', '-150', '999', '-250'])
  t.same(await balancesOn('/ledger?cols=balance&sort=date&dir=asc'), ['-250', '999', '-150', '-120'])
  t.same(await balancesOn(`/ledger?cols=balance&company=${alpha}&from=2026-01-02`), ['-120', '-150'], 'earlier days count, shown or not')
  t.same(await balancesOn(`/company/edit/${alpha}?tab=ledger&q=2026-01-03`), ['-120', '-150'])
  const meaning =
    'An amount below zero adds to what the company owes, any other takes from it. A balance below zero is owed by the company.'
  for (const path of ['/ledger', `/company/edit/${alpha}?tab=ledger`]) t.match(textOf((await root.get(path)).body), meaning, path)
})

t.test('the ledger of one company ends with what it comes to in its period, and what that means', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const { alpha, beta } = cast.companies
  for (const [company, kind, amount, date] of [
    [alpha, 'correction', 20_00, '2025-12-31'],
    [alpha, 'charge', -300_00, '2026-01-31'],
    [alpha, 'payment', 100_00, '2026-02-01'],
    [alpha, 'refund', -10_00, '2026-02-28'],
    [alpha, 'charge', -5_00, '2026-03-01'],
    [beta, 'payment', 999_00, '2026-02-02'],
  ] as const)
    insertEntry(db, company, { kind, amount, date })
  const sums = async (name: Name, path: string) =>
    elementsOf((await (await as(name)).get(path)).body, '.list-sums tr').map((row) => textOf(row).replaceAll('\u00a0', ' '))
  const all = ['Charged −305,00 ₽', 'Paid 90,00 ₽', 'Corrections 20,00 ₽']
  const staffs = [...all, 'Closing balance: owed by the company −195,00 ₽']
  for (const path of [`/ledger?company=${alpha}`, `/company/edit/${alpha}?tab=ledger`])
    for (const name of ['root', 'maria'] as const) t.same(await sums(name, path), staffs, `${name} ${path}`)
  t.same(await sums('denis', '/ledger'), [...all, 'Closing balance: owed by you −195,00 ₽'])
  t.same(await sums('root', `/ledger?company=${beta}`), [
    'Charged 0,00 ₽',
    'Paid 999,00 ₽',
    'Closing balance: in favor of the company 999,00 ₽',
  ])
  const february = ['Opening balance −280,00 ₽', 'Charged 0,00 ₽', 'Paid 90,00 ₽', 'Closing balance: owed by the company −190,00 ₽']
  t.same(await sums('root', `/ledger?company=${alpha}&from=2026-02-01&until=2026-02-28`), february)
  t.same(await sums('root', '/ledger'), [], 'not of all companies')
  t.same(await sums('root', `/ledger?company=${alpha}&kind=charge`), [], 'nor of a part of the entries')
  t.same(await sums('root', `/ledger?company=${alpha}&q=adminov`), [], 'nor of what a search found')
  t.same(await sums('maria', `/ledger?company=${beta}`), [], 'nor of a company that somebody else manages')
  const columns = async (path: string) => columnsOf(await (await as('root')).get(path)).includes('balance')
  t.same(
    [await columns('/ledger'), await columns(`/ledger?company=${alpha}`)],
    [false, true],
    'and staff read what was owed after each entry',
  )
})

t.test('an account names balance and debt, and in red what is overdue and by how much the limit is exceeded', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const place = (company: number, dealer_id: number, cost: number, days: number) => {
    const id = insertOrder(cabinet, 'payment', { dealer_id, company_id: company, cost, due_since: dayIn(-days) })
    settleOrder(db, id, { id: null, name: 'System' })
  }
  place(alpha, cast.denis, 300_000, 8)
  place(alpha, cast.denis, 200_000, 7)
  place(beta, cast.daria, 77_700, 20)
  const terms = (id: number, values: Partial<typeof companies.$inferInsert>) =>
    db.update(companies).set(values).where(eq(companies.id, id)).run()
  terms(alpha, { payment_days: 7, credit_limit: 450_000 })
  terms(beta, { payment_days: 7 })
  const root = await as('root')
  const lines = ['Balance −5 000,00 ₽', 'Payment overdue 3 000,00 ₽ late', 'Left of the credit limit −500,00 ₽ late']
  const ofBeta = ['Balance −777,00 ₽', 'Payment overdue 777,00 ₽ late']
  t.same(accountOn(await root.get(`/company/edit/${beta}?tab=overview`)), ofBeta)
  t.same(accountOn(await root.get(`/company/edit/${alpha}?tab=overview`)), lines, 'of its own orders')
  t.same(accountOn(await root.get(`/company/edit/${alpha}?tab=ledger`)), lines)
  const dashboard = parseHtml((await (await as('denis')).get('/')).body)('[aria-labelledby=your-payments]')
  const alone = 'Ledger You owe 5 000,00 ₽ Payment overdue 3 000,00 ₽ Left of the credit limit of 4 500,00 ₽ −500,00 ₽'
  t.equal(textOf(dashboard.prop('outerHTML') ?? ''), alone, 'one part is the balance itself')
  t.equal(dashboard.find('h2 a').attr('href'), '/ledger')
  terms(alpha, { credit_limit: 500_000, payment_days: null })
  t.same(accountOn(await root.get(`/company/edit/${alpha}?tab=overview`)), [...lines.slice(0, 1), 'Left of the credit limit 0,00 ₽'])
  t.equal((await root.post('/payments/add', { company_id: alpha, amount: 8000, date: today(), kind: 'transfer' })).statusCode, 303)
  const credited = parseHtml((await (await as('denis')).get('/')).body)('[aria-labelledby=your-payments]')
  const inWords = 'Credit, not allocated 8 000,00 ₽ To pay for orders −5 000,00 ₽ In your favor 3 000,00 ₽'
  t.equal(textOf(credited.find('.account').prop('outerHTML') ?? ''), inWords, 'several add up to it, and no credit is needed')
})

t.test('the form of a ledger entry says what its amount means, takes the greatest that there is, and is sent once', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha } = cast.companies
  const root = await as('root')
  const address = `/company/${alpha}/ledger`
  const form = await root.get(address)
  t.same(
    fieldOf(form, 'kind')?.options.map(({ value, text, selected }) => [value, text, selected]),
    [
      ['', 'Not selected', false],
      ['correction', 'Correction', true],
      ['refund', 'Refund', false],
    ],
  )
  const page = parseHtml(form.body)
  t.equal(page('.record-form').attr('action'), address)
  t.match(
    page('#amount-hint').text(),
    'A correction above zero is in favor of the company, one below zero is owed by it. A refund is what it got back.',
  )
  t.same(elementsOf(form.body, '.record-form .btn-list > *').map(textOf), ['Cancel', 'Add ledger entry'])
  t.same(elementsOf((await root.get(`/company/edit/${alpha}?tab=ledger`)).body, '.ledger-account a').map(textOf), [
    'Act of reconciliation',
    'Book refund',
    'Add ledger entry',
  ])
  const send = (fields: Fields) => root.post(address, { kind: 'correction', amount: '1', ...fields })
  const nothing = await send({ amount: '0', order_id: '0' })
  t.equal(errorsOf(nothing).order_id !== undefined, true)
  t.equal(elementsOf(nothing.body, 'main [autofocus]').length, 1, 'the keyboard begins at what is wrong')
  t.equal(errorsOf(await send({ amount: '0' })).amount, 'Enter an amount other than zero.')
  t.equal(errorsOf(await send({ kind: 'refund', amount: '-1' })).amount, 'Enter an amount of more than 0.')
  const theirs = insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta })
  for (const order_id of [theirs, 999_999_999]) t.equal(errorsOf(await send({ order_id })).order_id, 'This company has no such order.')
  t.ok(errorsOf(await send({ order_id: 1_000_000_000 })).order_id)
  t.ok(errorsOf(await send({ note: 'x'.repeat(501) })).note)
  for (const amount of ['100000000000,01', '-100000000000,01']) t.ok(errorsOf(await send({ amount })).amount, amount)
  t.equal(balanceOf(db, alpha), 0)
  const [once = ''] = hiddenOf(form, 'once')
  t.match(once, /./)
  for (const _ of [1, 2])
    t.equal((await send({ amount: '-100000000000', note: 'x'.repeat(500), order_id: cast.order, once })).statusCode, 303)
  t.equal(balanceOf(db, alpha), -100_000_000_000_00, 'the form sent twice is one entry')
  t.match(elementsOf((await root.get(`/company/edit/${alpha}`)).body, '[role=status]').map(textOf), ['Ledger entry added'])
})

t.test(
  'an order whose dealer is gone, or in no company, is booked for the company recorded on it, any other for that of its dealer',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, db, cast } = cabinet
    const { alpha, beta } = cast.companies
    const left = insertOrder(cabinet, 'new', { dealer_id: null, company_id: beta })
    const moved = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: beta })
    const root = await as('root')
    const send = async (company: number, order_id: number) =>
      (await root.post(`/company/${company}/ledger`, { kind: 'refund', amount: '1', order_id })).statusCode
    t.same([await send(alpha, left), await send(beta, moved)], [422, 422])
    t.same([await send(beta, left), await send(alpha, moved)], [303, 303])
    t.same([balanceOf(db, alpha), balanceOf(db, beta)], [-100, -100])
    db.update(users).set({ company_id: null }).where(eq(users.id, cast.roman)).run()
    const homeless = insertOrder(cabinet, 'new', { dealer_id: cast.roman, company_id: beta })
    t.same([await send(alpha, homeless), await send(beta, homeless)], [422, 303], 'while the dealer has no company')
  },
)

t.test('a correction or refund has the day it is given, today at first, and none in the future', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const path = `/company/${cast.companies.alpha}/ledger`
  t.equal(fieldOf(await root.get(path), 'date')?.value, today())
  const send = (date: object) => root.post(path, { kind: 'refund', amount: '1', ...date })
  for (const date of ['2026-01-20', today()]) t.equal((await send({ date })).statusCode, 303)
  for (const given of [{}, { date: '' }]) t.equal((await send(given)).statusCode, 303)
  const future = await send({ date: dayIn(1) })
  t.equal(future.statusCode, 422)
  t.match(textOf(future.body), 'cannot be dated in the future')
  t.match(errorsOf(await send({ date: '1999-12-31' })).date, 'An entry cannot be dated before 2000.')
  t.equal(fieldOf(future, 'date')?.value, dayIn(1), 'what was typed is kept')
  const dates = db.select().from(ledgerEntries).orderBy(ledgerEntries.id).all()
  t.same(
    dates.map(({ date }) => date),
    ['2026-01-20', today(), today(), today()],
  )
})

t.test('an entry keeps both who made it and who acted for them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  grant(db, cast.admin, 'company_can_edit_limit')
  const root = await as('root')
  await root.get(`/impersonate/${cast.admin}`)
  await root.post(`/company/${cast.companies.alpha}/ledger`, { kind: 'refund', amount: '1' })
  t.match(db.select().from(ledgerEntries).all(), [
    { actor_id: cast.admin, actor_name: 'Adminov Anton', impersonator_id: cast.root, impersonator_name: 'Root Olga' },
  ])
})

t.test('of many orders with payments, or companies with entries, five are named as what keeps them from being deleted', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const root = await as('root')
  const ids = Array.from({ length: 6 }, () => insertOrder(cabinet, 'new', { specification_number: 7 }))
  for (const id of ids) insertPayment(db, id)
  const named = async (path: string, id: number[]) => {
    const answer = await root.post(path, { id })
    return [answer.statusCode, /cannot be deleted: ([^.]*)\./.exec(textOf(answer.body))?.[1]]
  }
  t.same(await named('/orders/delete', ids), [
    422,
    ids
      .slice(0, 5)
      .map((id) => `#${id}`)
      .join(', '),
  ])
  const firms = ['A', 'B', 'C', 'D', 'E', 'F'].map((org) => insertCompany(cabinet, { org }))
  const entry = { kind: 'refund', amount: -5, date: '2026-01-15', at: 1, actor_name: 'The test' } as const
  for (const company_id of firms)
    db.insert(ledgerEntries)
      .values({ ...entry, company_id })
      .run()
  t.same(await named('/companies/delete', firms), [422, 'A, B, C, D, E'])
})
