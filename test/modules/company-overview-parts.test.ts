import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, companies, users } from '../../src/database/schema/index.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { isDocument, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const day = 24 * 3600_000
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** A part of the page: its heading, and its lines, each with where it leads. */
function partOf({ body }: Answer, title: string) {
  const $ = parseHtml(body)
  const part = $(`section[aria-labelledby="${title}-title"]`)
  const said = (selector: string) =>
    part
      .find(selector)
      .toArray()
      .map((one) => [textOf($.html(one)), ...($(one).find('a').addBack('a').attr('href') ?? '').split('\n').filter(Boolean)].join(' → '))
  return {
    heading: said('header'),
    lines: said('dl > div, .people > li, .record-files > li, .order-lines > li'),
    notes: said('.record-empty'),
  }
}

const tabsOf = ({ body }: Answer) =>
  parseHtml(body)('.card-header-tabs a')
    .toArray()
    .map((tab) => plain(parseHtml(body)(tab).text()))

const currentTab = ({ body }: Answer) => plain(parseHtml(body)('.card-header-tabs a[aria-current]').text())

const menuOf = ({ body }: Answer) => {
  const $ = parseHtml(body)
  return $('.record-menu a')
    .toArray()
    .map((link) => `${plain($(link).text())} → ${$(link).attr('href')}`)
}

t.test('the parts of the overview of a company', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, nobodys } = cast.companies
  const of = { dealer_id: cast.denis, company_id: alpha }
  const overview = async (name: Name, id = alpha, query = '') => (await as(name)).get(`/company/edit/${id}?tab=overview${query}`)
  const set = (values: Partial<typeof companies.$inferInsert>) => db.update(companies).set(values).where(eq(companies.id, alpha)).run()
  const late = insertOrder(cabinet, 'production', { ...of, cost: 1234_56, created_at: Date.now() - 14 * day, date_make: dayIn(-3) })
  insertOrder(cabinet, 'completed', { ...of, cost: 1_00 })

  t.test('say what is agreed on, with zero and nothing told apart', async (t) => {
    db.insert(categoryCompany).values({ company_id: nobodys, category_id: cast.category, discount: 44 }).run()
    set({
      discount: 12.5,
      credit_limit: 0,
      payment_days: 0,
      specification_start_number: 0,
      manufacture_id: cast.site,
      stock_id: cast.stock,
    })
    t.same(partOf(await overview('root'), 'terms'), {
      heading: ['Terms'],
      lines: [
        'Base discount 12.5%',
        'Credit limit 0,00 ₽',
        'Days to pay 0',
        'Warehouse North stock',
        'Production site First site',
        'Starting specification number 0',
      ],
      notes: [],
    })
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(
      partOf(await overview('maria'), 'terms').lines,
      ['Warehouse North stock', 'Production site First site', 'Starting specification number 0'],
      'amounts are for those who see prices',
    )
    grant(db, cast.maria, 'order_can_view_prices')
  })

  t.test('count the orders, lead to each of them, and say nothing twice', async (t) => {
    const page = await overview('maria')
    t.same(partOf(page, 'totals'), {
      heading: ['Orders'],
      lines: [
        `Overdue 1 → /orders?company=${alpha}&overdue=1`,
        `No progress for 14 days 1 → /orders?company=${alpha}&stuck=14`,
        `All orders 3 → /orders?company=${alpha}`,
      ],
      notes: [],
    })
    const open = partOf(page, 'open-orders')
    t.same(open.heading, [`Orders in progress 2 View list → /orders?company=${alpha}&open=1&sort=since&dir=asc&cols=since`])
    const back = encodeURIComponent(`company?company=${alpha}&open=1&sort=since&dir=asc&cols=since`)
    t.same(open.lines, [
      `#${late} — In production 3 days late 14 days in this status 1 234,56 ₽ → /orders/${late}?back=${back}`,
      `#${cast.order} — New today 0,00 ₽ → /orders/${cast.order}?back=${back}`,
    ])
    const opened = parseHtml((await (await as('maria')).get(`/orders/${late}?back=${back}`)).body)
    t.equal(opened('.back-link').attr('href'), `/company/edit/${alpha}?tab=overview`, 'an order leads back to the company')
    t.match(opened('[rel=next]').attr('href'), `/orders/${cast.order}?`, 'and on to its next one')
    t.match(partOf(page, 'months').heading, [/^Amounts by month 12 months: 1 236 ₽$/])
    const chart = parseHtml(page.body)('svg.chart')
    t.equal(plain(chart.find('[role=columnheader]').first().text()), 'Month')
    t.equal(plain(chart.find('[role=columnheader]').last().text()), 'Amount')
    const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(Date.now())
    t.equal(chart.find('[role=rowheader]').last().attr('aria-label'), month)
    t.same(partOf(await overview('root', nobodys), 'totals').lines, [], 'of none there is nothing to count')
    t.same(partOf(await overview('root', nobodys), 'open-orders').heading, ['Orders in progress'])
    revoke(db, cast.maria, 'order_can_view_prices')
    const blind = await overview('maria')
    t.same(partOf(blind, 'totals').lines.length, 3)
    t.same(partOf(blind, 'months').heading, [])
    grant(db, cast.maria, 'order_can_view_prices')
  })

  t.test('show eight orders, those that stand still for longest, and six dealers, those with access first', async (t) => {
    for (let at = 0; at < 8; at += 1) insertOrder(cabinet, 'new', { ...of, created_at: Date.now() - at * day })
    const open = partOf(await overview('maria'), 'open-orders')
    t.equal(open.lines.length, 8)
    t.match(open.heading, [/^Orders in progress 10 View list/])
    const days = open.lines.map((line) => Number(/ (\d+) days?\b(?! late)/.exec(line)?.[1] ?? 0))
    t.same(
      days,
      days.toSorted((one, other) => other - one),
    )
    const more = ['One', 'Two', 'Three'].map((name) => ({
      group_id: 2,
      email: `${name}@example.com`,
      name,
      lastname: 'Zimin',
      company_id: alpha,
    }))
    for (const one of more)
      db.insert(users)
        .values({ ...one, password: '-', phone: '+7 900 111-22-33' } as never)
        .run()
    const people = async () => partOf(await overview('maria'), 'people').lines.map((line) => line.replace(/ → .*/, ''))
    const six = await people()
    t.match(six, [
      /Denisov Denis Dealer$/,
      /Romanov Roman Dealer$/,
      /Zimin One \+7 900 111-22-33$/,
      /Zimin Three \+7 900/,
      /Zimin Two \+7 900/,
      /Inactive Ivan Deactivated$/,
    ])
    t.equal(six.length, 6, 'six dealers are each named')
    db.insert(users)
      .values({ ...more[0], email: 'four@example.com', name: 'Four', password: '-' } as never)
      .run()
    t.match((await people()).at(-1), /^All dealers: 7$/)
    t.notMatch((await people()).join(), 'Deactivated')
  })

  t.test('say how to reach the manager, and offer to add a dealer to those who may', async (t) => {
    db.update(users).set({ phone: '+7 (900) 123-45-67' }).where(eq(users.id, cast.maria)).run()
    const page = await overview('maria')
    t.match(
      partOf(await overview('root'), 'people').lines[0],
      /Petrova Maria Ivanovna Manager · \+7 \(900\) 123-45-67 → tel:\+79001234567$/,
    )
    t.same(partOf(page, 'people').heading, [`Contacts Add dealer → /dealers/add?company=${alpha}`])
    revoke(db, cast.maria, 'dealer_can_add')
    t.same(partOf(await overview('maria'), 'people').heading, ['Contacts'])
    grant(db, cast.maria, 'dealer_can_add')
    t.same(partOf(await overview('root', nobodys), 'people').notes, ['No manager', 'No dealers yet'])
  })

  t.test('lead on to dealers, orders, ledger and history, as far as somebody may go there', async (t) => {
    t.same(menuOf(await overview('root')), [`Offer → /company/edit/${alpha}?tab=offer`], 'few come for what their offers say')
    t.same(
      tabsOf(await overview('root')),
      ['Overview', 'Dealers', 'Orders', 'Documents', 'Contract prices', 'Ledger', 'Files', 'History'],
      'the overview comes first',
    )
    t.same(tabsOf(await overview('maria')), ['Overview', 'Dealers', 'Orders', 'Documents', 'Contract prices', 'Ledger', 'Files'])
    const offer = await (await as('root')).get(`/company/edit/${alpha}?tab=offer`)
    t.equal(currentTab(offer), 'Offer', 'what is open stands among the tabs')
    t.equal(currentTab(await overview('maria')), 'Overview')
    t.equal(currentTab(await (await as('maria')).get(`/company/edit/${alpha}`)), 'Data', 'the address alone is the form')
    const page = parseHtml((await overview('maria', alpha, '&back=%3Fq%3Dalpha')).body)
    t.same([plain(page('.back-link').text()), page('.back-link').attr('href')], ['Companies', '/companies?q=alpha'])
    t.equal(page('aside.record-aside').attr('aria-label'), 'Terms and contacts')
    grant(db, cast.daria, 'company_can_view')
    t.same(menuOf(await overview('daria')), [], 'what the tabs lead to is not said twice')
    t.ok(tabsOf(await overview('daria')).includes('Data'), 'who cannot edit reads the form')
  })

  t.test('lead whoever may change it to the form, also by E, and nobody else', async (t) => {
    const edit = async (name: Name, query: string) => {
      const page = parseHtml((await (await as(name)).get(`/company/edit/${alpha}${query}`)).body)
      return page('[data-hotkey=e]').attr('href')
    }
    t.equal(await edit('maria', '?tab=overview&back=%3Fq%3Dalpha'), `/company/edit/${alpha}?back=%3Fq%3Dalpha`)
    t.equal(await edit('maria', '?tab=ledger'), `/company/edit/${alpha}`, 'from every tab')
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.equal(await edit('maria', '?tab=overview'), undefined)
    const data = await (await as('maria')).get(`/company/edit/${alpha}`)
    t.equal(currentTab(data), 'Data', 'the address alone is the form, which can be read')
    grant(db, cast.maria, 'company_manager_can_edit')
  })

  t.test('stand on a tab of its own, to which its earlier address leads', async (t) => {
    const maria = await as('maria')
    const answer = await maria.get(`/companies/${alpha}?back=%3Fq%3Dalpha`)
    t.match([answer.statusCode, answer.headers.location], [303, `/company/edit/${alpha}?tab=overview&back=%3Fq%3Dalpha`])
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.equal((await maria.get(`/companies/${alpha}`)).headers.location, `/company/edit/${alpha}?tab=overview`)
    t.equal((await overview('maria')).statusCode, 200, 'also for those who only read')
    grant(db, cast.maria, 'company_manager_can_edit')
    t.equal((await maria.get(`/companies/${nobodys}`)).statusCode, 403)
    const part = await maria.get(`/company/edit/${alpha}?tab=overview`, htmx)
    t.notOk(isDocument(part))
    const $ = parseHtml(part.body)
    t.equal($('#companies-card .card-header-tabs').length, 1, 'it comes with the tabs and in their place')
    t.equal($('#companies-card .record-aside').length, 1)
  })

  t.test('hold the files, each with its name, and the details group by group', async (t) => {
    const files = [
      { name: 'Contract', file: 'a.pdf' },
      { name: 'Power of attorney', file: 'b.pdf' },
    ]
    set({ files, inn: '7707083893', bik: '044525225', email: 'info@alpha.example', contract_date: '2026-02-03', contract_number: null })
    const page = await overview('maria')
    t.same(partOf(page, 'files'), {
      heading: [`Files Edit → /company/edit/${alpha}?tab=files`],
      lines: ['Contract → /files/a.pdf?name=Contract', 'Power of attorney → /files/b.pdf?name=Power%20of%20attorney'],
      notes: [],
    })
    const $ = parseHtml(page.body)
    t.equal($('.record-files a[download]').length, 2)
    t.same(
      $('.record-details > div')
        .toArray()
        .map((part) => plain($(part).text())),
      ['Company Email info@alpha.example', 'Legal details INN 7707083893', 'Bank BIK 044525225'],
      'a group of which nothing is filled in is left out',
    )
    t.equal($('.record-details a').attr('href'), 'mailto:info@alpha.example')
    t.equal(plain($('.record-line').text()), 'Contract — of 03.02.2026')
    set({ contract_date: null, contract_number: 'D-7', inn: null })
    const named = parseHtml((await overview('maria')).body)
    t.equal(plain(named('.record-line').text()), 'Contract D-7 of —')
    t.equal(named('.record-state').attr('data-state'), 'said')
    set({ contract_number: null })
    const none = parseHtml((await overview('maria')).body)('.record-state')
    t.same([plain(none.text()), none.attr('data-state')], ['No contract', 'said'])
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.same(partOf(await overview('maria'), 'files').heading, ['Files'])
    grant(db, cast.maria, 'company_manager_can_edit')
  })
})
