import t from 'tap'
import { roleDefaults } from '../../src/core/access.ts'
import { policyCatalog, policyKeys } from '../../src/core/policies.ts'
import { rightsOf } from '../../src/modules/users/rights/rights.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementById, elementsOf, parseHtml, switchOf, textOf } from '../support/html.ts'

const granted = ({ db }: Cabinet, userId: number) =>
  rightsOf(db, userId)
    .flatMap(({ key, value }) => (value ? key : []))
    .sort()

const shown = ({ body }: Answer) =>
  elementsOf(body, 'tr[id^="rights-"]').map((row) => ({
    key: textOf(parseHtml(row)('[data-col="key"]').toString()),
    name: textOf(parseHtml(row)('[data-col="name"]').toString()),
    ...(switchOf(row) as { checked: boolean; disabled: boolean }),
  }))

const keysOf = (answer: Answer) => shown(answer).map(({ key }) => key)

const ofCategory = (category: string) => policyKeys.filter((key) => policyCatalog[key].category === category)

/** What each category says of itself: how many of its permissions are granted. */
const counts = ({ body }: Answer) =>
  Object.fromEntries(
    elementsOf(body, 'details.right-group > summary').map((summary) => {
      const [, name = '', on, of] = /^(.*?) (\d+) of (\d+) on$/.exec(textOf(summary)) ?? []
      return [name, [Number(on), Number(of)]]
    }),
  )

const range = ({ body }: Answer) => textOf(elementsOf(body, '.range')[0] as string)

t.test('the permissions of a user on their card', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  const tab = (query = '') => root.get(`/managers/edit/${cast.maria}?tab=rights${query}`)

  t.test('every permission stands there once, granted or not, and each category counts its own', async (t) => {
    const page = await tab()
    t.same(keysOf(page).sort(), [...policyKeys].sort())
    t.same(
      shown(page)
        .flatMap(({ key, checked }) => (checked ? key : []))
        .sort(),
      granted(cabinet, cast.maria),
    )
    t.same(counts(page).Dealers, [5, ofCategory('Dealers').length])
    t.same(counts(page).News, [1, 4])
    t.same(counts(page).Statuses, [0, 1])
    t.equal(range(page), `1–${policyKeys.length} of ${policyKeys.length}`)
    t.notOk(elementsOf(page.body, '[data-pages]').length, 'on one page')
  })

  t.test('a search finds permissions by key, name and description, a category narrows it', async (t) => {
    t.same(keysOf(await tab('&q=dealer_can_vi')), ['dealer_can_view'])
    t.same(keysOf(await tab('&q=IMPERSONATE+dealers')), ['dealer_can_auth'], 'every word, of the description')
    t.same(keysOf(await tab('&category=Statuses')), ['status_can_view'])
    const both = await tab('&q=view&category=News')
    t.same(keysOf(both), ['news_can_view'])
    t.same(counts(both).News, [1, 4], 'the category counts all of its permissions')
    const none = await tab('&q=nothing')
    t.match(textOf(elementById(none, 'rights-table') as string), /^No results Clear filters$/)
    const selected = parseHtml((await tab('&category=News')).body)('#rights-category option[selected]')
    t.equal(selected.attr('value'), 'News')
    const russian = await root.get(`/managers/edit/${cast.maria}?tab=rights&q=вход имени дилера`, { 'accept-language': 'ru' })
    t.same(keysOf(russian), ['dealer_can_auth'])
  })

  t.test('every switch is named after its permission, and both buttons of a category after it', async (t) => {
    const page = parseHtml((await tab()).body)
    const switches = page('tr[id^="rights-"]')
      .toArray()
      .map((row) => [page(row).find('[data-col=key]').text().trim(), page(row).find('[role=switch]').attr('aria-label')])
    t.same(
      switches,
      switches.map(([key]) => [key, policyCatalog[key as (typeof policyKeys)[number]].name]),
      'a switch has the name of its own permission',
    )
    const titles = page('.right-description')
      .toArray()
      .map((description) => page(description).prev().attr('title'))
    t.same(
      titles,
      page('.right-description')
        .toArray()
        .map((description) => page(description).text()),
      'a description that does not fit is told on hovering',
    )
    t.same(
      page('.right-group')
        .toArray()
        .map((group) => page(group).find('caption').text().trim()),
      [...new Set(policyKeys.map((key) => policyCatalog[key].category))],
      'every table is named after its category',
    )
    const ofNews = page('input[name=category][value=News]').closest('form').find('button')
    t.same(
      ofNews.toArray().map((button) => [page(button).text().trim(), button.attribs['aria-label'], button.attribs.value]),
      [
        ['Turn all on', 'Turn all on: News', '1'],
        ['Turn all off', 'Turn all off: News', '0'],
      ],
    )
  })

  t.test('a search stays on the tab of the permissions, with its words, category and page size', async (t) => {
    const sent = (answer: Answer) => {
      const page = parseHtml(answer.body)
      const form = page('#rights-search')
      const outside = page('[form=rights-search]').toArray()
      return Object.fromEntries([
        ...form.serializeArray().map(({ name, value }) => [name, value]),
        ...outside.map(({ attribs }) => [attribs.name, attribs.value]),
      ])
    }
    const start = await tab()
    t.same(sent(start), { tab: 'rights', q: '', category: '' })
    t.equal(parseHtml(start.body)('#rights-q').attr('maxlength'), '200')
    t.same(sent(await tab('&q=view&category=News&size=10')), { tab: 'rights', q: 'view', category: 'News', size: '10' })
  })

  t.test('the pages together hold every permission once, and each says where it stands', async (t) => {
    const total = policyKeys.length
    const last = Math.ceil(total / 10)
    const collected: string[] = []
    for (let page = 1; page <= last; page++) {
      const answer = await tab(`&size=10&page=${page}`)
      collected.push(...keysOf(answer))
      t.equal(range(answer), `${page * 10 - 9}–${Math.min(page * 10, total)} of ${total}`)
      const links = parseHtml(answer.body)
      const around = ['prev', 'next'].map((rel) => new URLSearchParams(links(`[data-pages] [rel=${rel}]`).attr('href')).get('page'))
      t.same(around, [page > 1 ? String(page - 1) : null, page < last ? String(page + 1) : null], `beside page ${page}`)
      t.equal(links('.pagination [aria-current]').first().text().trim(), '10')
    }
    t.same([...collected].sort(), [...policyKeys].sort())
    const next = parseHtml((await tab('&size=10&page=2&q=can')).body)('[rel=next]').attr('href') as string
    t.same(Object.fromEntries(new URLSearchParams(next)), { tab: 'rights', size: '10', page: '3', q: 'can' })
    for (const page of ['0', '-1', 'x']) t.same(keysOf(await tab(`&size=10&page=${page}`)), collected.slice(0, 10), page)
    t.same(keysOf(await tab('&size=10&page=99')), collected.slice((last - 1) * 10), 'past the end is the last')
    t.equal(keysOf(await tab('&size=7')).length, total, 'an unknown size')
    t.equal(keysOf(await tab('&size=50')).length, Math.min(50, total))
  })
})

t.test('permissions are granted and revoked', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  const card = `/managers/edit/${cast.plain}`
  const others = () => [cast.maria, cast.clerk, cast.denis].map((id) => granted(cabinet, id))
  const before = others()

  t.test('a switch grants and revokes one permission of one user', async (t) => {
    await root.post(`${card}/rights/stock_can_view`, { value: 1 })
    t.same(granted(cabinet, cast.plain), [...roleDefaults[3], 'stock_can_view'].sort())
    await root.post(`${card}/rights/stock_can_view`, { value: 1 })
    await root.post(`${card}/rights/news_can_view`, { value: 0 })
    t.same(granted(cabinet, cast.plain), [...roleDefaults[3].filter((key) => key !== 'news_can_view'), 'stock_can_view'].sort())
    for (const value of ['', '2', 'on']) t.equal((await root.post(`${card}/rights/stock_can_view`, { value })).statusCode, 422, value)
    for (const key of ['nonsense', 'constructor']) t.equal((await root.post(`${card}/rights/${key}`, { value: 1 })).statusCode, 404, key)
    t.equal((await root.post(`/managers/edit/${cast.denis}/rights/news_can_view`, { value: 0 })).statusCode, 404, 'a dealer is no manager')
    t.same(granted(cabinet, cast.plain), [...roleDefaults[3].filter((key) => key !== 'news_can_view'), 'stock_can_view'].sort())
  })

  t.test('a switch leads back to the tab as it was searched, and answers htmx with the cell and the count', async (t) => {
    const referer = `http://localhost${card}?tab=rights&q=stock&size=10`
    const searched = await root.post(`${card}/rights/stock_can_view`, { value: 1 }, { referer })
    t.equal(searched.headers.location, `${card}?tab=rights&q=stock&size=10`)
    const elsewhere = await root.post(`${card}/rights/stock_can_view`, { value: 1 }, { referer: 'http://localhost/managers?q=a' })
    t.equal(elsewhere.headers.location, `${card}?tab=rights`)
    const fragment = await root.post(`${card}/rights/stock_can_edit`, { value: 1 }, htmx)
    t.same(switchOf(fragment.body), { checked: true, disabled: false })
    t.equal(parseHtml(fragment.body)('input[name=value]').attr('value'), '0', 'the next click revokes it')
    const count = parseHtml(fragment.body)('[hx-swap-oob]')
    t.equal(count.text().trim(), `2 of ${ofCategory('Reference lists').length} on`)
    t.ok(elementById(await root.get(`${card}?tab=rights`), count.attr('id') as string), 'the page has this count')
    const off = await root.post(`${card}/rights/stock_can_edit`, { value: 0 }, htmx)
    t.same(switchOf(off.body), { checked: false, disabled: false })
    t.equal(parseHtml(off.body)('input[name=value]').attr('value'), '1')
  })

  t.test('a category is turned on and off as a whole, and nothing else', async (t) => {
    const start = granted(cabinet, cast.plain)
    const answer = await root.post(`${card}/rights`, { category: 'News', value: 1 })
    t.equal(answer.headers.location, `${card}?tab=rights`)
    t.same(granted(cabinet, cast.plain), [...start, ...ofCategory('News')].sort())
    await root.post(`${card}/rights`, { category: 'News', value: 0 })
    t.same(granted(cabinet, cast.plain), start)
    for (const category of ['', 'Nonsense']) t.equal((await root.post(`${card}/rights`, { category, value: 1 })).statusCode, 404, category)
    t.equal((await root.post(`${card}/rights`, { category: 'News', value: 'x' })).statusCode, 422)
    t.same(granted(cabinet, cast.plain), start)
  })

  t.test('nobody else was granted or lost anything', async (t) => t.same(others(), before))
})

t.test('an editor of permissions is offered what they may change, and nothing else', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit_policy', 'stock_can_view', 'admin_can_view', 'admin_can_edit_policy')
  grant(db, cast.plain, 'company_can_view')
  const clerk = await as('clerk')
  const held = granted(cabinet, cast.clerk)
  const card = `/managers/edit/${cast.plain}`

  t.test('a permission that they do not hold can be revoked and not granted', async (t) => {
    for (const { key, checked, disabled } of shown(await clerk.get(`${card}?tab=rights`)))
      t.equal(disabled, !checked && !held.includes(key as (typeof held)[number]), key)
    t.equal((await clerk.post(`${card}/rights/dealer_can_view`, { value: 1 })).statusCode, 403)
    const revoked = await clerk.post(`${card}/rights/company_can_view`, { value: 0 }, htmx)
    t.same(switchOf(revoked.body), { checked: false, disabled: true }, 'and then stays off')
    t.same(granted(cabinet, cast.plain), [...roleDefaults[3]].sort())
  })

  t.test('whole categories are offered only where they hold all of it', async (t) => {
    const page = parseHtml((await clerk.get(`${card}?tab=rights`)).body)
    const offered = page('input[name=category]')
      .toArray()
      .map((input) => page(input).attr('value'))
    const all = [...new Set(policyKeys.map((key) => policyCatalog[key].category))]
    t.same(
      offered,
      all.filter((category) => ofCategory(category).every((key) => held.includes(key))),
    )
    t.ok(offered.includes('News'))
    t.equal((await clerk.post(`${card}/rights`, { category: 'Reference lists', value: 1 })).statusCode, 403)
    t.same(granted(cabinet, cast.plain), [...roleDefaults[3]].sort(), 'not even in part')
  })

  t.test('their own permissions and those of superadministrators they see and cannot change', async (t) => {
    for (const id of [cast.clerk, cast.root]) {
      const page = await clerk.get(`/admins/edit/${id}?tab=rights`)
      t.equal(page.statusCode, 200)
      t.ok(shown(page).every(({ disabled }) => disabled))
      t.notOk(elementById(page, 'permission-sets'))
      t.equal(parseHtml(page.body)('input[name=category]').length, 0)
      t.equal((await clerk.post(`/admins/edit/${id}/rights/news_can_view`, { value: 0 })).statusCode, 403)
    }
    t.same(granted(cabinet, cast.clerk), held)
    t.ok(elementById(await clerk.get(`/admins/edit/${cast.admin}?tab=rights`), 'permission-sets'))
  })
})
