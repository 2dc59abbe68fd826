import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderItems, orders, uploads } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { keyOf, submitForm } from '../support/files.ts'
import { elementsOf, errorsOf, parseHtml, textOf } from '../support/html.ts'
import { line, linesOf, newOrderId, setOrder, snapshotOrders } from '../support/orders.ts'
import { insertProduct, productLine, useCatalog } from '../support/products.ts'

const drawing = new File(['a drawing'], 'Window 1.dwg')
const photo = new File(['a photo'], 'place.jpg')
const [drawingKey, photoKey] = [keyOf('a drawing'), keyOf('a photo')]

function startWithWindow(cabinet: Cabinet): number {
  useCatalog(cabinet.db)
  return insertProduct(cabinet.db, { article: 'W-1', category_id: cabinet.cast.category })
}

const add = (browser: Browser, fields: object, files: [string, File][]) =>
  submitForm(browser, '/orders/add', [
    ...(Object.entries({ items: '', ...fields }) as [string, string][]).map(([name, value]): [string, string] => [name, String(value)]),
    ...files,
  ])

const save = (browser: Browser, id: number, fields: [string, string | File][]) =>
  submitForm(browser, `/orders/edit/${id}`, [['items', ''], ...fields])

t.test('drawings and photos of a line, from the first form on: on page and sheets, for whoever sees the order', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const denis = await as('denis')
  const placed = await add(denis, { ...productLine(0, window), ...productLine(1, window) }, [
    ['items[0][files]', drawing],
    ['items[0][files]', photo],
  ])
  t.equal(placed.statusCode, 303, errorsOf(placed) as never)
  const id = newOrderId(placed)
  t.same(
    linesOf(db, id).map(({ files }) => files),
    [[drawingKey, photoKey], []],
  )
  const maria = await as('maria')
  for (const browser of [denis, maria]) {
    const $ = parseHtml((await browser.get(`/orders/${id}`)).body)
    t.same(
      $('.line-file')
        .toArray()
        .map((one) => $(one).text().trim()),
      ['Window 1.dwg', 'place.jpg'],
    )
    const lead = await browser.get(String($('.line-file').first().attr('href')))
    const answer = await browser.get(String(lead.headers.location))
    t.equal(answer.body, 'a drawing')
    t.match(answer.headers['content-disposition'], /Window 1\.dwg/)
  }
  t.match(textOf((await maria.get(`/orders/${id}/work-sheet`)).body), 'Window 1.dwg')
  t.equal((await (await as('daria')).get(`/files/${drawingKey}`)).statusCode, 403, 'another company')
  t.match(textOf((await maria.get(`/orders/${id}?tab=history`)).body), /Window 1\.dwg/)
})

t.test('a file is taken off its line while it is shown to somebody, others stay; a form that does not ask changes none', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const denis = await as('denis')
  const id = newOrderId(
    await add(denis, productLine(0, window), [
      ['items[0][files]', drawing],
      ['items[0][files]', photo],
    ]),
  )
  const row = String(linesOf(db, id)[0]?.id)
  const own: [string, string][] = Object.entries({ ...productLine(0, window), 'items[0][id]': row }).map(([name, value]) => [
    name,
    String(value),
  ])
  const kept = parseHtml((await denis.get(`/orders/edit/${id}`)).body)('input[type=checkbox][name="items[0][files][stored]"]')
  t.same(
    kept.toArray().map((one) => one.attribs['aria-label']),
    ['Keep: Window 1.dwg', 'Keep: place.jpg'],
  )
  t.equal((await save(denis, id, own)).statusCode, 303)
  t.same(linesOf(db, id)[0]?.files, [drawingKey, photoKey], 'nothing was said of them')
  const plan = new File(['a plan'], 'plan.pdf')
  t.equal(
    (await save(denis, id, [...own, ['items[0][files][stored]', ''], ['items[0][files][stored]', photoKey], ['items[0][files]', plan]]))
      .statusCode,
    303,
  )
  t.same(linesOf(db, id)[0]?.files, [photoKey, keyOf('a plan')])
  t.not((await (await as('maria')).get(`/files/${drawingKey}`)).statusCode, 200, 'it hangs nowhere any more')
  t.equal((await save(denis, id, [...own, ['items[0][files][stored]', '']])).statusCode, 303)
  t.same(linesOf(db, id)[0]?.files, [])
})

t.test('files of others, and more than five, are refused at the field, and nothing is saved', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const [denis, daria] = [await as('denis'), await as('daria')]
  const id = newOrderId(await add(denis, productLine(0, window), [['items[0][files]', drawing]]))
  const before = snapshotOrders(db)
  const stolen = await add(daria, { ...productLine(0, window), 'items[0][files][stored]': drawingKey }, [])
  t.equal(stolen.statusCode, 422)
  t.same(errorsOf(stolen), { 'items.0.files': 'File not found. Choose it again.' })
  const six = Array.from({ length: 6 }, (_, at): [string, File] => ['items[0][files]', new File([`file ${at}`], `${at}.png`)])
  const many = await add(denis, productLine(0, window), six)
  t.equal(many.statusCode, 422)
  t.same(errorsOf(many), { 'items.0.files': 'Up to 5 files.' })
  t.equal(snapshotOrders(db), before)
  t.equal((await add(denis, productLine(0, window), six.slice(0, 5))).statusCode, 303)
  t.equal((await daria.get(`/orders/${id}`)).statusCode, 403)
})

t.test('only while lines may be edited; programs write and read them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const root = clientOf(cabinet, 'root')
  const denis = await as('denis')
  const id = newOrderId(await add(denis, line(0, cast.category, 'Window', 1, '10'), [['items[0][files]', drawing]]))
  t.match((await root.get(`/orders/${id}`)).json().items[0].files, [{ key: drawingKey, name: 'Window 1.dwg' }])
  const own = clientOf(cabinet, 'denis')
  const { version } = (await own.get(`/orders/${id}`)).json()
  const patched = await own.patch(`/orders/${id}`, { version, items: [{ id: linesOf(db, id)[0]?.id, files: [] }] })
  t.equal(patched.statusCode, 200, patched.body)
  t.same(linesOf(db, id)[0]?.files, [])
  const text = await own.patch(`/orders/${id}`, { version: version + 1, items: [{ id: linesOf(db, id)[0]?.id, files: drawingKey }] })
  t.match(text.json().errors, { 'items.0.files': String }, 'a list')
  db.insert(orderItems)
    .values({ order_id: cast.order, category_id: cast.category, name: 'Door', quantity: 1, price: 100, discount: 0 })
    .run()
  setOrder(cabinet, 'payment')
  const [door] = db.select().from(orderItems).where(eq(orderItems.order_id, cast.order)).all()
  const fields = Object.entries(line(0, cast.category, 'Door', 1, '1', door?.id)).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  t.equal((await save(await as('maria'), cast.order, [...fields, ['items[0][files]', photo]])).statusCode, 403)
  t.same(linesOf(db, cast.order)[0]?.files, [])
})

t.test('a draft keeps the files of its lines', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const denis = await as('denis')
  const kept = await submitForm(
    denis,
    '/orders/drafts',
    [
      ...Object.entries({ items: '', ...productLine(0, window) }).map(([name, value]): [string, string] => [name, String(value)]),
      ['items[0][files]', drawing],
      ['items[0][files]', photo],
    ],
    { 'HX-Request': 'true', 'HX-Request-Type': 'partial' },
  )
  const $ = parseHtml(kept.body)
  t.same(
    $('input[name="items[0][files][stored]"]')
      .toArray()
      .map((one) => one.attribs.value),
    [drawingKey, photoKey],
  )
  const draft = $('[name=draft]').val()
  const page = (await denis.get(`/orders/add?draft=${draft}`)).body
  t.same(elementsOf(page, '.stored-file').map(textOf), ['Window 1.dwg', 'place.jpg'])
  const placed = await add(denis, { ...productLine(0, window), draft, 'items[0][files][stored]': photoKey }, [])
  t.same(linesOf(db, newOrderId(placed))[0]?.files, [photoKey])
})

t.test('the page leads to a file by its order: one that was taken off meanwhile is a page that says so (404)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const [denis, maria] = [await as('denis'), await as('maria')]
  const id = newOrderId(await add(denis, productLine(0, window), [['items[0][files]', drawing]]))
  const address = String(parseHtml((await maria.get(`/orders/${id}`)).body)('.line-file').attr('href'))
  t.equal(address, `/orders/${id}/files/${drawingKey}`)
  t.equal((await maria.get(address)).headers.location, `/files/${drawingKey}?name=Window+1.dwg`)
  t.equal((await (await as('daria')).get(address)).statusCode, 403)
  const row: [string, string][] = [
    ['items[0][id]', String(linesOf(db, id)[0]?.id)],
    ['items[0][files][stored]', ''],
  ]
  const own = Object.entries(productLine(0, window)).map(([name, value]): [string, string] => [name, String(value)])
  t.equal((await save(denis, id, [...own, ...row])).statusCode, 303)
  const gone = await maria.get(address)
  t.equal(gone.statusCode, 404)
  t.match(textOf(gone.body), 'This file is no longer there: it was removed or replaced')
})

t.test('a draft that waited for days still has the files of its lines, for its person alone', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const window = startWithWindow(cabinet)
  const [denis, daria] = [await as('denis'), await as('daria')]
  const fields = Object.entries({ items: '', ...productLine(0, window) }).map(([name, value]): [string, string] => [name, String(value)])
  const kept = await submitForm(denis, '/orders/drafts', [...fields, ['items[0][files]', drawing]])
  const draft = String(/\d+$/.exec(String(kept.headers.location))?.[0])
  db.update(uploads)
    .set({ at: Date.now() - 3 * 86_400_000 })
    .run()
  const named: [string, string][] = [...fields, ['draft', draft], ['items[0][files][stored]', drawingKey]]
  t.equal((await submitForm(daria, '/orders/add', named)).statusCode, 422, 'a key is not enough')
  const placed = await submitForm(denis, '/orders/add', named)
  t.equal(placed.statusCode, 303)
  t.same(linesOf(db, newOrderId(placed))[0]?.files, [drawingKey])
})

t.test('sections of the form in which nothing is filled in are folded, and open where something is wrong', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  startWithWindow(cabinet)
  const root = await as('root')
  const folded = (answer: { body: string }) =>
    parseHtml(answer.body)('.is-folded > summary')
      .toArray()
      .map((one) => parseHtml(answer.body)(one).text().trim())
  const path = `/orders/edit/${cast.order}`
  t.same(folded(await root.get(path)), ['Discount on all products', 'Documents'])
  db.update(orders).set({ invoice: drawingKey }).run()
  t.same(folded(await root.get(path)), ['Discount on all products'], 'a document is seen')
  const refused = await root.post(path, { agreed: '101', untold: 1 })
  t.equal(refused.statusCode, 422)
  t.same(folded(refused), [], 'what was typed and what is wrong are seen')
})

t.test('a locked line shows its remark and files only where it has them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const product_id = startWithWindow(cabinet)
  const line = { order_id: cast.order, product_id, name: 'Window', category_id: cast.category, quantity: 1, price: 100, discount: 0 }
  const priced = { ...line, article: 'W-1', basis: 'each', unit: 'pcs', piece_price: 100, price_origin: 'list' } as const
  db.insert(orderItems)
    .values([priced, { ...priced, remark: 'Opens left', files: [drawingKey] }])
    .run()
  const maria = await as('maria')
  const shown = async () => {
    const $ = parseHtml((await maria.get(`/orders/edit/${cast.order}`)).body)
    return [0, 1].map((at) => [$(`[id="items.${at}.remark"]`).length, $(`[id="items.${at}.files-label"]`).length])
  }
  t.same(await shown(), [
    [1, 1],
    [1, 1],
  ])
  setOrder(cabinet, 'payment')
  t.same(await shown(), [
    [0, 0],
    [1, 1],
  ])
})
