import { and, count, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, changes, companies, orders, stocks, trash, users } from '../../src/database/schema/index.ts'
import { invalidQueries, testBadBodies } from '../support/bad-input.ts'
import { type Answer, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { type Company, cardOnlyFields, companyOf, createFields, discountsOf, insertCompany, textsFor } from '../support/companies.ts'
import {
  attributesOf,
  columnsOf,
  controlsOf,
  elementsOf,
  errorsOf,
  fieldOf,
  hiddenOf,
  idsOf,
  isDocument,
  parseHtml,
  rowsOf,
  textOf,
  textsByRole,
  totalOf,
} from '../support/html.ts'
import { storeUpload } from '../support/uploads.ts'

const unknown = 999_999

const insertStock = ({ $client }: Cabinet['db']) =>
  Number($client.prepare("insert into stocks (name) values ('South')").run().lastInsertRowid)

const countCompanies = ({ db }: Cabinet) => db.select({ rows: count() }).from(companies).get()?.rows
const newest = ({ db }: Cabinet) => db.select().from(companies).orderBy(desc(companies.id)).get() as Company

t.test('the company list', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const listed = async (name: Name, query = '') => idsOf(await (await as(name)).get(`/companies?${query}`), 'companies')

  t.test('a user with company_can_view sees every company, the newest first', async (t) => {
    t.same(await listed('admin'), [nobodys, beta, alpha])
    t.same(await listed('root'), [nobodys, beta, alpha])
    t.equal(totalOf(await (await as('admin')).get('/companies'), 'companies'), 3)
  })

  t.test('a manager sees only their own companies', async (t) => {
    t.same(await listed('maria'), [alpha])
    t.same(await listed('mikhail'), [beta])
    t.equal(totalOf(await (await as('maria')).get('/companies'), 'companies'), 1)
    grant(db, cast.plain, 'company_manager_can_view')
    t.same(await listed('plain'), [], 'nobody’s company is not theirs')
    revoke(db, cast.plain, 'company_manager_can_view')
    grant(db, cast.mikhail, 'company_can_view')
    t.equal((await listed('mikhail')).length, 3, 'the wide right wins')
    revoke(db, cast.mikhail, 'company_can_view')
  })

  t.test('a user without a company permission is refused the list and every page below it (403)', async (t) => {
    for (const name of ['clerk', 'plain', 'pavel', 'denis'] as const)
      for (const path of ['/companies', '/company/add', `/companies/delete?id=${alpha}`, `/company/edit/${alpha}`])
        t.equal((await (await as(name)).get(path)).statusCode, 403, `${name} ${path}`)
  })

  t.test(
    'the company list has the columns of the specification and how each company stands, and the two dates when asked for',
    async (t) => {
      const admin = await as('admin')
      const usual = ['org', 'manager', 'open_orders', 'balance', 'overdue', 'last_order']
      t.same(columnsOf(await admin.get('/companies')), usual)
      t.same(columnsOf(await admin.get('/companies?cols=updated_at,created_at')), [...usual, 'created_at', 'updated_at'])
      const [row] = rowsOf(await admin.get('/companies?q=alpha&cols=created_at'), 'companies')
      t.match(row?.cells, { org: 'Alpha Windows', manager: 'Petrova Maria Ivanovna' })
      t.match(row?.cells.created_at, /^\d{1,2}\s[A-Z][a-z]{2}/)
      const [created_at, updated_at] = [Date.parse('2024-01-02T03:04:00'), Date.parse('2024-05-06T07:08:00')]
      db.update(companies).set({ created_at, updated_at }).where(eq(companies.id, alpha)).run()
      const [dated] = rowsOf(await admin.get('/companies?q=alpha&cols=created_at,updated_at'), 'companies')
      t.match(dated?.cells, { created_at: /^2\sJan 2024$/, updated_at: /^6\sMay 2024$/ })
      const titles = elementsOf(dated?.html ?? '', 'td.moment').map((cell) => attributesOf(cell).title)
      t.same(titles.slice(1), ['02.01.2024 03:04', '06.05.2024 07:08'])
      t.same(
        elementsOf(row?.html ?? '', 'a:not(.is-trash)').map((link) => attributesOf(link).href?.split('?')[0]),
        [`/company/edit/${alpha}`, `/company/edit/${alpha}`],
        'the name leads to the card, as the icon does',
      )
    },
  )

  t.test('the company list is narrowed by manager, warehouse and production site', async (t) => {
    const other = Number(db.insert(stocks).values({ name: 'Other', search: 'other' }).run().lastInsertRowid)
    const place = (id: number, values: object) => db.update(companies).set(values).where(eq(companies.id, id)).run()
    place(alpha, { stock_id: cast.stock, manufacture_id: null })
    place(beta, { stock_id: other, manufacture_id: cast.site })
    t.same(await listed('admin', `stock=${cast.stock}`), [alpha])
    t.same(await listed('admin', `stock=${other}`), [beta])
    t.same(await listed('admin', `manufacture=${cast.site}`), [beta])
    t.same(await listed('admin', `manager=${cast.maria}`), [alpha])
    t.same(await listed('admin', 'manager=none'), [nobodys])
    const page = await (await as('admin')).get('/companies')
    const offered = (answer: Answer) => elementsOf(answer.body, '#companies-manager li').map((option) => textOf(option))
    t.same(offered(page), ['No manager', 'Petrova Maria Ivanovna', 'Sidorov Mikhail'], 'those of companies')
    const whole = await (await as('root')).get('/companies')
    t.same(offered(whole), ['No manager', 'Petrova Maria Ivanovna', 'Plainer Peter', 'Sidorov Mikhail'], 'or all of the list of managers')
    t.same(offered(await (await as('maria')).get('/companies')), [], 'a manager has nobody to choose from')
    t.match(page.body, 'placeholder="Organization, manager"')
    for (const id of [alpha, beta]) place(id, { stock_id: null, manufacture_id: null })
  })

  t.test(
    'the city is that of the business address, otherwise of the registered one; people who are no dealers are not counted',
    async (t) => {
      const city = async (address: string | null, legal_address: string | null) => {
        db.update(companies).set({ address, legal_address }).where(eq(companies.id, alpha)).run()
        const [row] = rowsOf(await (await as('admin')).get('/companies?q=alpha&cols=city,dealers'), 'companies')
        return row?.cells.city
      }
      for (const [address, legal, expected] of [
        ['170000, г. Тверь, ул. Ленина, 1', 'г. Москва', 'Тверь'],
        ['', '101000, город Москва', 'Москва'],
        [null, 'г.Псков', 'Псков'],
        ['ул. Ленина, 1', 'г. Москва', '—'],
        ['city of London, Bank', null, 'London'],
        ['Г. ТВЕРЬ', null, 'ТВЕРЬ'],
        ['Пригород Тверской, 5', null, '—'],
        [null, null, '—'],
      ] as const)
        t.equal(await city(address, legal), expected, `${address} and ${legal}`)
      db.update(users).set({ company_id: alpha }).where(eq(users.id, cast.plain)).run()
      const [row] = rowsOf(await (await as('admin')).get('/companies?q=alpha&cols=dealers'), 'companies')
      t.equal(row?.cells.dealers, '3')
      db.update(users).set({ company_id: null }).where(eq(users.id, cast.plain)).run()
    },
  )

  t.test('the company list is searched by organization and by the name of the manager', async (t) => {
    const search = (q: string) => listed('admin', `${new URLSearchParams({ q })}`)
    for (const q of ['ёлка', 'ЕЛКА', 'елк', '«бета', 'ооо бета', 'sidorov', 'SIDOROV mikhail', 'бета mikhail'])
      t.same(await search(q), [beta], q)
    for (const q of ['ivanovna', 'petrova maria', 'maria alpha windows', 'aria']) t.same(await search(q), [alpha], q)
    for (const q of ['maria@example.com', '@', '%', '_', 'alpha beta', 'alpha sidorov', '"']) t.same(await search(q), [], q)
    t.same(await listed('maria', 'q=sidorov'), [], 'within what one may see')
    t.equal((await search('n')).length, 2)
  })

  t.test('a search in the company list takes %, _ and quotes literally', async (t) => {
    const odd = insertCompany(cabinet, { org: 'ООО "100%_"' })
    for (const q of ['100%', '%_', '"', '_"']) t.same(await listed('admin', `${new URLSearchParams({ q })}`), [odd], q)
    db.delete(companies).where(eq(companies.id, odd)).run()
  })

  t.test('the company list escapes markup that users typed', async (t) => {
    const id = insertCompany(cabinet, { org: '<b>"><script>x</script>' })
    const page = await (await as('admin')).get('/companies')
    t.notMatch(page.body, '<script>x')
    t.equal(rowsOf(page, 'companies')[0]?.cells.org, '<b>"><script>x</script>')
    db.delete(companies).where(eq(companies.id, id)).run()
  })

  t.test('the company list sorts by each offered column, equal rows by id in the same direction', async (t) => {
    const twin = insertCompany(cabinet, { org: 'alpha windows', created_at: companyOf(cabinet, alpha).created_at })
    t.same(await listed('admin', 'sort=org&dir=asc'), [alpha, twin, nobodys, beta])
    t.same(await listed('admin', 'sort=org&dir=desc'), [beta, nobodys, twin, alpha])
    db.update(companies).set({ created_at: 1000 }).run()
    t.same(await listed('admin'), [twin, nobodys, beta, alpha])
    t.same(await listed('admin', 'sort=created_at&dir=asc'), [alpha, beta, nobodys, twin])
    for (const key of ['nothing', 'inn', '__proto__']) t.same(await listed('admin', `sort=${key}`), await listed('admin'), key)
    db.delete(companies).where(eq(companies.id, twin)).run()
  })

  t.test('the company list has pages of 25, 50 or all rows, and a page past the end shows the last one', async (t) => {
    const planted = db.transaction(() => Array.from({ length: 60 }, (_, index) => insertCompany(cabinet, { org: `Bulk ${index}` })))
    const size = async (query: string) => (await listed('admin', query)).length
    t.equal(await size(''), 25)
    t.equal(await size('size=50'), 50)
    t.equal(await size('size=all'), 63)
    t.equal(await size('size=7'), 25)
    const last = await listed('admin', 'page=3')
    t.equal(last.length, 13)
    t.same(await listed('admin', 'page=77'), last)
    const pages = [...(await listed('admin')), ...(await listed('admin', 'page=2')), ...last]
    t.same(pages, await listed('admin', 'size=all'))
    for (const id of planted) db.delete(companies).where(eq(companies.id, id)).run()
  })

  t.test('the company list ignores invalid query parameters', async (t) => {
    for (const query of invalidQueries) {
      const page = await (await as('admin')).get(`/companies?${query}`)
      t.equal(page.statusCode, 200, query.slice(0, 60))
      if (!query.includes('q')) t.equal(totalOf(page, 'companies'), 3, query)
    }
  })

  t.test('the company list answers htmx with its region only', async (t) => {
    const region = await (await as('admin')).get('/companies?q=alpha', htmx)
    t.notOk(isDocument(region))
    t.equal(totalOf(region, 'companies'), 1)
  })
})

t.test('a company is registered', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const filled = (more: Fields = {}): Fields => ({ ...textsFor(createFields, 1), ...more })

  t.test('the registration form has the fields of the specification and none of those that only the card has', async (t) => {
    const page = await (await as('admin')).get('/company/add')
    t.equal(page.statusCode, 200)
    const names = new Set(controlsOf(page.body).map(({ name }) => name))
    for (const name of [...createFields, 'manager_id', 'stock_id', 'manufacture_id']) t.ok(names.has(name), name)
    t.equal(
      parseHtml(page.body)('details.is-folded:not([open]) input').length,
      12,
      'legal details, bank and other programs wait until somebody has them at hand',
    )
    for (const name of [...cardOnlyFields, 'discounts', 'files']) t.notOk(names.has(name), name)
  })

  t.test('a registered company is stored exactly as typed, only trimmed', async (t) => {
    const answer = await (await as('admin')).post('/company/add', filled({ org: '  ООО «Ромашка» ', inn: '12' }))
    const company = newest(cabinet)
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, `/company/edit/${company.id}`)
    t.match(company, { ...filled(), org: 'ООО «Ромашка»', inn: '12', manager_id: null, discount: null })
    const history = db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'companies'), eq(changes.record_id, company.id)))
      .all()
    t.match(history, [{ action: 'create', actor_id: cast.admin }])
    const found = await (await as('admin')).get('/companies?q=ромашка')
    t.same(idsOf(found, 'companies'), [company.id])
    t.match(textsByRole(found, 'status'), [/^Company ООО «Ромашка» added\. INN must have 10 or 12 digits\./], 'wrong details are warned of')
  })

  t.test('a company needs nothing but a name', async (t) => {
    t.equal((await (await as('admin')).post('/company/add', { org: 'Bare' })).statusCode, 303)
    t.match(newest(cabinet), { org: 'Bare', inn: null, phone: null, files: [] })
  })

  t.test('registering a company ignores fields that only the card has', async (t) => {
    const odd = {
      contract_number: '7',
      contract_date: '2026-01-01',
      director_name_full: 'X',
      director_name_short: 'X',
      discount: 50,
      specification_start_number: 100,
      'discounts[0][category_id]': cast.category,
      'discounts[0][discount]': 5,
      discounts: '',
      id: 1,
      version: 9,
      search: 'x',
    }
    t.equal((await (await as('admin')).post('/company/add', filled({ org: 'Odd', ...odd }))).statusCode, 303)
    const company = newest(cabinet)
    for (const name of cardOnlyFields) t.equal(company[name as keyof Company], null, name)
    t.equal(company.version, 1)
    t.same(discountsOf(cabinet, company.id), [])
  })

  t.test('a company gets manager, warehouse and site when it is registered; what there is only one of is chosen already', async (t) => {
    const admin = await as('admin')
    const chosen = async (name: Name) => {
      const { body } = await (await as(name)).get('/company/add')
      return ['manager_id', 'stock_id', 'manufacture_id'].map(
        (field) => parseHtml(body)(`[name=${field}] option[selected]`).attr('value') || '',
      )
    }
    t.same(await chosen('admin'), ['', String(cast.stock), String(cast.site)], 'of several managers none')
    const second = insertStock(db)
    t.same(await chosen('admin'), ['', '', String(cast.site)])
    t.equal(fieldOf(await (await as('maria')).get('/company/add'), 'manager_id'), undefined, 'managers get it themselves')
    const places = { stock_id: second, manufacture_id: cast.site }
    t.equal((await admin.post('/company/add', { org: 'Looked after', manager_id: cast.mikhail, ...places })).statusCode, 303)
    t.match(newest(cabinet), { org: 'Looked after', manager_id: cast.mikhail, ...places })
    await (await as('maria')).post('/company/add', { org: 'Hers again', manager_id: cast.mikhail })
    t.match(newest(cabinet), { org: 'Hers again', manager_id: cast.maria, stock_id: null }, 'whatever they send')
    t.equal((await admin.post('/company/add', { org: 'Odd', manager_id: cast.denis })).statusCode, 422, 'a dealer is no manager')
    t.equal((await admin.post('/company/add', { org: 'Odd', stock_id: 999 })).statusCode, 422)
    t.equal((await (await as('plain')).get('/company/managers?q=Pet', htmx)).statusCode, 403)
    grant(db, cast.plain, 'company_can_add')
    t.match((await (await as('plain')).get('/company/managers?q=Pet', htmx)).body, 'Petrova Maria', 'who may add one may choose')
    revoke(db, cast.plain, 'company_can_add')
    db.delete(stocks).where(eq(stocks.id, second)).run()
  })

  t.test('an email of a company is an address, or several; one that was stored before stays until somebody changes it', async (t) => {
    const admin = await as('admin')
    for (const email of ['abc', 'a@b', 'a@example.com, b', '@example.com']) {
      const answer = await admin.post('/company/add', { org: 'Odd', email })
      t.equal(answer.statusCode, 422, email)
      t.same(errorsOf(answer), { email: 'Enter a valid email address.' })
      t.equal(fieldOf(answer, 'email')?.value, email)
    }
    for (const email of ['a@example.com', 'a@example.com; b@example.com', ' ']) {
      t.equal((await admin.post('/company/add', { org: 'Even', email })).statusCode, 303, email)
      t.equal(newest(cabinet).email, email.trim() || null)
    }
    const old = insertCompany(cabinet, { email: 'ask Petrov' })
    t.equal((await admin.post(`/company/edit/${old}`, { version: 1, org: 'New name', email: 'ask Petrov' })).statusCode, 303)
    t.match(companyOf(cabinet, old), { org: 'New name', email: 'ask Petrov' })
    t.equal((await admin.post(`/company/edit/${old}`, { version: 2, email: 'ask Sidorov' })).statusCode, 422)
  })

  t.test('whoever registers a company is redirected to a page that they may open', async (t) => {
    const maria = await as('maria')
    const answer = await maria.post('/company/add', filled({ org: 'Hers' }))
    t.equal(answer.statusCode, 303)
    t.equal((await maria.get(String(answer.headers.location))).statusCode, 200)
    t.equal(newest(cabinet).manager_id, cast.maria, 'a manager looks after what they register')
    await (await as('admin')).post('/company/add', filled({ org: 'Of nobody yet' }))
    t.equal(newest(cabinet).manager_id, null)
    grant(db, cast.plain, 'company_can_add')
    const plain = await as('plain')
    const other = await plain.post('/company/add', filled({ org: 'Theirs' }))
    t.equal(other.statusCode, 303)
    t.not((await plain.get(String(other.headers.location))).statusCode, 403)
    revoke(db, cast.plain, 'company_can_add')
  })

  t.test('a user without company_can_add cannot register a company (403)', async (t) => {
    const before = countCompanies(cabinet)
    for (const name of ['clerk', 'plain', 'pavel', 'denis'] as const)
      t.equal((await (await as(name)).post('/company/add', filled())).statusCode, 403, name)
    revoke(db, cast.mikhail, 'company_can_add')
    t.equal((await (await as('mikhail')).get('/company/add')).statusCode, 403)
    t.equal((await (await as('mikhail')).post('/company/add', filled())).statusCode, 403)
    t.equal(countCompanies(cabinet), before)
  })

  t.test('invalid company fields are marked, typed values stay and nothing is saved (422)', async (t) => {
    const admin = await as('admin')
    const before = countCompanies(cabinet)
    const cases: [Fields, string[]][] = [
      [{}, ['org']],
      [filled({ org: '' }), ['org']],
      [filled({ org: ' \t ' }), ['org']],
      [filled({ org: 'x'.repeat(256) }), ['org']],
      [filled({ inn: '1'.repeat(256), bank: 'x'.repeat(256) }), ['bank', 'inn']],
    ]
    for (const [fields, wrong] of cases) {
      const answer = await admin.post('/company/add', fields)
      t.equal(answer.statusCode, 422)
      t.same(Object.keys(errorsOf(answer)).sort(), wrong)
      const focused = elementsOf(answer.body, 'main [autofocus]').map((element) => controlsOf(element)[0]?.name ?? textOf(element).trim())
      t.equal(focused.length, 1)
      if (wrong.length === 1) t.same(focused, wrong, 'the keyboard begins at the mistake')
      else t.match(focused, [/^Not saved\. Please check:/], 'or at the names of several')
      for (const name of createFields) t.equal(fieldOf(answer, name)?.value, String(fields[name] ?? ''), `${name} stays`)
    }
    t.equal(countCompanies(cabinet), before)
  })

  testBadBodies(t, { browser: () => as('admin'), path: '/company/add', required: 'org', unchanged: () => countCompanies(cabinet) })
})

t.test('the company card', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies

  t.test('the company card opens for users with company_can_view and for its own manager', async (t) => {
    for (const id of [alpha, beta, nobodys]) t.equal((await (await as('admin')).get(`/company/edit/${id}`)).statusCode, 200)
    const maria = await as('maria')
    t.equal((await maria.get(`/company/edit/${alpha}`)).statusCode, 200)
    for (const id of [beta, nobodys]) t.equal((await maria.get(`/company/edit/${id}`)).statusCode, 403)
    t.equal((await maria.get(`/company/edit/${unknown}`)).statusCode, 404)
  })

  t.test('every group but dealers has the tab of files, and each file comes under its own name', async (t) => {
    const names = ['Contract', 'Price list']
    const { app } = cabinet
    const stored: { name: string; file: string }[] = []
    for (const name of names) {
      const content = (async function* () {
        yield Buffer.from(name)
      })()
      const { key } = await storeUpload({ db, dataDir: app.config.dataDir }, content, { name: `${name}.txt`, userId: cast.root })
      stored.push({ name, file: key })
    }
    db.update(companies).set({ files: stored }).where(eq(companies.id, alpha)).run()
    const people = ['admin', 'maria', 'pavel', 'denis'] as const
    for (const name of people) grant(db, cast[name], 'company_can_view')
    for (const name of people) {
      const browser = await as(name)
      const tabs = elementsOf((await browser.get(`/company/edit/${alpha}`)).body, '.card-header-tabs a').map((tab) => textOf(tab))
      t.equal(tabs.includes('Files'), name !== 'denis', name)
      for (const { name: file, file: key } of stored) {
        const answer = await browser.get(`/files/${key}`)
        t.equal(answer.statusCode, name === 'denis' ? 403 : 200, name)
        if (name !== 'denis')
          t.match(answer, {
            body: file,
            headers: { 'content-disposition': new RegExp(encodeURIComponent(file).replace('%20', '(%20| )')) },
          })
      }
    }
    for (const name of people) if (name !== 'admin') revoke(db, cast[name], 'company_can_view')
    db.update(companies).set({ files: [] }).where(eq(companies.id, alpha)).run()
  })

  t.test('the company card has all fields of the specification and no delete button', async (t) => {
    const admin = await as('admin')
    const card = await admin.get(`/company/edit/${alpha}`)
    const files = await admin.get(`/company/edit/${alpha}?tab=files`)
    const names = new Set(controlsOf(card.body + files.body).map(({ name }) => name))
    for (const name of [...createFields, ...cardOnlyFields, 'discounts', 'files']) t.ok(names.has(name), name)
    t.notMatch(card.body, '/companies/delete')
    t.same(
      fieldOf(card, 'manager_id')
        ?.options.map(({ value }) => Number(value))
        .filter(Boolean)
        .sort((a, b) => a - b),
      [cast.maria, cast.mikhail, cast.plain],
      'managers are offered, and nobody else',
    )
    t.equal(fieldOf(card, 'manager_id')?.value, String(cast.maria))
  })

  t.test('the company card is read-only for users who may only view it (403 on saving)', async (t) => {
    revoke(db, cast.mikhail, 'company_manager_can_edit')
    const card = await (await as('mikhail')).get(`/company/edit/${beta}`)
    for (const name of [...createFields, ...cardOnlyFields]) t.equal(fieldOf(card, name)?.disabled, true, name)
    t.equal((await (await as('mikhail')).post(`/company/edit/${beta}`, { org: 'Updated' })).statusCode, 403)
    grant(db, cast.mikhail, 'company_manager_can_edit', 'company_can_view')
    t.equal(fieldOf(await (await as('mikhail')).get(`/company/edit/${alpha}`), 'org')?.disabled, true, 'another manager’s')
    t.equal(fieldOf(await (await as('mikhail')).get(`/company/edit/${beta}`), 'org')?.disabled, false, 'his own')
    t.equal((await (await as('mikhail')).post(`/company/edit/${alpha}`, { org: 'Updated' })).statusCode, 403)
    revoke(db, cast.mikhail, 'company_can_view')
  })

  t.test('dealers never see or change the files of a company, whatever their permissions', async (t) => {
    const files = [{ name: 'Secret contract', file: 'a'.repeat(64) }]
    db.update(companies).set({ files }).where(eq(companies.id, alpha)).run()
    t.match((await (await as('admin')).get(`/company/edit/${alpha}?tab=files`)).body, 'Secret contract')
    grant(db, cast.denis, 'company_can_view', 'company_can_edit')
    const denis = await as('denis')
    const card = await denis.get(`/company/edit/${alpha}`)
    t.equal(card.statusCode, 200)
    t.notMatch(card.body, 'Secret contract')
    t.notMatch(card.body, 'a'.repeat(64))
    t.notOk(controlsOf(card.body).some(({ name }) => name.startsWith('files')))
    t.equal((await denis.post(`/company/edit/${alpha}`, { inn: '1', files: '' })).statusCode === 303, true)
    t.same(companyOf(cabinet, alpha).files, files, 'nor can they take them off')
    t.equal((await denis.get(`/company/edit/${alpha}?tab=files`)).statusCode, 403)
    const row = await denis.get(`/company/edit/${alpha}/files/row?index=0`)
    t.not(row.statusCode, 200)
    revoke(db, cast.denis, 'company_can_view', 'company_can_edit')
  })
})

t.test('companies are deleted', async (t) => {
  const open = async () => {
    const cabinet = await startCabinet(t)
    const exists = (id: number) => companyOf(cabinet, id) !== undefined
    return { ...cabinet, ...cabinet.cast.companies, exists, admin: await cabinet.as('admin'), maria: await cabinet.as('maria') }
  }

  t.test('deleting a company asks first and names the dealers and orders affected', async (t) => {
    const { admin, alpha, exists } = await open()
    const page = await admin.get(`/companies/delete?id=${alpha}`)
    t.equal(page.statusCode, 200)
    const seen = textOf(page.body)
    t.match(seen, 'Alpha Windows')
    t.match(seen, '3 dealers will have no company.')
    t.match(seen, '1 order will have no company.')
    t.ok(exists(alpha))
  })

  t.test('deleting a company keeps its dealers and orders, without a company', async (t) => {
    const { admin, alpha, cast, db, exists } = await open()
    db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 5 }).run()
    const answer = await admin.post('/companies/delete', { id: alpha })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/companies')
    t.notOk(exists(alpha))
    for (const name of ['denis', 'roman', 'ivan'] as const)
      t.match(db.select().from(users).where(eq(users.id, cast[name])).get(), { company_id: null, active: name !== 'ivan' }, name)
    t.match(db.select().from(orders).where(eq(orders.id, cast.order)).get(), { company_id: null, dealer_id: cast.denis })
    t.equal(db.select().from(categoryCompany).all().length, 0, 'its own rows go with it')
    const [kept] = db.select().from(trash).all()
    t.match(kept, { entity: 'companies', record_id: alpha, label: 'Alpha Windows', actor_id: cast.admin })
    t.ok(
      kept?.removed.rows.some(({ table }) => table === 'category_company'),
      'into the bin',
    )
    const deleted = db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'companies'), eq(changes.action, 'delete')))
      .all()
    t.match(deleted, [{ record_id: alpha, actor_id: cast.admin }])
    const list = await admin.get('/dealers?q=denisov')
    t.equal(list.statusCode, 200, 'and the dealers are still listed')
    t.equal((await admin.get(`/dealers/edit/${cast.denis}`)).statusCode, 200)
    t.equal((await admin.get(`/company/edit/${alpha}`)).statusCode, 404)
  })

  t.test('deleting several companies deletes all or none', async (t) => {
    const { admin, maria, alpha, beta, nobodys, cast, db, exists } = await open()
    t.equal((await maria.post('/companies/delete', { id: [alpha, beta] })).statusCode, 403)
    t.equal((await maria.post('/companies/delete', { id: nobodys })).statusCode, 403)
    t.equal((await maria.get(`/companies/delete?id=${beta}`)).statusCode, 403)
    t.equal((await admin.post('/companies/delete', { id: [alpha, unknown] })).statusCode, 404)
    t.equal((await admin.post('/companies/delete', { id: [alpha, 'word'] })).statusCode, 404)
    t.equal((await admin.post('/companies/delete', {})).statusCode, 422)
    t.ok(exists(alpha) && exists(beta) && exists(nobodys))
    t.equal((await maria.post('/companies/delete', { id: alpha })).statusCode, 303, 'her own')
    t.equal((await admin.post('/companies/delete', { id: [beta, nobodys] })).statusCode, 303)
    t.equal(countCompanies({ db } as Cabinet), 0)
    revoke(db, cast.maria, 'company_manager_can_delete')
    t.equal((await maria.post('/companies/delete', { id: unknown })).statusCode, 403)
  })

  t.test('deleting all found companies deletes only those that the confirmation showed (409 otherwise)', async (t) => {
    const cabinet = await open()
    const { admin, alpha, beta, exists } = cabinet
    const seen = hiddenOf(await admin.get('/companies/delete?all=1&q=windows'), 'seen')[0] as string
    const late = insertCompany(cabinet, { org: 'More windows' })
    t.equal((await admin.post('/companies/delete', { all: 1, q: 'windows', seen })).statusCode, 409)
    t.ok(exists(alpha) && exists(late))
    const again = hiddenOf(await admin.post('/companies/delete', { all: 1, q: 'windows', seen }), 'seen')[0] as string
    t.equal((await admin.post('/companies/delete', { all: 1, q: 'windows', seen: again })).statusCode, 303)
    t.notOk(exists(alpha) || exists(late))
    t.ok(exists(beta))
  })

  t.test('deleting a company answers htmx with the updated table', async (t) => {
    const { admin, alpha, beta, nobodys } = await open()
    const answer = await admin.post('/companies/delete', { id: alpha }, htmx)
    t.equal(answer.statusCode, 200)
    t.same(idsOf(answer, 'companies'), [nobodys, beta])
    t.equal(totalOf(answer, 'companies'), 2)
  })
})
