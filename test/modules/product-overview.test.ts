import { eq } from 'drizzle-orm'
import t from 'tap'
import { contractPrices, orderItems, products } from '../../src/database/schema/index.ts'
import { formatCalendarDate } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { idsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct, useCatalog } from '../support/products.ts'

t.test('the overview of a product', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  useCatalog(db)
  const { alpha, beta } = cast.companies
  const id = insertProduct(db, { article: 'W-1', name: 'Window', category_id: cast.category, external_id: '1C-77' }, [
    [dayIn(-30), 100_000],
    [dayIn(-3), 110_000],
    [dayIn(3), 120_000],
    [dayIn(9), 130_000],
  ])
  const other = insertProduct(db, { article: 'D-1' })
  const page = async (name: Name, query = '?tab=overview') => parseHtml((await (await as(name)).get(`/products/edit/${id}${query}`)).body)
  const partOf = async (name: Name, part: string) => {
    const $ = await page(name)
    return $(`section[aria-labelledby=${part}-title] :is(dl > div, .order-lines > li, .record-empty)`)
      .toArray()
      .map((line) => textOf($.html(line)).replaceAll(/\s+/g, ' '))
  }
  const order = (product: number, values: Parameters<typeof insertOrder>[2]) => {
    const order_id = insertOrder(cabinet, 'new', values)
    db.insert(orderItems).values({ order_id, product_id: product, name: 'Window', quantity: 1, price: 1, discount: 0 }).run()
    return order_id
  }
  const marias = order(id, { dealer_id: cast.denis, company_id: alpha, receiver: 'Ann' })
  const mikhails = order(id, { dealer_id: cast.daria, company_id: beta, receiver: 'Bob' })
  order(other, { dealer_id: cast.denis, company_id: alpha })

  t.test(
    'says to staff what it cost and will cost: the prices of today and of the next day in its heading, the others below',
    async (t) => {
      const day = (days: number) => formatCalendarDate(dayIn(days))
      t.same(await partOf('maria', 'prices'), [`From ${day(9)} 1 300,00 ₽`, `From ${day(-30)} 1 000,00 ₽`])
      const heading = textOf((await page('maria'))('.record-facts').html() ?? '').replaceAll(/\s+/g, ' ')
      t.match(heading, `Price today 1 100,00 ₽ From ${day(3)} 1 200,00 ₽`)
      t.same(await partOf('denis', 'prices'), [], 'dealers read what they pay')
      revoke(db, cast.maria, 'order_can_view_prices')
      t.same(await partOf('maria', 'prices'), [])
      t.notMatch((await page('maria')).html(), /1 [123]00,00/)
      grant(db, cast.maria, 'order_can_view_prices')
    },
  )

  t.test('says what companies pay by contract, of those whose card its reader may open, and no longer than that holds', async (t) => {
    insertContractPrice(db, alpha, id, 90_000)
    insertContractPrice(db, beta, id, 80_000)
    insertContractPrice(db, alpha, other, 70_000)
    const passed = { company_id: alpha, product_id: id, from: dayIn(-9), until: dayIn(-2), price: 60_000 }
    const ahead = { company_id: alpha, product_id: id, from: dayIn(5), until: dayIn(7), price: 50_000 }
    db.update(contractPrices)
      .set({ until: dayIn(0) })
      .where(eq(contractPrices.company_id, alpha))
      .run()
    db.insert(contractPrices).values([passed, ahead]).run()
    const day = (days: number) => formatCalendarDate(dayIn(days))
    t.same(await partOf('maria', 'contracts'), [
      `Alpha Windows until ${day(0)} 900,00 ₽`,
      `Alpha Windows From ${day(5)} until ${day(7)} 500,00 ₽`,
    ])
    t.same(await partOf('mikhail', 'contracts'), ['ООО «Бета Ёлка» 800,00 ₽'])
    t.equal(
      (await page('mikhail'))('#contracts-title').closest('section').find('a').attr('href'),
      `/company/edit/${beta}?tab=prices&read=1`,
    )
    t.same(await partOf('denis', 'contracts'), [])
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(await partOf('maria', 'contracts'), [])
    grant(db, cast.maria, 'order_can_view_prices')
    db.delete(contractPrices).run()
    t.equal((await page('maria'))('#contracts-title').length, 0, 'without one there is no heading either')
  })

  t.test('names the orders that have it among those that its reader sees, and their list', async (t) => {
    t.match(await partOf('maria', 'open-orders'), [new RegExp(`^#${marias} Alpha Windows`)])
    t.match(await partOf('mikhail', 'open-orders'), [new RegExp(`^#${mikhails} ООО`)])
    t.match(await partOf('denis', 'open-orders'), [new RegExp(`^#${marias} Ann`)], 'dealers know their company')
    t.notMatch((await partOf('maria', 'open-orders'))[0], 'Window New', 'the product stands above')
    t.match(await partOf('maria', 'totals'), [/^Overdue 0$/, /^No progress for 14 days 0$/, /^All orders 1$/])
    t.equal((await partOf('root', 'totals')).at(-1), 'All orders 2')
    const $ = await page('maria')
    const all = $('section[aria-labelledby=totals-title] a').last().attr('href')
    t.equal(all, `/orders?product=${id}`)
    const list = await (await as('maria')).get(String(all))
    t.same(idsOf(list, 'orders'), [marias])
    t.match(textOf(list.body), /Product: W-1 Window/)
    const opened = parseHtml((await (await as('maria')).get(String($('.order-lines a').attr('href')))).body)
    t.equal(opened('.back-link').attr('href'), `/products/edit/${id}?tab=overview`, 'an order leads back')
    t.same(await partOf('plain', 'open-orders'), [], 'another manager')
    t.equal((await page('plain'))('.product-overview').length, 1)
  })

  t.test('names the last orders with it that came to an end, those that its reader sees', async (t) => {
    const ended = insertOrder(cabinet, 'completed', { dealer_id: cast.denis, company_id: alpha, receiver: 'Eva' })
    const withOther = insertOrder(cabinet, 'completed', { dealer_id: cast.denis, company_id: alpha, receiver: 'Fay' })
    const line = { name: 'Window', quantity: 1, price: 1, discount: 0 }
    db.insert(orderItems)
      .values([
        { ...line, order_id: ended, product_id: id },
        { ...line, order_id: withOther, product_id: other },
      ])
      .run()
    t.match(await partOf('denis', 'finished'), [new RegExp(`^#${ended} Eva`)], 'dealers know their company')
    t.match(await partOf('maria', 'finished'), [new RegExp(`^#${ended} Alpha Windows`)])
    t.same(await partOf('mikhail', 'finished'), [], 'another company')
    t.equal((await page('mikhail'))('#finished-title').length, 0)
    db.delete(orderItems).where(eq(orderItems.order_id, ended)).run()
  })

  t.test('counts an order once, however many lines have it', async (t) => {
    const seen = [await partOf('maria', 'totals'), await partOf('maria', 'open-orders')]
    const lines = Array.from({ length: 1001 }, () => ({
      order_id: marias,
      product_id: id,
      name: 'Window',
      quantity: 1,
      price: 1,
      discount: 0,
    }))
    db.insert(orderItems).values(lines).run()
    t.same([await partOf('maria', 'totals'), await partOf('maria', 'open-orders')], seen)
    t.equal((await partOf('root', 'totals')).at(-1), 'All orders 2')
  })

  t.test('is changed by who may, who is told what is empty, and is all that others get', async (t) => {
    const admin = await page('admin')
    t.equal(admin('[data-hotkey=e]').attr('href'), `/products/edit/${id}`)
    t.match(textOf(admin('.product-overview').html() ?? ''), 'Not filled in: Sizes')
    t.equal(admin('.card-header-tabs').length, 0, 'one tab alone is none')
    const form = await page('admin', '')
    t.equal(form('form.record-form').length, 1, 'the address alone is the form')
    t.same(form('.card-header-tabs a').text().trim().split(/\s+/), ['Overview', 'Data'], 'from which one gets back')
    for (const name of ['maria', 'denis'] as const) {
      const read = await page(name, '')
      t.equal(read('.product-overview').length, 1, name)
      t.same([read('[data-hotkey=e]').length, read('.card-header-tabs').length], [0, 0], name)
      t.notMatch(read.html(), 'Not filled in', name)
    }
    t.equal((await (await as('admin')).post(`/products/edit/${id}`, { description: 'Two wings' })).statusCode, 303)
    t.match((await page('maria')).html(), 'Last updated by Adminov Anton')
    const dealers = (await page('denis')).html()
    t.notMatch(dealers, '1C-77')
    t.notMatch(dealers, 'Last updated', 'who of the staff changed it is nothing to dealers')
    t.match((await page('maria')).html(), '1C-77')
  })

  t.test('names in the list and in the search lead to it', async (t) => {
    const link = parseHtml((await (await as('admin')).get('/products?q=w-1')).body)('.row-link').attr('href')
    t.equal(link, `/products/edit/${id}?tab=overview&back=%3Fq%3Dw-1`)
    const hit = parseHtml((await (await as('admin')).get('/find?q=window')).body)(`#hit-products-${id}`).attr('href')
    t.equal(hit, `/products/edit/${id}?tab=overview`)
    db.update(products).set({ active: false }).where(eq(products.id, id)).run()
    t.equal((await (await as('denis')).get(`/products/edit/${id}?tab=overview`)).statusCode, 403)
  })
})
