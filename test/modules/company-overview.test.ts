import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryCompany, companies, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { attributesOf, elementById, elementsOf, fieldOf, idsOf, parseHtml, textOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

const day = 24 * 3600_000
const linksIn = ({ body }: Answer, selector: string) => elementsOf(body, `${selector} a`).map((link) => attributesOf(link).href)
const cardOf = ({ body }: Answer, title: string) => elementsOf(body, `section[aria-labelledby="${title}-title"]`).join('')
const monthsOf = ({ body }: Answer) =>
  elementsOf(body, 'svg [role="row"]:has(a)').map((row) => {
    const link = parseHtml(row)('a')
    return { text: link.find('title').text(), href: link.attr('href') as string }
  })
const rubles = (text: string) => Number(/([\d\u00a0]+)\u00a0₽$/.exec(text)?.[1]?.replace(/\D/g, ''))

t.test('the overview of a company', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  const of = { dealer_id: cast.denis, company_id: alpha }
  const overview = async (name: Name, id = alpha) => (await as(name)).get(`/company/edit/${id}?tab=overview`)

  t.test('shows what is filled in, and folds what is empty into one line', async (t) => {
    const filled = {
      inn: '7707083893',
      bank: 'Big Bank',
      phone: '+7(999) 111 22 33',
      director_name_full: '',
      discount: 10,
      stock_id: cast.stock,
    }
    db.update(companies).set(filled).where(eq(companies.id, alpha)).run()
    db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 15 }).run()
    const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
    db.insert(categoryCompany).values({ company_id: alpha, category_id: doors, discount: 5 }).run()
    const page = await overview('maria')
    const details = textOf(cardOf(page, 'details'))
    t.match(details, /INN 7707083893/)
    t.match(details, /Bank Big Bank/)
    t.match(details, /Not filled in: Email, .*KPP, OGRN, .*Director \(full name\)/)
    t.notMatch(details, /Not filled in:.*(INN|Phone)/)
    t.match(linksIn(page, '.properties'), ['tel:+79991112233'])
    const terms = textOf(cardOf(page, 'terms'))
    t.match(terms, /Base discount 10% Doors 5% Windows 15% Warehouse North stock/)
    t.match(terms, /Not filled in: Credit limit, Days to pay, Production site, Starting specification number$/)
    t.match(textOf(page.body), /No contract .*INN 7707083893/)
    db.update(companies).set({ contract_number: 'D-7', contract_date: '2026-02-03' }).where(eq(companies.id, alpha)).run()
    t.match(textOf((await overview('maria')).body), /Contract D-7 of 03.02.2026/)
  })

  t.test('orders in progress are those of the list it leads to, with customer and product instead of the company', async (t) => {
    const old = insertOrder(cabinet, 'production', { ...of, receiver: 'Ann', created_at: Date.now() - 20 * day, date_make: '2020-01-01' })
    const bare = insertOrder(cabinet, 'paid', { ...of, created_at: Date.now() - 2 * day })
    for (const name of ['Gate', 'Motor']) db.insert(orderItems).values({ order_id: old, name, quantity: 1, price: 1, discount: 0 }).run()
    insertOrder(cabinet, 'completed', of)
    insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: beta })
    const page = await overview('maria')
    const lines = elementsOf(cardOf(page, 'open-orders'), 'li').map(textOf)
    t.match(lines[0], new RegExp(`^#${old} Ann Gate In production \\d+ days late 20 days`))
    t.match(lines[1], new RegExp(`^#${bare} — `))
    t.notMatch(lines.join(), /Alpha|Motor/)
    t.match(textOf(cardOf(page, 'open-orders')), /^Orders in progress 3 View list/, 'the completed one is not counted')
    const maria = await as('maria')
    const href = linksIn(page, '[aria-labelledby="open-orders-title"] header')[0] as string
    t.same(
      idsOf(await maria.get(href), 'orders'),
      lines.map((line) => Number(/\d+/.exec(line)?.[0])),
    )
    const figures = parseHtml(cardOf(page, 'totals'))('dl > div:has(a)')
      .toArray()
      .map((row) => ({
        href: parseHtml(cardOf(page, 'totals'))(row).find('a').attr('href') as string,
        count: textOf(parseHtml(cardOf(page, 'totals'))(row).find('dd').text()),
      }))
    t.same(
      figures.map(({ count }) => count),
      ['1', '1', '4'],
    )
    for (const { href, count } of figures) t.equal(totalOf(await maria.get(href), 'orders'), Number(count), href)
  })

  t.test('each month leads to the orders it is the sum of, canceled ones left out', async (t) => {
    const now = new Date()
    const at = (months: number, day: number, hour = 12) => new Date(now.getFullYear(), now.getMonth() + months, day, hour, 30).getTime()
    for (const [cost, created_at] of [
      [100_00, at(0, 1, 0)],
      [200_00, at(0, 0, 23)],
      [400_00, at(-1, 1, 0)],
      [800_00, at(-11, 1, 0)],
      [1600_00, at(-11, 0, 23)],
    ] as const)
      insertOrder(cabinet, 'completed', { ...of, cost, created_at })
    insertOrder(cabinet, 'canceled', { ...of, cost: 6400_00, created_at: at(0, 1, 0) })
    insertOrder(cabinet, 'completed', { dealer_id: cast.daria, company_id: beta, cost: 3200_00, created_at: at(0, 1, 0) })
    const months = monthsOf(await overview('maria'))
    t.equal(months.length, 12)
    t.match(
      [months.at(-1)?.text, months.at(-2)?.text, months[0]?.text].map((text) => rubles(text ?? '')),
      [100, 600, 800],
    )
    const maria = await as('maria')
    for (const { text, href } of months) {
      const list = await maria.get(`${href}&size=all`)
      const costs = parseHtml(list.body)('tr [data-kopecks]')
        .toArray()
        .map((cell) => Number(cell.attribs['data-kopecks']))
      t.equal(rubles(text), costs.reduce((sum, cost) => sum + cost, 0) / 100, text)
    }
    t.match(textOf(cardOf(await overview('maria'), 'months')), /12 months: 1 500 ₽/)
    const russian = parseHtml((await maria.get(`/company/edit/${alpha}?tab=overview`, { 'accept-language': 'ru' })).body)
    const names = russian('.chart-name')
      .toArray()
      .map((name) => russian(name).text())
    t.equal(names.length, 12)
    t.notMatch(names.join(), /\.|M\d/, 'as short as they are without a period')
    t.equal(textOf(elementById(await overview('maria'), 'turnover') ?? ''), '3 100,00 ₽', 'what is older counts, too')
    t.match(textOf(cardOf(await overview('mikhail', beta), 'months')), /12 months: 3 200 ₽/, "another company's are its own")
  })

  t.test('offers to edit only to those who may, and what is empty takes one line', async (t) => {
    db.update(companies)
      .set({ files: [{ name: 'A contract', file: 'a.pdf' }] })
      .where(eq(companies.id, alpha))
      .run()
    const tabs = async (name: Name) => linksIn(await overview(name), '.card-header-tabs')
    const fromList = await (await as('maria')).get(`/company/edit/${alpha}?tab=overview&back=%3Fq%3Dalpha`)
    t.equal(linksIn(fromList, '.card-header-tabs')[0], `/company/edit/${alpha}?tab=overview&back=%3Fq%3Dalpha`)
    t.ok(linksIn(fromList, '[aria-labelledby=files-title]').includes(`/company/edit/${alpha}?tab=files`))
    const ledger = `/company/edit/${alpha}?tab=ledger`
    t.ok((await tabs('maria')).includes(ledger))
    revoke(db, cast.maria, 'company_manager_can_edit', 'order_can_view_prices')
    t.same(linksIn(await overview('maria'), '[aria-labelledby=files-title] header'), [], 'who reads only is offered nothing to edit')
    t.notOk((await tabs('maria')).includes(ledger), 'the ledger is for those who see prices')
    grant(db, cast.maria, 'order_can_view_prices')
    grant(db, cast.maria, 'company_manager_can_edit')
    const page = await overview('root', cast.companies.nobodys)
    t.notMatch(textOf(cardOf(page, 'open-orders')), 'View list', 'there is none')
    for (const line of ['No orders in progress.', 'No orders in the last 12 months.', 'No manager', 'No dealers yet'])
      t.match(textOf(page.body), line)
    t.equal(cardOf(page, 'files'), '', 'files, once there are some')
    t.equal(monthsOf(page).length, 0)
  })

  t.test('people are those whom one sees in the list of dealers', async (t) => {
    const people = async (name: Name) => textOf(cardOf(await overview(name), 'people'))
    t.match(
      await people('root'),
      /Petrova Maria Ivanovna Manager DD Denisov Denis Dealer RR Romanov Roman Dealer II Inactive Ivan Deactivated/,
    )
    t.match(await people('maria'), /^Contacts Add dealer DD Denisov/, 'the manager knows herself')
    t.notMatch(await people('maria'), /Vernaya/, 'she works for another company')
    const page = await overview('maria')
    t.same(
      linksIn(page, '.people'),
      [cast.denis, cast.roman, cast.ivan].map((id) => `/dealers/edit/${id}?tab=overview`),
    )
    revoke(db, cast.maria, 'dealer_manager_can_view')
    t.equal(await people('maria'), '', 'where there is nobody to name there is no list')
    grant(db, cast.maria, 'dealer_manager_can_view')
    const more = Array.from({ length: 6 }, (_, n) => ({
      group_id: 2,
      email: `x${n}@example.com`,
      name: 'X',
      lastname: `Xenon ${n}`,
      company_id: alpha,
    }))
    for (const one of more)
      db.insert(users)
        .values({ ...one, password: '-' } as never)
        .run()
    const crowded = await overview('maria')
    t.match(textOf(cardOf(crowded, 'people')), /All dealers: 9/)
    t.equal(elementsOf(cardOf(crowded, 'people'), '.person-line').length, 6, 'six dealers')
    t.equal(totalOf(await (await as('maria')).get(`/dealers?company=${alpha}`), 'dealers'), 9)
  })

  t.test('a dealer with the right to view companies sees neither files nor orders of others', async (t) => {
    db.update(companies)
      .set({ files: [{ name: 'Secret contract', file: 'a.pdf' }] })
      .where(eq(companies.id, alpha))
      .run()
    grant(db, cast.daria, 'company_can_view')
    const staff = await overview('maria')
    t.match(textOf(cardOf(staff, 'files')), /Secret contract/)
    t.match(attributesOf(elementsOf(staff.body, '.record-files a').join('')), { href: '/files/a.pdf', download: '' })
    const done = insertOrder(cabinet, 'completed', { company_id: cast.companies.nobodys })
    const idle = await overview('root', cast.companies.nobodys)
    t.match(textOf(cardOf(idle, 'open-orders')), /^Orders in progress View list No orders in progress\.$/, 'there are others')
    const open = Array.from({ length: 8 }, () => insertOrder(cabinet, 'new', { company_id: cast.companies.nobodys }))
    t.notMatch(textOf(cardOf(await overview('root', cast.companies.nobodys), 'open-orders')), / more/, 'all eight are shown')
    open.push(insertOrder(cabinet, 'new', { company_id: cast.companies.nobodys }))
    const busy = await overview('root', cast.companies.nobodys)
    t.match(textOf(cardOf(busy, 'open-orders')), /^Orders in progress 9 .* and 1 more$/, 'the ninth is counted and leads on')
    const [all, more] = [linksIn(busy, '[aria-labelledby="open-orders-title"] header'), linksIn(busy, '.order-lines-more')]
    t.same(more, all, 'to all of them')
    for (const id of [done, ...open]) db.delete(orders).where(eq(orders.id, id)).run()
    const page = await overview('daria')
    t.equal(page.statusCode, 200)
    t.notMatch(page.body, /Secret contract|a\.pdf/)
    t.match(textOf(page.body), /No orders in progress\./)
    t.same(linksIn(page, 'svg'), [])
    t.notMatch(textOf(page.body), /Denisov/)
    revoke(db, cast.daria, 'company_can_view')
    t.equal((await overview('daria', beta)).statusCode, 403, 'her own company is no exception')
  })

  t.test('the form of a new dealer starts with the company it was opened for, if one may choose it', async (t) => {
    const chosen = async (name: Name, company: number | string) =>
      fieldOf(await (await as(name)).get(`/dealers/add?company=${company}`), 'company_id')?.options.find(({ selected }) => selected)?.text
    t.equal(await chosen('maria', alpha), 'Alpha Windows')
    t.equal(await chosen('root', beta), 'ООО «Бета Ёлка»')
    for (const [name, company] of [
      ['maria', beta],
      ['root', 'x'],
    ] as const)
      t.not(await chosen(name, company), 'ООО «Бета Ёлка»')
  })

  t.test('the form of a new order starts with the dealer it was opened for, if one may order for them', async (t) => {
    const chosen = async (name: Name, dealer: number) =>
      fieldOf(await (await as(name)).get(`/orders/add?dealer=${dealer}`), 'dealer_id')?.options.find(({ selected }) => selected)?.value
    t.equal(await chosen('maria', cast.denis), String(cast.denis))
    t.not(await chosen('maria', cast.daria), String(cast.daria))
  })

  t.test('a field says how much it usually holds', async (t) => {
    const { body } = await (await as('root')).get(`/company/edit/${alpha}`)
    const size = (name: string) => Number(parseHtml(body)(`#${name}`).attr('size'))
    t.ok(size('kpp') < size('ogrn') && size('ogrn') < size('rs'))
    t.notOk(size('org'), 'a name takes what there is')
  })
})
