import t from 'tap'
import { changes, contractPrices, sessions } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { type Browser, type Cabinet, type Fields, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { companyOf } from '../support/companies.ts'
import { elementsOf, errorsOf, fieldOf, rowsOf, textOf } from '../support/html.ts'
import { at } from '../support/later.ts'
import { insertProduct } from '../support/products.ts'
import { setTimeZone } from '../support/time-zone.ts'

interface PriceFields {
  id?: number
  product_id?: number | string
  from?: string
  until?: string
  price?: string | number
}

/** The rows of contract prices in the form of a company. */
const rows = (...prices: PriceFields[]): Fields => ({
  contract_prices: '',
  ...Object.fromEntries(
    prices.flatMap((price, index) => Object.entries(price).map(([name, value]) => [`contract_prices[${index}][${name}]`, value])),
  ),
})

const stored = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(contractPrices).all()

async function startWithProducts(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  const door = insertProduct(db, { article: 'D' }, [['2026-01-01', 100_000]])
  const window = insertProduct(db, { article: 'W' }, [['2026-01-01', 200_000]])
  const { alpha, beta } = cast.companies
  const save = (browser: Browser, fields: Fields, company = alpha) => browser.post(`/company/edit/${company}?tab=prices`, fields)
  return { ...cabinet, door, window, alpha, beta, save, maria: await as('maria') }
}

const ownPriceOf = async (browser: Browser, id: number) => {
  const row = rowsOf(await browser.get('/products'), 'products').find((one) => one.id === id)
  return Number(/data-kopecks="(\d+)"/.exec(row?.html ?? '')?.[1])
}

t.test('a manager enters contract prices of a company of theirs, and the history says so', async (t) => {
  const cabinet = await startWithProducts(t)
  const { door, window, alpha, save, maria, db, cast } = cabinet
  const empty = async () =>
    elementsOf((await maria.get(`/company/edit/${alpha}?tab=prices`)).body, '.repeater-empty')
      .map(textOf)
      .join()
  t.match(await empty(), /^No contract prices yet The company pays list prices/)
  const answer = await save(
    maria,
    rows(
      { product_id: door, from: '2026-03-01', until: '2026-05-31', price: '900,50' },
      { product_id: window, from: '2026-03-01', price: 1500 },
    ),
  )
  t.equal(answer.statusCode, 303, JSON.stringify(errorsOf(answer)))
  t.match(stored(cabinet), [
    { company_id: alpha, product_id: door, from: '2026-03-01', until: '2026-05-31', price: 90_050 },
    { product_id: window, from: '2026-03-01', until: null, price: 150_000 },
  ])
  t.equal(await empty(), '')
  const tab = await maria.get(`/company/edit/${alpha}?tab=prices`)
  t.equal(fieldOf(tab, 'contract_prices[0][price]')?.value, '900,50')
  t.ok(db.select().from(changes).all().at(-1)?.fields.contract_prices)
  revoke(db, cast.maria, 'order_can_view_prices')
  const without = await maria.get(`/company/edit/${alpha}?tab=prices`)
  t.notMatch(without.body, /900,50|contract_prices/)
})

t.test('contract prices that overlap or cannot be read are refused at their field, and nothing is saved (422)', async (t) => {
  const cabinet = await startWithProducts(t)
  const { door, window, save, maria } = cabinet
  const price = { product_id: door, from: '2026-03-01', until: '2026-03-31', price: 10 }
  const second = (from: string, until = '') => rows(price, { product_id: door, from, until, price: 20 })
  const wrong: [string, Fields, string][] = [
    ['the same day twice', second('2026-03-01', '2026-03-31'), 'contract_prices.1.from'],
    ['the last day of the other', second('2026-03-31'), 'contract_prices.1.from'],
    ['the first day of the other', second('2026-02-01', '2026-03-01'), 'contract_prices.1.from'],
    ['within the other', second('2026-03-10', '2026-03-11'), 'contract_prices.1.from'],
    ['around the other', second('2026-02-01', '2026-04-01'), 'contract_prices.1.from'],
    ['before the other without an end', second('2026-01-01'), 'contract_prices.1.from'],
    ['after one without an end', rows({ ...price, until: '' }, { ...price, from: '2027-01-01', until: '' }), 'contract_prices.1.from'],
    ['an end before the beginning', rows({ ...price, until: '2026-02-28' }), 'contract_prices.0.until'],
    ['a negative price', rows({ ...price, price: '-1' }), 'contract_prices.0.price'],
    ['three decimals', rows({ ...price, price: '1,005' }), 'contract_prices.0.price'],
    ['a price above all limits', rows({ ...price, price: '10000000,01' }), 'contract_prices.0.price'],
    ['no price', rows({ ...price, price: '' }), 'contract_prices.0.price'],
    ['no first day', rows({ ...price, from: '' }), 'contract_prices.0.from'],
    ['a day that does not exist', rows({ ...price, until: '2026-02-30' }), 'contract_prices.0.until'],
    ['no product', rows({ ...price, product_id: '' }), 'contract_prices.0.product_id'],
    ['a product that nobody has', rows({ ...price, product_id: 999_999 }), 'contract_prices.0.product_id'],
  ]
  const thrice = await save(maria, rows(price, { ...price, price: 20 }, { ...price, from: '2026-03-02', until: '2026-03-01' }))
  t.same(Object.keys(errorsOf(thrice)), ['contract_prices.1.from', 'contract_prices.2.until'], 'all at once')
  for (const [what, fields, field] of wrong) {
    const answer = await save(maria, fields)
    t.equal(answer.statusCode, 422, what)
    t.ok(errorsOf(answer)[field], `${what}: ${JSON.stringify(errorsOf(answer))}`)
    if (field === 'contract_prices.1.from')
      t.equal(errorsOf(answer)[field], 'Another contract price of this product holds on these days.', what)
    if (what === 'an end before the beginning') t.equal(errorsOf(answer)[field], 'This day is before the first one.')
    t.same(stored(cabinet), [], what)
  }
  const next = rows(price, { product_id: door, from: '2026-04-01', price: 20 }, { product_id: window, from: '2026-03-01', price: 30 })
  t.equal((await save(maria, next)).statusCode, 303, 'the day after, and another product')
  t.equal(stored(cabinet).length, 3)
})

t.test('of two people who change contract prices, be they different ones, the second is told (409)', async (t) => {
  const cabinet = await startWithProducts(t)
  const { door, window, save, maria, alpha } = cabinet
  await save(maria, rows({ product_id: door, from: '2026-03-01', price: 10 }, { product_id: window, from: '2026-03-01', price: 20 }))
  const [doors, windows] = stored(cabinet).map(({ id, product_id, from }) => ({ id, product_id: product_id as number, from }))
  const version = companyOf(cabinet, alpha).version
  const root = await cabinet.as('root')
  const changed = (one: number, other: number) => ({ version, ...rows({ ...doors, price: one }, { ...windows, price: other }) })
  t.equal((await save(maria, changed(11, 20))).statusCode, 303)
  t.equal((await save(root, changed(12, 20))).statusCode, 409)
  t.same(
    stored(cabinet).map(({ price }) => price),
    [1100, 2000],
  )
  t.equal((await save(root, changed(10, 21))).statusCode, 409)
  t.equal((await save(root, changed(10, 20))).statusCode, 303, 'who changed none keeps what the other has saved')
  t.same(
    stored(cabinet).map(({ price }) => price),
    [1100, 2000],
  )
})

t.test('contract prices are entered by those who may edit the company, and by nobody else (403)', async (t) => {
  const cabinet = await startWithProducts(t)
  const { door, beta, save, maria, as, db, cast } = cabinet
  const price = rows({ product_id: door, from: '2026-03-01', price: 10 })
  t.equal((await save(maria, price, beta)).statusCode, 403, 'another manager’s company')
  for (const name of ['denis', 'pavel', 'plain'] as const) t.equal((await save(await as(name), price)).statusCode, 403, name)
  t.equal((await save(await as('clerk'), price)).statusCode, 403, 'who may edit products only')
  revoke(db, cast.maria, 'company_manager_can_edit')
  t.equal((await save(maria, price)).statusCode, 403, 'who may view the company only')
  t.same(stored(cabinet), [])
  t.equal((await save(await as('admin'), price)).statusCode, 303)
})

t.test('under the strict rules contract prices need the permission to edit discounts, too (403)', async (t) => {
  const cabinet = await startCabinet(t, { environment: { RULES: 'strict' } })
  const door = insertProduct(cabinet.db, { article: 'D' })
  const price = rows({ product_id: door, from: '2026-03-01', price: 10 })
  const answer = await (await cabinet.as('maria')).post(`/company/edit/${cabinet.cast.companies.alpha}?tab=prices`, price)
  t.equal(answer.statusCode, 403)
  t.same(stored(cabinet), [])
})

// A time zone whose days begin ten hours before those of Greenwich.
setTimeZone(t, 'Asia/Vladivostok')

/** Does something at another time, to which the sessions come along: nobody has been signed out until then. */
function when<T>({ db }: Pick<Cabinet, 'db'>, time: string, work: () => Promise<T>): Promise<T> {
  const moment = new Date(time).getTime()
  db.update(sessions).set({ seen_at: moment, created_at: moment }).run()
  return at(moment, work)
}

t.test('a contract price holds from the first minute of its first day to the last of its last, in the configured time zone', async (t) => {
  const cabinet = await startWithProducts(t)
  const { save, maria, as, door } = cabinet
  await save(maria, rows({ product_id: door, from: '2026-11-24', until: '2026-11-25', price: 700 }))
  const denis = await as('denis')
  const priceAt = (time: string) => when(cabinet, time, () => ownPriceOf(denis, door))
  t.equal(await priceAt('2026-11-23T23:59:00'), 100_000)
  t.equal(await priceAt('2026-11-24T00:00:00'), 70_000)
  t.equal(await priceAt('2026-11-25T23:59:59'), 70_000)
  t.equal(await priceAt('2026-11-26T00:00:00'), 100_000)
})

t.test('a product is for sale from the day of its first price, and its price changes as the day of the next begins', async (t) => {
  const { as, db } = await startCabinet(t)
  const id = insertProduct(db, { article: 'N' }, [
    ['2026-11-24', 100_000],
    ['2026-12-01', 110_000],
  ])
  const [denis, admin] = [await as('denis'), await as('admin')]
  const seen = async (browser: Browser) => textOf(elementsOf((await browser.get(`/products/edit/${id}`)).body, '.record-facts')[0] ?? '')
  const pricesAt = (time: string) =>
    when({ db }, time, async () => [await ownPriceOf(denis, id), await ownPriceOf(admin, id), await seen(denis), await seen(admin)])
  t.match(await pricesAt('2026-11-23T23:59:59'), [
    Number.NaN,
    Number.NaN,
    'Your price no price yet',
    'Price today no price yet From 24.11.2026 1 000,00 ₽',
  ])
  t.match(await pricesAt('2026-11-24T00:00:00'), [
    100_000,
    100_000,
    /Your price 1 000,00 ₽/,
    /Price today 1 000,00 ₽ From 01.12.2026 1 100,00 ₽/,
  ])
  t.match(await pricesAt('2026-11-30T23:59:59'), [100_000, 100_000])
  t.match(await pricesAt('2026-12-01T00:00:00'), [110_000, 110_000, /Your price 1 100,00 ₽/, 'Price today 1 100,00 ₽'])
  for (const time of ['2026-11-23T23:59:59', '2026-11-30T23:59:59'])
    t.notMatch(
      await when({ db }, time, async () => (await denis.get('/products')).body),
      /1 100,00/,
      'a dealer does not see next month’s price',
    )
})

t.test(
  'without JavaScript a row offers the first products, or those that were searched for in it, and keeps what was chosen',
  async (t) => {
    const { db, maria, save, door } = await startWithProducts(t)
    const ids = Array.from({ length: 25 }, (_, at) => insertProduct(db, { article: `A-${10 + at}`, name: 'Frame' }))
    const gone = insertProduct(db, { article: 'X', name: 'Secret', active: false })
    const last = ids.at(-1) as number
    const sent = rows({ product_id: last, from: '2026-03-01' }, { product_id: '', from: '' }, { product_id: gone, from: '' })
    const found = await save(maria, { ...sent, 'contract_prices[1][product_id]_search': 'a-3', _find: 'contract_prices.1.product_id' })
    t.equal(found.statusCode, 200)
    const offered = (row: number) =>
      fieldOf(found, `contract_prices[${row}][product_id]`)
        ?.options.slice(1)
        .map(({ text }) => text)
    const first = ids.slice(0, 20).map((_, at) => `A-${10 + at} Frame`)
    t.same(offered(1), ['A-30 Frame', 'A-31 Frame', 'A-32 Frame', 'A-33 Frame', 'A-34 Frame'])
    t.same(offered(0)?.slice(0, 20), first)
    t.same([fieldOf(found, 'contract_prices[0][product_id]')?.value, offered(0)?.includes('A-34 Frame')], [String(last), true])
    t.notMatch(found.body, 'Secret', 'what is not for sale has no name')
    t.ok(door)
  },
)

t.test('a new contract price begins today, and one that nobody filled in is wrong all the same', async (t) => {
  const { maria, alpha, save, door } = await startWithProducts(t)
  const row = await maria.get(`/company/edit/${alpha}/contract_prices/row?index=0&rows=0`)
  t.equal(fieldOf(row, 'contract_prices[0][from]')?.value, today())
  const answer = await save(maria, rows({ product_id: door, from: today(), price: '' }))
  t.equal(answer.statusCode, 422)
})
