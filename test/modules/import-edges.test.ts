import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, products } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { textsByRole } from '../support/html.ts'
import { checked, csv, outcomesOf, rowsOf, upload, xlsx } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

const sheet = csv([
  ['Company', 'INN', 'Phone'],
  ['Vega Ltd', '7707083893', '+7 900 000-00-01'],
  ['Orion Ltd', '500100732259', ''],
])

t.test('two people import into one list at once: who saves second adds nothing twice and changes only what differs', async (t) => {
  const { as, db } = await startCabinet(t)
  const [root, admin] = [await as('root'), await as('admin')]
  const first = await checked(root, 'companies', sheet)
  const second = await checked(admin, 'companies', Buffer.from(sheet.toString().replace('+7 900 000-00-01', '+7 900 000-00-02')))
  t.same(
    [outcomesOf(first.page), outcomesOf(second.page)],
    [
      ['new', 'new'],
      ['new', 'new'],
    ],
  )
  const saved = await Promise.all([root.post(`${first.path}/save`), admin.post(`${second.path}/save`)])
  t.same(
    saved.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  const vega = db.select().from(companies).where(eq(companies.inn, '7707083893')).all()
  t.equal(vega.length, 1, 'one company')
  t.equal(db.select().from(companies).where(eq(companies.inn, '500100732259')).all().length, 1)
  const outcomes = [outcomesOf(await root.get(first.path)), outcomesOf(await admin.get(second.path))].map((all) => all.toSorted())
  t.same(outcomes.toSorted(), [
    ['changed', 'unchanged'],
    ['new', 'new'],
  ])
  t.equal((await admin.get(first.path)).statusCode, 404, 'nobody sees the import of another')
})

t.test('two hundred columns are read, known ones wherever they stand; of three hundred it is said that they are too many', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const wide = (width: number) => {
    const heading = Array.from({ length: width }, (_, at) => `Extra ${at}`)
    const row = Array.from({ length: width }, (_, at) => `x${at}`)
    return xlsx([heading.with(0, 'Company').with(-1, 'Phone'), row.with(0, 'Wide Ltd').with(-1, '+7 900 000-00-03')])
  }
  const { path, page } = await checked(root, 'companies', await wide(200))
  t.same(outcomesOf(page), ['new'])
  await root.post(`${path}/save`)
  t.match(db.select().from(companies).where(eq(companies.org, 'Wide Ltd')).get(), { phone: '+7 900 000-00-03' })
  const refused = await upload(root, 'companies', await wide(300))
  t.equal(refused.statusCode, 422)
  t.match(textsByRole(refused, 'alert').join(), 'Import up to 200 columns at a time.')
})

t.test('an article that the cabinet has in other letters is the same product; twice in one file the second is refused', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  insertProduct(db, { article: 'ab-1', name: 'Window', category_id: cast.category }, [['2026-01-01', 100_000]])
  const root = await as('root')
  const { page } = await checked(
    root,
    'products',
    csv([
      ['Article', 'Product name'],
      ['AB-1', 'Window, new'],
      [' ab-1 ', 'Window, newer'],
    ]),
  )
  t.same(
    rowsOf(page)
      .toSorted((one, other) => one.row - other.row)
      .map(({ row, outcome }) => `${row} ${outcome}`),
    ['2 changed', '3 refused'],
  )
  t.match(rowsOf(page).find(({ row }) => row === 3)?.text, 'Duplicate of row 2.')
  t.equal(db.select().from(products).all().length, 1)
})
