import { and, eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { changes, importHeadings, jobs, products, settings } from '../../src/database/schema/index.ts'
import { pricesOf } from '../../src/modules/products/product.ts'
import { type Answer, type Browser, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { attributesOf, elementsOf, parseHtml, textOf } from '../support/html.ts'
import { checked, csv, outcomesOf, rowsOf } from '../support/imports.ts'
import { endOfJob } from '../support/jobs.ts'
import { insertProduct } from '../support/products.ts'

const lines = (...rows: (string | number)[][]) => csv(rows, ';')

const setVat = (db: Database, vat: typeof settings.$inferInsert.vat) => db.update(settings).set({ vat }).run()

const isBoxed = (page: Answer) => parseHtml(page.body)('[name=prices_include_vat][type=checkbox]').is('[checked]')

const lastPrice = (db: Database, id: number) => pricesOf(db, id).at(-1)?.price

t.test('prices of a file without VAT are saved with the VAT of the settings, rounded half up', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const [one, other] = ['A-1', 'A-2'].map((article) => insertProduct(db, { article, category_id: cast.category }, [['2026-01-01', 100]]))
  const file = lines(['Article', 'Price'], ['A-1', '100,02'], ['A-2', '0,03'])
  const none = await checked(admin, 'products', file)
  t.equal(parseHtml(none.page.body)('[name=prices_include_vat]').length, 0, 'without a rate nobody is asked')
  await admin.post(none.path, { prices_include_vat: '0' })
  t.match(rowsOf(await admin.get(none.path))[0]?.text, /: 100,02 ₽/, 'nor is anything added')

  setVat(db, '20')
  const { path, page } = await checked(admin, 'products', file)
  t.ok(isBoxed(page))
  t.match(textOf(page.body), 'Otherwise 20% are added')
  t.match(rowsOf(page)[0]?.text, /: 100,02 ₽$/)
  await admin.post(path, { prices_include_vat: '0' })
  const without = await admin.get(path)
  t.notOk(isBoxed(without))
  t.same(
    rowsOf(without).map(({ text }) => / ([\d,]+) ₽$/.exec(text)?.[1]),
    ['120,02', '0,04'],
  )
  await admin.post(path, { key: 'article' })
  t.notOk(isBoxed(await admin.get(path)), 'what is not sent stays')
  await admin.post(`${path}/save`)
  t.same(
    [one, other].map((id) => lastPrice(db, id as number)),
    [12_002, 4],
  )
  const again = await checked(admin, 'products', file)
  await admin.post(again.path, { prices_include_vat: '0' })
  t.same(outcomesOf(await admin.get(again.path)), ['unchanged', 'unchanged'], 'compared with VAT, too')

  const most = await checked(admin, 'products', lines(['Article', 'Price'], ['A-1', '9 000 000']))
  t.same(outcomesOf(most.page), ['changed'])
  await admin.post(most.path, { prices_include_vat: '0' })
  t.match(rowsOf(await admin.get(most.path))[0]?.text, 'Enter an amount of 10 000 000,00 ₽ or less')
  const named = await checked(admin, 'products', lines(['Article', 'Цена без НДС, руб.'], ['A-1', '1']))
  t.notOk(isBoxed(named.page), 'the heading says it')
  t.match(rowsOf(named.page)[0]?.text, /: 1,20 ₽$/)
})

const choose = (browser: Browser, path: string, missing: string) => browser.post(path, { missing })

const isActive = (db: Database, id: number) => db.select().from(products).where(eq(products.id, id)).get()?.active

t.test('products for sale that a file does not name are named and, if somebody says so, switched off with it and its undo', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const insert = (article: string, more = {}) => insertProduct(db, { article, name: 'Window', category_id: cast.category, ...more }, [])
  const [first, bad, gone, off] = [insert('A-1'), insert('A-2'), insert('A-3'), insert('A-4', { active: false })]
  const file = lines(
    ['Article', 'Product name', 'Unit', 'Category'],
    ['A-1', 'Window', '', ''],
    ['A-2', '', 'buckets', ''],
    ['A-9', 'New', 'pcs', 'Windows'],
  )
  const { path, page } = await checked(admin, 'products', file)
  t.match(textOf(parseHtml(page.body)('.import-settings summary').text()), 'Products missing from this file 1')
  t.equal(
    textOf(parseHtml(page.body)('#missing-names').text()),
    'A-3 Window',
    'one that is refused is there; one that is not for sale is not meant',
  )
  t.same(outcomesOf(page), ['refused', 'unchanged', 'new'], 'they are left at first')
  for (const word of ['1', '', 'off']) t.equal((await choose(admin, path, word)).statusCode, 422, word)
  t.equal((await choose(admin, path, 'deactivate')).statusCode, 303)
  const ready = await admin.get(path)
  t.same(
    rowsOf(await admin.get(`${path}?outcome=missing`)).map(({ row, outcome, text }) => [row, outcome, text]),
    [[0, 'changed', '— Changed A-3 Window For sale: Yes → No Missing from this file']],
  )
  t.match(textOf(ready.body), 'Missing from this file 1')
  t.equal(isActive(db, gone), true, 'the check changes nothing')
  t.equal((await admin.post(`${path}/save`)).statusCode, 422)
  t.equal(isActive(db, gone), true, 'nor does an import that is refused')
  t.equal((await admin.post(`${path}/save`, { good_rows: '1' })).statusCode, 303)
  t.same(
    [first, bad, gone, off].map((id) => isActive(db, id)),
    [true, true, false, false],
  )
  t.match(textOf((await admin.get(path)).body), '2 records imported')
  t.equal(
    db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'products'), eq(changes.record_id, gone)))
      .all().length,
    1,
    'with history',
  )
  t.equal((await admin.post(`${path}/undo`)).statusCode, 303)
  t.same(
    [first, bad, gone, off].map((id) => isActive(db, id)),
    [true, true, true, false],
  )
  t.notOk(db.select().from(products).where(eq(products.article, 'A-9')).get())

  const left = await checked(admin, 'products', lines(['Article', 'Product name'], ['A-1', 'Sill'], ['A-2', 'Window']))
  await choose(admin, left.path, 'deactivate')
  await choose(admin, left.path, 'leave')
  t.same(outcomesOf(await admin.get(left.path)), ['changed', 'unchanged'])
  await admin.post(`${left.path}/save`)
  t.equal(isActive(db, gone), true)

  const again = await checked(admin, 'products', lines(['Article', 'Product name'], ['A-1', 'Window'], ['A-2', 'Window']))
  await choose(admin, again.path, 'deactivate')
  await admin.post(`${again.path}/save`)
  t.equal(isActive(db, gone), false)
  db.update(products).set({ version: 99 }).where(eq(products.id, gone)).run()
  const clash = await admin.post(`${again.path}/undo`)
  t.equal(clash.statusCode, 409)
  t.match(textOf(clash.body), 'A-3 Window has been changed since the import.')
})

t.test('a file that names no product of the list switches nothing off, and who may not change products is told of none', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const product = insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [])
  const file = lines(['Article', 'Product name', 'Unit', 'Category'], ['B-1', 'Door', 'pcs', 'Windows'])
  const admin = await as('admin')
  const { path, page } = await checked(admin, 'products', file)
  t.equal(parseHtml(page.body)('[name=missing]').length, 0)
  await choose(admin, path, 'deactivate')
  t.equal((await admin.post(`${path}/save`)).statusCode, 303)
  t.equal(isActive(db, product), true)

  const named = lines(['Article', 'Product name'], ['B-1', 'Door'])
  t.match(textOf((await checked(admin, 'products', named)).page.body), 'A-1 Window')
  grant(db, cast.plain, 'product_can_edit')
  revoke(db, cast.plain, 'product_can_view')
  const blind = await checked(await as('plain'), 'products', named)
  t.notMatch(textOf(blind.page.body), 'A-1 Window')
  const companies = await checked(admin, 'companies', lines(['Organization', 'Phone'], ['Alpha Windows', '1']))
  t.equal(parseHtml(companies.page.body)('[name=missing]').length, 0, 'companies are not switched off')
})

t.test('many missing products are switched off by a job, after the rows', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const admin = await as('admin')
  const ids = Array.from({ length: 251 }, (_, at) =>
    insertProduct(db, { article: `A-${at}`, name: 'Window', category_id: cast.category }, []),
  )
  const { path, page } = await checked(admin, 'products', lines(['Article', 'Product name'], ['A-0', 'Sill']))
  t.match(textOf(parseHtml(page.body)('#missing-names').text()), /^A-1 Window; .*A-20 Window and 230 more$/)
  await choose(admin, path, 'deactivate')
  const saved = await admin.post(`${path}/save`)
  t.match(saved.headers.location, /^\/jobs\/\d+$/)
  await endOfJob(cabinet, String(saved.headers.location))
  t.match(db.select().from(jobs).where(eq(jobs.kind, 'import')).get(), { state: 'done', total: 251, done: 251, skipped: 0 })
  t.same(
    ids.filter((id) => isActive(db, id)),
    ids.slice(0, 1),
  )
  t.equal(
    db
      .select()
      .from(products)
      .where(eq(products.id, ids[0] as number))
      .get()?.name,
    'Sill',
  )
  const undone = await admin.post(`${path}/undo`)
  await endOfJob(cabinet, String(undone.headers.location))
  t.same(
    ids.filter((id) => isActive(db, id)),
    ids,
  )
})

const rivalsOf = (page: Answer) =>
  elementsOf(page.body, '[name=list_price]').map((button) => `${textOf(button)} ${attributesOf(button)['aria-pressed']}`)

const fieldsOf = (page: Answer) =>
  elementsOf(page.body, 'select[name^=columns] option[selected]').map((option) => attributesOf(option).value)

t.test(
  'where several columns look like prices somebody says which is the list price; that is remembered, and the others are left out',
  async (t) => {
    const { as, db, cast } = await startCabinet(t)
    const admin = await as('admin')
    const id = insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [])
    const file = lines(
      ['Article', 'Розничная цена', 'Цена с НДС', 'Оптовая цена', 'Цена за', 'Ценник', 'Оценка', 'Цена потом'],
      ['A-1', '300', '200', '100', '', 'x', '5', 'нет'],
    )
    const { path, page } = await checked(admin, 'products', file)
    t.same(rivalsOf(page), ['B “Розничная цена” false', 'C “Цена с НДС” false', 'D “Оптовая цена” false'])
    t.same(fieldsOf(page), ['article', 'basis'], 'none is taken unasked')
    for (const wrong of ['0', '4', '9', 'x']) t.equal((await admin.post(path, { list_price: wrong })).statusCode, 422, wrong)
    t.equal((await admin.post(path, { list_price: '3' })).statusCode, 303)
    const chosen = await admin.get(path)
    t.same(
      rivalsOf(chosen).map((text) => text.split(' ').at(-1)),
      ['false', 'false', 'true'],
    )
    t.same(fieldsOf(chosen), ['article', 'price', 'basis'])
    t.match(textOf(chosen.body), 'Columns not imported: B “Розничная цена”, C “Цена с НДС”')
    await admin.post(`${path}/save`)
    t.equal(lastPrice(db, id), 10_000)

    const other = await as('root')
    const again = await checked(other, 'products', file)
    t.same(fieldsOf(again.page), ['article', 'price', 'basis'])
    t.same(outcomesOf(again.page), ['unchanged'])
    await other.post(again.path, { list_price: '1' })
    t.match(rowsOf(await other.get(again.path))[0]?.text, '300,00')
    t.same(
      db
        .select()
        .from(importHeadings)
        .all()
        .map(({ heading, field }) => `${heading}: ${field}`)
        .sort(),
      ['оптоваяцена: ', 'розничнаяцена: price', 'ценасндс: '],
    )
    t.same(rivalsOf((await checked(other, 'products', lines(['Article', 'Цена'], ['A-1', '1']))).page), [], 'one is no question')
    const sure = await checked(other, 'products', lines(['Article', 'Дилер, опт', 'Цена'], ['A-1', '1', '2']))
    t.same(rivalsOf(sure.page), ['B “Дилер, опт” false', 'C “Цена” true'], 'a heading that is just a price is taken')
    await other.post(sure.path, { 'columns[1]': 'minimum' })
    t.same(rivalsOf(await other.get(sure.path)), [], 'a column that is another field is no rival')
    setVat(db, '20')
    const both = await checked(other, 'products', lines(['Article', 'Цена брутто с НДС', 'Цена без НДС'], ['A-1', '120', '100']))
    for (const [column, boxed] of [
      ['2', false],
      ['1', true],
    ] as const) {
      await other.post(both.path, { list_price: column })
      const page = await other.get(both.path)
      t.equal(isBoxed(page), boxed, 'the heading says whether VAT is in it')
      t.match(rowsOf(page)[0]?.text, /120,00 ₽/)
    }
  },
)

t.test('an amount in another currency than that of the installation is refused in its words', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  for (const article of ['A-1', 'A-2']) insertProduct(db, { article, category_id: cast.category }, [['2026-01-01', 100]])
  const file = lines(['Article', 'Price'], ['A-1', '$5'], ['A-2', '5 руб.'])
  const rows = async () => rowsOf((await checked(admin, 'products', file)).page).map(({ outcome, text }) => `${outcome} ${text}`)
  t.match(await rows(), [/^refused .* B2 \(Price\): “\$5”\. Enter an amount in ₽\./, /^changed .*: 5,00 ₽/])
  db.update(settings).set({ currency_symbol: '$' }).run()
  t.match(await rows(), [/^refused .*: “5 руб\.”\. Enter an amount in \$\./, /^changed .*: 5,00 \$/])
})

t.test('sizes and the list price are found under the short names that price lists have', async (t) => {
  const { as, db } = await startCabinet(t)
  const heading = ['Артикул', 'Наименование', 'Категория', 'Ед.', 'Прайс', 'Мин. ширина', 'Макс. ширина, мм', 'Мин. высота', 'Макс. высота']
  const row = ['A-1', 'Окно', 'Windows', 'шт', '100', '500', '2000', '600', '2100']
  const admin = await as('admin')
  const { path } = await checked(
    admin,
    'products',
    lines(heading, row, ['A-2', 'Окно', 'Windows', 'шт', '100', '500', '2000', 'много', '900000']),
  )
  const [refused] = rowsOf(await admin.get(path))
  t.match(refused?.text, /H3 \(Мин\. высота\): “много” is not a number\. I3 \(Макс\. высота\): “900000”\. Enter a whole number/)
  await admin.post(`${path}/save`, { good_rows: '1' })
  const saved = db.select().from(products).all()
  t.match(saved, [{ width_min: 500, width_max: 2000, height_min: 600, height_max: 2100 }])
  t.equal(lastPrice(db, saved[0]?.id ?? 0), 10_000)
})
