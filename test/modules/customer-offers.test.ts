import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import t from 'tap'
import { addDays } from '../../src/core/days.ts'
import {
  categories,
  categoryMarkups,
  companies,
  offerTerms,
  orderDrafts,
  orderItems,
  orders,
  products,
  settings,
} from '../../src/database/schema/index.ts'
import { formatCalendarDate, today } from '../../src/i18n/format.ts'
import { type Answer, type Browser, startCabinet } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { parseHtml } from '../support/html.ts'
import { line } from '../support/orders.ts'
import { allowCustom, insertProduct, productLine, useCatalog } from '../support/products.ts'
import { readPdf } from '../support/read-pdf.ts'
import { insertTerms } from '../support/terms.ts'

/** Nobody but Alpha may learn these: what it pays, what that would be without discount, and the manufacturer's details. */
const secrets = ['777', '13 33', '1333', '23 %', '23%', '40702810900000000001', '044525225', 'A bank', '7707083893', 'Makers LLC']

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db } = cabinet
  const details = {
    bank: 'A bank',
    bik: '044525225',
    rs: '40702810900000000001',
    inn: '7707083893',
    legal_name: 'Makers LLC',
    name: 'Makers LLC',
  }
  db.update(settings).set(details).run()
  db.update(companies).set({ discount: 23 }).where(eq(companies.id, cast.companies.alpha)).run()
  const door = insertProduct(db, { article: 'D-1', name: 'Door', category_id: cast.category }, [['2026-01-01', 1333_00]])
  const values = { order_id: cast.order, product_id: door, category_id: cast.category, name: 'Door', article: 'D-1', quantity: 2 }
  const priced = { price: 1010_00, discount: 23, piece_price: 777_70, price_origin: 'base', basis: 'each', unit: 'pcs' } as const
  db.insert(orderItems)
    .values({ ...values, ...priced, width: 900, height: 2100, remark: 'Opens to the left' })
    .run()
  db.update(orders).set({ cost: 1555_40 }).where(eq(orders.id, cast.order)).run()
  insertTerms(db, cast.companies.alpha, {
    markup: 30,
    round_to: '10',
    valid_days: 7,
    name: 'Windows of Denis',
    phone: '+7 900 123-45-67',
    text: 'Delivery\nis free',
  })
  const pdfOf = async (browser: Browser, path: string) => readPdf(test, (await browser.get(`${path}?format=pdf`)).rawPayload)
  return { ...cabinet, door, pdfOf, path: `/orders/${cast.order}/customer-offer` }
}

const textOfSheet = ({ body }: Answer) => parseHtml(body)('.sheet').text().replace(/\s+/g, ' ')

const missingIn = ({ body }: Answer) => {
  const page = parseHtml(body)
  return page('.sheet li')
    .toArray()
    .map((one) => page(one).text().trim())
}

t.test(
  'an offer has lines, sizes and remarks at retail prices, and says who makes it and until when, as a page and as a file',
  async (t) => {
    const { as, path, pdfOf, cast } = await start(t)
    const denis = await as('denis')
    const page = await denis.get(path)
    t.equal(page.statusCode, 200)
    const { text, pages } = await pdfOf(denis, path)
    t.equal(pages, 1)
    const until = formatCalendarDate(addDays(today(), 7))
    // 777.70 and 30 % more are 1,011.01.
    for (const said of [
      `Offer No. ${cast.order}, ${formatCalendarDate(today())}`,
      `Valid until ${until}`,
      'Windows of Denis',
      '+7 900 123-45-67',
      'Door, 900 × 2100 mm',
      'Opens to the left',
      '1 010,00 ₽',
      '2 020,00 ₽',
      'Delivery is free',
    ]) {
      t.match(textOfSheet(page).replace(/\u00a0/g, ' '), said)
      t.match(text.replace(/\u00a0/g, ' '), said)
    }
    const file = await denis.get(`${path}?format=pdf`)
    t.match(file.headers, { 'content-type': 'application/pdf', 'cache-control': 'private, no-store' })
    t.match(String(file.headers['content-disposition']), /^attachment; filename="Offer No\. 1, [\d.]+\.pdf"/)
  },
)

t.test('nothing of an offer tells what the dealer pays, or the details of the manufacturer', async (t) => {
  const { as, path, pdfOf, door, db } = await start(t)
  const denis = await as('denis')
  useCatalog(db)
  const answer = await denis.post('/orders/drafts', { ...productLine(0, door), _offer: 1 })
  for (const address of [path, `/products/${door}/customer-offer`, String(answer.headers.location)]) {
    const page = await denis.get(address)
    const file = await denis.get(`${address}?format=pdf`)
    t.equal(file.statusCode, 200, address)
    const { info, text } = await pdfOf(denis, address)
    const strings = file.rawPayload.toString('latin1')
    for (const [where, said] of Object.entries({
      page: page.body.replace(/\u00a0|&nbsp;/g, ' '),
      'headers of the page': JSON.stringify(page.headers),
      'text of the file': text.replace(/\u00a0/g, ' '),
      'properties of the file': info,
      'headers of the file': JSON.stringify(file.headers['content-disposition']),
    }))
      for (const secret of secrets) t.notOk(said.includes(secret), `${address}: ${where} does not say ${secret}`)
    for (const secret of ['Makers', 'Alpha', 'Denisov']) t.notOk(strings.includes(secret), `${address}: no string says ${secret}`)
    t.notMatch(page.body, /<meta[^>]+(author|description)/)
  }
})

t.test('each dealer of a company may make its offers, and nobody else, nor without the permission to see prices', async (t) => {
  const { as, cast, db, path, door } = await start(t)
  for (const address of [path, `${path}?format=pdf`]) {
    for (const [name, status] of Object.entries({ denis: 200, roman: 200, daria: 403, vera: 403, maria: 403, root: 403, pavel: 403 }))
      t.equal((await (await as(name as Name)).get(address)).statusCode, status, `${name}: ${address}`)
  }
  revoke(db, cast.denis, 'company_offer_can_edit')
  const denis = await as('denis')
  t.equal((await denis.get(path)).statusCode, 200, 'whoever may not change how they look may make them')
  const link = async (address: string) => parseHtml((await denis.get(address)).body)(`a[href$="/customer-offer"]`).length
  t.same([await link(`/orders/${cast.order}`), await link(`/products/edit/${door}`)], [1, 1])
  t.match((await denis.get('/orders/add')).body, 'name="_offer"')
  const draft = await denis.post('/orders/drafts', { ...line(0, cast.category, 'Window', 1, '100'), _offer: 1 })
  revoke(db, cast.denis, 'order_can_view_prices')
  for (const address of [
    path,
    `${path}?format=pdf`,
    `/products/${door}/customer-offer`,
    `/products/${door}/customer-offer?format=pdf`,
    String(draft.headers.location),
  ])
    t.equal((await denis.get(address)).statusCode, 403, address)
  t.same([await link(`/orders/${cast.order}`), await link(`/products/edit/${door}`)], [0, 0])
  t.notMatch((await denis.get('/orders/add')).body, 'name="_offer"')
})

t.test('what an offer still lacks is named, with the way to it for whoever may fill it in', async (t) => {
  const { as, cast, db, path } = await start(t)
  const denis = await as('denis')
  const lacks = async (...labels: string[]) => {
    const page = await denis.get(path)
    t.equal(page.statusCode, 200)
    t.same(missingIn(page), labels)
    t.notMatch(page.body, /pdf/)
    const file = await denis.get(`${path}?format=pdf`)
    t.equal(file.statusCode, 422)
    t.match(file.body, labels[0] ?? '')
  }
  db.update(orderItems).set({ price: null, piece_price: null }).run()
  await lacks('Some lines have no price yet.')
  db.delete(orderItems).run()
  await lacks('No lines yet.')
  db.delete(offerTerms).run()
  await lacks('Set the markup first.', 'No lines yet.')
  const link = async () => parseHtml((await denis.get(path)).body)('.sheet li a').attr('href')
  t.equal(await link(), '/profile?tab=offer')
  revoke(db, cast.denis, 'company_offer_can_edit')
  t.equal(await link(), undefined)
})

t.test('a draft becomes an offer at the prices of today, as it is typed, and is kept; it is its own dealer who sees it', async (t) => {
  const { as, cast, db, door, pdfOf } = await start(t)
  useCatalog(db)
  allowCustom(db, cast.companies.alpha)
  const denis = await as('denis')
  const fields = { ...productLine(0, door, { quantity: 3, remark: 'Glass' }), receiver: 'Ivan', _offer: 1 }
  const kept = await denis.post('/orders/drafts', fields)
  const [draft] = db.select().from(orderDrafts).all()
  t.match(kept, { statusCode: 303, headers: { location: `/orders/drafts/${draft?.id}/customer-offer` } })
  // 1,333.00 less 23 % are 1,026.41, and 30 % more 1,334.33.
  const path = `/orders/drafts/${draft?.id}/customer-offer`
  const page = textOfSheet(await denis.get(path))
  for (const said of ['Offer, ', 'Door', 'Glass', '1 330,00 ₽', '3 990,00 ₽']) t.match(page, said)
  t.match((await pdfOf(denis, path)).text, '3 990,00 ₽')
  t.match((await denis.get(`/orders/add?draft=${draft?.id}`)).body, 'value="Ivan"')
  for (const name of ['roman', 'daria', 'root'] as const) t.not((await (await as(name)).get(path)).statusCode, 200, name)
  t.equal((await (await as('roman')).get(path)).statusCode, 404)

  const again = { ...fields, draft: draft?.id ?? 0 }
  await denis.post('/orders/drafts', { ...again, 'items[0][quantity]': 'many' })
  t.same(missingIn(await denis.get(path)).length, 1)
  await denis.post('/orders/drafts', {
    ...again,
    'items[1][name]': 'Gate',
    'items[1][category_id]': cast.category,
    'items[1][quantity]': 1,
  })
  t.same(missingIn(await denis.get(path)), ['Some lines have no price yet.'], 'a line that waits for its price')
  db.update(products).set({ active: false }).where(eq(products.id, door)).run()
  insertProduct(db, { article: 'X' })
  await denis.post('/orders/drafts', again)
  t.same(missingIn(await denis.get(path)), ['This product is no longer for sale. Choose another.'])
  await denis.post(`/orders/drafts/${draft?.id}/delete`)
  t.equal((await denis.get(path)).statusCode, 404, 'one that is deleted')
})

t.test('while there is no catalog, the lines of a draft are offered at the price that is typed, less the discount', async (t) => {
  const { as, cast } = await start(t)
  const denis = await as('denis')
  const kept = await denis.post('/orders/drafts', { ...line(0, cast.category, 'Window', 2, '1000'), _offer: 1 })
  // 770.00 and 30 % more are 1,001.00.
  for (const said of ['Window', '1 000,00 ₽', '2 000,00 ₽']) t.match(textOfSheet(await denis.get(String(kept.headers.location))), said)
})

t.test('a product is offered in the size and quantity that are asked for', async (t) => {
  const { as, db, cast, door, pdfOf } = await start(t)
  const denis = await as('denis')
  t.match(textOfSheet(await denis.get(`/products/${door}/customer-offer`)), /Door 1 1 330,00 ₽|1 330,00 ₽/)
  t.match(textOfSheet(await denis.get(`/products/${door}/customer-offer?quantity=4`)), '5 320,00 ₽')
  const glass = insertProduct(db, { article: 'G', name: 'Glass', basis: 'area', width_min: 100 }, [['2026-01-01', 1000_00]])
  const path = `/products/${glass}/customer-offer`
  t.same(missingIn(await denis.get(path)), ['Width, mm: Enter the width.', 'Height, mm: Enter the height.'])
  t.same(missingIn(await denis.get(`${path}?width=50&height=1000`)), ['Width, mm: At least 100 mm.'])
  const page = await denis.get(`${path}?width=2000&height=1000&quantity=2`)
  // 2 m² at 770.00 are 1,540.00, and 30 % more 2,002.00.
  for (const said of ['Glass, 2000 × 1000 mm', '2 000,00 ₽', '4 000,00 ₽']) t.match(textOfSheet(page), said)
  const pdf = String(parseHtml(page.body)('.sheet-tools a[download]').attr('href'))
  t.equal(pdf, `${path}?width=2000&height=1000&quantity=2&format=pdf`)
  t.match((await denis.get(pdf)).statusCode, 200)
  t.match((await pdfOf(denis, `/products/${door}/customer-offer`)).text, '1 330,00 ₽')
  for (const query of ['quantity=0', 'quantity=-1', 'quantity=99999999', 'quantity=x', 'width=1e9', 'quantity=1&quantity=2'])
    t.equal((await denis.get(`/products/${door}/customer-offer?${query}`)).statusCode, 200, query)
  db.update(products).set({ active: false }).where(eq(products.id, door)).run()
  t.equal((await denis.get(`/products/${door}/customer-offer`)).statusCode, 403)
  revoke(db, cast.denis, 'product_can_view')
  t.equal((await denis.get(path)).statusCode, 403)
})

t.test('the markup of a category holds for its lines, and prices are rounded as set', async (t) => {
  const { as, cast, db, path } = await start(t)
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  db.insert(orderItems).values({ order_id: cast.order, category_id: doors, name: 'Handle', quantity: 1, price: 100_00, discount: 15 }).run()
  const pricesAt = async (round_to: '1' | '10' | '100', markups: Record<number, number>) => {
    db.delete(offerTerms).run()
    db.delete(categoryMarkups).run()
    insertTerms(db, cast.companies.alpha, { markup: 30, round_to }, markups)
    const page = parseHtml((await (await as('denis')).get(path)).body)
    return page('.sheet tbody tr')
      .toArray()
      .map((row) =>
        page(row)
          .find('td')
          .eq(3)
          .text()
          .trim()
          .replace(/\u00a0/g, ' '),
      )
  }
  t.same(await pricesAt('1', {}), ['1 011,00 ₽', '111,00 ₽'])
  t.same(await pricesAt('1', { [doors]: 0 }), ['1 011,00 ₽', '85,00 ₽'])
  t.same(await pricesAt('10', { [doors]: 1000 }), ['1 010,00 ₽', '940,00 ₽'])
  t.same(await pricesAt('100', { [cast.category]: 100, [doors]: 0 }), ['1 600,00 ₽', '100,00 ₽'], 'nothing is given away')
})

t.test('pictures of products and the logo stand on the page and in the file, as far as the dealer may see them', async (t) => {
  const { as, cast, db, door, path } = await start(t)
  const root = await as('root')
  const denis = await as('denis')
  const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const picture = () => new File([bytes], 'door.png', { type: 'image/png' })
  t.equal((await submitForm(root, `/products/edit/${door}`, [['image', picture()]])).statusCode, 303)
  // A logo of any shape.
  const tall = await sharp({ create: { width: 400, height: 12_000, channels: 3, background: 'blue' } })
    .png()
    .toBuffer()
  const saved = await submitForm(denis, '/profile/offer', [['logo', new File([tall], 'logo.png')]])
  t.match(saved, { statusCode: 303, headers: { location: '/profile?tab=offer' } })
  const seen = async (browser: Browser) => {
    const sheet = parseHtml((await browser.get(path)).body)
    const sources = sheet('.sheet img')
      .toArray()
      .map((one) => String(sheet(one).attr('src')))
    for (const source of sources) t.equal((await browser.get(source)).statusCode, 200, source)
    const file = (await browser.get(`${path}?format=pdf`)).rawPayload.toString('latin1')
    return [sources.length, file.match(/\/Subtype \/Image/g)?.length ?? 0]
  }
  t.same(await seen(denis), [2, 2])
  t.same(await seen(await as('roman')), [2, 2], 'colleagues see the logo')
  const logo = db.select().from(offerTerms).get()?.logo
  for (const [name, status] of Object.entries({ daria: 403, mikhail: 403, pavel: 403, maria: 200, root: 200 }))
    t.equal((await (await as(name as Name)).get(`/files/${logo}/preview`)).statusCode, status, name)
  revoke(db, cast.denis, 'product_can_view')
  t.same(await seen(denis), [1, 1])
})

t.test('two hundred lines with long names in any script and amounts in the billions become a file', async (t) => {
  const { as, cast, db, path, pdfOf } = await start(t)
  const name = `Окно ${'оченьдлинное'.repeat(12)} 窗户 🪟 نافذة`
  const values = { order_id: cast.order, name, quantity: 10_000, price: 1_000_000_000, discount: 0, remark: 'x'.repeat(500) }
  db.delete(orderItems).run()
  for (let count = 0; count < 200; count++) db.insert(orderItems).values(values).run()
  const denis = await as('denis')
  t.equal((await denis.get(path)).statusCode, 200)
  const { text, pages } = await pdfOf(denis, path)
  t.ok(pages > 10)
  t.match(text, '26 000 000 000 000,00')
})

t.test('amounts that no number holds exactly are refused in words, of one line and of all together', async (t) => {
  const { as, cast, db, path } = await start(t)
  const denis = await as('denis')
  const priced = { price: 1, discount: 0, price_origin: 'list' as const, basis: 'each' as const, quantity: 1 }
  const item = { order_id: cast.order, name: 'Gate', ...priced }
  for (const pieces of [[8_000_000_000_000_000], [4_000_000_000_000_000, 4_000_000_000_000_000]]) {
    db.delete(orderItems).run()
    for (const piece_price of pieces)
      db.insert(orderItems)
        .values({ ...item, piece_price })
        .run()
    t.same(missingIn(await denis.get(path)), ['The amount is too large.'])
    t.equal((await denis.get(`${path}?format=pdf`)).statusCode, 422)
  }
})

t.test('two files at a time are made for a dealer; more are refused until there is room again', async (t) => {
  const { as, path } = await start(t)
  const [denis, roman] = [await as('denis'), await as('roman')]
  const answers = await Promise.all([...Array(5).fill(denis), roman].map((browser: Browser) => browser.get(`${path}?format=pdf`)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 200, 200, 429, 429, 429])
  t.equal(answers.at(-1)?.statusCode, 200, 'others do not wait for that')
  t.match(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after'], /^\d+$/)
  t.equal((await denis.get(`${path}?format=pdf`)).statusCode, 200)
})
