import { and, count, eq, isNotNull, like } from 'drizzle-orm'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import type { Database } from '../../src/database/open.ts'
import {
  categories,
  categoryCompany,
  changes,
  companies,
  imports,
  jobs,
  products,
  stocks,
  trash,
  users,
} from '../../src/database/schema/index.ts'
import { pricesOf } from '../../src/modules/products/product.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { attributesOf, elementsOf, parseHtml, textOf } from '../support/html.ts'
import { type Cells, checked, csv, outcomesOf, rowsOf, upload, xlsx } from '../support/imports.ts'
import { readInProcesses } from '../support/in-process-sheets.ts'
import { callWorker, endOfJob, until } from '../support/jobs.ts'
import { insertProduct } from '../support/products.ts'

/** More dealers than are imported at once. */
const many = 300

const [firms, dealers] = [10, 20]

const of = (length: number, outcome: string) => Array.from({ length }, () => outcome)

t.test('an administrator imports companies with discounts and dealers; importing them again changes nothing', async (t) => {
  readInProcesses(t)
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  db.insert(categories).values({ name: 'Doors', search: 'doors' }).run()
  db.insert(stocks).values({ name: 'South', search: 'south' }).run()
  const companyRows: Cells[] = [
    ['Organization', 'INN', 'Contract date', 'Manager', 'Warehouse', 'Category discounts', 'Base discount, %', 'Ignored'],
    ...Array.from(
      { length: firms },
      (_, at): Cells => [
        `Company ${at}`,
        770112345600 + at,
        new Date(Date.UTC(2026, 0, 31)),
        'Petrova Maria Ivanovna',
        'south',
        'Doors: 10',
        { formula: '2+3', result: 5 },
        'x',
      ],
    ),
  ]
  const dealerRows: Cells[] = [
    ['Компания', 'Фамилия', 'Имя', 'Email', 'Телефон'],
    ...Array.from(
      { length: dealers },
      (_, at): Cells => [`company ${at % firms}`, 'Dealer', `Number ${at}`, `dealer${at}@firm.example`, '+7(900) 000 00 00'],
    ),
  ]
  const total = (group_id: number) => db.select({ rows: count() }).from(users).where(eq(users.group_id, group_id)).get()?.rows
  const before = total(group.dealer) as number
  for (const [list, rows] of Object.entries({ companies: companyRows, dealers: dealerRows })) {
    const content = await xlsx(rows)
    const { path, page } = await checked(admin, list, content)
    t.same(outcomesOf(page), of(rows.length - 1, 'new'), `${list}: a dry run`)
    t.equal((await admin.post(`${path}/save`)).statusCode, 303)
    t.match(textOf((await admin.get(path)).body), `${rows.length - 1} records imported`)
    const again = await checked(admin, list, content)
    t.same(outcomesOf(again.page), of(rows.length - 1, 'unchanged'), `${list}: again`)
  }
  const first = db.select().from(companies).where(eq(companies.org, 'Company 0')).get()
  t.match(first, { inn: '770112345600', contract_date: '2026-01-31', discount: 5 })
  t.ok(first?.manager_id && first.stock_id)
  t.match(
    db
      .select()
      .from(categoryCompany)
      .where(eq(categoryCompany.company_id, first?.id as number))
      .all(),
    [{ discount: 10 }],
  )
  t.equal(total(group.dealer), before + dealers)
  t.match(db.select().from(users).where(eq(users.email, 'dealer0@firm.example')).get(), {
    password: '',
    phone: '+7(900) 000 00 00',
    active: true,
  })
  const history = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'companies'), eq(changes.record_id, first?.id as number)))
    .all()
  t.same(
    history.map(({ action }) => action),
    ['create', 'update'],
    'with history',
  )
  t.equal((await (await as('plain')).post('/login', { email: 'dealer0@firm.example', password: '' })).statusCode, 422)
})

t.test('a rejected import names sheet row, column and reason, and saves nothing', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const content = csv(
    [
      ['Company', 'Last name', 'Name', 'Email'],
      ['Alpha Windows', 'Good', 'Row', 'good@firm.example'],
      ['', '', '', ''],
      ['Alpha Windows', 'Bad', 'Email', 'nonsense'],
      ['Nobody knows', 'Bad', 'Company', 'bad@firm.example'],
      ['Alpha Windows', 'Same', 'Row', 'GOOD@firm.example'],
      ['Alpha Windows', 'No', 'Email', ''],
      ['Alpha Windows', '', 'Nameless', 'nameless@firm.example'],
    ],
    ';',
  )
  const { path, page } = await checked(admin, 'dealers', content)
  const rows = rowsOf(page)
  t.same(
    rows.map(({ row, outcome }) => `${row} ${outcome}`),
    ['4 refused', '5 refused', '6 refused', '7 refused', '8 refused', '2 new'],
  )
  t.match(rows[0]?.text, 'D4 (Email): “nonsense”. Enter a valid email address.')
  t.match(rows[1]?.text, 'A5 (Company): There is no company “Nobody knows”.')
  t.match(rows[2]?.text, 'D6 (Email): “GOOD@firm.example”. Duplicate of row 2.')
  t.match(rows[3]?.text, 'D7 (Email): Required to match this row.')
  t.match(rows[4]?.text, 'B8 (Last name): Enter the last name.')
  const before = db.select({ rows: count() }).from(users).get()
  const refused = await admin.post(`${path}/save`)
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), 'Nothing was saved')
  t.same(db.select({ rows: count() }).from(users).get(), before)
  const report = await admin.get(`${path}/report?format=csv`)
  t.match(report.body, 'A5 (Company): There is no company “Nobody knows”.')
})

t.test('an import shows old and new values; undo reverts everything unless somebody changed a record meanwhile', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const { alpha } = cast.companies
  const content = csv([
    ['ID', 'Organization', 'Phone'],
    [alpha, 'Alpha Doors', '123'],
    ['', 'Brand new', '456'],
  ])
  const { path, page } = await checked(admin, 'companies', content)
  t.same(outcomesOf(page), ['new', 'new'], 'found by name as long as not every row has an id')
  await admin.post(path, { key: 'id' })
  const byId = await admin.get(path)
  t.same(outcomesOf(byId), ['changed', 'new'])
  t.match(rowsOf(byId)[0]?.text, 'Organization: Alpha Windows → Alpha Doors')
  await admin.post(`${path}/save`)
  await admin.post(`${path}/save`)
  const org = () => db.select().from(companies).where(eq(companies.id, alpha)).get()?.org
  const added = () => db.select().from(companies).where(eq(companies.org, 'Brand new')).all()
  t.equal(org(), 'Alpha Doors')
  t.equal(added().length, 1, 'saved twice, done once')
  await admin.post(`/company/edit/${alpha}`, { phone: '78900' })
  const late = await admin.post(`${path}/undo`)
  t.equal(late.statusCode, 409)
  t.match(textOf(late.body), 'Row 2: Alpha Doors has been changed since the import.')
  t.equal(added().length, 1)

  const second = await checked(
    admin,
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['Alpha Doors', '1'],
      ['Another', '2'],
    ]),
  )
  await admin.post(`${second.path}/save`)
  t.equal((await admin.post(`${second.path}/undo`)).statusCode, 303)
  t.equal((await admin.post(`${second.path}/undo`)).statusCode, 303, 'a second time nothing more happens')
  t.equal(db.select().from(companies).where(eq(companies.id, alpha)).get()?.phone, '78900')
  t.equal(db.select().from(companies).where(eq(companies.org, 'Another')).all().length, 0)
  t.match(textOf((await admin.get('/bin')).body), 'Another')
})

t.test('the page of an import says what will be done, what was done and what can be done next', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const { alpha } = cast.companies
  const sheet = csv([
    ['Organization', 'Phone', 'Mark'],
    ['Alpha Windows', '+79001234567', 'x'],
    ['Fresh', '+79001234568', 'y'],
    ['Nobody Ltd', '', 'z'],
  ])
  const { path, page } = await checked(admin, 'companies', sheet)
  const buttons = (answer: Answer) => texts(answer, '#import :is(.btn-list, .save-bar) .btn')
  const status = (answer: Answer) => texts(answer, '.import [role=status]')
  const tabs = (answer: Answer) => texts(answer, '.import .nav-link')

  t.same(texts(page, 'h1'), ['Import'])
  t.same(texts(page, '.record-lead, .back-link'), ['Companies', 'sheet.xlsx · Choose another file'])
  t.same(texts(page, '.import-columns tbody td:first-child'), ['A', 'B', 'C'])
  t.same(texts(page, '.import-columns label, .import-key label'), [
    'Organization',
    'Phone',
    'Mark',
    'Match rows to records by',
    'Row with the headings',
  ])
  t.same(
    texts(page, '.import-columns option[selected], .import-key option[selected]'),
    ['Organization', 'Phone', 'Organization', '1: Organization · Phone · Mark'],
    'what is not recognized is left out',
  )
  t.same(texts(page, '#column-2 option').slice(0, 3), ['Not imported', 'ID', 'Organization'])
  t.same(texts(page, '#key option'), ['ID', 'Organization', 'INN', 'External ID'])
  t.same(tabs(page), ['All 3', 'New 1', 'Changed 1', 'Unchanged 1', 'Rejected 0'])
  t.same(buttons(page), ['Report', 'Import 2 records'])
  t.same(
    rowsOf(page).map(({ text }) => text),
    [
      '2 Changed Alpha Windows Phone: — → +79001234567',
      '3 New record Fresh Organization: Fresh Phone: +79001234568',
      '4 Unchanged Nobody Ltd —',
    ],
  )
  const links = (answer: Answer) =>
    query(answer)('tr[data-row] a')
      .toArray()
      .map((link) => query(answer)(link).attr('href'))
  t.same(links(page), [`/company/edit/${alpha}`, `/company/edit/${cast.companies.nobodys}`], 'what is not there yet has no card')
  const changed = await admin.get(`${path}?outcome=changed`)
  t.same(outcomesOf(changed), ['changed'])
  t.same(texts(changed, '.import [aria-current=true]'), ['Changed 1'])
  t.same(outcomesOf(await admin.get(`${path}?outcome=refused`)), [])

  t.equal((await admin.post(`${path}/save`)).statusCode, 303)
  const saved = await admin.get(path)
  t.same(
    texts(saved, '#messages [role=status]').map((text) => text.replace(/ (Undo|Close).*$/, '')),
    ['2 records imported'],
  )
  t.equal(query(saved)('#messages form').attr('action'), `${path}/undo`, 'with the offer to undo it')
  t.same(status(saved), ['This import was saved.'])
  t.same(buttons(saved), ['Open: Companies', 'Undo', 'Report'], 'and the way to what was imported')
  const fresh = db.select().from(companies).where(eq(companies.org, 'Fresh')).get()
  t.same(
    links(saved),
    [alpha, fresh?.id, cast.companies.nobodys].map((id) => `/company/edit/${id}`),
  )
  t.same(texts(saved, '.import-columns'), [], 'its columns cannot be changed any more')
  const late = await admin.post(path, { key: 'id' })
  t.match(late, { statusCode: 409 })
  t.match(textOf(late.body), 'This import was already saved')
  const report = (await admin.get(`${path}/report?format=csv`)).body.replace('\ufeff', '').trim().split('\r\n')
  t.same(report, [
    'Row,Result,Record,Details',
    '2,Changed,Alpha Windows,Phone: — → +79001234567',
    '3,New record,Fresh,"Organization: Fresh; Phone: +79001234568"',
    '4,Unchanged,Nobody Ltd,',
  ])

  t.equal((await admin.post(`${path}/undo`)).statusCode, 303)
  const undone = await admin.get(path)
  t.match(texts(undone, '#messages [role=status]'), [/^Import undone/])
  t.same(status(undone), ['This import was undone.'])
  t.same(buttons(undone), ['Report'])

  const nothing = await checked(admin, 'companies', csv([['Organization'], ['Nobody Ltd']]))
  t.same(texts(nothing.page, '#save-reason'), ['All records are up to date.'])
  t.same(texts(nothing.page, '#import .btn-primary'), [], 'instead of a button that could not be pressed')
  const refused = await checked(
    admin,
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['', '1'],
      ['One more', '2'],
    ]),
  )
  t.same(texts(refused.page, '#save-reason'), ['Rejected rows are left out. Fix them and upload them again.'])
  t.same(texts(refused.page, '#import .btn-primary'), ['Import only the 1 good row'])
  const hopeless = await checked(
    admin,
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['', '1'],
    ]),
  )
  t.same(texts(hopeless.page, '#save-reason, #import .btn-primary'), [
    'No row can be saved. Fix the rejected rows and upload them again.',
    'Choose another file',
  ])
  t.equal((await admin.post(`${refused.path}/undo`)).statusCode, 409, 'what was not saved cannot be undone')
})

t.test('a column that new records need is missed once above the rows, which say what else is wrong with them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.insert(categories).values({ name: 'Doors', search: 'doors' }).run()
  const admin = await as('admin')
  const lacking = (page: Answer) => texts(page, '.import-obstacle')
  const details = (page: Answer) => texts(page, 'tr[data-row] td:last-child')
  const without = async (...rows: string[][]) => (await checked(admin, 'products', csv(rows))).page

  const named = await without(['Article', 'Category', 'Price', 'Strange'], ['A-1', 'Doors', 'much', 'Door'], ['A-2', 'Doors', '7', 'Gate'])
  t.same(lacking(named), ['The column “Product name” was not found. New records need it. Choose the column'])
  t.same(details(named), ['C2 (Price): “much” is not a number.', 'Lacks a column named above'])
  const choose = String(query(named)('.import-obstacle a').attr('href'))
  t.match(choose, /#column-3$/, 'it leads to the first column that is not imported')
  t.equal(query(named)('details:has(#column-3)').is('[open]'), false)
  t.equal(query(await admin.get(choose))('details:has(#column-3)').is('[open]'), true)

  const keyless = await without(['Product name', 'Price'], ['Door', 'much'])
  t.same(lacking(keyless), ['The columns “Article”, “Category” were not found. New records need them. Choose the columns'])
  t.same(details(keyless), ['B2 (Price): “much” is not a number.'], 'even where no row can be matched')

  insertProduct(db, { article: 'A-1', name: 'Door', category_id: cast.category })
  const known = await without(['Article', 'Unit'], ['A-1', 'kit'])
  t.same([lacking(known), outcomesOf(known)], [[], ['changed']], 'records that are there need no more columns')
  const report = (await admin.get(`${(await checked(admin, 'products', csv([['Article'], ['A-9']]))).path}/report?format=csv`)).body
  t.match(report, 'Product name: Enter a name.', 'the report stands alone and says all of it')
})

t.test('categories that nobody knows are added by one button for all rows that name them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  grant(db, cast.admin, 'category_can_edit')
  const admin = await as('admin')
  const rows = ['Gates', 'Locks', 'Gates'].map((category, at) => [`A-${at}`, 'Door', category, 'pcs'])
  const { path, page } = await checked(admin, 'products', csv([['Article', 'Product name', 'Category', 'Unit'], ...rows]))
  t.same(outcomesOf(page), ['refused', 'refused', 'refused'])
  t.same(texts(page, '.import-obstacle'), ['Categories that are not in the cabinet: “Gates”, “Locks” Add categories that are missing'])
  const { name, value } = query(page)('.import-obstacle button').attr() ?? {}
  await admin.post(path, { [String(name)]: String(value) })
  const added = await admin.get(path)
  t.same([outcomesOf(added), texts(added, '.import-obstacle')], [['new', 'new', 'new'], []])
})

t.test('a template is called empty where there is no record to be in it', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const templates = async (list: string) => texts(await admin.get(`/${list}/import`), '.import-upload a[download]')
  t.same(await templates('companies'), ['Template with current records (xlsx)', 'Template with current records (csv)'])
  t.equal(db.select().from(products).all().length, 0)
  t.same(await templates('products'), ['Empty template (xlsx)', 'Empty template (csv)'])
})

t.test('an import whose new records are in use cannot be undone (409)', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const { path } = await checked(admin, 'companies', csv([['org'], ['Fresh']]))
  await admin.post(`${path}/save`)
  const dealers = await checked(
    admin,
    'dealers',
    csv([
      ['company', 'lastname', 'name', 'email'],
      ['Fresh', 'A', 'B', 'a@b.example'],
    ]),
  )
  await admin.post(`${dealers.path}/save`)
  const answer = await admin.post(`${path}/undo`)
  t.equal(answer.statusCode, 409)
  t.match(textOf(answer.body), '1 dealer will have no company.')
  await admin.post(`${dealers.path}/undo`)
  t.equal((await admin.post(`${path}/undo`)).statusCode, 303)
  t.equal(db.select().from(companies).where(eq(companies.org, 'Fresh')).get(), undefined)
})

t.test('import columns are recognized in either language and can be reassigned, each field once', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('root')
  const { path, page } = await checked(
    admin,
    'categories',
    csv(
      [
        ['Was', 'Название категории', 'Name'],
        ['x', 'Дверь', 'Door'],
      ],
      '\t',
    ),
  )
  const chosen = () =>
    parseHtml(page.body)('select[name^=columns] option[selected]')
      .toArray()
      .map((option) => parseHtml(page.body)(option).attr('value'))
  t.same(chosen(), ['name'])
  t.match(rowsOf(page)[0]?.text, 'Дверь')
  await admin.post(path, { 'columns[1]': '', 'columns[2]': 'name' })
  t.match(rowsOf(await admin.get(path))[0]?.text, 'Door')
  t.equal((await admin.post(path, { 'columns[1]': 'name' })).statusCode, 422)
  t.equal((await admin.post(path, { 'columns[1]': 'search' })).statusCode, 422)
  t.equal((await admin.post(path, { key: 'version' })).statusCode, 422)
})

t.test('where not every row has a key, rows find their records by the last column that can be one', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('root')
  const keyOf = async (list: string, ...rows: string[][]) => {
    const { page } = await checked(admin, list, csv(rows))
    return parseHtml(page.body)('select[name=key] option[selected]').attr('value')
  }
  const companies = ['Organization', 'INN']
  t.equal(await keyOf('companies', companies, ['Gamma', '7707083893'], ['Delta', '']), 'org', 'the one that every row has')
  t.equal(await keyOf('companies', companies, ['Gamma', '7707083893'], ['Delta', '500100732259']), 'inn', 'the better one of two')
  t.equal(await keyOf('companies', companies, ['Gamma', ''], ['', '7707083893']), 'org')
  t.equal(await keyOf('products', ['External ID', 'Product name'], ['x-1', 'Gate'], ['', 'Door']), 'external_id')
  t.equal(await keyOf('products', ['Product name', 'Unit'], ['Gate', 'pcs']), 'article', 'even where there is no column of it')
})

t.test('before a file is chosen it is said which columns it may have; a column without a heading can be chosen as well', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('root')
  const blank = parseHtml((await admin.get('/categories/import')).body)
  t.match(blank('.import-upload').text(), /Columns that can be imported\s*Category name/)
  t.same(
    [blank('#file-error').length, blank('#file').attr('aria-describedby'), blank('#file').attr('aria-invalid')],
    [0, 'file-hint', undefined],
  )
  const { page } = await checked(
    admin,
    'categories',
    csv(
      [
        ['Name', ''],
        ['Door', 'x'],
      ],
      ';',
    ),
  )
  const headings = elementsOf(page.body, '.import-columns label').map((label) => textOf(label))
  t.same(headings, ['Name', '—'])
})

t.test('the import template has every record and field, and importing it as it is changes nothing', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  insertProduct(db, { article: 'A', category_id: cast.category, basis: 'area', unit: 'm2', minimum: 50, width_min: 400 }, [
    ['2026-01-01', 100_050],
    ['2026-02-01', 110_000],
  ])
  const offered = elementsOf((await root.get('/companies/import')).body, 'a[download]').map((link) => attributesOf(link).href)
  t.same(
    offered,
    ['xlsx', 'csv'].map((format) => `/companies/import/template?format=${format}`),
  )
  for (const list of ['companies', 'dealers', 'stocks', 'manufactures', 'categories', 'products'])
    for (const format of list === 'companies' ? ['xlsx', 'csv'] : ['csv']) {
      const template = await root.get(`/${list}/import/template?format=${format}`)
      const { page } = await checked(root, list, template.rawPayload)
      t.same([...new Set(outcomesOf(page))], ['unchanged'], `${list} ${format}`)
    }
})

t.test('products are imported with prices after a dry run, matched by article without case, and the undo reverts them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const old = insertProduct(db, { article: 'Дверь-1', name: 'Old', category_id: cast.category }, [['2026-01-01', 100_000]])
  const head = ['Article', 'Product name', 'Category', 'Unit', 'Price basis', 'Minimum charged', 'Prices']
  const sheet = (...rows: (string | number)[][]) => csv([head, ...rows], ';')
  const snapshot = () =>
    db
      .select()
      .from(products)
      .all()
      .map(({ article, name, unit, basis, minimum, id }) => [article, name, unit, basis, minimum, pricesOf(db, id).map((row) => row.price)])
  const before = snapshot()
  const content = sheet(
    ['ДВЕРЬ-1', 'New', 'windows', 'шт.', 'Per piece', '', '"2026-01-01: 1100,50; 2027-01-01: 1200"'],
    ['G-2', 'Gate', 'Windows', 'm2', 'area', '0,5', '2026-01-01: 99'],
  )
  const { path, page } = await checked(admin, 'products', content)
  t.same(outcomesOf(page), ['changed', 'new'])
  t.match(rowsOf(page)[0]?.text, /Product name: Old → New/)
  t.same(snapshot(), before, 'a dry run saves nothing')
  t.equal((await admin.post(`${path}/save`)).statusCode, 303)
  t.same(snapshot(), [
    ['ДВЕРЬ-1', 'New', 'pcs', 'each', null, [110_050, 120_000]],
    ['G-2', 'Gate', 'm2', 'area', 50, [9900]],
  ])
  t.equal((await admin.post(`${path}/undo`)).statusCode, 303)
  t.same(snapshot(), before)
  const again = await checked(admin, 'products', content)
  await admin.post(`${again.path}/save`)
  await admin.post('/products/prices', { id: old, percent: 1, from: '2026-05-01' })
  t.equal((await admin.post(`${again.path}/undo`)).statusCode, 409, 'somebody has changed a price since')
})

t.test('an import of products is refused where an article comes twice, or a price or size cannot be', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  insertProduct(db, { article: 'A', external_id: 'x-1' })
  const rejected = async (...rows: string[][]) => {
    const { path, page } = await checked(
      admin,
      'products',
      csv([['External ID', 'Article', 'Product name', 'Category', 'Prices'], ...rows], ';'),
    )
    t.equal((await admin.post(`${path}/save`)).statusCode, 422)
    return rowsOf(page).map(({ outcome, text }) => `${outcome} ${text}`)
  }
  t.match(await rejected(['x-2', 'B', 'B', 'Windows', ''], ['x-3', 'b', 'B', 'Windows', '']), [/^refused.*Duplicate of row 2/, /new/])
  t.match(await rejected(['x-2', 'a', 'B', 'Windows', '']), [/refused.*Another product has this article/])
  t.match(await rejected(['x-2', 'B', 'B', 'Windows', '2026-01-01: -1']), [/refused/])
  t.match(await rejected(['x-2', 'B', 'B', 'Windows', '2026-01-01: 1,005']), [/refused/])
  t.match(await rejected(['x-2', 'B', 'B', 'Windows', '"2026-01-01: 1; 2026-01-01: 2"']), [/refused/])
  t.match(await rejected(['x-2', 'B', 'B', 'Windows', '2026-13-01: 1']), [/refused/])
  t.equal(db.select().from(products).all().length, 1)
})

t.test('each imported row needs the permission to add or edit that record, and only its uploader sees an import (404)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const maria = await as('maria')
  const { path, page } = await checked(
    maria,
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['Alpha Windows', '1'],
      ['ООО «Бета Ёлка»', '2'],
      ['Gamma', '3'],
    ]),
  )
  t.same(outcomesOf(page), ['refused', 'changed', 'new'])
  t.equal((await (await as('admin')).get(path)).statusCode, 404)
  t.equal((await (await as('denis')).get(path)).statusCode, 403)
  t.equal((await (await as('plain')).get('/companies/import')).statusCode, 403)
  grant(db, cast.plain, 'company_can_add', 'company_can_view')
  const plain = await as('plain')
  const other = await checked(
    plain,
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['Alpha Windows', '1'],
      ['Delta', '3'],
    ]),
  )
  t.same(outcomesOf(other.page), ['refused', 'new'])
  db.update(imports).set({ row_count: 0 }).run()
  t.equal((await plain.get(other.path)).statusCode, 404, 'nor somebody one whose rows are not all stored')
})

t.test('cells name other records, and a name of nobody or of two is refused; discounts replace those there were', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const { alpha } = cast.companies
  const add = (name: string) => Number(db.insert(categories).values({ name, search: name.toLowerCase() }).run().lastInsertRowid)
  const [inner, outer] = [add('Doors: inner'), add('Doors: outer')]
  for (const name of ['Twin', 'Twin']) add(name)
  const discountsOf = () => {
    const rows = db.select().from(categoryCompany).where(eq(categoryCompany.company_id, alpha)).orderBy(categoryCompany.category_id).all()
    return rows.map(({ id, category_id, discount }) => ({ id, category_id, discount }))
  }
  db.insert(categoryCompany)
    .values([
      { company_id: alpha, category_id: cast.category, discount: 5 },
      { company_id: alpha, category_id: inner, discount: 6 },
    ])
    .run()
  const [, kept] = discountsOf()
  const header = ['Organization', 'Category discounts', 'Manager']
  const good = await checked(admin, 'companies', await xlsx([header, ['ALPHA windows', ' Doors: inner : 7\n doors: OUTER:8;', null]]))
  t.same(outcomesOf(good.page), ['changed'], textOf(good.page.body))
  t.equal((await admin.post(`${good.path}/save`)).statusCode, 303)
  t.match(discountsOf(), [
    { id: kept?.id, category_id: inner, discount: 7 },
    { category_id: outer, discount: 8 },
  ])
  t.equal(discountsOf().length, 2, 'what the cell does not name is gone')
  db.insert(companies).values({ org: 'Nobody ltd' }).run()
  const bad: [cells: Cells, problem: RegExp][] = [
    [['Beta 2', 'Twin: 5', null], /B2 \(Category discounts\): “Twin: 5”\. More than one record is named "Twin"/],
    [['Beta 3', 'Doors: 5', null], /B3 \(Category discounts\): “Doors: 5”\. There is no category “Doors”/],
    [['Beta 4', 'Windows 5', null], /B4 \(Category discounts\): “Windows 5”\. Use the format A: 10; B: 5/],
    [['Beta 5', 'Windows: 101', null], /B5 .*Enter a whole number from 0 to 100/],
    [['Beta 6', null, 'Denisov Denis'], /C6 \(Manager\): There is no manager “Denisov Denis”/],
    [['Nobody Ltd', 'Windows: 5', null], /A7 \(Organization\): “Nobody Ltd”\. Several records have this value/],
  ]
  const { page } = await checked(admin, 'companies', await xlsx([header, ...bad.map(([cells]) => cells)]))
  const texts = rowsOf(page).map(({ text }) => text)
  for (const [, problem] of bad)
    t.ok(
      texts.some((text) => problem.test(text)),
      String(problem),
    )
  t.same(outcomesOf(page), of(bad.length, 'refused'))
})

t.test('whether a product is for sale is said in words of either language, and other words are refused', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const words = ['Yes', 'нет', '1', '0', 'ДА', 'no']
  const rows = (all: string[], start: string): Cells[] => all.map((word, at) => [`${start}-${at}`, 'Gate', 'Windows', 'm2', 'area', word])
  const header = ['Article', 'Product name', 'Category', 'Unit', 'Price basis', 'For sale']
  const { path, page } = await checked(admin, 'products', await xlsx([header, ...rows(words, 'good')]))
  t.same(outcomesOf(page), of(words.length, 'new'), textOf(page.body))
  await admin.post(`${path}/save`)
  const stored = db.select().from(products).orderBy(products.article).all()
  t.same(
    stored.map(({ active }) => active),
    [true, false, true, false, true, false],
  )
  const refused = await checked(admin, 'products', await xlsx([header, ...rows(['maybe', '2', 'нетт'], 'bad')]))
  t.same(outcomesOf(refused.page), of(3, 'refused'))
})

t.test('numbers that a spreadsheet has mangled are restored or refused, never guessed', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const header = ['org', 'rs', 'inn', 'discount', 'contract_date']
  const good: Cells[] = [
    ['a', '40702810900000000001', '7.70112345678E+11', '5%', '2026-01-31'],
    ['b', null, '770112345679.0', 7, '31.12.2026'],
    ['c', null, '7701234567,00', '8,0 %', '1/2/2026'],
    ['d', null, null, '100.00', '2026-03-01 00:00:00'],
    ['e', null, null, '0', new Date(Date.UTC(2026, 3, 30))],
  ]
  const { path, page } = await checked(admin, 'companies', await xlsx([header, ...good]))
  t.same(outcomesOf(page), of(5, 'new'), textOf(page.body))
  await admin.post(`${path}/save`)
  const stored = (org: string) => {
    const { rs, inn, discount, contract_date } = db.select().from(companies).where(eq(companies.org, org)).get() ?? {}
    return [rs, inn, discount, contract_date]
  }
  t.same(stored('a'), ['40702810900000000001', '770112345678', 5, '2026-01-31'])
  t.same(stored('b'), [null, '770112345679', 7, '2026-12-31'])
  t.same(stored('c'), [null, '7701234567', 8, '2026-02-01'])
  t.same(stored('d'), [null, null, 100, '2026-03-01'])
  t.same(stored('e'), [null, null, 0, '2026-04-30'])

  const bad: [cells: Cells, problem: RegExp][] = [
    [['f', 40702810900000000000], /B2 \(rs\): “.+”\. The spreadsheet has lost digits of this number/],
    [['g', null, '7.7E+11'], /C3 \(inn\): “.+”\. The spreadsheet has lost digits/],
    [['h', null, null, 12.5], /D4 \(discount\): “.+”\. Enter a whole number from 0 to 100/],
    [['i', null, null, '12,5 %'], /D5 \(discount\): “.+”\. Enter a whole number/],
    [['j', null, null, '12.50'], /D6 \(discount\): “.+”\. Enter a whole number/],
    [['k', null, null, 101], /D7 \(discount\): “.+”\. Enter a whole number/],
    [['l', null, null, -1], /D8 \(discount\): “.+”\. Enter a whole number/],
    [['m', null, null, '1 %0.0 5'], /D9 \(discount\): “.+”\. Enter a whole number/],
    [['n', null, null, null, '31.02.2026'], /E10 \(contract_date\): “.+”\. Enter a valid date/],
    [['o', null, null, null, '31.02'], /E11 \(contract_date\): “.+”\. Enter a valid date/],
    [['p', null, '1234,5'], /C12 \(inn\): “.+”\. Use digits only/],
  ]
  const refused = await checked(admin, 'companies', await xlsx([header, ...bad.map(([cells]) => cells)]))
  const rows = rowsOf(refused.page)
  t.equal(rows.length, bad.length)
  for (const [at, [, problem]] of bad.entries()) {
    t.equal(rows[at]?.outcome, 'refused', rows[at]?.text ?? '')
    t.match(rows[at]?.text, problem)
  }
  t.equal((await admin.post(`${refused.path}/save`)).statusCode, 422)
  t.equal(db.select({ rows: count() }).from(companies).get()?.rows, 8, 'nothing of it is saved')
})

t.test('an import shows 20 rows at a time, all rows or those of one result, and leads to the pages around and at both ends', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  db.insert(companies)
    .values(Array.from({ length: 121 }, (_, at) => ({ org: `Firm ${at}`, search: `firm ${at}` })))
    .run()
  const listed = Array.from({ length: 161 }, (_, at) => [`Firm ${at}`])
  const { path, page } = await checked(admin, 'companies', csv([['org'], ...listed]))
  const pagesIn = ({ body }: Answer) =>
    parseHtml(body)('.pagination a')
      .toArray()
      .map((link) => ({
        text: parseHtml(body)(link).text().trim(),
        href: String(link.attribs.href),
        current: 'aria-current' in link.attribs,
      }))
  const open = async (address: string, current: string, sheetRows: number[]) => {
    const answer = await admin.get(address)
    t.same(
      pagesIn(answer).flatMap(({ text, current }) => (current ? text : [])),
      current ? [current] : [],
      address,
    )
    const rows = rowsOf(answer).map(({ row }) => row)
    t.same([rows.length, rows[0], rows.at(-1)], sheetRows, address)
  }
  const pages = pagesIn(page)
  t.same(
    pages.map(({ text }) => text),
    ['1', '2', '3', '9'],
  )
  for (const [at, number, expected] of [
    [0, '1', [20, 2, 21]],
    [1, '2', [20, 22, 41]],
    [3, '9', [1, 162, 162]],
  ] as const)
    await open(String(pages[at]?.href), number, [...expected])
  await open(`${path}?page=10`, '9', [1, 162, 162])
  for (const odd of ['0', '-1', 'x', '']) await open(`${path}?page=${odd}`, '1', [20, 2, 21])
  t.same(
    pagesIn(await admin.get(`${path}?page=5`)).map(({ text }) => text),
    ['1', '3', '4', '5', '6', '7', '9'],
  )
  const counts = Object.fromEntries(
    parseHtml(page.body)('.import [data-count]')
      .toArray()
      .map((tab) => [String(tab.attribs['data-count']), textOf(parseHtml(page.body)(tab).text())]),
  )
  t.same(counts, {
    new: 'New 40',
    changed: 'Changed 0',
    unchanged: 'Unchanged 121',
    refused: 'Rejected 0',
  })
  await open(`${path}?outcome=new`, '1', [20, 123, 142])
  const unchanged = pagesIn(await admin.get(`${path}?outcome=unchanged`))
  t.equal(unchanged.length, 4)
  await open(String(unchanged.at(-1)?.href), '7', [1, 122, 122])
  t.match(textOf(page.body), 'Import 40 records')
})

// Zip bombs and others that are made to harm are in test/security/hostile-spreadsheets.test.ts.
t.test('broken files are refused with a reason and change nothing', async (t) => {
  readInProcesses(t)
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const files: Record<string, Buffer> = {
    'a broken zip': Buffer.from('PK\u0003\u0004nonsense'),
    'a picture': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]),
    'only headers': csv([['org']]),
    'more rows than allowed': csv([['org'], ...Array.from({ length: 10_001 }, (_, at) => [`c${at}`])]),
    'a cell of a megabyte': csv([['org'], ['x'.repeat(1_000_000)]]),
  }
  for (const [name, content] of Object.entries(files)) {
    const answer = await upload(admin, 'companies', content)
    t.equal(answer.statusCode, 422, name)
    t.match(answer.body, 'aria-invalid="true"', name)
    const page = parseHtml(answer.body)
    t.equal(page('#file').attr('aria-describedby'), 'file-error file-hint', name)
    t.equal(page('#file-error[role=alert]').text(), page('[role=alert]').text(), `${name}: the reason stands at the field, once`)
  }
  t.equal((await upload(admin, 'companies', Buffer.alloc(51 * 1024 * 1024))).statusCode, 413)
  t.equal((await admin.post('/companies/import')).statusCode, 422)
  t.equal(db.select().from(imports).all().length, 0)
})

t.test('housekeeping deletes imports that were not saved after a day, and saved ones when they can no longer be undone', async (t) => {
  const { app, as, db } = await startCabinet(t)
  const admin = await as('admin')
  for (const org of ['A', 'B']) {
    const { path } = await checked(admin, 'companies', csv([['org'], [org]]))
    if (org === 'A') await admin.post(`${path}/save`)
  }
  const leftAfter = (days: number) => {
    db.update(imports)
      .set({ created_at: Date.now() - days * 24 * 3600_000 })
      .run()
    deleteExpiredRows(app)
    const left = db.select().from(imports).orderBy(imports.id).all()
    return left.map(({ saved_at }) => (saved_at ? 'saved' : 'not saved'))
  }
  t.same(leftAfter(0.99), ['saved', 'not saved'])
  t.same(leftAfter(1.01), ['saved'])
  t.same(leftAfter(29.9), ['saved'])
  t.same(leftAfter(30.1), [])
})

const manyDealers = csv([
  ['company', 'lastname', 'name', 'email'],
  ...Array.from({ length: many }, (_, at) => ['Alpha Windows', 'Slice', `Number ${at}`, `slice${at}@firm.example`]),
])

const imported = like(users.email, 'slice%@firm.example')
const countImported = (db: Database) => db.select({ rows: count() }).from(users).where(imported).get()?.rows as number

t.test('more than 250 rows are imported, and taken back, by jobs that skip what changed meanwhile and name it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const admin = await as('admin')
  const nameOf = () => db.select({ name: users.name }).from(users).where(eq(users.email, 'denis@example.com')).get()?.name
  const before = nameOf()
  const { path } = await checked(admin, 'dealers', Buffer.concat([manyDealers, Buffer.from('\r\n,,Changed,denis@example.com')]))
  const address = (await admin.post(`${path}/save`)).headers.location as string
  t.match(address, /^\/jobs\/\d+$/)
  db.update(jobs)
    .set({ due_at: Date.now() + 600_000 })
    .run()
  t.equal((await admin.get(path)).headers.location, address, 'meanwhile the import leads to its job')
  t.equal((await admin.post(`${path}/save`)).headers.location, address, 'and is not saved a second time')
  t.equal((await admin.post(path, { key: 'email' })).statusCode, 409)
  const rival = { group_id: group.dealer, email: `slice${many - 1}@firm.example`, password: '-', lastname: 'Rival', name: 'R' }
  const { lastInsertRowid } = db
    .insert(users)
    .values({ ...rival, company_id: cast.companies.beta, superadmin: true })
    .run()
  const already = countImported(db)
  callWorker(cabinet)
  await until(() => countImported(db) !== already)
  t.ok(countImported(db) < many, 'others are served between two parts')
  const job = await endOfJob(cabinet, address)
  t.match(job, { kind: 'import', state: 'done', done: many + 1, skipped: 1 })
  t.match(job.report, [{ label: `Row ${many + 1}: Slice Number ${many - 1}` }])
  t.equal(countImported(db), many, 'all others are there')
  t.equal(nameOf(), 'Changed')
  const page = await admin.get(address)
  t.match(page.body, `action="${path}/undo"`)
  t.equal((await admin.get(path)).statusCode, 200)
  t.match(textOf((await admin.get(`${path}?outcome=refused`)).body), `Number ${many - 1}`)
  const undoing = (await admin.post(`${path}/undo`)).headers.location as string
  t.equal((await admin.post(`${path}/undo`)).headers.location, undoing, 'a second click leads to the same job')
  await until(() => countImported(db) !== many)
  const [first] = db.select().from(users).where(eq(users.email, 'slice0@firm.example')).all()
  db.update(users)
    .set({ version: 99 })
    .where(eq(users.id, first?.id as number))
    .run()
  const undone = await endOfJob(cabinet, undoing)
  t.match(undone, { kind: 'undo-import', state: 'done', done: many, skipped: 1 })
  t.match(undone.report, [{ id: first?.id, reason: 'Row 2: Slice Number 0 has been changed since the import.' }])
  t.same(
    db
      .select({ id: users.id })
      .from(users)
      .where(imported)
      .all()
      .map(({ id }) => id),
    [first?.id, Number(lastInsertRowid)],
  )
  t.equal(nameOf(), before)
  t.equal(db.select().from(trash).where(isNotNull(trash.size)).all().length, 1, 'one batch to restore')
  t.equal((await admin.post(`${path}/undo`)).headers.location, path, 'what is undone is not undone again')
})

t.test('rows that are refused from the start keep the whole import from being saved (422), however many there are', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const { path } = await checked(admin, 'dealers', Buffer.concat([manyDealers, Buffer.from('\r\nAlpha Windows,Slice,X,no email')]))
  const refused = await admin.post(`${path}/save`)
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), 'Nothing was saved.')
  t.equal(countImported(db), 0)
  t.equal(db.select().from(jobs).all().length, 0)
})

t.test('an import, or its undo, ends when its user loses the right meanwhile, and goes on when it is tried again', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const admin = await as('admin')
  const { path } = await checked(admin, 'dealers', manyDealers)
  const address = (await admin.post(`${path}/save`)).headers.location as string
  await until(() => countImported(db) !== 0)
  revoke(db, cast.admin, 'dealer_can_add')
  revoke(db, cast.admin, 'dealer_can_edit')
  t.match(await endOfJob(cabinet, address), { state: 'failed', problem: ["You don't have access."] })
  const half = countImported(db)
  t.ok(half > 0 && half < many)
  grant(db, cast.admin, 'dealer_can_add', 'dealer_can_edit')
  t.ok(db.select().from(imports).get()?.saved_at, 'what it saved until then can be undone')
  await admin.post(`${address}/retry`)
  t.match(await endOfJob(cabinet, address), { state: 'done', skipped: 0 })
  t.equal(countImported(db), many)
  const undoing = (await admin.post(`${path}/undo`)).headers.location as string
  await until(() => countImported(db) !== many)
  revoke(db, cast.admin, 'dealer_can_delete')
  await endOfJob(cabinet, undoing)
  t.ok(countImported(db) > 0, 'the others are skipped')
})

const query = (answer: Answer) => parseHtml(answer.body)
const texts = (answer: Answer, selector: string) =>
  query(answer)(selector)
    .toArray()
    .map((one) => query(answer)(one).text().replace(/\s+/g, ' ').trim())
