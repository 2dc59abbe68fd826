import type { Element } from 'domhandler'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, changes, companies, stocks } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { fieldOf, idsOf, parseHtml, textOf, totalOf } from '../support/html.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder, statusId } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'
import { setTimeZone } from '../support/time-zone.ts'

const links = (body: string, place: string) =>
  parseHtml(body)<Element, string>(place)
    .toArray()
    .map(({ attribs }) => new URL(attribs.href ?? '', 'http://localhost').searchParams)

t.test('every link of a list keeps the hidden columns that are shown', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const { body } = await admin.get('/dealers?cols=created_at,updated_at&q=e')
  const none = (await admin.get('/dealers?cols=created_at,updated_at&q=zzz')).body
  const ways = {
    sorting: links(body, 'th a[href]'),
    sizes: links(body, 'nav[aria-label="Rows per page"] a'),
    'clearing the search': links(none, 'a[data-clear]'),
  }
  for (const [name, found] of Object.entries(ways)) {
    t.ok(found.length > 0, name)
    for (const query of found) t.equal(query.get('cols'), 'created_at,updated_at', name)
  }
  t.equal(parseHtml(body)('input[name=cols]').attr('value'), 'created_at,updated_at', 'a new search')
})

t.test('clearing the search leaves the order, and what is searched for is cut after 200 characters', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const { body } = await admin.get('/dealers?q=zzz&sort=company&dir=desc')
  t.same(
    links(body, 'a[data-clear]').map((query) => [...query].join(' ')),
    ['sort,company dir,desc'],
  )
  t.equal(fieldOf(await admin.get(`/dealers?q=${'x'.repeat(300)}`), 'q')?.value, 'x'.repeat(200))
})

t.test('going on typing replaces the address of a search; whatever else is pressed becomes a new one', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const address = async (from: string, source: string) => {
    const { headers } = await admin.get('/dealers?q=den', { ...htmx, 'hx-current-url': `http://localhost${from}`, 'hx-source': source })
    return [headers['hx-replace-url'], headers['hx-push-url']]
  }
  t.same(await address('/dealers?q=de', 'form#search'), ['/dealers?q=den', undefined])
  t.same(await address('/dealers', 'form#search'), [undefined, '/dealers?q=den'], 'the first letters')
  t.same(await address('/dealers?q=de', 'a#page-2'), [undefined, '/dealers?q=den'], 'a link')
})

t.test('a day that a list is filtered by is told as pages show days', async (t) => {
  const { as } = await startCabinet(t)
  const chips = textOf((await (await as('admin')).get('/orders?created_from=2026-02-01')).body)
  t.match(chips, /Created: from 01\.02\.2026/)
})

t.test('a column by which a list is sorted anyway keeps its direction unless the address has one', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  const order = async (query: string) => idsOf(await admin.get(`/companies?${query}`), 'companies')
  for (const { id } of db.select({ id: companies.id }).from(companies).all())
    db.update(companies).set({ created_at: id }).where(eq(companies.id, id)).run()
  const newest = await order('')
  t.same(await order('sort=created_at'), newest)
  t.same(await order('sort=created_at&dir=asc'), newest.toReversed())
  t.same(await order('sort=org'), await order('sort=org&dir=asc'), 'others begin with the first')
})

t.test('every list offers 25, 50 and all of its rows a page, payments 100 at most', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  insertProduct(db, { article: 'W-1' })
  insertPayment(db, cast.order)
  await root.post('/news/add', { name: 'Holidays' })
  for (const list of [
    'orders',
    'dealers',
    'companies',
    'managers',
    'news',
    'products',
    'payments',
    'categories',
    'stocks',
    'manufactures',
  ]) {
    const sizes = async (query: string) => {
      const page = parseHtml((await root.get(`/${list}${query}`)).body)
      return page('nav[aria-label="Rows per page"] a, nav[aria-label="Rows per page"] [aria-current]')
        .toArray()
        .map((one) => page(one).text().trim())
    }
    t.same(await sizes('?size=50'), ['25', '50', list === 'payments' ? '100' : 'All'], list)
  }
})

t.test('a column link shows or hides its column and leaves the others', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const colsOf = async (cols: string, column: string) =>
    links((await admin.get(`/dealers?cols=${cols}`)).body, `#dealers-column-${column}`)[0]?.get('cols') ?? null
  t.equal(await colsOf('', 'created_at'), 'created_at')
  t.equal(await colsOf('created_at', 'updated_at'), 'created_at,updated_at')
  t.equal(await colsOf('created_at,updated_at', 'created_at'), 'updated_at')
  t.equal(await colsOf('created_at', 'created_at'), null, 'the last one leaves nothing')
  const page = parseHtml((await admin.get('/dealers?cols=created_at')).body)
  const says = (column: string) => page(`#dealers-column-${column} .visually-hidden`).text().trim()
  t.same(['created_at', 'updated_at'].map(says), ['– Hide column', ''])
  t.equal(await colsOf('name,nothing', 'created_at'), 'created_at', 'columns that are always shown, and none, are not named')
})

t.test('a column that gives way can be hidden where it is shown, and shown where it gives way; another can be shown again', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const menuOf = async (query: string) => {
    const page = parseHtml((await admin.get(`/orders${query}`)).body)
    return page<Element, string>('[id^="orders-column-specification_number"]')
      .toArray()
      .map(({ attribs }) => {
        const cols = new URL(attribs.href as string, 'http://localhost').searchParams.get('cols')
        return { cols, isOn: attribs.class?.includes('is-on'), below: attribs['data-below'], from: attribs['data-from'] }
      })
  }
  t.same(await menuOf(''), [
    { cols: '-specification_number', isOn: true, below: '72', from: undefined },
    { cols: 'specification_number', isOn: false, below: undefined, from: '72' },
  ])
  const narrow = parseHtml((await admin.get('/orders')).body)('#orders-table table').attr('data-narrow')
  t.match(narrow, /^3-72 /, 'as the table says')
  const [off, ...others] = await menuOf('?cols=-specification_number,receiver')
  t.match(off, { cols: 'receiver,specification_number', isOn: false, below: undefined })
  t.same(others, [])
  const heads = parseHtml((await admin.get('/orders?cols=-specification_number')).body)('#orders-table th[data-col]')
  t.same(
    heads.toArray().map(({ attribs }) => attribs['data-col']),
    ['id', 'company', 'dealer', 'status', 'cost', 'created_at'],
  )
  t.match(await menuOf('?cols=specification_number'), [{ cols: '-specification_number', isOn: true, below: undefined }], 'it stays')
  const usual = parseHtml((await admin.get('/orders?cols=-company,-receiver')).body)('#orders-table th[data-col=company]')
  t.equal(usual.length, 1, 'what is no choice cannot be hidden')
})

t.test('a column that a filter shows can be hidden all the same', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  insertEntry(db, cast.companies.alpha)
  const admin = await as('admin')
  const address = `/ledger?company=${cast.companies.alpha}`
  const choice = (body: string) => parseHtml(body)('#ledger-column-balance')
  const shown = (await admin.get(address)).body
  t.ok(choice(shown).hasClass('is-on'))
  const hidden = (await admin.get(choice(shown).attr('href') as string)).body
  t.notOk(choice(hidden).hasClass('is-on'))
  t.equal(parseHtml(hidden)('#ledger-table th[data-col=balance]').length, 0)
})

t.test('page size and columns chosen in a list are remembered for that person, and the address still wins', async (t) => {
  const { as, cast } = await startCabinet(t)
  const [admin, root] = [await as('admin'), await as('root')]
  const columnsOf = (body: string) =>
    parseHtml(body)<Element, string>('#dealers-table th[data-col]')
      .toArray()
      .map(({ attribs }) => attribs['data-col'])
  const sizeOf = (body: string) => parseHtml(body)('nav[aria-label="Rows per page"] [aria-current]').text().trim()
  await admin.get('/dealers?size=50&cols=created_at')
  t.equal(sizeOf((await admin.get('/dealers')).body), '25', 'an address that was opened chooses nothing')
  await admin.get('/dealers?size=50&cols=created_at', { referer: 'http://localhost/dealers?q=e' })
  const again = (await admin.get('/dealers')).body
  t.equal(sizeOf(again), '50')
  t.ok(columnsOf(again).includes('created_at'))
  t.match(links(again, '#dealers-size-25')[0]?.get('size'), '25', 'what is usual elsewhere is named')
  const named = (await admin.get('/dealers?size=25&cols=')).body
  t.equal(sizeOf(named), '25')
  t.notOk(columnsOf(named).includes('created_at'))
  t.equal(sizeOf((await root.get('/dealers')).body), '25', 'others choose for themselves')
  t.equal(sizeOf((await admin.get('/companies')).body), '25', 'and each list has its own')
  t.match(columnsOf((await admin.get('/dealers?size=25')).body), ['lastname', 'name'], 'the address names one, the other is remembered')
  t.ok(columnsOf((await admin.get('/dealers?size=25')).body).includes('created_at'))
  const maria = await as('maria')
  const inList = { referer: 'http://localhost/dealers' }
  await maria.get('/dealers?size=50', inList)
  const alone = (await maria.get('/dealers')).body
  t.same([sizeOf(alone), columnsOf(alone).includes('created_at')], ['50', false], 'the size alone')
  await maria.get('/dealers?cols=created_at', inList)
  const both = (await maria.get('/dealers')).body
  t.same([sizeOf(both), columnsOf(both).includes('created_at')], ['50', true], 'then the columns alone, which keep the size')
  await root.get('/dealers?size=50', { referer: 'http://localhost/dealers/edit/5' })
  t.equal(sizeOf((await root.get('/dealers')).body), '25', 'a link on another page chooses nothing')
  await root.post(`/impersonate/${cast.admin}`)
  t.equal(sizeOf((await root.get('/dealers')).body), '50', 'whoever impersonates sees it as they do')
  await root.get('/dealers?size=all&cols=', { referer: 'http://localhost/dealers' })
  t.equal(sizeOf((await admin.get('/dealers')).body), '50', 'whoever is impersonated keeps what they chose')
})

t.test('page size and columns go back with the first click', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const follow = async (page: string, link: string) => {
    const href = parseHtml(page)(link).attr('href') as string
    return (await admin.get(href, { referer: 'http://localhost/dealers' })).body
  }
  const shown = (page: string) => parseHtml(page)('nav[aria-label="Rows per page"] [aria-current]').text().trim()
  const isCreatedShown = (page: string) => parseHtml(page)('#dealers-table th[data-col=created_at]').length === 1
  const fifty = await follow((await admin.get('/dealers')).body, '#dealers-size-50')
  t.equal(shown(fifty), '50')
  t.equal(shown(await follow(fifty, '#dealers-size-25')), '25')
  const more = await follow((await admin.get('/dealers')).body, '#dealers-column-created_at')
  t.ok(isCreatedShown(more))
  t.notOk(isCreatedShown(await follow(more, '#dealers-column-created_at')))
})

t.test('a list has exactly the pages that its rows fill, and its footer counts them', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const fill = (total: number) => {
    const left = total - db.select().from(categories).all().length
    const rows = Array.from({ length: left }, (_, at) => ({ name: `Category ${total}-${at}` }))
    db.insert(categories).values(rows).run()
  }
  const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const footerOf = async (query: string) => {
    const page = parseHtml((await root.get(`/categories${query}`)).body)
    const read = (text: string) => text.replace(/\s+/g, ' ').trim()
    const hrefs = Object.fromEntries(
      page<Element, string>('nav[data-pages] a')
        .toArray()
        .map(({ attribs }) => [String(attribs.id).replace('categories-page-', ''), attribs.href]),
    )
    const named = page<Element, string>('nav[data-pages] a[aria-label]')
      .toArray()
      .map(({ attribs }) => attribs)
    for (const link of named) t.equal(link['aria-label'], `${capitalized(link.id?.split('-').at(-1) ?? '')} page`)
    return { range: read(page('.list-footer .range').text()), hrefs, current: read(page('nav[data-pages] [aria-current]').text()) }
  }
  const pageLink = (number: number) => `/categories${number > 1 ? `?page=${number}` : ''}`
  const linksTo = (...names: [name: string | number, page: number][]) =>
    Object.fromEntries(names.map(([name, page]) => [String(name), pageLink(page)]))
  const all = (numbers: number[]) => numbers.map((number): [number, number] => [number, number])
  fill(25)
  t.same(await footerOf(''), { range: '', hrefs: {}, current: '' }, 'of exactly a page the title says all')
  fill(26)
  t.same(await footerOf(''), { range: '1–25 of 26', hrefs: linksTo(...all([1, 2]), ['next', 2], ['last', 2]), current: '1' })
  const second = { range: '26–26 of 26', hrefs: linksTo(...all([1, 2]), ['first', 1], ['previous', 1]), current: '2' }
  t.same(await footerOf('?page=2'), second)
  t.same(await footerOf('?page=3'), second, 'past the end')
  fill(175)
  t.same(await footerOf('?page=4'), {
    range: '76–100 of 175',
    hrefs: linksTo(...all([2, 3, 4, 5, 6]), ['first', 1], ['previous', 3], ['next', 5], ['last', 7]),
    current: '4',
  })
  const last = await footerOf('?page=7')
  t.same([last.range, last.current, Object.keys(last.hrefs).sort()], ['151–175 of 175', '7', ['5', '6', '7', 'first', 'previous']])
  t.same((await footerOf('?size=all')).range, '')
  t.same((await footerOf('?size=50&page=2')).range, '51–100 of 175')
  for (const [query, size] of [
    ['', '25'],
    ['?size=50', '50'],
    ['?size=all', 'All'],
    ['?size=26', '25'],
  ]) {
    const page = parseHtml((await root.get(`/categories${query}`)).body)
    t.same(
      page('nav[aria-label="Rows per page"] [aria-current]')
        .toArray()
        .map((one) => page(one).text().trim()),
      [size],
      `${query} is marked as ${size} a page`,
    )
  }
})

t.test('all results of a list are offered for selection only where the page does not hold them', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  db.insert(companies)
    .values(Array.from({ length: 26 }, (_, at) => ({ org: `Bulk ${at}`, search: `bulk ${at}`, manager_id: null })))
    .run()
  const offered = async (query: string) =>
    textOf(parseHtml((await root.get(`/companies?${query}`)).body)('#companies-bulk > label:not(.without-js):has([name=all])').text())
  t.equal(await offered('q=bulk'), 'Select all 26')
  t.equal(await offered('q=bulk&size=50'), '')
  t.equal(await offered('q=bulk&size=all'), '')
  const shown = idsOf(await root.get('/companies?q=bulk'), 'companies')
  const confirmed = await root.get('/companies/delete?all=1&q=bulk')
  t.match(textOf(confirmed.body), 'Delete 26 companies?')
  t.match(textOf(confirmed.body), 'and 16 more', 'ten are named')
  const ten = await root.get(
    `/companies/delete?${shown
      .slice(0, 10)
      .map((id) => `id=${id}`)
      .join('&')}`,
  )
  t.notMatch(textOf(ten.body), 'more', 'ten are all named')
  const hidden = Object.fromEntries(
    parseHtml(confirmed.body)<Element, string>('form[action="/companies/delete"] input[type=hidden]')
      .toArray()
      .map(({ attribs }) => [String(attribs.name), String(attribs.value)]),
  )
  t.equal((await root.post('/companies/delete', hidden)).statusCode, 303)
  t.equal(totalOf(await root.get('/companies?q=bulk'), 'companies'), 0)
  t.equal(totalOf(await root.get('/companies'), 'companies'), 3, 'and none that was not found')
  const batch = await root.get('/bin')
  t.match(textOf(batch.body), /and 25 more/, 'one entry of the trash for all of them')
})

t.test('without scripts all rows can be selected at once wherever there are several', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const choices = async (query: string) => {
    const page = parseHtml((await root.get(`/companies?${query}`)).body)
    const labels = page<Element, string>('#companies-bulk > label:has([name=all])').toArray()
    return labels.map((label) => [textOf(page(label).text()), page(label).hasClass('without-js') ? 'without scripts' : 'always'])
  }
  t.same(await choices(''), [['Select all 3', 'without scripts']], 'with scripts the head of the table does it')
  t.same(await choices('q=nobody'), [], 'one row needs no such choice')
  db.insert(companies)
    .values(Array.from({ length: 23 }, (_, at) => ({ org: `Bulk ${at}`, search: `bulk ${at}`, manager_id: null })))
    .run()
  t.same(await choices(''), [['Select all 26', 'always']], 'what is on other pages is not ticked by the head')
})

t.test('more than eight options of a filter can be searched, and each button chooses its own', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const stockFilter = async (choose = 'filters') =>
    parseHtml((await root.get(`/companies?choose=${choose}`)).body)('details#companies-stock')
  const add = (count: number) =>
    db
      .insert(stocks)
      .values(Array.from({ length: count }, (_, at) => ({ name: `Stock ${count}-${at}` })))
      .run()
  add(7)
  const eight = await stockFilter()
  t.equal(eight.find('li button').length, 8)
  t.equal(eight.find('[data-filter-options]').length, 0, 'eight are seen at a glance')
  add(1)
  t.equal((await stockFilter()).length, 0, 'more are loaded when they are wanted')
  const nine = await stockFilter('stock')
  t.equal(nine.find('li button').length, 9)
  t.equal(nine.find('[data-filter-options]').attr('aria-label'), 'Search: Warehouse')
  const chosen = nine
    .find('li button')
    .toArray()
    .map(({ attribs }) => [attribs.name, Number(attribs.value)])
  t.same(new Set(chosen.map(([name]) => name)), new Set(['stock']))
  t.same(
    new Set(chosen.map(([, id]) => id)),
    new Set(
      db
        .select()
        .from(stocks)
        .all()
        .map(({ id }) => id),
    ),
  )
})

t.test('tabs without rows are left out, but for the one that is shown', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  insertOrder(cabinet, 'production')
  const tabs = async (query: string) => {
    const page = parseHtml((await root.get(`/orders${query}`)).body)
    return page<Element, string>('.list-tabs a')
      .toArray()
      .map((link) => page(link).text().replace(/\s+/g, ' ').trim() + (link.attribs['aria-current'] ? ', current' : ''))
  }
  const [all, first, second] = await tabs('')
  t.same([all, first, second, (await tabs('')).length], ['All 2, current', 'New 1', 'In production 1', 3])
  t.same(await tabs(`?status=${statusId('paid')}`), ['All 2', 'New 1', 'Under review 0, current', 'In production 1'])
})

t.test('a search keeps a page size that is not the usual one, and sends none where it is', async (t) => {
  const { as } = await startCabinet(t)
  const [root, admin] = [await as('root'), await as('admin')]
  const kept = async (browser: typeof root, query: string) => {
    const page = parseHtml((await browser.get(`/dealers${query}`)).body)
    return page('[name=size][form=dealers-search]').attr('value')
  }
  t.equal(await kept(root, ''), undefined)
  t.equal(await kept(root, '?size=50'), '50')
  await root.get('/dealers?size=50', { referer: 'http://localhost/dealers' })
  t.equal(await kept(root, ''), '50', 'what is remembered')
  t.equal(await kept(root, '?size=25'), '25', 'the smallest one, where another is remembered')
  t.equal(await kept(admin, '?size=25'), undefined, 'of others nothing is remembered')
})

t.test('the question before a deletion leads back to the list as it was', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const deletion = parseHtml((await root.get('/dealers?q=denis&sort=company&dir=desc')).body)(`#dealers-${cast.denis} a[href*=delete]`)
  const asked = parseHtml((await root.get(String(deletion.attr('href')))).body)
  t.equal(asked('a:contains(Cancel)').attr('href'), '/dealers?q=denis&sort=company&dir=desc')
})

t.test('a row has a menu where anything can be done with it, be it one thing', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const clerk = await as('clerk')
  grant(db, cast.clerk, 'dealer_can_view')
  const menu = async () => {
    const row = parseHtml((await clerk.get('/dealers')).body)(`#dealers-${cast.denis} .row-actions`)
    return [
      row.find('button.row-menu').attr('aria-label'),
      ...row
        .find('a')
        .toArray()
        .map(({ attribs }) => attribs.title),
    ]
  }
  t.same(await menu(), [undefined], 'there is nothing to do')
  for (const [policy, title] of [
    ['dealer_can_auth', 'Sign in as: Denisov Denis'],
    ['dealer_can_edit', 'Edit: Denisov Denis'],
    ['dealer_can_delete', 'Delete: Denisov Denis'],
  ] as const) {
    grant(db, cast.clerk, policy)
    t.same(await menu(), ['Actions: Denisov Denis', title], policy)
    revoke(db, cast.clerk, policy)
  }
})

t.test('a period of a list is that of days here: from the first minute of the first to the last of the last', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const insert = (actor_id: number, at: number) => {
    const entry = { action: 'update' as const, entity: 'companies', record_id: 1, record_version: 1, label: 'A', actor_name: 'Somebody' }
    return Number(
      db
        .insert(changes)
        .values({ ...entry, actor_id, at, fields: {} })
        .run().lastInsertRowid,
    )
  }
  for (const [TZ, actor] of [
    ['America/Los_Angeles', cast.vera],
    ['Asia/Vladivostok', cast.roman],
  ] as const) {
    setTimeZone(t, TZ)
    const moments: [number, number, number, number, number][] = [
      [2026, 2, 4, 23, 59],
      [2026, 2, 5, 0, 0],
      [2026, 2, 5, 23, 59],
      [2026, 2, 6, 23, 59],
      [2026, 2, 7, 0, 0],
    ]
    const [before, first, evening, late, after] = moments.map((moment) => insert(actor, new Date(...moment).getTime()))
    const found = async (query: string) => idsOf(await root.get(`/activity?actor=${actor}&${query}&dir=asc&sort=at`), 'activity')
    t.same(await found('from=2026-03-05&until=2026-03-06'), [first, evening, late], TZ)
    t.same(await found('from=2026-03-05&until=2026-03-05'), [first, evening], TZ)
    t.same(await found('from=2026-03-06'), [late, after], TZ)
    t.same(await found('until=2026-03-04'), [before], TZ)
    t.same(await found('from=2026-02-30'), [before, first, evening, late, after], 'no such day')
  }
})
