import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { insertDeputy } from '../support/deputies.ts'
import { rowsOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertEntry, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { attributesIn } from '../support/parts.ts'
import { dayIn } from '../support/products.ts'

const cols = 'cols=balance,overdue,limit_left,last_order'
const day = 24 * 3600_000

/** Alpha owes for an order that was to be paid by yesterday and for one of today, Beta has paid too much, nobody's has ordered nothing. */
async function startWithAccounts(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  db.update(companies).set({ payment_days: 10, credit_limit: 500_00 }).where(eq(companies.id, alpha)).run()
  db.update(companies).set({ payment_days: 10 }).where(eq(companies.id, beta)).run()
  const order = (company_id: number, date: string, cost: number, age: number) => {
    const id = insertOrder(cabinet, 'payment', { company_id, dealer_id: null, cost, due_since: date, created_at: daysAgo(age - 1) - 1 })
    insertEntry(db, company_id, { order_id: id, date, amount: -cost })
    return id
  }
  db.$client.exec('delete from orders')
  const late = order(alpha, dayIn(-11), 300_00, 40)
  order(alpha, dayIn(-10), 100_00, 20)
  payOrder(db, late, 120_00, today())
  payOrder(db, order(beta, dayIn(-60), 200_00, 60), 250_00, today())
  db.update(companies)
    .set({ created_at: Date.now() - 100 * day })
    .where(eq(companies.id, nobodys))
    .run()
  return { ...cabinet, alpha, beta, nobodys }
}

t.test('the list of companies tells in red and in words whose credit limit does not cover its balance', async (t) => {
  const { as, db, alpha } = await startWithAccounts(t)
  const root = await as('root')
  const over = async () => attributesIn((await root.get(`/companies?${cols}`)).body, 'td.is-late', 'data-col', 'title')
  t.same(await over(), [])
  db.update(companies).set({ credit_limit: 279_99 }).where(eq(companies.id, alpha)).run()
  const told = 'Over the credit limit'
  t.same(await over(), [
    ['balance', told],
    ['limit_left', told],
  ])
  t.match(rowsOf(await root.get('/companies'), 'companies').find(({ id }) => id === alpha)?.cells.balance, /Over limit$/)
})

t.test(
  'the list of companies says what each owes, what of it is overdue, when it last ordered and, when asked, what is left of its limit',
  async (t) => {
    exportInProcess(t)
    const { as, alpha, beta, nobodys } = await startWithAccounts(t)
    const root = await as('root')
    const page = await root.get(`/companies?${cols}&sort=balance&dir=asc`)
    const shown = rowsOf(page, 'companies').map(({ id, cells }) => [
      id,
      cells.balance,
      cells.overdue,
      cells.limit_left,
      cells.last_order !== '—',
    ])
    t.same(shown, [
      [alpha, '−280,00 ₽', '180,00 ₽', '220,00 ₽', true],
      [nobodys, '—', '—', '—', false],
      [beta, '50,00 ₽', '—', '—', true],
    ])
    const usual = rowsOf(await root.get('/companies'), 'companies')[0]?.cells ?? {}
    t.ok('balance' in usual && 'overdue' in usual && 'last_order' in usual && 'open_orders' in usual, 'shown as it is')
    t.notOk('limit_left' in usual)
    const sheet = await root.get(`/companies/export?format=csv&${cols}&sort=balance&dir=asc`)
    t.same(
      sheet.body
        .trim()
        .split(/\r?\n/)
        .map((line) => line.split(',').slice(4, 7).join()),
      ['Balance,Overdue debt,Left of the credit limit', '-280,180,220', '0,0,', '50,0,'],
    )
  },
)

t.test('debtors come first for whoever sees prices, the newest companies for others', async (t) => {
  const { as, db, cast, alpha, beta, nobodys } = await startWithAccounts(t)
  const root = await as('root')
  const orderOf = (page: Answer) => rowsOf(page, 'companies').map(({ id }) => id)
  const sizes = ({ body }: Answer) => attributesIn(body, '#companies-size-50', 'href').flat()
  const page = await root.get('/companies')
  t.same(orderOf(page), [alpha, nobodys, beta])
  t.same(attributesIn(page.body, 'th[data-col=balance]', 'aria-sort'), [['ascending']], 'and the column says so')
  t.same(sizes(page), ['/companies?size=50'], 'which no address has to name')
  const newest = await root.get('/companies?sort=created_at&dir=desc')
  t.same(sizes(newest), ['/companies?sort=created_at&dir=desc&size=50'])
  t.same(orderOf(newest).at(-1), nobodys)
  insertEntry(db, beta, { date: today(), amount: -1000_00 })
  t.same(orderOf(await root.get('/companies')), [beta, alpha, nobodys], 'as soon as somebody owes more')
  grant(db, cast.maria, 'company_can_view')
  revoke(db, cast.maria, 'order_can_view_prices')
  const others = await (await as('maria')).get('/companies')
  t.same([orderOf(others), sizes(others)], [orderOf(newest), ['/companies?size=50']])
})

t.test('a manager reads their own name in no row, unless they chose to, are a deputy, or see the companies of all', async (t) => {
  const { as, db, cast } = await startWithAccounts(t)
  const tells = async (path: string) => (await (await as('maria')).get(path)).body.includes('data-col="manager"')
  for (const path of ['/companies', '/dealers']) {
    t.notOk(await tells(path), path)
    t.ok(await tells(`${path}?cols=manager`), path)
  }
  grant(db, cast.maria, 'company_can_view')
  t.ok(await tells('/companies'))
  t.notOk(await tells('/dealers'))
  insertDeputy(db, cast.mikhail, cast.maria)
  t.ok(await tells('/dealers'))
})

t.test('companies are found by debt, by what of it is overdue, by credit, and by days without an order', async (t) => {
  const { as, db, alpha, beta, nobodys } = await startWithAccounts(t)
  const root = await as('root')
  const found = async (query: string) =>
    rowsOf(await root.get(`/companies?sort=created_at&dir=asc&${query}`), 'companies')
      .map(({ id }) => id)
      .sort()
  t.same(await found('debt=1'), [alpha])
  t.same(await found('overdue=1'), [alpha])
  insertEntry(db, nobodys, { date: today(), amount: -1_00 })
  t.same(await found('debt=1'), [alpha, nobodys], 'what is not yet due is owed, too')
  t.same(await found('overdue=1'), [alpha])
  t.same(await found('credit=1'), [beta])
  t.same(await found('idle=21'), [beta, nobodys], 'what was ordered twenty days ago is not that long ago')
  t.same(await found('idle=20'), [alpha, beta, nobodys])
  t.same(await found('idle=61'), [nobodys], 'one that never ordered is idle since it was added')
  t.same(await found('idle=101'), [])
  t.same(await found('idle=many'), [alpha, beta, nobodys])
  t.same(await found('overdue=1&credit=1'), [])
})

t.test('whoever sees no prices has neither columns, filters, sorting nor spreadsheets that tell of debts', async (t) => {
  exportInProcess(t)
  const { as, db, cast, alpha, beta, nobodys } = await startWithAccounts(t)
  grant(db, cast.maria, 'company_can_view')
  revoke(db, cast.maria, 'order_can_view_prices')
  const maria = await as('maria')
  const idsIn = async (query: string) => rowsOf(await maria.get(`/companies?${query}`), 'companies').map(({ id }) => id)
  const all = await idsIn('')
  t.same(all.toSorted(), [alpha, beta, nobodys])
  for (const query of ['debt=1', 'overdue=1', 'credit=1', 'idle=21', 'sort=balance&dir=desc']) t.same(await idsIn(query), all, query)
  t.same(await idsIn('sort=balance&dir=asc'), await idsIn('dir=asc'))
  const page = await maria.get(`/companies?${cols}&choose=filters`)
  const cells = rowsOf(page, 'companies').flatMap(({ cells }) => Object.keys(cells))
  t.same(
    cells.filter((key) => ['balance', 'overdue', 'limit_left', 'last_order'].includes(key)),
    [],
  )
  t.notMatch(page.body, /In debt|Overdue debt|In credit|Left of the credit limit|No order for/)
  const sheet = await maria.get(`/companies/export?format=csv&${cols}`)
  t.equal(sheet.body.trim().split(/\r?\n/)[0]?.replace('\ufeff', ''), 'ID,Organization,Manager,Open orders')
})
