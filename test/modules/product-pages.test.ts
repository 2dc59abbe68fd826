import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryCompany, changes, companies, products, trash, users } from '../../src/database/schema/index.ts'
import { formatCalendarDate } from '../../src/i18n/format.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { errorsOf, fieldOf, hiddenOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { startWithDiscounts } from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct, useCatalog } from '../support/products.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const linesOf = (sheet: Answer) => sheet.body.trim().split(/\r?\n/)

/** What Alpha pays comes from: its category's discount, its base discount, a contract; of one nothing is agreed, one has no price yet. */
async function start(test: Parameters<typeof startWithDiscounts>[0]) {
  const cabinet = await startWithDiscounts(test)
  const { db, alpha, windows, doors } = cabinet
  const window = insertProduct(db, {
    article: 'W-1',
    name: 'Window',
    category_id: windows,
    unit: 'm2',
    basis: 'area',
    minimum: 50,
    width_min: 400,
    width_max: 2000,
    height_min: 500,
    height_max: 2500,
    external_id: '1C-77',
    description: 'Two wings',
  })
  const door = insertProduct(db, { article: 'D-1', name: 'Door', category_id: doors, unit: 'set' }, [
    [dayIn(-30), 100_001],
    [dayIn(-1), 200_050],
    [dayIn(9), 300_000],
  ])
  const sill = insertProduct(db, { article: 'S-1', name: 'Sill', unit: 'm', basis: 'length' })
  const later = insertProduct(db, { article: 'X-1', name: 'Later', category_id: doors }, [[dayIn(1), 5]])
  insertContractPrice(db, alpha, sill, 12_345)
  return { ...cabinet, window, door, sill, later }
}

t.test(
  'a product has its unit, category and price of today in the list, and everything that is imported again in a spreadsheet',
  async (t) => {
    exportInProcess(t)
    const { as, db, window, door, sill, later } = await start(t)
    db.update(products).set({ active: false }).where(eq(products.id, sill)).run()
    const admin = await as('admin')
    const rows = rowsOf(await admin.get('/products'), 'products')
    t.same(Object.fromEntries(rows.map(({ id, cells }) => [id, Object.values(cells).slice(0, 5)])), {
      [door]: ['D-1', 'Door', 'Doors', 'kit', '2 000,50 ₽'],
      [sill]: ['S-1', 'Sill', '—', 'm', '1 000,00 ₽'],
      [window]: ['W-1', 'Window', 'Windows', 'm²', '1 000,00 ₽'],
      [later]: ['X-1', 'Later', 'Doors', 'pcs', '—'],
    })
    const [header, ...lines] = linesOf(await admin.get('/products/export?format=csv'))
    t.equal(
      header?.replace('\ufeff', ''),
      'ID,Article,Product name,Category,Unit,Price basis,Minimum charged,"Smallest width, mm","Largest width, mm","Smallest height, mm",' +
        '"Largest height, mm",External ID,Description,Price,Prices,For sale',
    )
    const day = dayIn(-30)
    t.same(lines, [
      `${door},D-1,Door,Doors,kit,Per piece,,,,,,,,2000.5,"${day}: 1000,01; ${dayIn(-1)}: 2000,50; ${dayIn(9)}: 3000,00",Yes`,
      `${sill},S-1,Sill,,m,Per running meter,,,,,,,,1000,"${day}: 1000,00",No`,
      `${window},W-1,Window,Windows,m²,Per square meter,"0,5",400,2000,500,2500,1C-77,Two wings,1000,"${day}: 1000,00",Yes`,
      `${later},X-1,Later,Doors,pcs,Per piece,,,,,,,,,"${dayIn(1)}: 0,05",Yes`,
    ])
  },
)

t.test('a dealer sees and exports what their company pays for each product, and where that comes from', async (t) => {
  exportInProcess(t)
  const { as, db, alpha, window, door, sill, later } = await start(t)
  const denis = await as('denis')
  const priced = async () => {
    const rows = rowsOf(await denis.get('/products'), 'products')
    return Object.fromEntries(
      rows.map(({ id, cells, html }) => [
        id,
        [cells.own_price, plain(parseHtml(`<table>${html}</table>`)('[data-col=own_price]').attr('title') ?? '')],
      ]),
    )
  }
  t.same(await priced(), {
    [door]: ['1 800,45 ₽', 'list 2 000,50 ₽, base discount 10%'],
    [sill]: ['123,45 ₽', 'contract price 123,45 ₽'],
    [window]: ['850,00 ₽', 'list 1 000,00 ₽, category Windows 15%'],
    [later]: ['—', ''],
  })
  const [header, ...lines] = linesOf(await denis.get('/products/export?format=csv'))
  t.equal(header?.replace('\ufeff', ''), 'ID,Article,Product name,Category,Unit,Price basis,Your price')
  t.same(lines, [
    `${door},D-1,Door,Doors,kit,Per piece,1800.45`,
    `${sill},S-1,Sill,,m,Per running meter,123.45`,
    `${window},W-1,Window,Windows,m²,Per square meter,850`,
    `${later},X-1,Later,Doors,pcs,Per piece,`,
  ])
  const facts = async (id: number, browser = denis) =>
    plain(textOf(parseHtml((await browser.get(`/products/edit/${id}`)).body)('.record-facts').html() ?? ''))
  t.equal(await facts(sill), 'Your price 123,45 ₽ per m Price source Contract price')
  t.equal(await facts(later), 'Your price no price yet')
  const admin = await as('admin')
  t.equal(await facts(later, admin), `Price today no price yet From ${formatCalendarDate(dayIn(1))} 0,05 ₽`)
  t.equal(await facts(sill, admin), 'Price today 1 000,00 ₽ per m')
  db.delete(categoryCompany).run()
  db.update(companies).set({ discount: null }).where(eq(companies.id, alpha)).run()
  t.match(await priced(), { [door]: ['2 000,50 ₽', 'list 2 000,50 ₽'], [window]: ['1 000,00 ₽', 'list 1 000,00 ₽'] })
})

t.test('a change of many prices is asked, previewed and reported, on its page as in the dialog', async (t) => {
  const { as, window, door, later } = await start(t)
  const admin = await as('admin')
  const ids = [window, door, later]
  const query = ids.map((id) => `id=${id}`).join('&')
  const asked = await admin.get(`/products/prices?${query}&active=1`)
  const formOf = ({ body }: Answer) => {
    const page = parseHtml(body)
    const form = page('form').has('[name=_preview]')
    return {
      heading: plain(page('#dialog-title').text()),
      action: form.attr('action'),
      cancel: form.find('[data-close]').attr('href'),
    }
  }
  const question = { heading: 'Change prices of 3 products', action: '/products/prices', cancel: '/products?active=1' }
  t.same(formOf(asked), question)
  t.same(formOf(await admin.get(`/products/prices?${query}&active=1`, htmx)), question)
  t.same([hiddenOf(asked, 'id'), hiddenOf(asked, 'once').length], [ids.map(String), 1])
  const preview = parseHtml((await admin.post('/products/prices', { id: ids, percent: '-50', from: dayIn(0), _preview: 1 })).body)
  t.same(
    preview('#price-preview tr')
      .toArray()
      .map((row) => textOf(preview.html(row))),
    ['Product Before After', 'W-1 Window 1 000,00 ₽ 500,00 ₽', 'D-1 Door 2 000,50 ₽ 1 000,25 ₽', 'X-1 Later It has no price by then.'],
  )
  const amounts = preview('#price-preview [data-kopecks]').toArray()
  t.same(
    amounts.map(({ attribs }) => attribs['data-kopecks']),
    ['100000', '50000', '200050', '100025'],
  )
  const neither = parseHtml((await admin.post('/products/prices', { id: ids, from: dayIn(0) })).body)
  t.equal(plain(neither('.alert-warning').text()), 'Enter either a percentage or an amount.')
  const done = await admin.post('/products/prices', { id: ids, amount: '9999000', from: dayIn(0) })
  const text = plain(textOf(done.body))
  t.match(text, /Prices of 1 product changed/)
  t.match(text, /2 products were not changed:.*The new price would not be between 0 and 10 000 000,00 ₽\./)
  const report = parseHtml(done.body)
  t.same(
    [door, later].map((id) => report(`a[href^="/products/edit/${id}"]`).length),
    [1, 1],
    'each leads to its card',
  )
})

t.test('what was done with a product is said: added, switched, deleted, and why one does not come back', async (t) => {
  const { as, db, windows } = await startWithDiscounts(t)
  const admin = await as('admin')
  const fields = { article: 'W-1', name: 'Window', category_id: windows, unit: 'pcs', basis: 'each', active: 1 }
  const page = (answer: Answer) => parseHtml(answer.body)
  t.equal(plain(page(await admin.get('/products/add'))('h1').text()), 'New product')
  const card = String((await admin.post('/products/add', fields)).headers.location)
  const added = await admin.get(card)
  t.match(textsByRole(added, 'status')[0], 'Product W-1 Window added')
  const state = async () => {
    const shown = page(await admin.get(card))('.record-state')
    return [shown.attr('data-state'), plain(shown.text())]
  }
  t.same(await state(), ['lacking', 'No price'])
  await admin.post(card, { prices: '', 'prices[0][from]': dayIn(1), 'prices[0][price]': 100 })
  t.same(await state(), ['lacking', 'No price'], 'one of tomorrow is none yet')
  await admin.post(card, { prices: '', 'prices[0][from]': dayIn(0), 'prices[0][price]': 100 })
  t.same(await state(), ['on', 'For sale'])
  const { id } = db.select().from(products).get() as { id: number }
  await admin.post(`/products/${id}/active`, { value: 0 })
  t.same(await state(), ['off', 'Not for sale'])
  const last = db.select().from(changes).all().at(-1)
  t.match(last, { label: 'W-1 Window', fields: { active: [true, false] }, actor_name: 'Adminov Anton' })
  t.equal((await admin.post(card, { width_min: 500 })).statusCode, 303)
  t.equal(errorsOf(await admin.post(card, { width_max: 499 })).width_max, 'Smaller than the smallest one.', 'than the one that is saved')
  const everything = errorsOf(
    await admin.post('/products/add', { ...fields, article: '', width_min: 500, width_max: 499, height_min: 2, height_max: 1 }),
  )
  t.same(Object.keys(everything).sort(), ['article', 'height_max', 'width_max'], 'what is wrong is told all at once')
  const other = insertProduct(db, { article: 'B' })
  t.equal((await admin.post('/products/delete', { id: [id, other] })).statusCode, 303)
  t.match(textsByRole(await admin.get('/products'), 'status')[0], '2 products deleted')
  insertProduct(db, { article: 'w-1', name: 'Another' })
  const trashed = db.select().from(trash).get() as { id: number }
  const refused = await admin.post(`/bin/${trashed.id}/restore`)
  t.equal(refused.statusCode, 409)
  t.match(plain(textOf(refused.body)), /w-1 Another/)
  t.match(plain(textOf(refused.body)), /Article/)
})

t.test('where there is only one to choose from, a new record has it; a second one is for people to choose', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const chosen = async () => fieldOf(await admin.get('/products/add'), 'category_id')?.value
  t.equal(await chosen(), String(cast.category))
  db.insert(categories).values({ name: 'Gates' }).run()
  t.equal(await chosen(), '')
})

t.test('who may only read a product reads its name, price, sizes and what it is, and orders it from there', async (t) => {
  const { as, db, cast, window, door, sill, later } = await start(t)
  useCatalog(db)
  const denis = await as('denis')
  const card = async (id: number, browser = denis) => {
    const answer = await browser.get(`/products/edit/${id}`)
    const page = parseHtml(answer.body)
    return {
      title: plain(page('h1').text()),
      below: plain(page('.record-lead').text()),
      properties: page('.properties > div')
        .toArray()
        .map((one) => plain(textOf(page(one).html() ?? ''))),
      text: plain(page('.product-description').text()),
      inputs: page('.record-form').length,
      order: page('.record-actions .btn-primary').attr('href'),
    }
  }
  t.same(await card(window), {
    title: 'W-1 Window',
    below: 'For sale Your price 850,00 ₽ per m² Price source list 1 000,00 ₽, category Windows 15%',
    properties: [
      'Category Windows',
      'Unit m²',
      'Sizes width 400 to 2000 mm, height 500 to 2500 mm',
      'Minimum charged 0,5 m² for each piece',
    ],
    text: 'Two wings',
    inputs: 0,
    order: `/orders/add?product=${window}`,
  })
  const rail = insertProduct(db, { article: 'R-1', name: 'Rail', unit: 'm', basis: 'length', width_min: 500 })
  t.match(await card(rail), { title: 'R-1 Rail', properties: ['Unit m', 'Sizes length from 500 mm'], text: '' })
  t.match(await card(sill), { properties: ['Unit m'], order: `/orders/add?product=${sill}` })
  const maria = await as('maria')
  t.match(await card(window, maria), { properties: { 4: 'External ID 1C-77' }, inputs: 0 }, 'staff read what other programs call it')
  t.equal((await card(later)).order, undefined, 'it has no price yet')
  const admin = await as('admin')
  t.match(await card(window, admin), { inputs: 1, order: undefined }, 'who may change it fills it in')
  const begun = async (id: number, browser = denis) =>
    fieldOf(await browser.get(`/orders/add?product=${id}`), 'items[0][product_id]')?.value
  t.equal(await begun(door), String(door))
  t.equal(parseHtml((await denis.get(`/orders/add?product=${door}`)).body)('[id="items.0.sum"]').attr('data-kopecks'), '180045')
  t.equal(await begun(999_999), '', 'no such product')
  db.update(products).set({ active: false }).where(eq(products.id, door)).run()
  t.equal(await begun(door), '', 'it is no longer sold')
  t.equal(await begun(door, admin), '', 'not to anybody')
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.denis)).run()
  t.equal((await card(window)).order, undefined, 'nobody orders without a company')
})
