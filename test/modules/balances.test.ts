import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { addDays } from '../../src/core/days.ts'
import { allocations, companies, ledgerEntries, orders } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { figureNames, figuresOf } from '../../src/modules/balances/figures.ts'
import { type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { insertCompany } from '../support/companies.ts'
import { elementsOf, idsOf, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertEntry, insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const setTerms = ({ db }: Cabinet, company: number, terms: { credit_limit?: number; payment_days?: number }) =>
  db.update(companies).set(terms).where(eq(companies.id, company)).run()

/** An order of a company that is due from a day on, charged on that day. */
function charge(cabinet: Cabinet, company_id: number, date: string, amount: number): number {
  const order_id = insertOrder(cabinet, 'payment', { company_id, cost: amount, due_since: date })
  insertEntry(cabinet.db, company_id, { order_id, date, amount: -amount })
  return order_id
}

/** What a row of the table, or its last one, holds in kopecks. */
function kopecksIn(html: string, row: string): Record<string, number> {
  const page = parseHtml(html)
  const cells = page(`#${row} td[data-kopecks]`)
    .toArray()
    .map((cell) => page(cell))
  return Object.fromEntries(cells.map((cell) => [cell.attr('data-col'), Number(cell.attr('data-kopecks'))]))
}

const linkIn = (html: string, row: string, column: string) => parseHtml(html)(`#${row} td[data-col=${column}] a`).attr('href') ?? ''

/** Alpha owes for orders of every age on 30 September 2026, and has paid in part; Beta has paid too much. */
async function startWithDebts(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { alpha, beta } = cabinet.cast.companies
  setTerms(cabinet, alpha, { payment_days: 10, credit_limit: 50_000 })
  const [notYet, young, , , old] = ['2026-09-20', '2026-09-19', '2026-08-21', '2026-07-20', '2026-06-21'].map((date, index) =>
    charge(cabinet, alpha, date, 10_000 * 2 ** index),
  ) as [number, number, number, number, number]
  payOrder(cabinet.db, old, 160_000, '2026-09-01')
  payOrder(cabinet.db, young, 20_000, '2026-10-01')
  charge(cabinet, alpha, '2026-06-21', 5_000)
  insertEntry(cabinet.db, alpha, { kind: 'correction', amount: -700, date: '2026-09-30' })
  const paid = charge(cabinet, beta, '2026-09-05', 1_000)
  payOrder(cabinet.db, paid, 1_500, '2026-09-06')
  return { ...cabinet, alpha, beta, notYet }
}

t.test('balances say of each company what it owed at first, what a month added, and what its orders lacked, by age', async (t) => {
  const { as, alpha, beta } = await startWithDebts(t)
  const root = await as('root')
  const page = await root.get('/ledger/balances?on=2026-09-30')
  t.same(
    rowsOf(page, 'balances').map(({ id }) => id),
    [alpha, beta],
    'whoever has entries',
  )
  const ofAlpha = {
    ...{ opening: -(40_000 + 80_000 + 160_000 + 5_000), charges: -30_000, payments: 160_000, corrections: -700, closing: -155_700 },
    ...{ owed: 155_000, overdue: 145_000, age_30: 20_000 + 0, age_60: 0, age_90: 80_000, age_over: 5_000 },
  }
  const ages = { age_30: 20_000 + 40_000, age_60: 0, age_90: 80_000, age_over: 5_000 }
  t.same(kopecksIn(page.body, `balances-${alpha}`), { ...ofAlpha, ...ages, limit: 50_000 })
  const ofBeta = { opening: 0, charges: -1_000, payments: 1_500, corrections: 0, closing: 500, owed: 0, overdue: 0 }
  t.match(kopecksIn(page.body, `balances-${beta}`), ofBeta)
  t.match(rowsOf(page, 'balances')[0]?.cells, { company: 'Alpha Windows', limit: '500,00 ₽', last_payment: /^1\sSept/ })
  t.match(rowsOf(page, 'balances')[1]?.cells, { owed: '—', limit: '—', last_payment: /^6\sSept/ })
  t.match(kopecksIn(page.body, 'balances-totals'), {
    opening: -285_000,
    charges: -31_000,
    payments: 161_500,
    closing: -155_200,
    owed: 155_000,
  })
  t.match(textOf(page.body), 'Turnover from 01.09.2026 to 30.09.2026')
  const later = await root.get('/ledger/balances?from=2026-10-01&until=2026-10-02')
  t.match(kopecksIn(later.body, `balances-${alpha}`), { opening: -155_700, charges: 0, payments: 20_000, closing: -135_700, owed: 135_000 })
  const now = await root.get('/ledger/balances')
  t.match(kopecksIn(now.body, `balances-${alpha}`), { closing: -135_700, owed: 135_000 })
  const before = await root.get('/ledger/balances?on=2026-06-20')
  t.match(kopecksIn(before.body, `balances-${alpha}`), { opening: 0, closing: 0, owed: 0 }, 'before its first entry')
})

t.test('the ages of debts begin on the day after the last one on which they would be paid in time', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const { alpha, nobodys } = cast.companies
  setTerms(cabinet, alpha, { payment_days: 5 })
  for (const company of [alpha, nobodys]) charge(cabinet, company, '2026-01-10', 100)
  const ageOn = (day: string, company = alpha) => {
    const { owed, overdue, age_30, age_60, age_90, age_over } = figuresOf(db, [company], { from: day, until: day }).get(company) ?? {}
    return { owed, overdue, ages: [age_30, age_60, age_90, age_over] }
  }
  const due = '2026-01-15'
  t.same(ageOn(due), { owed: 100, overdue: 0, ages: [0, 0, 0, 0] })
  for (const [days, age] of [
    [1, 0],
    [30, 0],
    [31, 1],
    [60, 1],
    [61, 2],
    [90, 2],
    [91, 3],
  ] as const)
    t.same(ageOn(addDays(due, days)), { owed: 100, overdue: 100, ages: [0, 1, 2, 3].map((one) => (one === age ? 100 : 0)) }, `${days} days`)
  t.same(ageOn('2026-06-01', nobodys), { owed: 100, overdue: 0, ages: [0, 0, 0, 0] }, 'without days to pay never')
  t.same(ageOn(today(), nobodys), { owed: 100, overdue: 0, ages: [0, 0, 0, 0] })
})

t.test('each figure leads to its entries in the ledger', async (t) => {
  const { as, alpha, beta } = await startWithDebts(t)
  const root = await as('root')
  const page = await root.get('/ledger/balances?on=2026-09-30')
  const sumBehind = async (row: string, column: string) => {
    const found = await root.get(`${linkIn(page.body, row, column)}&size=100`)
    return rowsOf(found, 'ledger').reduce((sum, { html }) => sum + Number(/data-kopecks="(-?\d+)"/.exec(html)?.[1]), 0)
  }
  for (const [row, names] of [
    [`balances-${alpha}`, ['opening', 'charges', 'payments', 'corrections', 'closing']],
    [`balances-${beta}`, ['charges', 'payments', 'closing']],
    ['balances-totals', ['opening', 'charges', 'payments', 'corrections', 'closing']],
  ] as const)
    for (const name of names) t.equal(await sumBehind(row, name), kopecksIn(page.body, row)[name], `${row} ${name}`)
  t.equal(await sumBehind(`balances-${alpha}`, 'age_30'), -60_000, 'those charged when they would be so old')
  t.equal(await sumBehind(`balances-${alpha}`, 'age_90'), -80_000)
  t.equal(await sumBehind(`balances-${alpha}`, 'age_over'), -165_000)
  t.equal(await sumBehind(`balances-${alpha}`, 'overdue'), -305_000)
  t.equal(await sumBehind(`balances-${alpha}`, 'owed'), -315_000)
  const narrowed = await root.get('/ledger/balances?on=2026-09-30&overdue=1')
  t.equal(linkIn(narrowed.body, 'balances-totals', 'closing'), '', 'the ledger has no such filter')
  const act = parseHtml(page.body)(`#balances-${alpha} .row-actions a`).attr('href')
  t.equal(act, `/company/${alpha}/reconciliation?from=2026-09-01&until=2026-09-30`)
})

t.test('balances are filtered by manager, debts and limits, sorted by every figure, and summed up as filtered', async (t) => {
  const cabinet = await startWithDebts(t)
  const { as, alpha, beta, db, cast } = cabinet
  const gamma = insertCompany(cabinet, { org: 'Gamma', credit_limit: 100 })
  insertEntry(db, gamma, { amount: -100, date: '2026-09-01' })
  const root = await as('root')
  const shown = async (query: string) => {
    const page = await root.get(`/ledger/balances?on=2026-09-30&${query}`)
    return {
      ids: rowsOf(page, 'balances').map(({ id }) => id),
      total: totalOf(page, 'balances'),
      closing: kopecksIn(page.body, 'balances-totals').closing,
    }
  }
  t.same(await shown(''), { ids: [alpha, gamma, beta], total: 3, closing: -155_300 })
  t.same(await shown(`manager=${cast.mikhail}`), { ids: [beta], total: 1, closing: 500 })
  t.same(await shown('overdue=1'), { ids: [alpha], total: 1, closing: -155_700 })
  t.same(await shown('over_limit=1'), { ids: [alpha], total: 1, closing: -155_700 }, 'whoever owes just the limit is within it')
  for (const [credit_limit, ids] of [
    [154_999, [alpha]],
    [155_000, []],
  ] as const) {
    db.update(companies).set({ credit_limit }).where(eq(companies.id, alpha)).run()
    t.same((await shown('over_limit=1')).ids, ids, `due or not, what orders lack counts against a limit of ${credit_limit}`)
  }
  t.same(await shown('q=gamma'), { ids: [gamma], total: 1, closing: -100 })
  t.same(await shown('q=gamma&overdue=1'), { ids: [], total: 0, closing: undefined })
  for (const name of figureNames) {
    const [up, down] = [await shown(`sort=${name}&dir=asc`), await shown(`sort=${name}&dir=desc`)]
    const page = await root.get('/ledger/balances?on=2026-09-30')
    const amountOf = (id: number) => kopecksIn(page.body, `balances-${id}`)[name] ?? 0
    t.same(
      up.ids.toSorted((one, other) => amountOf(one) - amountOf(other) || one - other),
      up.ids,
      name,
    )
    t.same(down.ids, up.ids.toReversed())
  }
  const second = await root.get('/ledger/balances?on=2026-09-30&sort=closing&size=25&page=2')
  t.equal(rowsOf(second, 'balances').length, 3, 'there is no second page')
  t.same(await shown('on=2026-02-31'), { ids: [alpha, gamma, beta], total: 3, closing: -155_300 }, 'no such day')
  t.equal((await root.get('/ledger/balances?from=2026-10-05&until=2026-09-30')).statusCode, 200)
})

t.test('spreadsheets of balances have the rows, figures and order of the page', async (t) => {
  exportInProcess(t)
  const { as } = await startWithDebts(t)
  const root = await as('root')
  const sheet = await root.get('/ledger/balances/export?format=csv&on=2026-09-30&sort=closing&dir=desc')
  t.equal(sheet.statusCode, 200)
  const [head, ...lines] = sheet.body.replace('\ufeff', '').trim().split(/\r?\n/)
  t.equal(
    head,
    'Company,Opening balance,Charged,Paid,Corrections,Closing balance,Owed,Overdue debt,1–30 days,31–60 days,61–90 days,Over 90 days,Credit limit,Last payment',
  )
  t.same(lines, [
    'ООО «Бета Ёлка»,0,-10,15,0,5,0,0,0,0,0,0,,2026-09-06',
    'Alpha Windows,-2850,-300,1600,-7,-1557,1550,1450,600,0,800,50,500,2026-09-01',
  ])
  const overdue = await root.get('/ledger/balances/export?format=csv&on=2026-09-30&overdue=1')
  t.equal(overdue.body.trim().split(/\r?\n/).length, 2)
  t.match((await root.get('/ledger/balances/export?format=xlsx&on=2026-09-30')).headers['content-type'], /spreadsheetml/)
})

t.test('balances are for staff who see companies and prices, of companies that they see', async (t) => {
  const { as, db, cast, alpha } = await startWithDebts(t)
  for (const address of ['/ledger/balances', '/ledger/balances/export?format=csv'])
    for (const name of ['denis', 'daria', 'vera', 'pavel', 'plain', 'clerk'] as const)
      t.equal((await (await as(name)).get(address)).statusCode, 403, `${name} ${address}`)
  const own = await (await as('maria')).get('/ledger/balances?on=2026-09-30')
  t.same(
    rowsOf(own, 'balances').map(({ id }) => id),
    [alpha],
    'a manager sees their own',
  )
  t.equal(kopecksIn(own.body, 'balances-totals').closing, -155_700, 'and what these add up to')
  const sorted = await (await as('maria')).get('/ledger/balances?on=2026-09-30&sort=owed')
  t.same(
    rowsOf(sorted, 'balances').map(({ id }) => id),
    [alpha],
  )
  grant(db, cast.denis, 'company_can_view')
  t.equal((await (await as('denis')).get('/ledger/balances')).statusCode, 403, 'dealers never')
  revoke(db, cast.maria, 'order_can_view_prices')
  t.equal((await (await as('maria')).get('/ledger/balances')).statusCode, 403)
  const link = async (name: 'root' | 'denis') => elementsOf((await (await as(name)).get('/ledger')).body, '.page-actions a').map(textOf)
  t.same(await link('root'), ['Balances', 'Close period'])
  t.same(await link('denis'), ['Act of reconciliation'])
})

t.test('of very many companies the sums come after the page', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  db.transaction(() => {
    for (let index = 0; index < 1001; index++) insertEntry(db, insertCompany(cabinet, { org: `Company ${index}` }), { amount: -100 })
  })
  const root = await as('root')
  const page = await root.get('/ledger/balances')
  t.same(kopecksIn(page.body, 'balances-totals'), {})
  const more = parseHtml(page.body)('#balances-totals a')
  t.equal(more.attr('hx-trigger'), 'load, click')
  const whole = await root.get(more.attr('href') ?? '')
  t.match(kopecksIn(whole.body, 'balances-totals'), { charges: 0, closing: -100_100 })
  const fragment = await root.get(more.attr('href') ?? '', htmx)
  t.equal(kopecksIn(fragment.body, 'balances-totals').closing, -100_100)
  t.notOk(fragment.headers['hx-push-url'], 'it has no address of its own')
  t.equal((await root.get('/ledger/balances?page=2', htmx)).headers['hx-push-url'], '/ledger/balances?page=2')
  const sorted = async (page: number) => idsOf(await root.get(`/ledger/balances?sort=closing&size=25&page=${page}`), 'balances')
  t.equal(new Set([...(await sorted(1)), ...(await sorted(2))]).size, 50, 'sorted by figures, too, the second page has others')
})

t.test('whatever was booked: balances are the entries up to a day, periods add up, and ages add up to what is overdue', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  setTerms(cabinet, alpha, { payment_days: 12 })
  const first = addDays(today(), -200)
  const day = fc.integer({ min: 0, max: 200 }).map((days) => addDays(first, days))
  const entry = fc.record({
    company: fc.constantFrom(alpha, beta),
    kind: fc.constantFrom('charge', 'payment', 'correction', 'refund', 'allocation'),
    order: fc.integer({ min: 0, max: 5 }),
    amount: fc.integer({ min: -500, max: 1000 }),
    date: day,
  })
  const placed = new Map(
    [alpha, beta].map((company) => [company, Array.from({ length: 5 }, () => insertOrder(cabinet, 'payment', { company_id: company }))]),
  )
  const money = insertPayment(db, placed.get(alpha)?.[0] as number, { state: 'confirmed' })
  await fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.array(fc.tuple(day, day), { minLength: 3, maxLength: 3 }), (booked, periods) => {
      db.$client.exec('savepoint one')
      try {
        for (const { company, order, amount, kind, date } of booked) {
          const order_id = placed.get(company)?.[order - 1] ?? null
          const sign = kind === 'charge' || kind === 'refund' ? -1 : 1
          if (kind === 'allocation')
            db.insert(allocations).values({ company_id: company, payment_id: money, order_id, amount, date, at: 1, actor_name: '' }).run()
          else insertEntry(db, company, { order_id, amount: sign * amount, kind: kind as 'charge', date })
          if (order_id !== null) db.update(orders).set({ due_since: date }).where(eq(orders.id, order_id)).run()
        }
        const entries = db.select().from(ledgerEntries).all()
        const allocated = db.select().from(allocations).all()
        for (const [one, other] of [...periods, [first, today()]] as [string, string][]) {
          const [from, until] = one < other ? [one, other] : [other, one]
          for (const [id, figures] of figuresOf(db, [alpha, beta], { from, until })) {
            const own = entries.filter(({ company_id }) => company_id === id)
            const sum = (of: (entry: (typeof entries)[number]) => boolean) => own.filter(of).reduce((all, { amount }) => all + amount, 0)
            const within = (date: string) => from <= date && date <= until
            const kinds = (...names: string[]) => sum(({ kind, date }) => names.includes(kind) && within(date))
            const lacking = new Map<number, number>()
            const paying = allocated.filter(({ company_id }) => company_id === id)
            const ofOrders = [...own.filter(({ kind }) => kind === 'charge' || kind === 'correction'), ...paying]
            for (const { order_id, date, amount } of ofOrders)
              if (order_id && date <= until) lacking.set(order_id, (lacking.get(order_id) ?? 0) - amount)
            t.same(
              { ...figures, overdue: figures.age_30 + figures.age_60 + figures.age_90 + figures.age_over },
              {
                ...figures,
                opening: sum(({ date }) => date < from),
                charges: kinds('charge'),
                payments: kinds('payment', 'refund'),
                corrections: kinds('correction'),
                closing: sum(({ date }) => date <= until),
                owed: [...lacking.values()].filter((amount) => amount > 0).reduce((all, amount) => all + amount, 0),
              },
            )
            if (t.passing() === false) throw new Error('differs')
          }
        }
      } finally {
        db.$client.exec('rollback to one; release one')
      }
    }),
    { numRuns: 60 },
  )
})
