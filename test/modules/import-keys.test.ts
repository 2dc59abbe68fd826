import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, imports } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, textOf, textsByRole } from '../support/html.ts'
import { checked, csv, outcomesOf, rowsOf, upload } from '../support/imports.ts'

t.test('rows with an ID change that record, rows without one add a record, and an ID of nobody or a second time is refused', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const { alpha, beta } = cast.companies
  const sheet = (...rows: (string | number)[][]) => csv([['Organization', 'ID', 'Phone'], ...rows])
  const { path, page } = await checked(admin, 'companies', sheet(['Alpha Windows', alpha, '1'], ['New', '', '2'], ['Newer', '', '3']))
  t.same(outcomesOf(page), ['changed', 'new', 'new'])
  await admin.post(path, { key: 'id' })
  t.same(outcomesOf(await admin.get(path)), ['changed', 'new', 'new'])
  await admin.post(`${path}/save`)
  const phoneOf = (org: string) => db.select().from(companies).where(eq(companies.org, org)).get()?.phone
  t.same(['Alpha Windows', 'New', 'Newer'].map(phoneOf), ['1', '2', '3'])
  const wrong = await checked(
    admin,
    'companies',
    sheet(['Renamed', beta, ''], ['Nobody', 9999, ''], ['Again', beta, ''], ['Word', 'x', '']),
  )
  await admin.post(wrong.path, { key: 'id' })
  t.same(
    rowsOf(await admin.get(wrong.path)).map(({ text }) => text),
    [
      '3 Rejected Nobody B3 (ID): “9999”. No record has this ID.',
      `4 Rejected Again B4 (ID): “${beta}”. Duplicate of row 2.`,
      '5 Rejected Word B5 (ID): “x”. No record has this ID.',
      '2 Changed Renamed Organization: ООО «Бета Ёлка» → Renamed',
    ],
  )
})

t.test('a row is told all that is wrong with it, also where its record cannot be told', async (t) => {
  const admin = await (await startCabinet(t)).as('admin')
  const sheet = csv([
    ['Article', 'Product name', 'Category', 'Unit', 'Price'],
    ['', 'Keyless', '', '', 'much'],
    ['A-1', 'First', 'Nowhere', '', '10'],
    ['A-1', 'Repeated', 'Nowhere', '', 'much'],
  ])
  const problems = rowsOf((await checked(admin, 'products', sheet)).page).map(({ text }) => text)
  t.match(problems[0], /A2 \(Article\): Required to match this row\./)
  t.match(problems[0], /E2 \(Price\): “much” is not a number\./)
  t.notMatch(problems[0], 'Choose a category', 'it may be of a record that has one')
  t.match(problems[2], /A4 \(Article\): “A-1”\. Duplicate of row 3\./)
  t.match(problems[2], /C4 \(Category\): There is no category “Nowhere”\./)
  t.match(problems[2], /E4 \(Price\): “much” is not a number\./)
})

t.test('for a row that is refused nothing is said to be added', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('root')
  const rows = [
    ['A-1', 'First', 'Known soon', '', '10'],
    ['A-1', 'Repeated', 'Never known', '', '20'],
    ['A-2', 'Faulty', 'Never known', 'barrel', '20'],
    ['A-3', 'Priceless', 'Never known', '', '-1'],
  ]
  const { path } = await checked(admin, 'products', csv([['Article', 'Product name', 'Category', 'Unit', 'Price'], ...rows]))
  await admin.post(path, { add_missing: '1' })
  const texts = rowsOf(await admin.get(path)).map(({ text }) => text)
  t.match(
    texts.find((text) => text.includes('First')),
    'Will also be added: Known soon',
  )
  for (const name of ['Repeated', 'Faulty', 'Priceless'])
    t.notMatch(
      texts.find((text) => text.includes(name)),
      'Will also be added',
    )
})

t.test('a row that ends before the column by which it is found, or has nothing there, is refused', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  db.update(companies).set({ inn: null }).run()
  const sheet = csv([
    ['Phone', 'Organization', 'INN'],
    ['1', 'Alpha Windows', '7707083893'],
    ['2', 'Short'],
    ['3', 'Blank', ' '],
    ['4', 'Null', 'null'],
  ])
  const { path } = await checked(admin, 'companies', sheet)
  await admin.post(path, { key: 'inn' })
  t.same(
    rowsOf(await admin.get(path)).map(({ text }) => text),
    [
      '3 Rejected Short C3 (INN): Required to match this row.',
      '4 Rejected Blank C4 (INN): Required to match this row.',
      '5 Rejected Null C5 (INN): “null”. Use digits only.',
      '2 New record Alpha Windows Organization: Alpha Windows Phone: 1 INN: 7707083893',
    ],
    'of companies without a number none is found',
  )
})

t.test('what cannot be done with an import is said in words', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const blank = await admin.post('/companies/import')
  t.equal(blank.statusCode, 422)
  t.same(elementsOf(blank.body, '#file-error').map(textOf), ['Choose a file.'])
  const empty = await upload(admin, 'companies', csv([['Organization']]), 'empty.csv')
  t.equal(empty.statusCode, 422)
  t.same(textsByRole(empty, 'alert'), ['empty.csv: This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.'])
  const misnamed = await upload(admin, 'companies', Buffer.from('A letter'), 'Letter.XLSX')
  t.equal(misnamed.statusCode, 422)
  t.same(textsByRole(misnamed, 'alert'), [
    'Letter.XLSX: This is no Excel workbook, although it is called one. Open it in the program it comes from and save it as xlsx or csv.',
  ])
  t.equal(
    (await upload(admin, 'companies', csv([['Organization'], ['Lira']]), 'Table.xlsx')).statusCode,
    303,
    'a table is read whatever it is called',
  )
  const { path, page } = await checked(
    admin,
    'companies',
    csv([
      ['Organization', 'Phone', 'Alias'],
      ['Fresh', '1', '2'],
    ]),
  )
  const twice = await admin.post(path, { 'columns[2]': 'phone' })
  t.equal(twice.statusCode, 422)
  t.match(textOf(twice.body), 'Two columns cannot have the same field')
  const early = await admin.post(`${path}/undo`)
  t.equal(early.statusCode, 409)
  t.match(textOf(early.body), 'This import has not been saved')
  t.same(outcomesOf(page), ['new'])
  const prices = await checked(
    admin,
    'products',
    csv([
      ['Article', 'Product name', 'Category', 'Prices'],
      ['A', 'A', 'Windows', '100'],
    ]),
  )
  t.match(rowsOf(prices.page)[0]?.text, 'D2 (Prices): “100”. Use the format 2027-01-01: 100; 2027-02-01: 110')
})

t.test('a bank statement is no import of records (404)', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const { path } = await checked(root, 'companies', csv([['Organization'], ['Fresh']]))
  t.equal((await root.get(path)).statusCode, 200)
  db.update(imports).set({ list: 'payments' }).run()
  for (const address of [path, `${path}/report`]) t.equal((await root.get(address)).statusCode, 404, address)
  for (const address of [path, `${path}/save`, `${path}/undo`]) t.equal((await root.post(address)).statusCode, 404, address)
})

t.test('the columns of a sheet are named as spreadsheet programs name them, beyond Z as well', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const headers = ['Organization', ...Array.from({ length: 52 }, (_, at) => `Column ${at}`)]
  const { page } = await checked(admin, 'companies', csv([headers, ['Fresh']]))
  const letters = elementsOf(page.body, '.import-columns tbody td:first-child').map(textOf)
  t.same(
    [0, 1, 25, 26, 27, 51, 52].map((at) => letters[at]),
    ['A', 'B', 'Z', 'AA', 'AB', 'AZ', 'BA'],
  )
})
