import { eq } from 'drizzle-orm'
import t from 'tap'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { categoryCompany, companies, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { addressesIn, wordsOf } from '../support/every-answer.ts'
import { addressOf } from '../support/every-page.ts'
import { ask } from '../support/every-route.ts'
import { idsOf, parseHtml, totalOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertPayment } from '../support/ledger.ts'
import { statusId } from '../support/orders.ts'
import { insertContractPrice, insertProduct } from '../support/products.ts'
import { storeUpload } from '../support/uploads.ts'

const prices: PolicyKey = 'order_can_view_prices'
const kopecks = 765_432_109

/** The amount in kopecks, as text, as a number, with and without groups of three; the discounts; how and when it is paid. */
const secrets = [
  /7[\s\u00a0\u202f.,]?654[\s\u00a0\u202f.,]?32[12]/,
  /(?<![\w:.-])9[123](?:\u00a0|&nbsp;|\s)?%/,
  /(?:value|data-base|data-rows)="(?:\d+:)?9[123]\b/,
  /\d+:9[123](?=\s)/,
  /"discount":9[123]\b/,
  /Bank card/,
  /19\.07\.2031|2031-07-19/,
  /zqinvoice|zqpaid|zqslip|zqnote|zqreason/,
]

const priceRow = (price: number) => ({ prices: '', 'prices[0][from]': '2026-01-01', 'prices[0][price]': price / 100 })

const secretsIn = (text: string) => secrets.flatMap((secret) => secret.exec(text)?.[0] ?? [])

/** An order of Denis with amounts, discounts, papers and a payment that no other text has. */
async function startWithPrices(test: Parameters<typeof startCabinet>[0]) {
  exportInProcess(test)
  const cabinet = await startCabinet(test)
  const { app, db, cast } = cabinet
  const { alpha } = cast.companies
  const upload = async (name: string) => {
    const stream = (async function* () {
      yield Buffer.from(name)
    })()
    return (await storeUpload({ db, dataDir: app.config.dataDir }, stream, { name, userId: cast.root })).key
  }
  const files = {
    specification: await upload('specification.txt'),
    invoice: await upload('zqinvoice.txt'),
    payment_order: await upload('zqpaid.txt'),
  }
  const sites = { manufacture_id: cast.site, stock_id: cast.stock }
  db.update(companies)
    .set({ ...sites, discount: 93 })
    .where(eq(companies.id, alpha))
    .run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 92 }).run()
  const lines = { order_id: cast.order, category_id: cast.category, name: 'Door', quantity: 1, price: kopecks, discount: 91 }
  db.insert(orderItems).values(lines).run()
  const door = insertProduct(db, { article: 'D-1', name: 'Door', category_id: cast.category }, [['2026-01-01', kopecks]])
  insertContractPrice(db, alpha, door, kopecks)
  const root = await cabinet.as('root')
  await root.post(`/products/edit/${door}`, priceRow(kopecks - 1))
  await root.post(`/products/edit/${door}`, priceRow(kopecks))
  await root.post(`/orders/edit/${cast.order}`, { payment: 'card', date_payment: '2031-07-19', deferred_payment: '1' })
  db.update(orders)
    .set({ ...files, cost: kopecks })
    .where(eq(orders.id, cast.order))
    .run()
  const slip = { file: await upload('zqslip.txt'), reporter_id: cast.root }
  const paid = { amount: kopecks, date: '2031-07-19', kind: 'card' } as const
  const first = insertPayment(db, cast.order, { ...paid, ...slip, note: 'zqnote' })
  insertPayment(db, cast.order, { ...paid, note: 'zqnote' })
  insertPayment(db, cast.order, { ...paid, state: 'rejected', reason: 'zqreason', decider_name: 'Root Olga', decided_at: 1 })
  await root.post(`/payments/${first}/confirm`)
  await root.post(`/company/edit/${alpha}`, { discount: '92' })
  await root.post(`/company/edit/${alpha}`, { discount: '93' })
  return { ...cabinet, root, files: { ...files, slip: slip.file } }
}

/** Everybody may see as much as there is, but for prices: an administrator, a manager, a dealer, production, and a clerk who acts as another dealer. */
const people = ['admin', 'maria', 'denis', 'pavel'] as const satisfies Name[]

async function signInWithoutPrices({ as, db, cast }: Cabinet): Promise<Map<Name, Browser>> {
  const others = policyKeys.filter((key) => key !== prices)
  for (const name of ['admin', 'maria'] as const) grant(db, cast[name], ...others)
  grant(db, cast.pavel, 'activity_can_view', 'product_can_view')
  for (const name of people) revoke(db, cast[name], prices)
  grant(db, cast.clerk, 'dealer_can_auth')
  revoke(db, cast.clerk, prices)
  const clerk = await as('clerk')
  t.equal((await clerk.post(`/impersonate/${cast.roman}`)).statusCode, 303)
  return new Map<Name, Browser>([...(await Promise.all(people.map(async (name) => [name, await as(name)] as const))), ['clerk', clerk]])
}

t.test('whoever may not see prices finds no cost, price, discount, invoice or payment in any answer', async (t) => {
  const cabinet = await startWithPrices(t)
  const browsers = await signInWithoutPrices(cabinet)
  const addresses = addressesIn(cabinet)
  const found: string[] = []
  const shown = new Set<string>()
  for (const address of addresses) {
    for (const secret of secretsIn(await wordsOf(await cabinet.root.get(address)))) shown.add(`${address.split('?')[0]} ${secret}`)
    for (const [name, browser] of browsers) {
      const secret = secretsIn(await wordsOf(await browser.get(address)))
      if (secret.length > 0) found.push(`${name}, GET ${address}: ${secret.join(', ')}`)
    }
  }
  t.same([...new Set(found)], [])
  t.ok(shown.size > 25, `who may see prices finds them: ${shown.size}`)
})

t.test('whoever acts as a dealer sees the prices of that dealer only if they see prices themselves', async (t) => {
  const { as, db, cast } = await startWithPrices(t)
  grant(db, cast.clerk, 'dealer_can_auth')
  const clerk = await as('clerk')
  await clerk.post(`/impersonate/${cast.roman}`)
  const seen = async () => secretsIn(await wordsOf(await clerk.get(`/orders/${cast.order}`))).length > 0
  t.equal(await seen(), true)
  revoke(db, cast.clerk, prices)
  t.equal(await seen(), false)
  t.equal((await clerk.get('/orders')).statusCode, 200, 'and still acts as the dealer')
  t.ok(secretsIn(await wordsOf(await (await as('roman')).get(`/orders/${cast.order}`))).length > 0, 'the dealer sees them')
})

t.test('no form, however it is sent, shows prices to whoever may not see them', async (t) => {
  const cabinet = await startWithPrices(t)
  const browsers = await signInWithoutPrices(cabinet)
  const found: string[] = []
  const sent = cabinet.app.routeTable.filter(({ method, url }) => method === 'POST' && !/impersonate|logout|stream/.test(url))
  for (const route of sent)
    for (const [name, browser] of browsers) {
      const body = 'version=1&phone=x&email=x&org=&items=&transition_id=1'
      const answer = await ask(cabinet, browser, route, addressOf(route.url, cabinet.cast).split('?')[0] as string, {}, undefined, body)
      const secret = secretsIn(await wordsOf(answer))
      if (secret.length > 0) found.push(`${name}, POST ${route.url}: ${secret.join(', ')}`)
    }
  t.same([...new Set(found)], [])
})

t.test('sorting and filters by prices do nothing for whoever may not see them', async (t) => {
  const cabinet = await startWithPrices(t)
  const { db, cast, root } = cabinet
  for (const cost of [5, 3, 4])
    db.insert(orders)
      .values({ status_id: 1, dealer_id: cast.denis, company_id: cast.companies.alpha, cost, date_payment: `2030-01-0${cost}` })
      .run()
  db.insert(companies)
    .values([
      { org: 'A', discount: 5 },
      { org: 'B', discount: 50 },
    ])
    .run()
  const browsers = await signInWithoutPrices(cabinet)
  const queries = [
    'sort=cost&dir=asc',
    'sort=cost&dir=desc',
    'sort=date_payment&dir=asc',
    'cost_from=1',
    'cost_until=0,04',
    'date_payment_from=2031-01-01',
    'date_payment_until=2030-01-03',
  ]
  for (const [name, browser] of browsers) {
    const usual = idsOf(await browser.get('/orders?released=all'), 'orders')
    const fromFirst = idsOf(await browser.get('/orders?released=all&dir=asc'), 'orders')
    t.equal(usual.length, 4, name)
    for (const query of queries) {
      const page = await browser.get(`/orders?released=all&${query}`)
      t.same(idsOf(page, 'orders'), query.includes('dir=asc') ? fromFirst : usual, `${name}: ${query}`)
      t.equal(totalOf(page, 'orders'), 4)
      t.notMatch(parseHtml(page.body)('main').html(), /cost_|sort=cost|date_payment/, `${name}: no link keeps ${query}`)
    }
    const exported = (await browser.get('/orders/export?format=csv&released=all&sort=cost&dir=asc&cost_from=1&cols=date_payment')).body
    t.same(
      [...exported.matchAll(/^(\d+),/gm)].map(([, id]) => Number(id)),
      fromFirst,
      `${name}: export`,
    )
    t.notMatch(exported, /Cost|Payment date/)
  }
  const admin = browsers.get('admin') as Browser
  const ofCompanies = idsOf(await admin.get('/companies?dir=asc'), 'companies')
  t.same(idsOf(await admin.get('/companies?sort=discount&dir=asc'), 'companies'), ofCompanies)
  t.notSame(idsOf(await root.get('/orders?sort=cost&dir=asc'), 'orders'), idsOf(await root.get('/orders'), 'orders'), 'others sort by them')
  t.equal(totalOf(await root.get('/orders?cost_from=1'), 'orders'), 1)
})

t.test('invoices and payment confirmations are files of those who see prices; a specification is not', async (t) => {
  const cabinet = await startWithPrices(t)
  const { files, root, as } = cabinet
  const browsers = await signInWithoutPrices(cabinet)
  for (const [name, browser] of browsers) {
    for (const key of [files.invoice, files.payment_order, files.slip])
      for (const path of [`/files/${key}`, `/files/${key}/preview`]) t.equal((await browser.get(path)).statusCode, 403, `${name}: ${path}`)
    t.equal((await browser.get(`/files/${files.specification}`)).statusCode, 200, name)
  }
  t.equal((await root.get(`/files/${files.invoice}`)).statusCode, 200)
  t.equal((await (await as('roman')).get(`/files/${files.payment_order}`)).statusCode, 200, 'a dealer of the company sees prices')
})

t.test('what somebody may not see they neither change nor probe: right and wrong guesses are answered alike', async (t) => {
  const cabinet = await startWithPrices(t)
  const { db, cast } = cabinet
  const browsers = await signInWithoutPrices(cabinet)
  const stored = () =>
    JSON.stringify(
      [db.select().from(orderItems).all(), db.select().from(orders).get(), db.select().from(companies).all()].map((rows) => rows),
      (key, value) => (/version|updated_at|search/.test(key) ? undefined : value),
    )
  const before = stored()
  const guesses: [string, string][] = [
    ['payment', 'card'],
    ['payment', 'cash'],
    ['date_payment', '2031-07-19'],
    ['date_payment', '2030-01-01'],
    ['invoice[stored]', cabinet.files.invoice],
    ['invoice[stored]', ''],
  ]
  for (const name of ['admin', 'maria'] as const)
    for (const [field, value] of guesses) {
      const answer = await (browsers.get(name) as Browser).post(`/orders/edit/${cast.order}`, { [field]: value })
      t.equal(answer.statusCode, 303, `${name}: ${field}=${value}`)
      t.equal(stored(), before)
    }
  const priced = {
    items: '',
    'items[0][id]': '1',
    'items[0][category_id]': cast.category,
    'items[0][name]': 'Door',
    'items[0][quantity]': '1',
  }
  for (const price of ['7654321,09', '1'])
    t.equal(
      (await (browsers.get('admin') as Browser).post(`/orders/edit/${cast.order}`, { ...priced, 'items[0][price]': price })).statusCode,
      403,
      price,
    )
  for (const discount of ['93', '5']) {
    const answer = await (browsers.get('admin') as Browser).post(`/company/edit/${cast.companies.alpha}`, { discount })
    t.equal(answer.statusCode, 303)
  }
  t.equal(stored(), before)
})

t.test('a step that needs an invoice is refused with the reason to whoever may not see invoices', async (t) => {
  const cabinet = await startWithPrices(t)
  const { db, cast } = cabinet
  db.update(orders)
    .set({ status_id: statusId('apply'), invoice: null })
    .where(eq(orders.id, cast.order))
    .run()
  const browsers = await signInWithoutPrices(cabinet)
  const id = db.$client
    .prepare<[number, number], number>('select id from status_transitions where parent_status_id = ? and child_status_id = ?')
    .pluck()
    .get(Number(statusId('apply')), Number(statusId('payment')))
  const answer = await (browsers.get('maria') as Browser).post(`/orders/${cast.order}/transition`, { transition_id: Number(id) })
  t.equal(answer.statusCode, 422)
  t.match(answer.body, 'Requires Invoice')
  t.equal(db.select().from(orders).get()?.status_id, statusId('apply'))
})

t.test('administrators, managers and dealers see prices by default, production does not', async (t) => {
  const { root, cast, as, db } = await startWithPrices(t)
  for (const name of ['clerk', 'maria', 'denis'] as const)
    t.match(secretsIn((await (await as(name)).get(`/orders/${cast.order}`)).body), [/654/], name)
  t.same(secretsIn((await (await as('pavel')).get(`/orders/${cast.order}`)).body), [])
  await root.post('/productions/add', { email: 'new@example.com', lastname: 'New', name: 'Nina', password: 'a good password' })
  await root.post('/managers/add', { email: 'boss@example.com', lastname: 'New', name: 'Boris', password: 'a good password' })
  const holders = db.$client.prepare<[string], string>(
    "select email from users join user_policies on user_id = users.id join policies on policies.id = policy_id where key = ? and value and email in ('new@example.com', 'boss@example.com')",
  )
  t.same(holders.pluck().all(prices), ['boss@example.com'])
  t.equal(db.select().from(users).where(eq(users.email, 'new@example.com')).all().length, 1)
})
