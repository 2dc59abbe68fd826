import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { highlight } from '../../src/core/highlight.ts'
import { searchWords } from '../../src/core/text.ts'
import { companies, news, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names, revoke } from '../support/cast.ts'
import { fieldOf, idsOf, isDocument, parseHtml, textOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

const hooksOf = (body: string) => [...body.matchAll(/data-found="([^"]+)"/g)].map(([, hook]) => hook as string)

/** What the search shows: its sections with their records, as somebody reads them. */
function sectionsOf(body: string) {
  const $ = parseHtml(body)
  const hitOf = (hit: Parameters<typeof $>[0]) => ({
    hook: $(hit).attr('data-found') as string,
    href: $(hit).find('a').attr('href'),
    name: $(hit).children().first().text(),
    details: $(hit)
      .children('.text-secondary')
      .toArray()
      .map((detail) => $(detail).text()),
    marked: $(hit)
      .find('mark')
      .toArray()
      .map((mark) => $(mark).text()),
  })
  return $('#found section')
    .toArray()
    .map((section) => ({
      title: $(section).find('h2').text(),
      hits: $(section).find('[data-found]').toArray().map(hitOf),
      more: $(section).find('p a').attr('href'),
    }))
}

t.test('the search across all lists', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  // biome-ignore lint/suspicious/noExplicitAny: any table with an id
  const insert = (table: any, values: object) => Number(db.insert(table).values(values).run().lastInsertRowid)
  const ofBeta = { dealer_id: cast.daria, company_id: beta, status_id: 1 }
  const bigOrder = insert(orders, {
    ...ofBeta,
    specification_number: 5601,
    receiver: 'Ёлкина Анна',
    phone: '+7(999) 123 45 67',
    address: 'Kazan, Lenina 1',
    sn: 'SN-77/3',
  })
  insert(orderItems, { order_id: bigOrder, name: 'Panorama door', quantity: 1, price: 1, discount: 0 })
  const other = insert(orders, { ...ofBeta, specification_number: 1, phone: `+7(95${bigOrder}) 000 00 00` })
  const vega = insert(companies, {
    org: 'Vega Doors',
    search: 'vega doors',
    inn: '7701234567',
    phone: '+7(495) 777 88 99',
    email: 'hello@vega.example',
  })
  const draft = insert(news, { name: 'Panorama prices', description: '<p>Soon</p>', published: false })
  const find = async (name: Name, q: string, headers = {}) => (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, headers)
  const found = async (name: Name, q: string) => hooksOf((await find(name, q)).body)

  t.test('an order is found by number, customer, phone however written, product, address and serial number', async (t) => {
    for (const q of [
      'елкина',
      '5601',
      '89991234567',
      '8 (999) 123-45-67',
      '+7 999 123 45 67',
      '9991234567',
      'panorama',
      'lenina',
      'sn-77/3',
    ])
      t.ok((await found('root', q)).includes(`orders-${bigOrder}`), q)
    t.equal((await found('root', `${other}`))[0], `orders-${other}`)
  })

  t.test('an order comes first and once by its number, however many newer orders and dealers have that number in them', async (t) => {
    const ofAlpha = { dealer_id: cast.denis, company_id: alpha }
    for (let flat = 0; flat < 45; flat++) insertOrder(cabinet, 'new', { ...ofAlpha, receiver: `Flat #${cast.order}-${flat}`, sn: '№ 1' })
    const specified = insertOrder(cabinet, 'new', { ...ofAlpha, specification_number: 90210 })
    const mentioned = insertOrder(cabinet, 'new', { ...ofAlpha, specification_number: 902101, receiver: '90210' })
    for (const name of ['root', 'maria', 'denis'] as const) {
      for (const q of [`${cast.order}`, `#${cast.order}`, ` № ${cast.order} `]) {
        const section = sectionsOf((await find(name, q)).body).find(({ title }) => title === 'Orders')
        const hooks = section?.hits.map(({ hook }) => hook) ?? []
        t.equal(hooks[0], `orders-${cast.order}`, `${name}: ${q}`)
        t.equal(hooks.filter((hook) => hook === hooks[0]).length, 1, `${name}: ${q} once`)
        t.ok(hooks.length <= 5, `${name}: five of each kind`)
      }
      t.same(await found(name, '90210'), [`orders-${specified}`, `orders-${mentioned}`], `${name}: by the number of its specification`)
    }
    t.notOk((await found('daria', `#${cast.order}`)).includes(`orders-${cast.order}`), 'but nobody finds the order of somebody else')
  })

  t.test('the whole name comes first, then its beginning, the beginning of a word, a part of one, and other texts', async (t) => {
    const named = (org: string, more = {}) => insert(companies, { org, ...more })
    const ranked = ['Kvarta', 'Kvarta Plus', 'Okna «Kvarta»', 'Superkvarta'].map((org) => named(org))
    const elsewhere = named('Fifth', { email: 'sales@kvarta.example' })
    const five = [...ranked, elsewhere].map((id) => `companies-${id}`)
    const section = async () => sectionsOf((await find('root', ' KVARTA ')).body)[0]
    t.match(await section(), { title: 'Companies', more: undefined })
    t.same(
      (await section())?.hits.map(({ hook }) => hook),
      five,
    )
    const newer = named('Best (Kvarta)')
    const more = await section()
    const six = [...five.slice(0, 2), `companies-${newer}`, ...five.slice(2, 4)]
    t.same(
      more?.hits.map(({ hook }) => hook),
      six,
      'five are shown; of equals the newest',
    )
    const all = await (await as('root')).get(more?.more as string)
    t.equal(totalOf(all, 'companies'), 6, 'the others are in the list')
    const whole = named('Zebra')
    for (let number = 0; number < 39; number++) named(`Zebra ${number}`)
    t.equal((await found('root', 'zebra'))[0], `companies-${whole}`, 'the oldest of forty')
  })

  t.test('a result shows what identifies the record and what matches, nothing else', async (t) => {
    const only = async (q: string) => sectionsOf((await find('root', q)).body)[0]?.hits[0]
    const record = { hook: `companies-${vega}`, href: `/company/edit/${vega}?tab=overview`, name: 'Vega Doors' }
    const [inn, email] = ['7701234567', 'hello@vega.example']
    t.same(await only('vega'), { ...record, details: [inn, email], marked: ['Vega', 'vega'] })
    t.same(await only('doors vega'), { ...record, details: [inn, email], marked: ['Vega', 'Doors', 'vega'] })
    t.same(await only(inn), { ...record, details: [inn], marked: [inn] })
    t.match(await only('sn-77/3'), {
      href: `/orders/${bigOrder}`,
      name: `#${bigOrder}`,
      details: ['ООО «Бета Ёлка»', 'Ёлкина Анна', 'SN-77/3'],
    })
    db.update(orders).set({ address: 'Lesnaya 7' }).where(eq(orders.id, bigOrder)).run()
    t.match(await only('lesnaya'), { href: `/orders/${bigOrder}`, details: ['ООО «Бета Ёлка»', 'Ёлкина Анна', 'Lesnaya 7'] })
    t.match(await only('denis@example'), { href: `/dealers/edit/${cast.denis}`, details: ['Alpha Windows', 'denis@example.com'] })
    db.update(news).set({ excerpt: 'What doors cost' }).where(eq(news.id, draft)).run()
    const article = sectionsOf((await find('root', 'panorama prices')).body).find(({ title }) => title === 'News')?.hits
    t.match(article, [{ href: `/news/edit/${draft}`, name: 'Panorama prices', details: ['What doors cost'] }])
    db.update(users).set({ position: 'Head of sales' }).where(eq(users.id, cast.mikhail)).run()
    const managers = sectionsOf((await find('root', 'sidorov mikhail')).body).find(({ title }) => title === 'Managers')?.hits
    t.match(managers, [{ href: `/managers/edit/${cast.mikhail}`, details: ['Head of sales'] }])
    const none = await find('root', 'no such thing')
    t.same(sectionsOf(none.body), [])
    t.match(textOf(none.body), 'No matches for "no such thing"')
    t.ok(parseHtml(none.body)('.empty a').length > 0, 'it can be created')
    t.same(
      sectionsOf((await find('root', 'vega')).body).map(({ title }) => title),
      ['Companies'],
      'no heading without records',
    )
    t.equal(fieldOf(await find('root', ` ${'x'.repeat(201)} `), 'q')?.value, 'x'.repeat(200))
  })

  t.test('every result of everybody leads to a page that opens, and has no link if it does not', async (t) => {
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    const only = async (q: string) => sectionsOf((await find('maria', q)).body)[0]?.hits[0]
    t.match(await only('romanov'), { hook: `dealers-${cast.roman}`, href: `/dealers/edit/${cast.roman}`, name: 'Romanov Roman' })
    t.match(await only('denis@example'), { hook: `dealers-${cast.denis}`, href: `/dealers/edit/${cast.denis}` })
    for (const name of names.filter((name) => name !== 'ivan'))
      for (const q of ['a', 'е', '5', 'add', 'vega', 'panorama']) {
        const browser = await as(name)
        for (const { hook, href } of sectionsOf((await find(name, q)).body).flatMap(({ hits }) => hits)) {
          // What is pressed leads nowhere.
          if (hook.startsWith('command-/preferences')) continue
          const [list, id] = hook.split('-')
          const address = href ?? (list === 'companies' ? `/company/edit/${id}` : `/${list}/edit/${id}`)
          t.equal((await browser.get(address)).statusCode, href ? 200 : 403, `${name}: ${q}: ${hook}`)
        }
      }
    grant(db, cast.maria, 'dealer_manager_can_edit')
  })

  t.test('companies are found by name, INN, phone and email, and users likewise', async (t) => {
    for (const q of ['vega', '7701234567', '8 495 777-88-99', 'hello@vega']) t.same(await found('root', q), [`companies-${vega}`], q)
    db.update(users).set({ phone: '+7(901) 222 33 44' }).run()
    t.ok((await found('root', '8 901 222 33 44')).includes(`dealers-${cast.denis}`))
    t.ok((await found('root', 'petrova maria')).includes(`managers-${cast.maria}`))
    await (await as('root')).post(`/managers/edit/${cast.plain}`, { tg_id: 'peter_by_wire' })
    t.same(await found('root', 'peter_by_wire'), [`managers-${cast.plain}`])
    t.match((await find('root', 'peter_by_wire')).body, '<mark>peter_by_wire</mark>', 'the name in Telegram is shown as what matches')
    t.ok((await found('root', 'panorama')).includes(`news-${draft}`))
  })

  t.test('pages and actions are found by their names, if the user may open them', async (t) => {
    const hit = (path: string, name: string, marked: string[]) => ({ hook: `page-${path}`, href: path, name, details: [], marked })
    const sections = async (name: Name, q: string, headers = {}) =>
      sectionsOf((await find(name, q, headers)).body).map(({ title, hits }) => ({ title, hits }))
    const actions = (...hits: object[]) => [{ title: 'Actions', hits }]
    t.same(await sections('root', 'add dealer'), actions(hit('/dealers/add', 'Add dealer', ['Add', 'dealer'])))
    t.same((await sections('denis', 'NEW ORDER')).slice(0, 1), actions(hit('/orders/add', 'New order', ['New', 'order'])))
    t.same(await sections('denis', 'add dealer'), [])
    t.same(await sections('root', 'statuses'), [{ title: 'Pages', hits: [hit('/statuses', 'Statuses', ['Statuses'])] }])
    t.same(await sections('denis', 'statuses'), [])
    const russian = { 'accept-language': 'ru' }
    const status = { title: 'Страницы', hits: [{ href: '/statuses' }] }
    t.match(await sections('root', 'статусы', russian), [status])
    t.match(await sections('root', 'statuses', russian), [status], 'by its English name, too')
  })

  t.test('the search results highlight matches and escape markup in the query', async (t) => {
    t.match((await find('root', 'vega')).body, '<mark>Vega</mark> Doors')
    t.match((await find('root', '89991234567')).body, '<mark>999) 123 45 67</mark>')
    t.notMatch((await find('root', '<script>x')).body, '<script>x')
  })

  t.test('the search is a page without JavaScript and answers htmx with its region only', async (t) => {
    t.ok(isDocument(await find('root', 'vega')))
    const region = await find('root', 'vega', htmx)
    t.notOk(isDocument(region))
    t.match(region.body, 'id="found"')
    t.ok(hooksOf((await find('root', '')).body).length > 0, 'before anything is typed, what can be done')
    for (const odd of invalidQueries) t.equal((await (await as('root')).get(`/find?${odd}`)).statusCode, 200, odd)
  })

  t.test('the search of a list finds phones, tax numbers and emails as well', async (t) => {
    const list = async (path: string, q: string) => idsOf(await (await as('root')).get(`${path}?q=${encodeURIComponent(q)}`), path.slice(1))
    t.same(await list('/orders', '8 (999) 123-45-67'), [bigOrder])
    t.same(await list('/companies', '7701234567'), [vega])
    t.same(await list('/companies', 'hello@vega'), [vega])
    t.same(await list('/dealers', 'denis@example'), [cast.denis])
    t.ok((await list('/managers', '89012223344')).includes(cast.maria))
  })

  t.test('the search finds only records that the lists of the user show', async (t) => {
    const terms = fc.constantFrom(
      'елкина',
      'beta',
      'бета',
      'дарья',
      '999',
      'panorama',
      'lenina',
      '5601',
      '77',
      'vega',
      'mikhail',
      'example',
      'a',
      '1',
    )
    const people = fc.constantFrom(...names.filter((name) => name !== 'ivan'))
    const lists = new Map<string, { status: number; ids: Set<number>; body: string }>()
    const shownTo = async (name: Name, list: string) => {
      const known = lists.get(`${name} ${list}`)
      if (known) return known
      const answer = await (await as(name)).get(`/${list}?size=all`)
      const shown = { status: answer.statusCode, ids: new Set(idsOf(answer, list)), body: answer.body }
      lists.set(`${name} ${list}`, shown)
      return shown
    }
    await fc.assert(
      fc.asyncProperty(people, terms, async (name, term) => {
        for (const hook of await found(name, term)) {
          if (/^(page|command)-/.test(hook)) continue
          const [list, id] = hook.split('-') as [string, string]
          const { status, ids, body } = await shownTo(name, list)
          if (status !== 200) throw new Error(`${name} found ${hook} without the list`)
          const shown = list === 'news' ? body.includes(`news-${id}`) : ids.has(Number(id))
          if (!shown) throw new Error(`${name} found ${hook} by ${term}`)
        }
      }),
      { numRuns: 60 },
    )
    const own = await found('denis', 'alpha')
    t.ok(own.every((hook) => hook.startsWith('orders-')))
    for (const term of ['елкина', 'бета', 'panorama', '89991234567', 'lenina', 'sn-77', '5601'])
      t.same(await found('denis', term), [], term)
    t.ok(alpha)
  })

  t.test('somebody with hundreds of records finds the newest and the oldest of theirs, and none of others', async (t) => {
    const ofAlpha = { dealer_id: cast.denis, company_id: alpha }
    const words = { receiver: 'Rarewordy', address: 'Q7' }
    const oldest = insertOrder(cabinet, 'new', { ...ofAlpha, ...words })
    db.run(sql`insert into orders (status_id, dealer_id, company_id, receiver)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 520)
      select 1, ${cast.denis}, ${alpha}, 'Filler' from numbers`)
    const newest = insertOrder(cabinet, 'new', { ...ofAlpha, ...words })
    insertOrder(cabinet, 'new', { ...ofBeta, ...words })
    for (const q of ['rarewordy', 'rarewordy q7', 'q7'])
      for (const name of ['denis', 'maria'] as const)
        t.same(await found(name, q), [`orders-${newest}`, `orders-${oldest}`], `${name}: ${q}`)
    const fillers = sectionsOf((await find('denis', 'filler')).body)[0]
    t.equal(fillers?.hits.length, 5)
    t.equal(totalOf(await (await as('denis')).get(String(fillers?.more)), 'orders'), 520)
    t.same(await found('daria', 'filler'), [])
  })

  t.test('highlighting splits a text into pieces, every second one a match', (t) => {
    const word = fc.string({ unit: fc.constantFrom(...'aбеё1(+.*'), maxLength: 12 })
    fc.assert(
      fc.property(word, word, (text, query) => {
        const words = searchWords(query)
        const pieces = highlight(text, words)
        t.equal(pieces.join(''), text)
        t.equal(
          pieces.length > 1,
          words.some((one) => text.toLowerCase().replaceAll('ё', 'е').includes(one)),
        )
      }),
    )
    t.end()
  })
})
