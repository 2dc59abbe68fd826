import { load } from 'cheerio'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryCompany, changes, companies, contractPrices, orders, stocks, users } from '../../src/database/schema/index.ts'
import { bookCorrection } from '../../src/modules/ledger/book.ts'
import { type Answer, type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { companyOf, discountsOf, textsFor } from '../support/companies.ts'
import { elementById, elementsOf, fieldOf, hiddenOf, idsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { statusId } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

/** A cabinet whose company Alpha is being edited by admin, with a second category to choose. */
async function openCard(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, cast } = cabinet
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const admin = await cabinet.as('admin')
  const alpha = cast.companies.alpha
  const address = `/company/edit/${alpha}`
  return { ...cabinet, doors, windows: cast.category, admin, alpha, address, save: (fields: Fields) => admin.post(address, fields) }
}

const row = (index: number, category_id: string | number, discount: string | number, id?: number) => ({
  ...(id && { [`discounts[${index}][id]`]: id }),
  [`discounts[${index}][category_id]`]: category_id,
  [`discounts[${index}][discount]`]: discount,
})

t.test('saving the company card stores every field sent and keeps the others', async (t) => {
  const { save, db, alpha, cast } = await openCard(t)
  const texts = textsFor(
    'contract_number inn ogrn kpp okpo okato okved address legal_address director_name_full director_name_short bank bik rs cs phone email'.split(
      ' ',
    ),
    3,
  )
  const chosen = {
    discount: 15,
    specification_start_number: 1500,
    manufacture_id: cast.site,
    stock_id: cast.stock,
    manager_id: cast.mikhail,
  }
  t.equal((await save({ ...texts, ...chosen, contract_date: '2026-02-28' })).statusCode, 303)
  t.match(companyOf({ db }, alpha), { ...texts, ...chosen, contract_date: '2026-02-28', org: 'Alpha Windows' })
})

t.test('the company card names who changed that company last, and not who changed another one later', async (t) => {
  const { save, admin, address, as, cast } = await openCard(t)
  const root = await as('root')
  const other = `/company/edit/${cast.companies.beta}`
  t.equal((await save({ inn: '1' })).statusCode, 303)
  for (const inn of ['1', '2', '3']) t.equal((await root.post(other, { inn })).statusCode, 303)
  const lastOf = async (path: string) => textOf((await admin.get(path)).body).match(/Last updated by (.+?) on/)?.[1]
  t.not(await lastOf(other), await lastOf(address))
  t.equal(await lastOf(other), 'Root Olga')
  t.ok(await lastOf(address))
})

t.test('the company card has no delete button', async (t) => {
  const { admin, address } = await openCard(t)
  t.notMatch((await admin.get(address)).body, /\/companies\/delete/)
})

t.test('discount rows are added, changed and removed, and existing rows keep their ids', async (t) => {
  const { save, db, alpha, windows, doors } = await openCard(t)
  t.equal((await save({ discounts: '', ...row(0, windows, 10), ...row(1, doors, 20) })).statusCode, 303)
  const [first, second] = discountsOf({ db }, alpha)
  t.match(
    [first, second],
    [
      { category_id: windows, discount: 10 },
      { category_id: doors, discount: 20 },
    ],
  )
  await save({ discounts: '', ...row(0, doors, 25, second?.id) })
  t.same(
    discountsOf({ db }, alpha).map(({ id, discount }) => [id, discount]),
    [[second?.id, 25]],
    'the row left out is gone, the other is the same row',
  )
  await save(row(0, windows, 5))
  t.equal(discountsOf({ db }, alpha).length, 2, 'without the marker nothing is deleted')
  await save({ org: 'Alpha Windows and Doors' })
  t.equal(discountsOf({ db }, alpha).length, 2, 'unnamed, the repeater stays as it is')
  await save({ discounts: '' })
  t.equal(discountsOf({ db }, alpha).length, 0, 'the marker alone says: no rows')
})

t.test('two discount rows may swap their categories', async (t) => {
  const { save, db, alpha, windows, doors } = await openCard(t)
  await save({ discounts: '', ...row(0, windows, 10), ...row(1, doors, 20) })
  const [first, second] = discountsOf({ db }, alpha)
  t.equal((await save({ discounts: '', ...row(0, doors, 10, first?.id), ...row(1, windows, 20, second?.id) })).statusCode, 303)
  t.same(
    discountsOf({ db }, alpha).map(({ id, category_id }) => [id, category_id]),
    [
      [first?.id, doors],
      [second?.id, windows],
    ],
  )
})

t.test('invalid discount rows are marked at their row by the submitted index, and nothing is saved (422)', async (t) => {
  const { save, db, alpha, windows, cast } = await openCard(t)
  const before = companyOf({ db }, alpha)
  const bad: [string, Fields, string][] = [
    ['101 percent', row(3, windows, 101), 'discounts.3.discount'],
    ['less than nothing', row(0, windows, -1), 'discounts.0.discount'],
    ['one and a half', row(0, windows, '1.5'), 'discounts.0.discount'],
    ['an exponent', row(0, windows, '1e2'), 'discounts.0.discount'],
    ['no discount', row(0, windows, ''), 'discounts.0.discount'],
    ['no category', row(0, '', 5), 'discounts.0.category_id'],
    ['an unknown category', row(0, 999, 5), 'discounts.0.category_id'],
    ['a category twice', { ...row(0, windows, 5), ...row(7, windows, 6) }, 'discounts.7.category_id'],
    ['a row of nobody', row(0, windows, 5, 999), 'discounts.0.category_id'],
    ['a base discount of 101', { discount: 101 }, 'discount'],
    ['a negative base discount', { discount: -1 }, 'discount'],
    ['half a percent', { discount: '1.5' }, 'discount'],
    ['an exponent as base discount', { discount: '1e2' }, 'discount'],
    ['a manager who is none', { manager_id: cast.denis }, 'manager_id'],
    ['a name of 10,000 letters', { org: 'я'.repeat(10_000) }, 'org'],
    ['no name', { org: '  ' }, 'org'],
    ['a date that does not exist', { contract_date: '2026-02-30' }, 'contract_date'],
  ]
  for (const [what, fields, field] of bad) {
    const answer = await save({ discounts: '', phone: '11111, typed all the same', ...fields })
    t.equal(answer.statusCode, 422, what)
    t.match(answer.body, `id="${field}-error"`, `${what}: the message stands at ${field}`)
    t.match(answer.body, 'typed all the same', `${what}: what was typed is kept`)
  }
  t.same(companyOf({ db }, alpha), before)
  t.same(discountsOf({ db }, alpha), [])
})

t.test('more than 200 discount rows are refused before they are read (413)', async (t) => {
  const { save, windows } = await openCard(t)
  const many = Object.assign({}, ...Array.from({ length: 201 }, (_, index) => row(index, windows, 1)))
  const answer = await save({ discounts: '', ...many })
  t.equal(answer.statusCode, 413)
  t.match(textsByRole(answer, 'alert')[0], 'Up to 200 lines')
})

t.test('field names such as __proto__ and constructor have no effect', async (t) => {
  const { save, db, alpha } = await openCard(t)
  const answer = await save({
    '__proto__[org]': 'x',
    'discounts[__proto__][discount]': 1,
    'constructor[prototype]': 'x',
    'discounts[0][constructor]': 'x',
  })
  t.ok([303, 422].includes(answer.statusCode))
  t.equal(companyOf({ db }, alpha).org, 'Alpha Windows')
  t.equal(({} as Record<string, unknown>).org, undefined)
})

t.test('without JavaScript, buttons add, remove and raise rows, and nothing is saved', async (t) => {
  const { save, db, alpha, windows, doors, admin, address } = await openCard(t)
  const added = await save({ org: 'Being typed', discounts: '', ...row(0, windows, 10), _add: 'discounts' })
  t.equal(added.statusCode, 200)
  t.match(added.body, 'name="discounts[1][category_id]"')
  t.match(added.body, 'value="Being typed"')
  t.notMatch(added.body, 'aria-invalid')
  const gap = await save({ discounts: '', ...row(0, windows, 10), ...row(5, doors, 20), _add: 'discounts' })
  t.same(
    [0, 5, 6].map((at) => fieldOf(gap, `discounts[${at}][discount]`)?.value),
    ['10', '20', ''],
    'a new line takes the place of no other',
  )
  const sortedBy = ({ body }: Answer) => parseHtml(body)('[data-sortable], [name=_up]').length
  t.equal(sortedBy(gap), 0, 'discounts have no order of their own')
  await save({ files: '', 'files[0][name]': 'Contract' })
  t.ok(sortedBy(await admin.get(`${address}?tab=files`)) > 0, 'files have')
  const removed = await save({ discounts: '', ...row(0, windows, 10), ...row(1, doors, 20), _remove: 'discounts.0' })
  t.equal(removed.statusCode, 200)
  t.notMatch(removed.body, 'name="discounts[0][category_id]"')
  t.match(removed.body, 'name="discounts[1][category_id]"')
  t.same([companyOf({ db }, alpha).org, discountsOf({ db }, alpha).length], ['Alpha Windows', 0])
})

t.test('htmx gets an empty row as a fragment', async (t) => {
  const { admin, address } = await openCard(t)
  for (const [repeater, field] of [
    ['discounts', 'category_id'],
    ['files', 'file'],
  ]) {
    const answer = await admin.get(`${address}/${repeater}/row?index=12`, htmx)
    t.equal(answer.statusCode, 200)
    t.match(answer.body, `name="${repeater}[12][${field}]"`)
    t.notMatch(answer.body, '<html')
    t.equal((await admin.get(`${address}/${repeater}/row?index=x`)).statusCode, 422)
  }
})

t.test('a user who may only view a company cannot get an empty row (403)', async (t) => {
  const { as, address, db, cast } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view')
  t.equal((await (await as('clerk')).get(`${address}/discounts/row?index=0`)).statusCode, 403)
})

t.test('the history records discount rows before and after a change', async (t) => {
  const { save, db, alpha, windows } = await openCard(t)
  await save({ discounts: '', ...row(0, windows, 10) })
  const change = db
    .select()
    .from(changes)
    .where(eq(changes.entity, 'companies'))
    .all()
    .findLast((one) => one.record_id === alpha)
  t.match(change?.fields.discounts, [[], [{ category_id: windows, discount: 10 }]])
  t.equal(change?.record_version, companyOf({ db }, alpha).version)
})

t.test('two users who change different fields both succeed, and the second is told what the other changed', async (t) => {
  const { admin, as, address, db, alpha, cast, windows } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  const clerk = await as('clerk')
  const version = companyOf({ db }, alpha).version
  await clerk.post(address, { version, inn: '7707083893', discounts: '', ...row(0, windows, 10) })
  const whole = { version, org: 'Alpha Glass', inn: '', discounts: '' }
  t.equal((await admin.post(address, whole)).statusCode, 303)
  t.match(companyOf({ db }, alpha), { org: 'Alpha Glass', inn: '7707083893' })
  t.equal(discountsOf({ db }, alpha).length, 1, 'a row that I never saw is kept')
  t.match(textsByRole(await admin.get(address), 'status').join(), /INN/)
})

t.test('two users who change the same field: the second is shown both versions (409) and decides by saving again', async (t) => {
  const { admin, as, address, db, alpha, cast } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  const version = companyOf({ db }, alpha).version
  await (await as('clerk')).post(address, { version, bank: 'Their bank', kpp: '7701AB001' })
  const clash = await admin.post(address, { version, bank: 'My bank', kpp: '', phone: '+7 900 222 33 44' })
  t.equal(clash.statusCode, 409)
  t.match(clash.body, 'Their bank')
  t.match(clash.body, 'value="My bank"', 'nothing typed is lost')
  t.match(clash.body, 'value="+7 900 222 33 44"')
  t.match(clash.body, 'value="7701AB001"', 'what only they changed stands in the form')
  t.match(companyOf({ db }, alpha), { bank: 'Their bank', phone: null }, 'nothing was saved')
  const [fresh = ''] = hiddenOf(clash, 'version')
  t.equal((await admin.post(address, { version: fresh, bank: 'My bank', kpp: '7701AB001', phone: '+7 900 222 33 44' })).statusCode, 303)
  t.match(companyOf({ db }, alpha), { bank: 'My bank', kpp: '7701AB001', phone: '+7 900 222 33 44' })
})

t.test('a conflict opens the tab of its field, whatever else was sent', async (t) => {
  const { admin, as, address, db, alpha, cast, windows } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  const product_id = insertProduct(db, { article: 'W-1', name: 'Window' })
  const price = (price: number, id: number | '' = '') => ({
    contract_prices: '',
    ...Object.fromEntries(
      Object.entries({ id, product_id, from: '2026-01-01', price }).map(([name, value]) => [`contract_prices[0][${name}]`, value]),
    ),
  })
  await admin.post(address, price(10))
  const id = db.select().from(contractPrices).get()?.id as number
  const version = companyOf({ db }, alpha).version
  await (await as('clerk')).post(address, { version, ...price(11, id) })
  const clash = await admin.post(address, { version, discounts: '', ...row(0, windows, 15), ...price(12, id) })
  t.equal(clash.statusCode, 409)
  t.equal(textOf(elementsOf(clash.body, '.nav-tabs [aria-current]').join()), 'Contract prices')
})

t.test('discount rows changed by two users are a conflict (409), be they different ones', async (t) => {
  const { admin, as, address, db, alpha, cast, windows, doors, save } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  const clerk = await as('clerk')
  await save({ discounts: '', ...row(0, windows, 10), ...row(1, doors, 20) })
  const [first, second] = discountsOf({ db }, alpha).map((one) => one.id)
  const version = companyOf({ db }, alpha).version
  await clerk.post(address, { version, discounts: '', ...row(0, windows, 11, first), ...row(1, doors, 20, second) })
  const disjoint = await admin.post(address, { version, discounts: '', ...row(0, windows, 10, first), ...row(1, doors, 22, second) })
  t.equal(disjoint.statusCode, 409)
  const clash = await admin.post(address, { version, discounts: '', ...row(0, windows, 15, first), ...row(1, doors, 22, second) })
  t.equal(clash.statusCode, 409)
  t.match(clash.body, /Windows: 15/)
  t.match(clash.body, /Windows: 11/)
  t.same(
    discountsOf({ db }, alpha).map((one) => one.discount),
    [11, 20],
  )
})

t.test('for every pair of different fields changed by two users, both changes are kept', async (t) => {
  const { admin, as, address, db, alpha, cast } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  const clerk = await as('clerk')
  const names = ['org', 'phone', 'bank', 'address'] as const
  for (const mine of names)
    for (const theirs of names) {
      const { version } = companyOf({ db }, alpha)
      await clerk.post(address, { version, [theirs]: `theirs ${mine} ${theirs} 11111` })
      const answer = await admin.post(address, { version, [mine]: `mine ${mine} ${theirs} 11111` })
      t.equal(answer.statusCode, mine === theirs ? 409 : 303, `${mine} here, ${theirs} there`)
      t.equal(companyOf({ db }, alpha)[theirs], `theirs ${mine} ${theirs} 11111`)
      if (mine !== theirs) t.equal(companyOf({ db }, alpha)[mine], `mine ${mine} ${theirs} 11111`)
    }
})

t.test("a company saved without a version is not compared with others' changes", async (t) => {
  const { admin, as, address, db, alpha, cast } = await openCard(t)
  grant(db, cast.clerk, 'company_can_view', 'company_can_edit')
  await (await as('clerk')).post(address, { bank: 'Their bank' })
  t.equal((await admin.post(address, { bank: 'My bank' })).statusCode, 303)
  t.equal(companyOf({ db }, alpha).bank, 'My bank')
})

t.test('a form submitted twice by the same user creates one company', async (t) => {
  const { admin, as, db } = await openCard(t)
  const form = { org: 'Twice Ltd', once: 'a-random-value' }
  const first = await admin.post('/company/add', form)
  const second = await admin.post('/company/add', form)
  t.equal(second.statusCode, 303)
  t.equal(second.headers.location, first.headers.location)
  t.equal((await admin.post('/company/add', { ...form, org: 'Twice Ltd again' })).statusCode, 409, 'other values are another company')
  t.equal(db.select().from(companies).where(eq(companies.org, 'Twice Ltd')).all().length, 1)
  t.equal(db.select().from(companies).where(eq(companies.org, 'Twice Ltd again')).all().length, 0)
  const others = await (await as('maria')).post('/company/add', form)
  t.not(others.headers.location, first.headers.location)
  await admin.post('/company/add', { org: 'Plain' })
  await admin.post('/company/add', { org: 'Plain' })
  t.equal(db.select().from(companies).where(eq(companies.org, 'Plain')).all().length, 2, 'bodies without it are never compared')
})

t.test('a form that was refused can be submitted again with the same idempotency key', async (t) => {
  const { admin } = await openCard(t)
  t.equal((await admin.post('/company/add', { org: '', once: 'again' })).statusCode, 422)
  t.equal((await admin.post('/company/add', { org: 'Better', once: 'again' })).statusCode, 303)
})

t.test('legal details with wrong check digits are saved with a warning', async (t) => {
  const { admin, save, address, db, alpha } = await openCard(t)
  t.equal((await save({ inn: '7707083890', bik: '044525225', cs: '30101810400000000226' })).statusCode, 303)
  t.equal(companyOf({ db }, alpha).inn, '7707083890')
  const warnings = ({ body }: Answer) =>
    parseHtml(body)('[data-warning]')
      .toArray()
      .map(({ attribs }) => attribs.id)
  const after = await admin.get(address)
  t.same(warnings(after), ['inn-warning', 'cs-warning'])
  t.equal(fieldOf(after, 'inn')?.describedBy?.join(), 'inn-warning', 'read out with the field')
  t.equal(parseHtml(after.body)('#inn-warning .icon').length, 1, 'not by color alone')
  const said = parseHtml(after.body)('.flash.alert-warning [role=status]').text()
  t.match(said, /saved\. Check the INN: the check digit is wrong\. The account does not match the BIK\.$/, 'what was saved says so')
  await save({ inn: '7707083891' })
  t.equal(parseHtml((await admin.get(address)).body)('.alert-warning').length, 1, 'and so does another wrong one')
  await save({ bank: 'Another', inn: '7707083891' })
  t.equal(parseHtml((await admin.get(address)).body)('.alert-warning').length, 0, 'what was known before is not said again')
  const live = await admin.get('/company/warnings?inn=7707083893&ogrn=12', htmx)
  t.same(warnings(live), ['ogrn-warning'])
  t.equal(textOf(elementById(live, 'ogrn-warning') ?? ''), 'Check the OGRN: the check digit is wrong.')
  const others = await admin.get('/company/warnings?org=1&constructor=1&okpo=1', htmx)
  t.notMatch(others.body, /id=/, 'nothing is said of other fields')
})

t.test('under strict rules, changing the base discount needs company_can_edit_discount (403)', async (t) => {
  const { admin, address, db, alpha, cast } = await openCard(t, { RULES: 'strict' })
  t.equal((await admin.post(address, { discount: 10 })).statusCode, 403)
  t.equal((await admin.post(address, { discount: '', bank: 'Saved' })).statusCode, 303, 'its present value is nothing')
  grant(db, cast.admin, 'company_can_edit_discount')
  t.equal((await admin.post(address, { discount: 10 })).statusCode, 303)
  t.equal(companyOf({ db }, alpha).discount, 10)
})

t.test('a dealer sees no files of a company on its page and cannot save any', async (t) => {
  const { as, address, db, cast } = await openCard(t)
  grant(db, cast.denis, 'company_can_view', 'company_can_edit')
  const denis = await as('denis')
  const page = await denis.get(address)
  t.equal(page.statusCode, 200)
  t.notMatch(page.body, 'name="files"')
  db.update(companies)
    .set({ files: [{ name: 'Contract', file: 'a'.repeat(64) }] })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  t.equal((await denis.post(address, { files: '' })).statusCode, 303)
  t.equal(companyOf({ db }, cast.companies.alpha).files.length, 1)
})

const references = [
  ['stocks', 'stock_can_view', 'stock_can_edit'],
  ['manufactures', 'manufacture_can_view', 'manufacture_can_edit'],
  ['categories', 'category_can_view', 'category_can_edit'],
] as const

for (const [list, view, edit] of references) {
  t.test(`${list}: one permission lets a user see them, the other change them`, async (t) => {
    const { as, db, cast } = await startCabinet(t)
    const clerk = await as('clerk')
    t.equal((await clerk.get(`/${list}`)).statusCode, 403)
    grant(db, cast.clerk, view)
    t.equal((await clerk.get(`/${list}`)).statusCode, 200)
    t.equal((await clerk.get(`/${list}/add`)).statusCode, 403)
    t.match((await clerk.get(`/${list}/edit/1`)).body, /name="name"[^>]* disabled/)
    t.equal((await clerk.post(`/${list}/edit/1`, { name: 'x' })).statusCode, 403)
    t.equal((await clerk.post(`/${list}/delete`, { id: 1 })).statusCode, 403)
    grant(db, cast.clerk, edit)
    const created = await clerk.post(`/${list}/add`, { name: 'Ёлочный', ...(list !== 'categories' && { address: 'Лесная, 1' }) })
    t.equal(created.statusCode, 303)
    t.match((await clerk.get(`/${list}?q=елоч`, htmx)).body, 'data-total="1"')
    t.equal((await clerk.post(created.headers.location as string, { name: '' })).statusCode, 422)
    t.equal((await clerk.post(created.headers.location as string, { name: 'Renamed' })).statusCode, 303)
    t.match((await clerk.get(`/${list}?q=renamed`, htmx)).body, 'Renamed')
    const [, id] = /(\d+)$/.exec(created.headers.location as string) as RegExpExecArray
    t.equal((await clerk.post(`/${list}/delete`, { id: id as string })).statusCode, 303)
    t.match((await clerk.get(`/${list}?q=renamed`, htmx)).body, 'data-total="0"')
  })
}

t.test('deleting a warehouse names its users first and leaves them without a warehouse', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  db.update(companies).set({ stock_id: cast.stock }).run()
  const question = (await root.get(`/stocks/delete?id=${cast.stock}`)).body
  t.match(question, /3 companies/)
  t.match(question, /1 production/)
  await root.post('/stocks/delete', { id: cast.stock })
  t.same([companyOf({ db }, cast.companies.alpha).stock_id, db.select().from(stocks).all()], [null, []])
  t.equal(db.select().from(users).where(eq(users.id, cast.pavel)).get()?.stock_id, null)
})

t.test('a production user sees their own warehouse without any permission and never another', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const other = Number(db.insert(stocks).values({ name: 'South stock', search: 'south stock' }).run().lastInsertRowid)
  await seesOnly(t, cabinet, [cast.stock])
  grant(db, cast.pavel, 'stock_can_view', 'stock_can_edit')
  await seesOnly(t, cabinet, [cast.stock])
  const pavel = await cabinet.as('pavel')
  t.equal((await pavel.get(`/stocks/edit/${other}`)).statusCode, 403)
  t.equal((await pavel.post(`/stocks/edit/${other}`, { name: 'Mine now' })).statusCode, 403)
  db.update(users).set({ stock_id: null }).where(eq(users.id, cast.pavel)).run()
  await seesOnly(t, cabinet, [])
})

async function seesOnly(t: { same: (a: unknown, b: unknown) => void }, { as }: Cabinet, ids: number[]): Promise<void> {
  const page = await (await as('pavel')).get('/stocks')
  t.same(idsOf(page, 'stocks'), ids)
}

t.test('a deletion submitted twice is carried out once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const form = { id: cast.stock, once: 'delete-it' }
  t.equal((await root.post('/stocks/delete', form)).statusCode, 303)
  t.match(await root.post('/stocks/delete', form), { statusCode: 303, headers: { location: '/stocks' } })
  t.equal((await root.post('/stocks/delete', { id: cast.stock })).statusCode, 404, 'without it, it is a record that is gone')
  t.equal(db.select().from(stocks).all().length, 0)
})

t.test(
  'the header of a company card shows contract, balance, what is overdue, what is left of the limit, and turnover on every tab',
  async (t) => {
    const { as, address, db, cast } = await openCard(t)
    const { alpha, beta } = cast.companies
    const store = (values: object) => db.update(companies).set(values).where(eq(companies.id, alpha)).run()
    store({ inn: '7701234567', kpp: '770101001', contract_number: 'A-1', contract_date: '2026-01-30', discount: 15 })
    db.update(orders).set({ cost: 1_234_50 }).run()
    db.insert(orders)
      .values([
        { company_id: alpha, cost: 50 },
        { company_id: beta, cost: 999_00 },
        { company_id: alpha, cost: 777_00, status_id: statusId('canceled') },
      ])
      .run()
    const root = await as('root')
    const headOf = ({ body }: Answer) => {
      const page = load(body)
      const facts = page('.record-facts > div')
        .get()
        .map((fact) => page(fact).text().replaceAll(/\s+/g, ' ').trim())
      const state = page('.record-state')
      return {
        state: `${state.attr('data-state')}: ${state.text()}`,
        facts,
        turnover: page('.record-facts #turnover').attr('data-kopecks'),
      }
    }
    const facts = ['Balance 0,00 ₽', 'Turnover 1 235,00 ₽']
    for (const tab of ['', '?tab=dealers', '?tab=orders', '?tab=files', '?tab=history']) {
      const head = headOf(await root.get(address + tab))
      t.same(head, { state: 'said: Contract A-1 of 30.01.2026', facts, turnover: '123500' }, tab)
    }

    const state = async (values: object) => {
      store(values)
      return headOf(await root.get(address)).state
    }
    t.equal(await state({ contract_date: null }), 'said: Contract A-1 of —')
    t.equal(await state({ contract_number: '', contract_date: '2026-01-30' }), 'said: Contract — of 30.01.2026')
    t.equal(await state({ contract_number: null, contract_date: null }), 'said: No contract')
    store({ credit_limit: 100_00 })
    t.same(headOf(await root.get(address)).facts[1], 'Left of the credit limit 100,00 ₽')
    t.equal(load((await root.get(address)).body)('.record-facts .is-late').length, 0)
    bookCorrection(
      db,
      { company_id: alpha, amount: -100_01, date: '2026-01-30', order_id: null, note: '' },
      { id: cast.root, name: 'Root Olga' },
    )
    t.same(headOf(await root.get(address)).facts.slice(0, 2), ['Balance −100,01 ₽', 'Left of the credit limit −0,01 ₽'])
    t.equal(load((await root.get(address)).body)('.record-facts .is-late').length, 1, 'in red')
    const link = load((await root.get(address)).body)('.record-facts a').attr('href')
    t.equal(link, `/orders?company=${alpha}&not_canceled=1`, 'the turnover leads to the orders it counts')

    revoke(db, cast.clerk, 'order_can_view')
    grant(db, cast.clerk, 'company_can_view')
    const clerk = headOf(await (await as('clerk')).get(address))
    t.equal(clerk.turnover, undefined, 'whoever may not see orders learns no turnover')
    revoke(db, cast.clerk, 'order_can_view_prices')
    t.same(headOf(await (await as('clerk')).get(address)).facts.slice(0, 2), ['INN 7701234567', 'KPP 770101001'], 'without prices')
  },
)

t.test('a dealer reads on the dashboard who their manager is, and the discounts of their own company', async (t) => {
  const { as, db, cast, doors, windows } = await openCard(t)
  const { alpha, beta } = cast.companies
  db.update(companies).set({ discount: 12 }).where(eq(companies.id, alpha)).run()
  db.insert(categoryCompany)
    .values([
      { company_id: alpha, category_id: windows, discount: 20 },
      { company_id: alpha, category_id: doors, discount: 5 },
      { company_id: beta, category_id: doors, discount: 99 },
    ])
    .run()
  db.update(users).set({ phone: '+7 (900) 123-45-67' }).where(eq(users.id, cast.maria)).run()
  const shown = async () => {
    const page = load((await (await as('denis')).get('/')).body)
    const texts = (selector: string) =>
      page(selector)
        .get()
        .map((one) => page(one).text().replaceAll(/\s+/g, ' ').trim())
    return {
      discounts: texts('.discount-list dt, .discount-list dd'),
      manager: texts('.contact strong, .contact a'),
      links: page('.contact a')
        .get()
        .map(({ attribs }) => attribs.href),
    }
  }
  t.same(await shown(), {
    discounts: ['Base discount', '12%', 'Doors', '5%', 'Windows', '20%'],
    manager: ['Petrova Maria Ivanovna', '+7 (900) 123-45-67', 'maria@example.com'],
    links: ['tel:+79001234567', 'mailto:maria@example.com'],
  })
  db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run()
  db.update(companies).set({ discount: null }).run()
  t.match(await shown(), { discounts: ['Base discount', '0%'], manager: [], links: [] }, 'who is deactivated cannot be reached')
})

t.test('warehouses, sites and categories are offered by name, as they are written', async (t) => {
  const { admin, address, db, cast } = await openCard(t)
  db.insert(stocks)
    .values([
      { name: 'ёж', search: 'еж' },
      { name: 'Архив', search: 'архив' },
    ])
    .run()
  const page = await admin.get(address)
  const names = (name: string) => fieldOf(page, name)?.options.map(({ text }) => text)
  t.same(names('stock_id')?.slice(1), ['North stock', 'Архив', 'ёж'])
  t.same(names('manufacture_id')?.slice(1), ['First site'])
  t.equal(fieldOf(page, 'manager_id')?.options.find(({ value }) => value === String(cast.maria))?.text, 'Petrova Maria Ivanovna')
})

t.test('a number of the first specification and a discount may be the least and the most allowed, and not one more', async (t) => {
  const { save, db, alpha, windows } = await openCard(t)
  for (const number of ['0', '1000000000']) {
    t.equal((await save({ specification_start_number: number })).statusCode, 303, number)
    t.equal(companyOf({ db }, alpha).specification_start_number, Number(number))
  }
  for (const number of ['-1', '1000000001']) t.equal((await save({ specification_start_number: number })).statusCode, 422, number)
  for (const discount of [0, 100]) {
    t.equal((await save({ discounts: '', ...row(0, windows, discount) })).statusCode, 303, String(discount))
    t.match(discountsOf({ db }, alpha), [{ discount }])
  }
  for (const discount of [-1, 101]) t.equal((await save({ discounts: '', ...row(0, windows, discount) })).statusCode, 422, String(discount))
})

t.test('the tabs of a company list its own dealers and orders only', async (t) => {
  const { as, address, db, cast } = await openCard(t)
  const admin = await as('admin')
  const rowsOn = async (tab: string) => {
    const page = load((await admin.get(`${address}?tab=${tab}&size=all`)).body)
    return page(`#${tab}-table tbody tr`)
      .get()
      .map((row) => Number(page(row).attr('id')?.split('-')[1]))
      .sort((a, b) => a - b)
  }
  const sortedIds = (rows: { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b)
  const { alpha, beta } = cast.companies
  t.same(await rowsOn('dealers'), sortedIds(db.select().from(users).where(eq(users.company_id, alpha)).all()))
  t.same(await rowsOn('orders'), sortedIds(db.select().from(orders).where(eq(orders.owner_company_id, alpha)).all()))
  db.insert(orders)
    .values([{}, {}].map(() => ({ status_id: 1, company_id: beta })))
    .run()
  const counted = async (company: number) =>
    load((await admin.get(`/company/edit/${company}?tab=orders&status=1`)).body)('#orders-tab-all').text()
  t.match([await counted(alpha), await counted(beta)], [/All\s+1/, /All\s+2/])
})

t.test('a tab without any dealer or order offers to add one to those who may', async (t) => {
  const { as, db, cast } = await openCard(t)
  const { lastInsertRowid } = db.insert(companies).values({ org: 'Empty Ltd', search: 'empty ltd' }).run()
  const root = await as('root')
  const offered = async (browser: Browser, tab: string) => load((await browser.get(tab)).body)('.list-region .empty a').attr('href')
  const card = `/company/edit/${lastInsertRowid}`
  t.equal(await offered(root, `${card}?tab=dealers`), `/dealers/add?company=${lastInsertRowid}`)
  t.equal(await offered(root, `${card}?tab=orders`), `/orders/add?company=${lastInsertRowid}`)
  t.equal(await offered(root, `/dealers/edit/${cast.daria}?tab=orders`), `/orders/add?dealer=${cast.daria}`)
  revoke(db, cast.admin, 'dealer_can_add')
  t.equal(await offered(await as('admin'), `${card}?tab=dealers`), undefined)
})
