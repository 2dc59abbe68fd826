import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, users } from '../../src/database/schema/index.ts'
import { type Browser, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, fieldOf } from '../support/html.ts'
import { insertOrder, statusId } from '../support/orders.ts'
import { attributesIn, sentWith, textsIn } from '../support/parts.ts'

t.test(
  'where nothing is found it says where it looked and by what, and links give up search and filters, or search everywhere',
  async (t) => {
    const { as, db, cast } = await startCabinet(t)
    const admin = await as('admin')
    const { body } = await admin.get('/dealers?q=nowhere&active=1&sort=company')
    t.same(textsIn(body, '.empty :is(p:not(.btn-list), a)'), [
      'No matches for "nowhere"',
      'Searched in: name, company, manager, email',
      'Account: Active Remove filter',
      'Clear search and filters',
      'Search everywhere',
    ])
    t.same(attributesIn(body, '.empty a', 'href', 'data-clear'), [
      ['/dealers?q=nowhere&sort=company&dir=asc', undefined],
      ['/dealers?sort=company&dir=asc', 'dealers-q'],
      ['/find?q=nowhere', undefined],
    ])
    const searched = (await admin.get('/dealers?q=nowhere&sort=company')).body
    t.same(
      textsIn(searched, '.empty :is(p, a)'),
      ['No matches for "nowhere"', 'Searched in: name, company, manager, email', 'Clear search', 'Search everywhere'],
      'a search alone',
    )
    t.same(attributesIn(searched, '.empty a', 'href', 'data-clear'), [
      ['/dealers?sort=company&dir=asc', 'dealers-q'],
      ['/find?q=nowhere', undefined],
    ])
    t.same(textsIn(searched, '.list-tools .tag'), [], 'the field says what is searched for')
    db.update(users).set({ active: true }).run()
    t.same(
      textsIn((await admin.get('/dealers?active=0')).body, '.empty :is(p:not(.btn-list), a)'),
      ['No results', 'Account: Deactivated Remove filter', 'Clear filters'],
      'filters alone',
    )
    db.delete(categories).run()
    grant(db, cast.clerk, 'category_can_view')
    const offered = async (browser: Browser) => {
      const page = (await browser.get('/categories')).body
      t.same(elementsOf(page, '.page-actions .btn, .list-search, .list-tools'), [], 'nothing else is offered')
      return attributesIn(page, '.empty a', 'href')
    }
    t.same(
      await offered(await as('root')),
      [['/categories/add'], ['/categories/import']],
      'an empty list offers to add the first one, or to import them',
    )
    t.same(await offered(await as('clerk')), [], 'to those who may')
  },
)

t.test('filters that are set can be taken off one by one, and a new search keeps them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const { body } = await admin.get(`/dealers?q=e&active=1&manager=${cast.maria}&sort=company&dir=asc`)
  t.same(textsIn(body, '.list-tools a.tag'), ['Manager: Petrova Maria Ivanovna Remove filter', 'Account: Active Remove filter'])
  const others = 'sort=company&dir=asc'
  t.same(attributesIn(body, '.list-tools a.tag', 'href').flat(), [
    `/dealers?q=e&active=1&${others}`,
    `/dealers?q=e&manager=${cast.maria}&${others}`,
  ])
  t.same(sentWith(body, 'dealers-search'), [
    ['manager', String(cast.maria)],
    ['active', '1'],
    ['sort', 'company'],
    ['dir', 'asc'],
  ])
  t.equal(fieldOf({ body } as never, 'q')?.value, 'e')
  const [search] = attributesIn(body, '#dealers-q', 'type', 'placeholder', 'maxlength', 'data-hotkey')
  t.same(search, ['search', 'Name, company, manager, email', '200', '/'])
  t.same(textsIn(body, '#dealers-search label, #dealers-search button'), ['Search', 'Find'])
  const add = (count: number) =>
    db
      .insert(companies)
      .values(Array.from({ length: count }, (_, at) => ({ org: `Firm ${count}-${at}` })))
      .run()
  const filterOf = (page: string) => attributesIn(page, '#dealers-company, a[href*="choose=company"]', 'id', 'href', 'open')
  add(5)
  t.same(filterOf((await admin.get('/dealers?q=a')).body), [['dealers-company', undefined, undefined]], 'eight options come with the page')
  add(1)
  const many = filterOf((await admin.get('/dealers?q=a')).body)
  t.same(many, [['dealers-company', '/dealers?q=a&choose=company', undefined]], 'more are loaded when they are wanted')
  const opened = (await admin.get('/dealers?q=a&choose=company')).body
  t.same(filterOf(opened), [['dealers-company', undefined, '']])
  t.equal(elementsOf(opened, '#dealers-company li button').length, 9, 'all of them')
})

t.test('amounts and days of a filter go with the search that they narrow', async (t) => {
  const { as, cast } = await startCabinet(t)
  const { body } = await (await as('root')).get('/orders?choose=filters')
  const inputs = attributesIn(body, '.further-filters input[data-submits]', 'name', 'type', 'min', 'form')
  t.ok(inputs.some(([, type]) => type === 'number') && inputs.some(([, type]) => type === 'date'))
  for (const [name, type, min, form] of inputs) t.same([min, form], [type === 'number' ? '0' : undefined, 'orders-search'], String(name))
  t.same(sentWith(body, 'orders-search'), [['choose', 'filters']], 'what was opened stays open')
  t.same(
    textsIn(body, '.further-filters-head > *, .further-filters-actions > *'),
    ['Filters', 'Show'],
    'nothing is set that could be cleared',
  )
  const narrowed = (await (await as('root')).get('/orders?q=a&choose=filters')).body
  t.same(attributesIn(narrowed, '.further-filters-head a', 'href', 'data-clear'), [['/orders', 'orders-q']])
  const set = `open=1&dealer=${cast.denis}&stuck=14&created_from=2026-02-01&cost_from=100,5`
  const chips = textsIn((await (await as('root')).get(`/orders?${set}`)).body, '.list-tools a.tag')
  const told = ['In progress', 'Dealer: Denisov Denis', 'Days in status, at least: 14', 'Created: from 01.02.2026', 'Cost: at least 100,5']
  t.same(
    chips,
    told.map((chip) => `${chip} Remove filter`),
  )
  const nobody = textsIn((await (await as('root')).get('/orders?dealer=9999&stuck=x&created_from=2026-02-30')).body, '.list-tools a.tag')
  t.same(nobody, ['Dealer: no such value Remove filter'], 'what is no number and no day filters nothing')
})

t.test('tabs and switches narrow what is shown already, and tabs count it', async (t) => {
  const cabinet = await startCabinet(t)
  const { alpha, beta } = cabinet.cast.companies
  insertOrder(cabinet, 'production', { dealer_id: cabinet.cast.daria, company_id: beta })
  const { body } = await (await cabinet.as('root')).get(`/orders?company=${alpha}&status=${statusId('new')}&dir=asc`)
  t.same(textsIn(body, '.list-tabs a'), ['All 1', 'New 1'])
  const company = String(alpha)
  const status = String(statusId('new'))
  const shown = { sort: 'created_at', dir: 'asc' }
  const leadsTo = (selector: string) => {
    const [href] = attributesIn(body, selector, 'href').flat()
    return Object.fromEntries(new URL(href ?? '', 'http://localhost').searchParams)
  }
  t.same(leadsTo('#orders-tab-all'), { ...shown, company })
  t.same(leadsTo(`#orders-tab-${status}`), { ...shown, company, status })
  t.same(leadsTo('#orders-open'), { ...shown, company, status, open: '1' })
  t.same(leadsTo('a.tag'), { ...shown, status })
  t.ok(
    sentWith(body, 'orders-search').some(([name, value]) => name === 'status' && value === status),
    'a new search stays on the tab',
  )
})

t.test('columns that are shown besides are marked and taken back together', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const usual = (await admin.get('/dealers?q=e')).body
  t.same(textsIn(usual, '#dealers-columns a'), ['Telegram – Hide column', 'Telegram', 'Last visit', 'Created', 'Updated', 'Invitation'])
  const more = (await admin.get('/dealers?q=e&cols=updated_at')).body
  t.same(textsIn(more, '#dealers-columns a').slice(3), ['Created', 'Updated – Hide column', 'Invitation', 'Reset columns'])
  t.same(attributesIn(more, '#dealers-columns-reset', 'href'), [['/dealers?q=e']])
  const heads = attributesIn(more, '#dealers-table th[data-col]', 'data-col', 'aria-sort')
  t.same(heads.slice(0, 3), [
    ['lastname', 'ascending'],
    ['name', undefined],
    ['company', 'none'],
  ])
  t.equal(heads.at(-1)?.[0], 'updated_at')
})

t.test('a long list has marked pages and sizes', async (t) => {
  const { as, db } = await startCabinet(t)
  db.insert(categories)
    .values(Array.from({ length: 60 }, (_, at) => ({ name: `Category ${at}` })))
    .run()
  const { body } = await (await as('root')).get('/categories?page=2')
  t.same(attributesIn(body, '[data-pages] a', 'rel', 'aria-current', 'id'), [
    [undefined, undefined, 'categories-page-first'],
    ['prev', undefined, 'categories-page-previous'],
    [undefined, undefined, 'categories-page-1'],
    [undefined, 'page', 'categories-page-2'],
    [undefined, undefined, 'categories-page-3'],
    ['next', undefined, 'categories-page-next'],
    [undefined, undefined, 'categories-page-last'],
  ])
  t.same(attributesIn(body, '.list-footer nav', 'aria-label'), [['Rows per page'], ['Pages']])
  t.same(attributesIn(body, '.list-footer nav:not([data-pages]) a', 'aria-current'), [['true'], [undefined], [undefined]])
  t.same(attributesIn(body, '#categories-table', 'data-total'), [['61']])
  t.same(textsIn(body, '.title-count, caption'), ['61', 'Product categories'])
})

t.test('a fragment brings the new number of rows along; a list on a card has none in its title', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const count = async (path: string) => {
    const { body } = await root.get(path, htmx)
    return [attributesIn(body, '[id$=-count]', 'id', 'hx-swap-oob'), textsIn(body, '[id$=-count]')]
  }
  t.same(await count('/dealers?q=denis'), [[['dealers-count', 'innerHTML']], ['1']])
  t.same(await count(`/managers/edit/${cast.maria}?tab=dealers`), [[], []])
})

t.test('a list on a card searches, sorts and counts on its tab, and is neither exported, imported nor saved as a view there', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const tab = `/managers/edit/${cast.maria}?tab=dealers`
  const { body } = await root.get(`${tab}&q=a`)
  t.same(sentWith(body, 'dealers-search'), [['tab', 'dealers']])
  t.same(attributesIn(body, '#dealers-search', 'method', 'action', 'hx-select'), [['get', tab.split('?')[0], '#dealers-table']])
  t.same(attributesIn(body, '#dealers-table th a', 'href').flat(), [`${tab}&q=a&sort=org&dir=desc`, `${tab}&q=a&sort=discount&dir=asc`])
  t.same(attributesIn((await root.get(`${tab}&q=nowhere`)).body, '#dealers-table a[data-clear]', 'href'), [[tab]])
  t.same(attributesIn(body, '#dealers-table td a', 'href'), [[`/companies/${cast.companies.alpha}`]])
  t.same(textsIn(body, '.list-actions > a, .list-actions > details > summary'), ['Sorting Organization'], 'for a phone')
})

t.test('the tools of a list are for those who may use them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const tools = async (name: 'root' | 'clerk', path: string) =>
    textsIn((await (await as(name)).get(path)).body, '.list-actions > a, .list-actions > details:not(.list-sorts) > summary')
  grant(db, cast.clerk, 'company_can_view')
  t.same(await tools('root', '/companies?q=a'), ['Import', 'Export', 'Save view', 'Columns'])
  t.same(await tools('clerk', '/companies?q=a'), ['Export', 'Save view', 'Columns'], 'no import without the right to add')
  t.same(await tools('root', '/companies'), ['Import', 'Export', 'Columns'], 'the list as it is for everybody is no view')
  t.same(await tools('root', '/companies?q=nowhere'), ['Import'], 'no rows, no export')
  t.same(await tools('root', '/bin'), [], 'what was deleted')
})

t.test('rows lead to where their records are read, to their cards, and back to the list as it was', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const { alpha } = cast.companies
  const root = await as('root')
  const back = `?back=${encodeURIComponent('?q=alpha&sort=org&dir=asc')}`
  const { body } = await root.get('/companies?q=alpha&sort=org&dir=asc')
  t.same(
    attributesIn(body, `#companies-${alpha} .row-link`, 'href'),
    [[`/company/edit/${alpha}?tab=overview&${back.slice(1)}`]],
    'by name to read',
  )
  t.same(attributesIn(body, `#companies-${alpha} .row-actions a`, 'href', 'title', 'hx-boost'), [
    [`/company/edit/${alpha}${back}`, 'Edit: Alpha Windows', undefined],
    [`/companies/delete?id=${alpha}&q=alpha&sort=org&dir=asc`, 'Delete: Alpha Windows', 'true'],
  ])
  t.same(
    attributesIn((await root.get(`/company/edit/${alpha}${back}`)).body, '.back-link', 'href'),
    [['/companies?q=alpha&sort=org&dir=asc']],
    'the card leads back to it',
  )
  const managers = (await root.get('/managers')).body
  const row = `#managers-${cast.maria}`
  t.same(attributesIn(managers, `${row} .form-switch input`, 'name', 'value'), [
    ['value', '0'],
    ['ask', '1'],
  ])
  t.same(attributesIn(managers, `${row} .form-switch`, 'hx-boost', 'hx-target'), [['true', 'closest td']], 'only the cell is replaced')
  t.same(attributesIn(managers, `${row} [role=switch]`, 'aria-checked', 'aria-label'), [['true', 'Access: Petrova Maria']])
  t.same(attributesIn(managers, `${row} .is-login`, 'href', 'title'), [[`/impersonate/${cast.maria}`, 'Sign in as: Petrova Maria']])
  db.update(users).set({ active: false }).where(eq(users.id, cast.pavel)).run()
  const productions = (await root.get('/productions')).body
  t.same(
    attributesIn(productions, `#productions-${cast.pavel} .form-switch input`, 'name', 'value'),
    [['value', '1']],
    'production users hand nothing over',
  )
})

t.test('where a search finds nothing only the tab of all stays, and there are no columns or views to choose', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const shown = async (address: string) => {
    const { body } = await root.get(address)
    return ['.list-tabs a', '#orders-columns', '#orders-view'].map((part) => textsIn(body, part).length)
  }
  t.same(await shown('/orders?q=nowhere'), [1, 0, 0])
  t.same((await shown('/orders?open=1')).slice(1), [1, 1], 'as where something is found')
})
