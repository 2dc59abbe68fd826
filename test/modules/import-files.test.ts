import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import t from 'tap'
import { categories, companies, importHeadings, products, uploads, users } from '../../src/database/schema/index.ts'
import { pricesOf } from '../../src/modules/products/product.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { type Cells, checked, csv, outcomesOf, rowsOf, upload, xlsx } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

/** As an accounting program prints it: title, merged headings in two lines, numbers of columns, groups, totals. */
const priceList = (rows: Cells[] = []) =>
  xlsx(
    [
      ['ООО «Ромашка»'],
      ['Прайс-лист на 01.12.2026'],
      [],
      ['Код', 'Номенклатура', 'Ед. изм.', 'Цена, руб.', null],
      [null, null, null, 'Розничная', 'Оптовая'],
      [1, 2, 3, 4, 5],
      ['Окна ПВХ'],
      ['00-001', 'Окно поворотное', 'м2', '12 345,50 руб.', '10\u00a0000'],
      ['00-002', 'Окно глухое', 'кв.м', 8900, 7000],
      ['Подоконники'],
      ['00-003', 'Подоконник белый', 'пог. м', '1 200', ''],
      ['00-004', 'Ручка', 'шт.', '350 р.', 300],
      ['Код', 'Номенклатура', 'Ед. изм.'],
      ...rows,
      ['Итого', null, null, 22795.5, 17300],
    ],
    (sheet) => sheet.mergeCells('D4:E4'),
  )

const columnsOf = (page: Answer) =>
  parseHtml(page.body)('select[name^=columns] option[selected]')
    .toArray()
    .map((option) => parseHtml(page.body)(option).attr('value'))

const headingOf = (page: Answer) => parseHtml(page.body)('#heading option[selected]').attr('value')

t.test('a price list of an accounting program is imported as it is: groups become categories, units say what a price is for', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('root')
  const { path, page } = await checked(admin, 'products', await priceList())
  t.equal(headingOf(page), '4')
  t.same(columnsOf(page), ['article', 'name', 'unit'])
  t.match(textOf(page.body), 'Columns not imported: D “Цена, руб. Розничная”, E “Цена, руб. Оптовая”')
  t.same(
    rowsOf(page).map(({ row, outcome }) => `${row} ${outcome}`),
    ['8 refused', '9 refused', '11 refused', '12 refused', '6 skipped', '7 skipped', '10 skipped', '13 skipped', '14 skipped'],
  )
  t.match(rowsOf(page)[4]?.text, 'Numbers of columns')
  t.match(rowsOf(page)[5]?.text, 'Group of rows')
  t.match(rowsOf(page)[7]?.text, 'Repeated headings')
  t.match(rowsOf(page)[8]?.text, 'Total')

  await admin.post(path, { 'columns[3]': 'price', groups_as: 'category', prices_from: '2026-12-01' })
  const missing = await admin.get(path)
  t.match(rowsOf(missing)[0]?.text, 'There is no category “Окна ПВХ”', 'no category is added unasked')
  await admin.post(path, { add_missing: '1' })
  const ready = await admin.get(path)
  t.same(
    outcomesOf(ready).filter((outcome) => outcome !== 'skipped'),
    ['new', 'new', 'new', 'new'],
  )
  t.match(rowsOf(ready).find(({ row }) => row === 8)?.text, 'Will also be added: Окна ПВХ')
  t.equal(db.select().from(categories).where(eq(categories.name, 'Окна ПВХ')).all().length, 0, 'the check adds nothing')
  t.equal((await admin.post(`${path}/save`)).statusCode, 303)
  const saved = db
    .select({ article: products.article, unit: products.unit, basis: products.basis, category: categories.name, id: products.id })
    .from(products)
    .leftJoin(categories, eq(categories.id, products.category_id))
    .all()
  t.same(
    saved.map(({ id, ...product }) => [...Object.values(product), ...pricesOf(db, id).map(({ from, price }) => `${from} ${price}`)]),
    [
      ['00-001', 'm2', 'area', 'Окна ПВХ', '2026-12-01 1234550'],
      ['00-002', 'm2', 'area', 'Окна ПВХ', '2026-12-01 890000'],
      ['00-003', 'm', 'length', 'Подоконники', '2026-12-01 120000'],
      ['00-004', 'pcs', 'each', 'Подоконники', '2026-12-01 35000'],
    ],
  )
  t.equal(db.select().from(categories).where(eq(categories.name, 'Окна ПВХ')).all().length, 1, 'each is added once')

  const other = await as('admin')
  const again = await checked(other, 'products', await priceList([['00-005', 'Створка', 'шт', 1, 1]]))
  t.ok(columnsOf(again.page).includes('price'), 'what was chosen is remembered for whoever imports next')
  await other.post(again.path, { groups_as: 'category', prices_from: '2027-01-01' })
  const same = await other.get(again.path)
  t.same([...new Set(outcomesOf(same))].sort(), ['new', 'skipped', 'unchanged'], 'a price that holds already makes no version')
  const unknown = await checked(
    other,
    'products',
    csv(
      [
        ['Article', 'Product name', 'Category'],
        ['X', 'Y', 'Ворота'],
      ],
      ';',
    ),
  )
  t.equal(parseHtml(unknown.page.body)('[name=add_missing]').length, 0, 'somebody who may not add categories is not offered to')
  await other.post(unknown.path, { add_missing: '1' })
  t.match(rowsOf(await other.get(unknown.path))[0]?.text, 'There is no category “Ворота”')
})

t.test('headings are found below titles and on another sheet, and another row can be chosen for them', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const titled = await checked(
    admin,
    'companies',
    csv(
      [
        ['Контрагенты на 01.12.2026', '', ''],
        ['', '', ''],
        ['Наименование', 'ИНН/КПП', 'Телефон(ы)'],
        ['ООО Вега', '7701234567/770101001', '+7 900 1, +7 900 2'],
      ],
      ';',
    ),
  )
  t.equal(headingOf(titled.page), '3')
  t.same(columnsOf(titled.page), ['org', 'inn_kpp', 'phone'])
  t.same(
    rowsOf(titled.page).map(({ row, outcome }) => `${row} ${outcome}`),
    ['4 new'],
  )
  t.match(rowsOf(titled.page)[0]?.text, 'Phone: Left out: +7 900 2')

  const workbook = new ExcelJS.Workbook()
  workbook.addWorksheet('Титул').addRow(['Список контрагентов'])
  workbook.addWorksheet('Данные').addRows([
    ['Company', 'Phone'],
    ['ООО Вега', '1'],
  ])
  const second = await checked(admin, 'companies', Buffer.from(await workbook.xlsx.writeBuffer()))
  t.same(columnsOf(second.page), ['org', 'phone'])

  const { path, page } = await checked(
    admin,
    'companies',
    csv(
      [
        ['Phone', 'Organization'],
        ['Телефон', 'Организация'],
        ['1', 'ООО Лира'],
      ],
      ';',
    ),
  )
  t.equal(headingOf(page), '1')
  t.same(outcomesOf(page), ['new', 'new'])
  t.equal((await admin.post(path, { heading: '2' })).statusCode, 303)
  const chosen = await admin.get(path)
  t.equal(headingOf(chosen), '2')
  t.same(columnsOf(chosen), ['phone', 'org'])
  t.same(outcomesOf(chosen), ['new'])
  for (const heading of ['3', '9', 'x', '']) t.equal((await admin.post(path, { heading })).statusCode, 422, heading)
  t.equal(headingOf(await admin.get(path)), '2')
  t.match(
    textOf((await upload(admin, 'companies', csv([['Отчёт'], ['Organization', 'INN']], ';'), 'report.csv')).body),
    'report.csv: This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.',
  )
  const letter = await upload(admin, 'companies', Buffer.from('Dear colleagues'), 'letter.txt')
  t.equal(letter.statusCode, 422)
  t.match(textOf(letter.body), 'letter.txt: This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.')
})

t.test(
  'a file of dealers needs no rebuilding: full names are split, and companies nobody knows are added when somebody says so',
  async (t) => {
    const { as, db } = await startCabinet(t)
    const admin = await as('admin')
    const sheet = csv(
      [
        ['ФИО', 'Организация', 'Эл. почта', 'Моб. телефон'],
        ['Петров Пётр Петрович', 'ООО Новая', 'p@new.example', '1'],
        ['Сидорова Анна', 'ООО Новая', 'a@new.example', '2'],
      ],
      ';',
    )
    const { path, page } = await checked(admin, 'dealers', sheet)
    t.same(outcomesOf(page), ['refused', 'refused'])
    t.match(rowsOf(page)[0]?.text, 'B2 (Организация): There is no company “ООО Новая”')
    await admin.post(path, { add_missing: '1' })
    t.same(outcomesOf(await admin.get(path)), ['new', 'new'])
    t.equal((await admin.post(`${path}/save`)).statusCode, 303)
    const added = db.select().from(companies).where(eq(companies.org, 'ООО Новая')).all()
    t.equal(added.length, 1)
    t.match(db.select().from(users).where(eq(users.email, 'p@new.example')).get(), {
      lastname: 'Петров',
      name: 'Пётр',
      middlename: 'Петрович',
      company_id: added[0]?.id,
    })
    t.match(db.select().from(users).where(eq(users.email, 'a@new.example')).get(), { lastname: 'Сидорова', name: 'Анна', middlename: null })
  },
)

t.test('another sheet of a workbook can be chosen, by whoever uploaded it and as long as it is kept', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const workbook = new ExcelJS.Workbook()
  workbook.addWorksheet('Титул').addRow(['Список'])
  for (const [name, org] of [
    ['Москва & <область>', 'ООО Вега'],
    ['Тверь', 'ООО Лира'],
  ] as const)
    workbook.addWorksheet(name).addRows([
      ['Company', 'Phone'],
      [org, '1'],
    ])
  const { path, page } = await checked(admin, 'companies', Buffer.from(await workbook.xlsx.writeBuffer()))
  const sheetOf = ({ body }: Answer) => parseHtml(body)('#sheet option[selected]').attr('value')
  const sheets = parseHtml(page.body)('#sheet option').toArray()
  t.same(
    sheets.map((option) => parseHtml(page.body)(option).text()),
    ['Титул', 'Москва & <область>', 'Тверь'],
  )
  t.equal(sheetOf(page), 'Москва & <область>', 'at first the first one with a table')
  await admin.post(path, { 'columns[1]': '' })
  const other = await admin.post(path, { sheet: 'Тверь', 'columns[0]': 'phone' })
  t.equal(other.statusCode, 303)
  t.not(other.headers.location, path)
  const chosen = await admin.get(String(other.headers.location))
  t.equal(sheetOf(chosen), 'Тверь')
  t.same(
    rowsOf(chosen).map(({ text }) => text),
    ['2 New record ООО Лира Organization: ООО Лира Phone: 1'],
    'with headings of its own',
  )
  t.match(textOf(chosen.body), 'sheet.xlsx')
  t.equal((await admin.post(path, { sheet: 'Москва & <область>' })).headers.location, path, 'the same one is no other')
  t.equal((await admin.post(path, { sheet: 'Казань' })).statusCode, 422)
  const empty = await admin.post(path, { sheet: 'Титул' })
  t.equal(empty.statusCode, 422)
  t.match(textOf(empty.body), /This is no table: nothing stands below a row of headings Choose an xlsx or csv file\./)
  t.equal((await (await as('root')).post(path, { sheet: 'Тверь' })).statusCode, 404)
  await admin.post(`${other.headers.location}/save`)
  t.equal((await admin.post(String(other.headers.location), { sheet: 'Титул' })).statusCode, 409, 'what is saved stays as it is')
  db.delete(uploads).run()
  t.equal((await admin.post(path, { sheet: 'Тверь' })).statusCode, 422)
  t.equal(
    parseHtml(
      (
        await checked(
          admin,
          'companies',
          csv([
            ['Company', 'Phone'],
            ['A', '1'],
          ]),
        )
      ).page.body,
    )('#sheet').length,
    0,
  )
})

t.test('merged cells of headings are read as they are shown: over all of their columns and rows', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const open = async (rows: Cells[], ...merged: string[]) => {
    const content = await xlsx(rows, (sheet) => {
      for (const cells of merged) sheet.mergeCells(cells)
    })
    const { page } = await checked(admin, 'companies', content)
    const query = parseHtml(page.body)
    const headings = query('.import-columns tbody tr')
      .toArray()
      .map((row) =>
        query(row)
          .find('td')
          .slice(0, 2)
          .toArray()
          .map((cell) => query(cell).text().trim())
          .join(' '),
      )
    return {
      headings,
      fields: columnsOf(page),
      rows: rowsOf(page).map(({ row, outcome, text }) => `${row} ${outcome} ${text.split(' ').slice(-1)}`),
    }
  }
  t.same(
    await open(
      [
        ['Реестр'],
        ['Наименование', null, null, 'Связь', null, 'ИНН'],
        [null, null, null, 'Телефон', 'Почта'],
        [null, null, 'город', null, null, null],
        [null, 'ООО Вега', null, '1', 'a@b.example', '7707083893'],
      ],
      'A1:F1',
      'A2:C4',
      'D2:E2',
      'F2:F4',
      'D3:D4',
    ),
    { headings: ['B Наименование', 'D Связь Телефон', 'E Связь Почта', 'F ИНН'], fields: ['org', 'inn'], rows: ['5 new 7707083893'] },
    'three lines, and a heading that is wider than its column',
  )
  t.same(
    (
      await open(
        [
          ['Company', 'Телефон', null, 'Прочее'],
          [null, 'раб', 'дом'],
          ['ООО Вега', '1', '2', 'x'],
        ],
        'B1:C1',
      )
    ).headings,
    ['A Company', 'B Телефон раб', 'C Телефон дом', 'D Прочее'],
    'what is not merged does not reach further',
  )
  t.same(
    (
      await open(
        [
          ['Company', 'Phone', 'ИНН'],
          ['ООО Вега', '1', '7707083893'],
          ['ООО Лира', '2'],
        ],
        'C2:C3',
      )
    ).rows,
    ['2 new 7707083893', '3 new 2'],
    'merged cells of rows are no headings',
  )
})

t.test('a row of one cell is no group where it names a record, and a group says nothing where a row says it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  insertProduct(db, { article: 'Окно', name: 'Window', category_id: cast.category }, [])
  db.insert(categories).values({ name: 'Doors', search: 'doors' }).run()
  const rows = [
    ['Article', 'Product name', 'Category', 'Unit', 'Цена (опт), руб.'],
    ['Doors', '', '', '', ''],
    ['D-1', 'Door', '', 'pcs', '1'],
    ['W-1', 'Sill', 'Windows', 'pcs', '2'],
    ['Окно', '', '', '', ''],
  ]
  db.insert(importHeadings).values({ list: 'products', heading: 'productname', field: 'gone' }).run()
  const { path, page } = await checked(admin, 'products', csv(rows, ';'))
  t.same(
    columnsOf(page),
    ['article', 'name', 'category_id', 'unit', 'price'],
    'a field that is no more is not remembered; units and brackets are no names',
  )
  await admin.post(path, { groups_as: 'category' })
  const found = rowsOf(await admin.get(path)).map(({ row, outcome, text }) => `${row} ${outcome} ${/Category: (\w+)/.exec(text)?.[1]}`)
  t.same(found, ['2 skipped undefined', '3 new Doors', '4 new Windows', '5 changed Windows'])
})

t.test('a column of its own goes before what another one says besides', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const based = [
    ['Article', 'Product name', 'Category', 'Unit', 'Price basis'],
    ['A-1', 'Window', 'Windows', 'm2', 'Per piece'],
  ]
  t.match(rowsOf((await checked(admin, 'products', csv(based, ';'))).page)[0]?.text, 'Price basis: Per piece')
  const firms = [
    ['Organization', 'ИНН', 'ИНН/КПП'],
    ['ООО Вега', '7707083893', '7701234567/770101001'],
  ]
  t.match(rowsOf((await checked(admin, 'companies', csv(firms, ';'))).page)[0]?.text, 'INN: 7707083893')
})

t.test('problems in some rows do not hold up the good ones, and come back as a sheet with their reasons', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const sheet = csv(
    [
      ['Артикул', 'Наименование', 'Категория', 'Ед.', 'Остаток'],
      ['G-1', 'Good', 'Windows', 'шт', '5'],
      ['B-1', 'Bad', 'Windows', 'вёдра', '7'],
    ],
    ';',
  )
  const { path, page } = await checked(admin, 'products', sheet)
  t.same(outcomesOf(page), ['refused', 'new'])
  t.match(rowsOf(page)[0]?.text, 'D3 (Ед.): No option "вёдра". Known: pcs, m², m, kit')
  t.match(textOf(page.body), 'Import only the 1 good row')
  t.equal((await admin.post(`${path}/save`)).statusCode, 422)
  t.equal(db.select().from(products).all().length, 0)
  const refused = (await admin.get(`${path}/refused?format=csv`)).body.replace('\ufeff', '').trim().split('\r\n')
  t.same(refused, [
    'Артикул,Наименование,Категория,Ед.,Остаток,Reason',
    'B-1,Bad,Windows,вёдра,7,"D3 (Ед.): No option ""вёдра"". Known: pcs, m², m, kit"',
  ])
  t.equal((await admin.post(`${path}/save`, { good_rows: '1' })).statusCode, 303)
  t.same(
    db
      .select()
      .from(products)
      .all()
      .map(({ article, category_id }) => [article, category_id]),
    [['G-1', cast.category]],
  )
  const saved = await admin.get(path)
  t.match(textOf(saved.body), '1 record imported')
  t.same(outcomesOf(saved), ['refused', 'new'], 'what was refused is still told')
  const mended = await checked(admin, 'products', Buffer.from(refused.join('\r\n').replace('вёдра,7', 'кв. м,7')))
  t.same(outcomesOf(mended.page), ['new'])
  t.match(textOf(mended.page.body), 'Columns not imported: E “Остаток”.', 'the reasons are no column')
  t.equal((await admin.post(`${path}/undo`)).statusCode, 303)
  t.equal(db.select().from(products).all().length, 0)
  t.equal((await (await as('plain')).get(`${path}/refused`)).statusCode, 403)
  t.equal((await (await as('root')).get(`${path}/refused`)).statusCode, 404, 'of somebody else')
})

t.test('a preview says what each row would change, what a new record would hold, and which rows have problems', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [['2026-01-01', 100_000]])
  const prices = [
    ['Article', 'Product name', 'Category', 'Unit', 'Price', 'Minimum charged'],
    ['A-1', 'Window, white', 'Windows', 'pcs', '1000', ''],
    ['A-2', 'Sill', 'Windows', 'm', '900', '0.5'],
  ]
  const { path, page } = await checked(admin, 'products', csv(prices, ';'))
  await admin.post(path, { prices_from: '2026-12-01' })
  const [changed, added] = rowsOf(await admin.get(path)).map(({ text }) => text)
  t.equal(changed, '2 Changed Window, white Product name: Window → Window, white', 'a price that holds already is none of it')
  t.equal(
    added,
    '3 New record Sill Article: A-2 Product name: Sill Category: Windows Unit: m Price basis: Per running meter Minimum charged: 0,5 Prices: 01.12.2026: 900,00 ₽',
  )
  t.equal(parseHtml(page.body)('[data-outcome=new] :is(del, ins)').length, 0, 'nothing was there before')
  t.match((await admin.get(`${path}/report?format=csv`)).body, /3,New record,Sill,.*Price basis: Per running meter;/)
  await admin.post(`${path}/save`)
  t.equal(rowsOf(await admin.get(path))[1]?.text, added, 'a saved import says the same')

  const rows = [
    ['Organization', 'Телефон', 'Base discount, %', 'Category discounts'],
    ['ООО Вега', '+7 900 1, +7 900 2', '', 'Windows: 7'],
    ['ООО Лира', '+7 900 3', '', ''],
    ['ООО Арфа', '+7 900 4', 'many', ''],
  ]
  const firms = await checked(admin, 'companies', csv(rows, ';'))
  t.match(rowsOf(firms.page)[1]?.text, /Phone: \+7 900 1.*Category discounts: Windows: 7/, 'also what is saved after the record itself')
  t.equal(textOf(parseHtml(firms.page.body)('[data-count=problems]').text()), 'Only problems 2')
  t.same(
    rowsOf(await admin.get(`${firms.path}?outcome=problems`)).map(({ row, outcome }) => `${row} ${outcome}`),
    ['2 new', '4 refused'],
    'also where a part of a cell was left out',
  )
})

t.test('what somebody leaves out is remembered, but a column with the label of a field only once', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const rows = [
    ['Organization', 'Адрес', 'Phone'],
    ['ООО Вега', 'Тверь', '1'],
  ]
  const { path } = await checked(admin, 'companies', csv(rows, ';'))
  await admin.post(path, { 'columns[1]': '', 'columns[2]': '' })
  t.same(columnsOf((await checked(admin, 'companies', csv(rows, ';'))).page), ['org', 'phone'])
  t.equal(db.select().from(importHeadings).all().length, 1)

  const mobile = [
    ['Organization', 'Phone', 'Мобильник'],
    ['ООО Вега', '1', '2'],
  ]
  const first = await checked(admin, 'companies', csv(mobile, ';'))
  await admin.post(first.path, { 'columns[1]': '', 'columns[2]': 'phone' })
  t.match(rowsOf((await checked(admin, 'companies', csv(mobile, ';'))).page)[0]?.text, 'Phone: 2', 'what was chosen goes before a label')
})

t.test('cells are read as people write them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const product = insertProduct(db, { article: 'A-1', name: 'Window', category_id: cast.category }, [['2026-01-01', 100_000]])
  for (const [cell, kopecks] of [
    ['1 234,50 руб.', 123_450],
    ['1\u00a0234.50', 123_450],
    ['8\u202f900', 890_000],
    ['77руб', 7_700],
    ['99 ₽', 9_900],
    ['1234.5000000000002', 123_450],
  ] as const) {
    const { path, page } = await checked(
      admin,
      'products',
      csv(
        [
          ['Article', 'Цена'],
          ['A-1', cell],
        ],
        ';',
      ),
    )
    t.same(outcomesOf(page), ['changed'], cell)
    await admin.post(`${path}/save`)
    t.equal(pricesOf(db, product).at(-1)?.price, kopecks, cell)
    await admin.post(`${path}/undo`)
  }
  const wrong = await checked(
    admin,
    'products',
    csv(
      [
        ['Article', 'Цена'],
        ['A-1', 'договорная'],
      ],
      ';',
    ),
  )
  t.same(outcomesOf(wrong.page), ['refused'])

  const switched = async (cell: string) => {
    const { page } = await checked(
      admin,
      'products',
      csv(
        [
          ['Article', 'Product name', 'For sale'],
          ['A-1', 'Window', cell],
        ],
        ';',
      ),
    )
    return outcomesOf(page)[0]
  }
  for (const cell of ['+', 'да', 'Yes', 'true', '1']) t.equal(await switched(cell), 'unchanged', cell)
  for (const cell of ['-', 'нет', 'No', '0']) t.equal(await switched(cell), 'changed', cell)
  t.equal(await switched('может быть'), 'refused')

  const day = async (cell: string) => {
    const { page } = await checked(
      admin,
      'companies',
      csv(
        [
          ['Organization', 'Дата договора', 'Кредитный лимит'],
          ['Alpha Windows', cell, '5 000 руб.'],
        ],
        ';',
      ),
    )
    return rowsOf(page)[0]?.text
  }
  for (const cell of ['05.03.2026', '5.3.26', '05.03.2026 г.', '5 марта 2026 г.', '«5» мая 2026', '2026-03-05 00:00:00'])
    t.match(await day(cell), /Contract date: — → 05\.0[35]\.2026.*Credit limit: — → 5 000,00/, cell)
  t.match(await day('когда-нибудь'), 'Enter a valid date.')
})
