import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, companies, orderItems, orders } from '../../src/database/schema/index.ts'
import { type Cabinet, encode, startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { addressesIn, everyColumn, wordsOf } from '../support/every-answer.ts'
import { addressOf } from '../support/every-page.ts'
import { ask } from '../support/every-route.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertContractPrice, insertProduct } from '../support/products.ts'

const [contract, ordered] = [33_344_455, 22_233_344]
const [base, byCategory] = [87, 83]
/** What everybody who sees products may know, and what Alpha pays for them after its discounts. */
const [doorPrice, windowPrice] = [71_234_500, 91_234_500]

const percent = (price: number, discount: number) => Math.round((price * (100 - discount)) / 100)

/** An amount in kopecks, as a number, and as text with and without groups of three. */
function amountPattern(kopecks: number): RegExp {
  const [rubles = '', part] = (kopecks / 100).toFixed(2).split('.')
  const groups = rubles.replace(/\B(?=(\d{3})+$)/g, '[\\s\\u00a0\\u202f.,]?')
  return new RegExp(`${groups}(?:[.,]${part}|${part}\\b)`)
}

const amounts = [contract, ordered, percent(doorPrice, base), percent(windowPrice, byCategory)]
const secrets = [
  ...amounts.map(amountPattern),
  /(?<![\w:.-])8[37](?:\u00a0|&nbsp;|\s)?%/,
  /(?:value|data-base|data-rows)="(?:\d+:)?8[37]\b/,
  /\d+:8[37](?=\s)/,
  /"discount":8[37]\b/,
]

const secretsIn = (text: string) => secrets.flatMap((secret) => secret.exec(text)?.[0] ?? [])

/** Alpha's terms, contract prices and orders have amounts that no other text has; Beta has terms of its own. */
async function startWithTerms(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const window = insertProduct(db, { article: 'W-1', name: 'Door to a window', category_id: cast.category }, [['2026-01-01', windowPrice]])
  const door = insertProduct(db, { article: 'D-1', name: 'Door' }, [['2026-01-01', doorPrice]])
  const gate = insertProduct(db, { article: 'G-1', name: 'Door of a gate' }, [['2026-01-01', 100]])
  db.update(companies).set({ discount: base }).where(eq(companies.id, alpha)).run()
  db.update(companies).set({ discount: 5 }).where(eq(companies.id, beta)).run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: byCategory }).run()
  insertContractPrice(db, alpha, gate, contract)
  insertContractPrice(db, beta, gate, 4200)
  const line = { order_id: cast.order, product_id: door, name: 'Door', quantity: 1, price: ordered, piece_price: ordered, discount: 0 }
  db.insert(orderItems).values(line).run()
  db.update(orders).set({ cost: ordered }).where(eq(orders.id, cast.order)).run()
  db.insert(orders).values({ status_id: 1, dealer_id: cast.daria, company_id: beta }).run()
  return { ...cabinet, beta, window, door, gate }
}

/** Dealers of Beta, its manager, and somebody who sees products and nothing of any company. */
const others = ['daria', 'vera', 'mikhail', 'plain'] as const satisfies Name[]

async function signInOthers({ as, db, cast }: Cabinet) {
  grant(db, cast.plain, 'order_can_view_prices', 'product_can_view', 'product_can_edit')
  return Promise.all(others.map(async (name) => [name, await as(name)] as const))
}

t.test('nobody finds in any answer what another company pays', async (t) => {
  exportInProcess(t)
  const cabinet = await startWithTerms(t)
  const { beta, window, door, gate, cast } = cabinet
  const browsers = await signInOthers(cabinet)
  const denis = await cabinet.as('denis')
  const found: string[] = []
  const own = new Set<string>()
  const addresses = [
    ...addressesIn(cabinet),
    `/company/edit/${beta}?tab=prices`,
    `/company/edit/${beta}?tab=history`,
    `/companies/${beta}?${everyColumn}`,
    ...[window, door, gate].map((id) => `/products/edit/${id}`),
    ...[window, door, gate].map((id) => `/products/delete?id=${id}`),
    `/orders/add?from=${cast.order}`,
    '/find?q=d-1',
  ]
  for (const address of new Set(addresses)) {
    for (const secret of secretsIn(await wordsOf(await denis.get(address)))) own.add(`${address} ${secret}`)
    for (const [name, browser] of browsers) {
      const secret = secretsIn(await wordsOf(await browser.get(address)))
      if (secret.length > 0) found.push(`${name}, GET ${address}: ${secret.join(', ')}`)
    }
  }
  t.same(found, [])
  t.ok(own.size > 12, `Alpha's dealer finds them: ${[...own].join('; ')}`)
  for (const kopecks of amounts)
    t.ok(
      [...own].some((text) => amountPattern(kopecks).test(text)),
      `${kopecks} is somewhere`,
    )
})

t.test('no form, however it is sent, answers with what another company pays', async (t) => {
  exportInProcess(t)
  const cabinet = await startWithTerms(t)
  const { app, cast, window, door, gate } = cabinet
  const browsers = await signInOthers(cabinet)
  const lines = [window, door, gate].flatMap((id, at) => [
    [`items[${at}][product_id]`, id],
    [`items[${at}][quantity]`, 1],
  ])
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, order_id: cast.order, from: '2026-01-01', percent: 1, _preview: 1 }
  const body = encode({ version: 1, items: '', ...Object.fromEntries(lines), ...of, phone: '11111', email: 'x', id: [window, door, gate] })
  const found: string[] = []
  for (const route of app.routeTable.filter(({ method, url }) => method === 'POST' && !/impersonate|logout|stream/.test(url)))
    for (const [name, browser] of browsers) {
      const path = addressOf(route.url, cast).split('?')[0] as string
      const secret = secretsIn(await wordsOf(await ask(cabinet, browser, route, path, {}, undefined, body)))
      if (secret.length > 0) found.push(`${name}, POST ${route.url}: ${secret.join(', ')}`)
    }
  t.same(found, [])
})
