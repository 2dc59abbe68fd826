import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, products } from '../../src/database/schema/index.ts'
import { pricesOf } from '../../src/modules/products/product.ts'
import { startCabinet } from '../support/cabinet.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { checked, csv, outcomesOf, rowsOf, xlsx } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

const fixture = (name: string) => readFileSync(new URL(`../fixtures/spreadsheets/${name}`, import.meta.url))

t.test('cells with an error are refused by their address, in a workbook and as text, and saved nowhere', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const { path, page } = await checked(admin, 'companies', fixture('error-cells-companies.xlsx'))
  t.match(
    rowsOf(page).map(({ outcome, text }) => `${outcome} ${text}`),
    [
      /^refused 2 .* A2 \(Organization\): This cell holds an error: #REF!\.$/,
      /^refused 3 .* B3 \(Contract number\): This cell holds an error: #N\/A\.$/,
    ],
  )
  t.equal((await admin.post(`${path}/save`)).statusCode, 422)
  t.match((await admin.get(`${path}/report?format=csv`)).body, 'A2 (Organization): This cell holds an error: #REF!.')

  const errors = ['#N/A', '#VALUE!', '#DIV/0!', '#NAME?', '#NUM!', '#NULL!', '#SPILL!', '#CALC!', '#GETTING_DATA', 'Err:502']
  const russian = ['#Н/Д', '#ЗНАЧ!', '#ДЕЛ/0!', '#ИМЯ?', '#ЧИСЛО!', '#ПУСТО!', '#ССЫЛКА!', '#ПЕРЕНОС!', '#ВЫЧИСЛ!']
  const rows = [...errors, ...russian].map((error, at) => [`Firm ${at}`, error, ''])
  const texts = await checked(admin, 'companies', csv([['Organization', 'Phone', 'Other'], ...rows], ';'))
  for (const [at, { outcome, text }] of rowsOf(texts.page).entries())
    t.ok(outcome === 'refused' && text.includes(`B${at + 2} (Phone): This cell holds an error: ${rows[at]?.[1]}.`), text)
  const texts2 = await checked(
    admin,
    'companies',
    await xlsx([
      ['Organization', 'Phone'],
      ['Firm', '#Н/Д'],
    ]),
  )
  t.same(outcomesOf(texts2.page), ['refused'], 'a text that was an error where it was copied from')
  t.same(
    outcomesOf(
      (
        await checked(
          admin,
          'companies',
          await xlsx([
            ['Organization', 'Phone'],
            [{ error: '#N/A' }, 1],
          ]),
        )
      ).page,
    ),
    ['refused'],
    'the key as well',
  )

  const harmless = await checked(
    admin,
    'companies',
    await xlsx([
      ['Organization', 'Address', 'Phone', 'Not read'],
      ['#1 Windows', 'House #N/A', '#12!', { error: '#N/A' }],
    ]),
  )
  t.same(outcomesOf(harmless.page), ['new'], 'not a text with a hash, nor an error in a column that is not imported')
  t.equal(db.select().from(companies).where(eq(companies.org, '#REF!')).all().length, 0)
})

t.test('formulas without a computed value are refused in any column, those with one are not, even when it is empty', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const { path, page } = await checked(admin, 'companies', fixture('formula-without-value-companies.xlsx'))
  const problem = 'This formula has no computed value. Open the file in a spreadsheet program and save it there.'
  t.same(outcomesOf(page), ['refused'])
  t.match(rowsOf(page)[0]?.text, `B2 (Base discount, %): ${problem}`)
  t.equal((await admin.post(`${path}/save`)).statusCode, 422)

  const head = ['Organization', 'Phone', 'Other']
  const sheet = await xlsx([
    head,
    ['One', { formula: 'A2' }, ''],
    [{ formula: 'A2' }, { formula: 'A2' }, ''],
    ['Three', { formula: 'A2', result: 0 }, { formula: 'A2' }],
    ['Four', { formula: 'A2', result: '' }, ''],
    ['Five', { formula: 'A2', result: 'ok' }, ''],
  ])
  const { path: second, page: formulas } = await checked(admin, 'companies', sheet)
  t.same(outcomesOf(formulas), ['refused', 'refused', 'new', 'new', 'new'])
  t.match(rowsOf(formulas)[1]?.text, new RegExp(`A3 \\(Organization\\): ${problem}.*B3 \\(Phone\\): ${problem}`), 'a row of nothing else')
  t.equal((await admin.post(`${second}/save`)).statusCode, 422)

  const text = csv([head, ['One', '=1+1', ''], ['Two', '="0012"', ''], ['Three', "'=1+1", '']], ';')
  const { path: third, page: texts } = await checked(admin, 'companies', text)
  t.same(outcomesOf(texts), ['refused', 'new', 'new'], 'a formula of a text file')
  t.match(rowsOf(texts)[0]?.text, `B2 (Phone): ${problem}`)
  await admin.post(third, { 'columns[1]': '' })
  t.equal((await admin.post(`${third}/save`)).statusCode, 303, 'nobody minds in a column that is not imported')
  const written = await checked(admin, 'companies', csv([head, ['Two', '="0012"', ''], ['Three', "'=1+1", '']], ';'))
  await admin.post(`${written.path}/save`)
  const phoneOf = (org: string) => db.select().from(companies).where(eq(companies.org, org)).get()?.phone
  t.same([phoneOf('Two'), phoneOf('Three')], ['0012', '=1+1'], 'texts that only look like formulas')
})

t.test('text columns keep numbers as the sheet shows them: leading and trailing zeros, and what stands around them', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  db.insert(categories).values({ name: 'Окна ПВХ', search: 'окна пвх' }).run()
  const save = async (list: string, content: Buffer) => {
    const { path, page } = await checked(admin, list, content)
    t.equal((await admin.post(`${path}/save`)).statusCode, 303, textOf(page.body))
  }
  await save('companies', fixture('number-format-zeros-companies.xlsx'))
  t.match(db.select().from(companies).where(eq(companies.org, 'ООО Ноль')).get(), { inn: '0274062111', bik: '044525225' })
  await save('products', fixture('number-format-zeros-products.xlsx'))
  const articles = () =>
    db
      .select()
      .from(products)
      .all()
      .map(({ article }) => article)
  t.same(articles(), ['00123', '1.10'])
  const again = await checked(admin, 'products', fixture('number-format-zeros-products.xlsx'))
  t.same(outcomesOf(again.page), ['unchanged', 'unchanged'], 'and rows find their records by them')

  const formats = ['"AL-"000', '00-00', '0.00', '#,##0', '000']
  const sheet = await xlsx(
    [
      ['Article', 'Product name', 'Category', 'Minimum charged', 'Smallest width, mm'],
      [7, 1234, 'Windows', 1.5, 42],
    ],
    (sheet) => {
      for (const [at, numFmt] of formats.entries()) sheet.getCell(2, at + 1).numFmt = numFmt
    },
  )
  await save('products', sheet)
  t.match(db.select().from(products).where(eq(products.article, 'AL-007')).get(), { name: '12-34', minimum: 150, width_min: 42 })
})

t.test('a line that names the separator is no heading, whatever the separator', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  db.insert(categories).values({ name: 'Окна ПВХ', search: 'окна пвх' }).run()
  const { path, page } = await checked(admin, 'products', fixture('sep-line-products.csv'))
  t.same(
    rowsOf(page).map(({ row, outcome }) => `${row} ${outcome}`),
    ['2 new'],
    'rows are counted as spreadsheet programs show them',
  )
  t.equal((await admin.post(`${path}/save`)).statusCode, 303)
  const product = db.select().from(products).where(eq(products.article, 'ТС-1')).get()
  t.match(pricesOf(db, product?.id as number), [{ from: '2026-12-01', price: 123_450 }])
  const rows = [
    ['Organization', 'Phone, or fax; if any'],
    ['Firm', '1'],
  ]
  for (const separator of [',', ';', '\t', '|', ':', '^']) {
    const quoted = rows.map((row) => row.map((cell) => `"${cell}"`))
    for (const line of [`sep=${separator}`, `\ufeffSEP=${separator}`, `"sep=${separator}"`]) {
      const content = Buffer.concat([Buffer.from(`${line}\r\n`), csv(quoted, separator)])
      const { page } = await checked(admin, 'companies', content)
      t.same(outcomesOf(page), ['new'], JSON.stringify(line))
      t.match(parseHtml(page.body)('.import-columns label').text(), 'OrganizationPhone, or fax; if any')
    }
  }
})

t.test('columns that are not read are named above the rows, so that no row passes for unchanged without a word', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [['2026-01-01', 100_000]])
  const unread = (body: string) => {
    const query = parseHtml(body)
    const warning = query('.import-unread')
    return {
      text: warning.text().replace(/\s+/g, ' ').trim(),
      isAbove: warning.nextAll().find('tr[data-row]').length + warning.parent().nextAll().find('tr[data-row]').length > 0,
    }
  }
  const content = csv(
    [
      ['Article', 'Product name', '', 'Остаток', 'Price basis', ''],
      ['A-1', 'Window', '', '130000', 'Per piece', '', '', 'no heading'],
    ],
    ';',
  )
  const { path, page } = await checked(admin, 'products', content)
  t.same(outcomesOf(page), ['unchanged'])
  t.same(unread(page.body), { text: 'Columns not imported: D “Остаток”, H (no heading).', isAbove: true })
  t.match(parseHtml(page.body)('#save-reason').text(), 'Nothing changes in the columns that are imported.')
  await admin.post(path, { 'columns[7]': 'description', 'columns[3]': '' })
  const mapped = await admin.get(path)
  t.same(outcomesOf(mapped), ['changed'], 'a column beyond the headings can be chosen')
  t.equal(unread(mapped.body).text, 'Columns not imported: D “Остаток”.')
  await admin.post(`${path}/save`)
  t.equal(unread((await admin.get(path)).body).text, 'Columns not imported: D “Остаток”.', 'and it is still said when it was saved')
  const complete = await checked(
    admin,
    'products',
    csv([
      ['Article', 'Product name'],
      ['A-1', 'Window'],
    ]),
  )
  t.equal(unread(complete.page.body).text, '')
  t.match(parseHtml(complete.page.body)('#save-reason').text(), 'All records are up to date.')
})

t.test('a price from another day is added to those there are, unless the person says that the file has all of them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const product = insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [
    ['2026-01-01', 100_000],
    ['2026-06-01', 110_000],
  ])
  const other = insertProduct(db, { article: 'A-2', name: 'Door', category_id: cast.category }, [['2026-01-01', 50_000]])
  const prices = (id: number) => pricesOf(db, id).map(({ from, price }) => `${from} ${price}`)
  const content = csv(
    [
      ['Article', 'Prices'],
      ['A-1', '2099-01-01: 1300; 2026-06-01: 1150'],
      ['A-2', ''],
    ],
    ';',
  )
  const { path, page } = await checked(
    admin,
    'products',
    Buffer.from(content.toString().replace('2099-01-01: 1300; 2026-06-01: 1150', '"2099-01-01: 1300; 2026-06-01: 1150"')),
  )
  t.same(outcomesOf(page), ['changed', 'unchanged'])
  const shown = rowsOf(page)[0]?.text ?? ''
  t.match(shown, /1\s100,00 ₽ → .*1\s150,00 ₽; .*1\s300,00/, 'the check shows what changes')
  t.notMatch(shown, /1\s000,00/, 'and none of the prices that stay')
  await admin.post(`${path}/save`)
  t.same(prices(product), ['2026-01-01 100000', '2026-06-01 115000', '2099-01-01 130000'], 'a day that has a price gets the new one')
  t.same(prices(other), ['2026-01-01 50000'])
  await admin.post(`${path}/undo`)
  t.same(prices(product), ['2026-01-01 100000', '2026-06-01 110000'])

  const second = await checked(
    admin,
    'products',
    csv(
      [
        ['Article', 'Prices'],
        ['A-1', '2099-01-01: 1300'],
      ],
      ';',
    ),
  )
  const box = (body: string) => parseHtml(body)('input[type=checkbox][name=replace]')
  t.equal(box(second.page.body).attr('checked'), undefined)
  t.equal((await admin.post(second.path, { replace: ['0', '1'] })).statusCode, 303)
  const replacing = await admin.get(second.path)
  t.ok(box(replacing.body).is('[checked]'))
  await admin.post(second.path, { key: 'article' })
  t.ok(box((await admin.get(second.path)).body).is('[checked]'), 'kept by a form that does not name it')
  t.equal((await admin.post(second.path, { replace: 'x' })).statusCode, 422)
  await admin.post(`${second.path}/save`)
  t.same(prices(product), ['2099-01-01 130000'])
  t.equal(box((await checked(admin, 'companies', csv([['Organization'], ['X']]))).page.body).length, 0, 'only where there are prices')
  t.equal(
    box(
      (
        await checked(
          admin,
          'products',
          csv([
            ['Article', 'Product name'],
            ['A-1', 'Y'],
          ]),
        )
      ).page.body,
    ).length,
    0,
    'and the file has them',
  )
})
