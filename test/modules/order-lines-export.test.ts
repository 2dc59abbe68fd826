import { parse } from 'csv-parse/sync'
import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import t from 'tap'
import { lineCost, type VatRate, vatWithin } from '../../src/core/pricing.ts'
import { notifications, orderItems, orders } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { endOfJob } from '../support/jobs.ts'
import { insertProduct } from '../support/products.ts'

type Line = Record<string, unknown>

const ofAmounts = ['Price', 'Discount, %', 'Price per piece', 'Amount', 'VAT', 'VAT included']
const created = new Date(2026, 2, 4, 15, 6).getTime()

/** Orders of Alpha and Beta with lines of every kind, of which two come to half a kopeck, and one without lines. */
function plant({ db, cast }: Cabinet) {
  const [product_id, length] = [
    insertProduct(db, { article: '=1+1', basis: 'area' }),
    insertProduct(db, { article: 'L-2', basis: 'length' }),
  ]
  const newOrder = (dealer_id: number, company_id: number, specification_number: number) =>
    Number(
      db.insert(orders).values({ dealer_id, company_id, status_id: 1, specification_number, created_at: created }).run().lastInsertRowid,
    )
  const [first, second] = [newOrder(cast.denis, cast.companies.alpha, 71), newOrder(cast.daria, cast.companies.beta, 72)]
  const plain = { category_id: cast.category, discount: 0, quantity: 1 }
  db.insert(orderItems)
    .values([
      { ...plain, order_id: second, name: '@SUM(A1)', quantity: 7, price: 999_99, discount: 50, vat: 'none' },
      {
        ...{ order_id: first, category_id: cast.category, name: '=HYPERLINK("http://evil.example")', quantity: 3, price: 1_234_56 },
        ...{ product_id, article: '=1+1', unit: 'm2', basis: 'area', width: 1200, height: 1450, discount: 15, remark: '=1+1' },
        ...{ piece_price: 1_825_87, price_origin: 'category', vat: '20' },
      },
      { ...plain, order_id: first, category_id: null, name: 'Waits; for\nits "price"', quantity: 2, price: null, vat: '20' },
      {
        ...{ order_id: first, name: 'By length', quantity: 10_000, price: 10_00, product_id: length, article: 'L-2', unit: 'm' },
        ...{ basis: 'length', width: 999, discount: 0, piece_price: 9_99, price_origin: 'contract', vat: '7' },
      },
      { ...plain, order_id: second, name: 'No VAT to name', price: 5, discount: 30, vat: null },
    ] as (typeof orderItems.$inferInsert)[])
    .run()
  return { first, second }
}

const units: Record<string, string> = { pcs: 'pcs', m2: 'm²', m: 'm', set: 'kit' }
const rubles = (kopecks: number | null) => (kopecks === null ? '' : String(kopecks / 100))

/** What the database says of the lines of an order, in the order in which they stand there. */
function expectedLines({ db }: Cabinet, order: number): Line[] {
  const rows = db.$client
    .prepare(
      `select order_items.*, specification_number, org, lastname || ' ' || users.name as dealer, categories.name as category
       from order_items join orders on orders.id = order_id join companies on companies.id = orders.company_id
       join users on users.id = orders.dealer_id left join categories on categories.id = category_id where order_id = ? order by order_items.id`,
    )
    .all(order) as (typeof orderItems.$inferSelect & Record<'org' | 'dealer' | 'category', string> & { specification_number: number })[]
  return rows.map((line) => {
    const amount = line.price === null ? null : lineCost(line)
    return {
      ...{ Order: String(order), 'Spec. No.': String(line.specification_number), Company: line.org, Dealer: line.dealer, Status: 'New' },
      ...{ Created: '2026-03-04 15:06', Article: line.article ?? '', Product: line.name, Category: line.category ?? '' },
      ...{
        'Width, mm': String(line.width ?? ''),
        'Height, mm': String(line.height ?? ''),
        Remark: line.remark ?? '',
        'Drawings and photos': String(JSON.parse(String(line.files)).length || ''),
        Quantity: String(line.quantity),
      },
      ...{ Unit: units[line.unit ?? ''] ?? '', Price: rubles(line.price), 'Discount, %': String(line.discount) },
      ...{ 'Price per piece': rubles(line.piece_price), Amount: rubles(amount) },
      VAT: line.vat === null ? '' : line.vat === 'none' ? 'No VAT' : `VAT ${line.vat}%`,
      'VAT included': rubles(amount === null ? null : vatWithin(amount, line.vat as VatRate | null)),
    }
  })
}

/** A text as it was before it was kept from being computed. */
const unprotected = (line: Line) =>
  Object.fromEntries(Object.entries(line).map(([key, text]) => [key, String(text).replace(/^'(?=[=@])/, '')]))

const rawLines = ({ body }: Answer): Line[] => parse(body, { bom: true, columns: true })
const csvLines = (answer: Answer): Line[] => rawLines(answer).map(unprotected)

async function sheetsOf(answer: Answer): Promise<Record<string, Line[]>> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  return Object.fromEntries(workbook.worksheets.map((sheet) => [sheet.name, tableOf(sheet)]))
}

function tableOf(sheet: ExcelJS.Worksheet): Line[] {
  const headers = (sheet.getRow(1).values as string[]).slice(1)
  const rows = sheet.getRows(2, sheet.rowCount - 1) ?? []
  return rows.map((row) => Object.fromEntries(headers.map((header, at) => [header, textOf(row.getCell(at + 1))])))
}

function textOf({ value, type }: ExcelJS.Cell): string {
  if (type === ExcelJS.ValueType.Formula) return 'a formula'
  return value instanceof Date ? value.toISOString().slice(0, 16).replace('T', ' ') : String(value ?? '')
}

t.test('orders are exported with their lines, line by line as the database has them', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t)
  const { first, second } = plant(cabinet)
  const root = await cabinet.as('root')
  const both = [...expectedLines(cabinet, first), ...expectedLines(cabinet, second)]
  t.equal(both.length, 5)

  const asText = csvLines(await root.get('/orders/export?format=csv&lines=1&sort=id&dir=asc'))
  t.same(asText, both, 'a row a line, in the order of the list')
  const list = rawLines(await root.get('/orders/export?format=csv&cols=vat&sort=id&dir=asc'))
  const vatOf = (order: number) => list.find((row) => row['Spec. No.'] === String(order === first ? 71 : 72))?.['VAT included']
  const sumOf = (order: number) =>
    expectedLines(cabinet, order).reduce((sum, line) => sum + Math.round(Number(line['VAT included']) * 100), 0) / 100
  t.ok(sumOf(first) > 0)
  t.equal(vatOf(first), String(sumOf(first)), 'the list has the VAT of the lines of each order')
  t.equal(vatOf(second), '', 'and none where no line names it')
  const sheets = await sheetsOf(await root.get('/orders/export?sort=id&dir=asc'))
  t.same(Object.keys(sheets), ['Orders', 'Order lines'])
  t.same(sheets['Order lines'], both, 'the second sheet of the workbook')
  t.same(
    sheets.Orders?.map(({ ID }) => Number(ID)),
    [cabinet.cast.order, first, second],
    'the first has a row an order, also for one without lines',
  )
  const plain = rawLines(await root.get('/orders/export?format=csv&sort=id&dir=asc'))
  t.same(
    plain.map(({ ID }) => Number(ID)),
    [cabinet.cast.order, first, second],
    'text without lines=1 stays a row an order',
  )
  t.notOk('Quantity' in (plain[0] as Line))
})

t.test('lines are those of the orders that are searched, filtered, ticked and seen', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t)
  const { first, second } = plant(cabinet)
  const { alpha } = cabinet.cast.companies
  const [ofFirst, ofSecond] = [expectedLines(cabinet, first), expectedLines(cabinet, second)]
  const root = await cabinet.as('root')
  for (const [query, expected] of [
    [`company=${alpha}`, ofFirst],
    ['q=72', ofSecond],
    [`id=${second}`, ofSecond],
    [`id=${second}&id=${first}&sort=id&dir=desc`, [...ofSecond, ...ofFirst]],
    [`id=${second}&company=${alpha}`, []],
    [`id=${second}&all=1&sort=id&dir=asc`, [...ofFirst, ...ofSecond]],
  ] as const) {
    t.same(csvLines(await root.get(`/orders/export?format=csv&lines=1&${query}`)), expected, `text, ${query}`)
    t.same((await sheetsOf(await root.get(`/orders/export?${query}`)))['Order lines'], expected, `workbook, ${query}`)
  }
  const denis = await cabinet.as('denis')
  t.same(csvLines(await denis.get('/orders/export?format=csv&lines=1')), ofFirst, 'a dealer has those of the own company')
  t.same((await sheetsOf(await denis.get(`/orders/export?id=${second}`)))['Order lines'], [], 'not even when named')
})

t.test('lines are exported without any amount for people who do not see prices', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t)
  const { first } = plant(cabinet)
  revoke(cabinet.db, cabinet.cast.denis, 'order_can_view_prices')
  const denis = await cabinet.as('denis')
  const expected = expectedLines(cabinet, first).map((line) =>
    Object.fromEntries(Object.entries(line).filter(([label]) => !ofAmounts.includes(label))),
  )
  t.same(csvLines(await denis.get('/orders/export?format=csv&lines=1')), expected)
  t.same((await sheetsOf(await denis.get('/orders/export')))['Order lines'], expected)
})

t.test('texts of lines are no formulas', async (t) => {
  const cabinet = await startCabinet(t)
  plant(cabinet)
  const root = await cabinet.as('root')
  const cells = rawLines(await root.get('/orders/export?format=csv&lines=1')).map(({ Article, Product }) => [Article, Product])
  for (const text of cells.flat()) t.notMatch(text, /^[=@]/)
  t.ok(cells.flat().includes("'=1+1"))
  const sheets = await sheetsOf(await root.get('/orders/export'))
  t.notOk(
    Object.values(sheets)
      .flat()
      .flatMap((line) => Object.values(line))
      .includes('a formula'),
  )
})

t.test('a long export of lines waits in the inbox', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, as, cast } = cabinet
  const { first, second } = plant(cabinet)
  app.timeouts.export = 0
  const root = await as('root')
  for (const [query, read] of [
    ['format=csv&lines=1', csvLines],
    ['format=xlsx', async (answer: Answer) => (await sheetsOf(answer))['Order lines']],
  ] as const) {
    t.equal((await root.get(`/orders/export?sort=id&dir=asc&${query}`)).statusCode, 303)
    await endOfJob({ db })
    const notice = db.select().from(notifications).where(eq(notifications.event, 'export-ready')).all().at(-1)
    t.equal(notice?.user_id, cast.root)
    t.same(await read(await root.get(`/notifications/${notice?.id}/file`)), [
      ...expectedLines(cabinet, first),
      ...expectedLines(cabinet, second),
    ])
  }
})

t.test('the list of orders offers the export of lines, other lists do not', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const offered = (answer: Answer) =>
    parseHtml(answer.body)('a[href*="/export?"]')
      .toArray()
      .map(({ attribs }) => attribs.href)
  t.same(offered(await root.get('/orders?q=denisov')), [
    '/orders/export?format=xlsx&q=denisov',
    '/orders/export?format=csv&q=denisov',
    '/orders/export?format=csv&lines=1&q=denisov',
  ])
  t.equal(offered(await root.get('/dealers')).length, 2)
})
