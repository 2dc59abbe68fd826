import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { companies, users } from '../../src/database/schema/index.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { type Browser, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { dealerNames, foundNames, insertDealer, insertDealers } from '../support/dealers.ts'
import {
  attributesOf,
  columnsOf,
  elementsOf,
  fieldOf,
  idsOf,
  isDocument,
  parseHtml,
  rowsOf,
  switchOf,
  tagsOf,
  textOf,
  totalOf,
} from '../support/html.ts'
import { textsIn } from '../support/parts.ts'

const alphabetical = (list: Name[]) => [...list].sort()

t.test('the dealer list', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet

  t.test('users with dealer_can_view see every dealer and nobody of another group', async (t) => {
    for (const name of ['admin', 'root'] as const) {
      const list = await (await as(name)).get('/dealers')
      t.equal(list.statusCode, 200)
      t.ok(isDocument(list))
      t.same(foundNames(cabinet, list), alphabetical(dealerNames), name)
      t.equal(totalOf(list, 'dealers'), 5)
    }
  })

  t.test('managers see the dealers of their companies, whoever these are assigned to', async (t) => {
    t.same(foundNames(cabinet, await (await as('maria')).get('/dealers')), ['denis', 'ivan', 'roman'])
    t.same(foundNames(cabinet, await (await as('mikhail')).get('/dealers')), ['daria', 'vera'])
    t.equal(totalOf(await (await as('mikhail')).get('/dealers'), 'dealers'), 2)
  })

  t.test('a user with both the wide and the limited permission sees every dealer', async (t) => {
    grant(db, cast.mikhail, 'dealer_can_view')
    t.equal(totalOf(await (await as('mikhail')).get('/dealers'), 'dealers'), 5)
    revoke(db, cast.mikhail, 'dealer_can_view')
  })

  t.test('dealers without a company, or of a company without a manager, are in the list of their own manager', async (t) => {
    const homeless = insertDealer(cabinet, { company_id: null })
    const nobodys = insertDealer(cabinet, { company_id: cast.companies.nobodys })
    grant(db, cast.plain, 'dealer_manager_can_view')
    t.equal(totalOf(await (await as('plain')).get('/dealers'), 'dealers'), 0)
    t.same(
      foundNames(cabinet, await (await as('maria')).get('/dealers')),
      [String(homeless), String(nobodys), 'denis', 'ivan', 'roman'].sort(),
    )
    t.same(foundNames(cabinet, await (await as('mikhail')).get('/dealers')), ['daria', 'vera'])
    const everybody = parseHtml((await (await as('admin')).get('/dealers')).body)
    t.equal(everybody(`#dealers-${homeless} [data-col=company]`).text().trim(), 'No company')
    t.not(everybody(`#dealers-${nobodys} [data-col=company]`).text().trim(), 'No company')
    db.delete(users).where(eq(users.id, homeless)).run()
    db.delete(users).where(eq(users.id, nobodys)).run()
    revoke(db, cast.plain, 'dealer_manager_can_view')
  })

  t.test('users of every group are refused the dealer list without a permission (403)', async (t) => {
    for (const name of ['clerk', 'plain', 'pavel', 'denis'] as const)
      for (const path of ['/dealers', '/dealers/export', '/dealers/add', '/dealers/delete?id=1'])
        t.equal((await (await as(name)).get(path)).statusCode, 403, `${name} ${path}`)
  })

  t.test('the dealer list has the columns of the specification, the rarer ones when asked for', async (t) => {
    const shown = ['lastname', 'name', 'company', 'phone', 'manager', 'tg_id', 'active']
    const admin = await as('admin')
    t.same(columnsOf(await admin.get('/dealers?cols=last_auth')), [...shown, 'last_auth'])
    t.same(columnsOf(await admin.get('/dealers')), shown)
    t.same(columnsOf(await admin.get('/dealers?cols=created_at,updated_at')), [...shown, 'created_at', 'updated_at'])
    const one = await admin.get('/dealers?cols=updated_at,nothing')
    t.same(columnsOf(one), [...shown, 'updated_at'])
    t.same(Object.keys(rowsOf(one, 'dealers')[0]?.cells ?? {}), [...shown, 'updated_at'])
    const [created_at, updated_at] = [Date.parse('2024-01-02T03:04:00'), Date.parse('2024-05-06T07:08:00')]
    db.update(users).set({ created_at, updated_at }).where(eq(users.id, cast.denis)).run()
    const dated = rowsOf(await admin.get('/dealers?cols=created_at,updated_at'), 'dealers').find(({ id }) => id === cast.denis)
    t.match(dated?.cells, { created_at: /^2\sJan 2024$/, updated_at: /^6\sMay 2024$/ })
    t.same(Object.keys(rowsOf(await admin.get('/dealers'), 'dealers')[0]?.cells ?? {}), shown)
    const sortedBy = async (query: string) => textsIn((await admin.get(`/dealers?${query}`)).body, '.sorted-by')
    t.same(await sortedBy('sort=created_at'), ['Sorted by: Created'], 'a column that is not shown')
    t.same(await sortedBy('sort=created_at&cols=created_at'), [], 'whose heading says it otherwise')
    t.same(await sortedBy(''), [])
    const order = async (query: string) =>
      rowsOf(await admin.get(`/dealers${query}`), 'dealers').map(({ cells }) => `${cells.lastname} ${cells.name}`)
    const byName = await order('')
    const folded = byName.map((name) => name.toLocaleLowerCase('ru').replaceAll('ё', 'е'))
    t.same(folded, folded.toSorted(), 'by surname at first')
    t.same(await order('?sort=lastname&dir=desc'), byName.toReversed())
    t.match((await admin.get('/dealers')).body, /data-col="lastname"[^>]*aria-sort="ascending"/, 'which its heading says')
    t.same(await sortedBy('sort=company'), [])
  })

  t.test('a row of the dealer list shows company, names, messenger and the full name of the manager', async (t) => {
    const rows = rowsOf(await (await as('admin')).get('/dealers?cols=created_at'), 'dealers')
    const denis = rows.find(({ id }) => id === cast.denis)
    t.match(denis?.cells, { company: 'Alpha Windows', name: 'Denis', lastname: 'Denisov', manager: 'Petrova Maria Ivanovna' })
    t.match(denis?.cells.created_at, /^\d{1,2}\s[A-Z][a-z]{2}/)
    t.match(rows.find(({ id }) => id === cast.daria)?.cells, { company: 'ООО «Бета Ёлка»', name: 'Дарья', lastname: 'Королёва' })
  })

  t.test('the dealer list and card escape markup that users typed', async (t) => {
    const id = insertDealer(cabinet, { lastname: '<img src=x onerror=alert(1)>', name: '"><script>alert(2)</script>' })
    const page = await (await as('admin')).get('/dealers')
    t.notMatch(page.body, '<img src=x')
    t.notMatch(page.body, '<script>alert')
    t.equal(rowsOf(page, 'dealers').find((row) => row.id === id)?.cells.lastname, '<img src=x onerror=alert(1)>')
    const card = await (await as('admin')).get(`/dealers/edit/${id}`)
    t.notMatch(card.body, '<script>alert')
    t.equal(fieldOf(card, 'name')?.value, '"><script>alert(2)</script>')
    db.delete(users).where(eq(users.id, id)).run()
  })

  t.test('the switch of a dealer shows its state, in words to users who may not use it', async (t) => {
    const rows = rowsOf(await (await as('admin')).get('/dealers'), 'dealers')
    const states = Object.fromEntries(rows.map(({ id, html }) => [id, switchOf(html)]))
    t.same(states[cast.denis], { checked: true, disabled: false })
    t.same(states[cast.ivan], { checked: false, disabled: false })
    grant(db, cast.clerk, 'dealer_can_view')
    const read = rowsOf(await (await as('clerk')).get('/dealers'), 'dealers')
    t.match(Object.fromEntries(read.map(({ id, cells }) => [id, cells.active])), { [cast.denis]: 'Yes', [cast.ivan]: 'No' })
    for (const { html } of read) t.equal(switchOf(html), undefined)
    revoke(db, cast.clerk, 'dealer_can_view')
  })

  t.test('a row of the dealer list offers only the actions that the user may perform', async (t) => {
    const offers = async (name: Name) => {
      const rows = rowsOf(await (await as(name)).get('/dealers'), 'dealers')
      const links = (html: string) => tagsOf(html, 'a').map(({ href }) => String(href).split('?')[0])
      return Object.fromEntries(rows.map(({ id, html }) => [id, links(html)]))
    }
    const maria = await offers('maria')
    t.ok(maria[cast.denis]?.includes(`/dealers/edit/${cast.denis}`))
    t.ok(maria[cast.roman]?.includes(`/dealers/edit/${cast.roman}`), 'of her company, though assigned to another manager')
    t.ok(maria[cast.roman]?.includes('/dealers/delete'), 'and she may delete him')
    t.ok(maria[cast.denis]?.includes(`/impersonate/${cast.denis}`))
    t.notOk(maria[cast.ivan]?.includes(`/impersonate/${cast.ivan}`), 'who is switched off cannot be impersonated')
    revoke(db, cast.mikhail, 'dealer_manager_can_delete', 'dealer_can_auth')
    const mikhail = await offers('mikhail')
    t.notOk(mikhail[cast.daria]?.includes('/dealers/delete'))
    t.notOk(mikhail[cast.daria]?.includes(`/impersonate/${cast.daria}`))
    grant(db, cast.mikhail, 'dealer_manager_can_delete', 'dealer_can_auth')
  })

  t.test('the dealer list is narrowed to those who may sign in, or may not', async (t) => {
    const page = await (await as('admin')).get('/dealers')
    const options = elementsOf(page.body, 'button[name=active]').map((option) => [textOf(option), attributesOf(option).value])
    t.same(options, [
      ['Active', '1'],
      ['Deactivated', '0'],
    ])
    t.same(idsOf(await (await as('admin')).get('/dealers?active=0'), 'dealers'), [cast.ivan])
    const active = idsOf(await (await as('admin')).get('/dealers?active=1'), 'dealers')
    t.notOk(active.includes(cast.ivan))
    t.equal(active.length + 1, totalOf(page, 'dealers'))
  })

  t.test('the dealer list ignores invalid query parameters', async (t) => {
    const admin = await as('admin')
    for (const query of invalidQueries) {
      const page = await admin.get(`/dealers?${query}`)
      t.equal(page.statusCode, 200, query.slice(0, 60))
      t.not(totalOf(page, 'dealers'), undefined)
      if (!query.includes('q')) t.equal(totalOf(page, 'dealers'), 5, query)
      const fragment = await admin.get(`/dealers?${query}`, htmx)
      t.equal(fragment.statusCode, 200)
    }
  })
})

t.test('the pages of the dealer list', async (t) => {
  const cabinet = await startCabinet(t)
  const { as } = cabinet
  insertDealers(cabinet, 60)
  const admin = await as('admin')
  const sizeOf = async (query: string) => idsOf(await admin.get(`/dealers?${query}`), 'dealers').length

  t.test('a page of the dealer list has 25 rows, 50, or all', async (t) => {
    t.equal(await sizeOf(''), 25)
    t.equal(await sizeOf('size=50'), 50)
    t.equal(await sizeOf('size=all'), 65)
    for (const size of ['10', '100', '0', 'many', '25.0']) t.equal(await sizeOf(`size=${size}`), 25, size)
  })

  t.test('the pages of the dealer list together hold every row once, in order', async (t) => {
    const all = idsOf(await admin.get('/dealers?size=all'), 'dealers')
    const pages = [1, 2, 3].map((page) => admin.get(`/dealers?page=${page}`).then((answer) => idsOf(answer, 'dealers')))
    t.same((await Promise.all(pages)).flat(), all)
    t.equal(new Set(all).size, 65)
    const reversed = [1, 2, 3].map((page) => admin.get(`/dealers?sort=company&dir=asc&page=${page}`))
    const sorted = idsOf(await admin.get('/dealers?sort=company&dir=asc&size=all'), 'dealers')
    t.same(
      (await Promise.all(reversed)).flatMap((answer) => idsOf(answer, 'dealers')),
      sorted,
    )
  })

  t.test('a page past the end of the dealer list shows the last one', async (t) => {
    const last = idsOf(await admin.get('/dealers?page=3'), 'dealers')
    t.equal(last.length, 15)
    for (const page of ['4', '99', '999999999999']) t.same(idsOf(await admin.get(`/dealers?page=${page}`), 'dealers'), last, page)
    const first = idsOf(await admin.get('/dealers'), 'dealers')
    for (const page of ['0', '-1', 'x', '1.5', '']) t.same(idsOf(await admin.get(`/dealers?page=${page}`), 'dealers'), first, page)
  })

  t.test('every page of the dealer list says how many dealers were found', async (t) => {
    for (const query of ['', 'page=3', 'size=all']) t.equal(totalOf(await admin.get(`/dealers?${query}`), 'dealers'), 65)
    t.equal(totalOf(await admin.get('/dealers?q=planted&page=9'), 'dealers'), 60)
  })
})

t.test('the dealer list is sorted', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  for (const name of dealerNames) db.delete(users).where(eq(users.id, cast[name])).run()
  const [a, b, c, d, e, f] = insertDealers(cabinet, 6, (index) => ({
    company_id: [alpha, beta, alpha, nobodys, beta, alpha][index],
  })) as number[]
  const at = (id: number | undefined, day: number) =>
    db
      .update(users)
      .set({ created_at: Date.UTC(2026, 0, day) })
      .where(eq(users.id, id as number))
      .run()
  for (const [id, day] of [
    [a, 5],
    [b, 3],
    [c, 5],
    [d, 1],
    [e, 3],
    [f, 9],
  ] as [number, number][])
    at(id, day)
  const admin = await as('admin')
  const order = async (query: string) => idsOf(await admin.get(`/dealers?${query}`), 'dealers')

  t.test('dealers sort by company in both directions, equal ones by id in the same direction', async (t) => {
    t.same(await order('sort=company&dir=asc'), [a, c, f, d, b, e])
    t.same(await order('sort=company&dir=desc'), [e, b, d, f, c, a])
    const arrow = async (dir: string) =>
      parseHtml((await admin.get(`/dealers?sort=company&dir=${dir}`)).body)('th[aria-sort$=ending] path').attr('d')
    t.same([await arrow('asc'), await arrow('desc')], ['M6 15l6 -6l6 6', 'M6 9l6 6l6 -6'], 'an arrow up, an arrow down')
  })

  t.test('dealers sort by creation date in both directions, equal ones by id in the same direction', async (t) => {
    t.same(await order('sort=created_at&dir=asc'), [d, b, e, a, c, f])
    t.same(await order('sort=created_at&dir=desc'), [f, c, a, e, b, d])
  })

  t.test('an unknown sort column or direction falls back to the default', async (t) => {
    const usual = await order('')
    for (const key of ['nothing', 'password', 'id', 'email', '', '__proto__', 'users.id'])
      t.same(await order(`sort=${encodeURIComponent(key)}`), usual, key)
    t.same(await order('sort=company&dir=up'), await order('sort=company'), 'and so does an unknown direction')
  })

  t.test('company names sort alphabetically, ignoring case and ё', async (t) => {
    db.update(companies).set({ org: 'яблоко', search: 'яблоко' }).where(eq(companies.id, alpha)).run()
    db.update(companies).set({ org: 'Берёза', search: 'береза' }).where(eq(companies.id, beta)).run()
    db.update(companies).set({ org: 'Ёж', search: 'еж' }).where(eq(companies.id, nobodys)).run()
    t.same(await order('sort=company&dir=asc'), [b, e, d, a, c, f])
  })
})

t.test('the dealer list is searched', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const admin = await as('admin')
  const found = async (q: string, browser: Browser = admin) => {
    const answer = await browser.get(`/dealers?${new URLSearchParams({ q })}`)
    t.equal(answer.statusCode, 200, q)
    t.equal(totalOf(answer, 'dealers'), idsOf(answer, 'dealers').length, `${q}: the total is what is shown`)
    return foundNames(cabinet, answer)
  }
  const messenger = insertDealer(cabinet, {
    lastname: 'Zorina',
    name: 'Zoya',
    middlename: 'Patronymova',
    tg_id: '987650',
    phone: '+7(999) 777 66 55',
  })
  const literal = insertDealer(cabinet, { lastname: '100%_off', name: '"O\'Neil" \\ *' })

  t.test('the dealer search ignores case, ё and Unicode normalization', async (t) => {
    for (const q of ['королёва', 'КОРОЛЕВА', 'королева', 'Королёва', 'короле\u0308ва']) t.same(await found(q), ['daria'], q)
    for (const q of ['DENISOV', 'denisov', 'DeNiSoV']) t.same(await found(q), ['denis'], q)
  })

  t.test('the dealer search finds parts of words, from one letter on', async (t) => {
    for (const q of ['рол', 'ёва', 'орол', 'ева']) t.same(await found(q), ['daria'], q)
    t.same(await found('ро'), ['daria'])
    t.same(await found('д'), ['daria'])
    t.ok((await found('d')).includes('denis'))
  })

  t.test('the dealer search covers company, names, messenger and the full name of the manager', async (t) => {
    t.same(await found('alpha'), ['denis', 'ivan', 'roman', String(messenger), String(literal)].sort())
    t.same(await found('«бета ёлка»'), ['daria', 'vera'])
    t.same(await found('елка'), ['daria', 'vera'])
    t.same(await found('98765'), [String(messenger)])
    t.same(await found('ivanovna denis'), ['denis'])
    t.same(await found('petrova maria ivanovna vernaya'), ['vera'])
    t.same(await found('sidorov'), ['daria', 'roman', 'vera'], "the company's and their own")
  })

  t.test('the dealer search requires every word, in any field and order', async (t) => {
    t.same(await found('дарья королева'), ['daria'])
    t.same(await found('королева   дарья'), ['daria'])
    t.same(await found('дарья ёлка сидоров'), [], 'his name is not written so')
    t.same(await found('дарья ёлка sidorov'), ['daria'])
    t.same(await found('дарья alpha'), [])
    t.same(await found('denis denis denis'), ['denis'])
  })

  t.test('the dealer search requires every word of a long query too', async (t) => {
    t.same(await found(`d e n i s o v a l p ${'nowhere'}`), [])
  })

  t.test('the dealer search finds an email, and a phone number however it is written', async (t) => {
    t.same(await found('denis@example.com'), ['denis'])
    t.same(await found('777 66'), await found('77766'))
  })

  t.test('the dealer search does not cover fields that no user can read', async (t) => {
    for (const q of ['maria@', 'argon2']) t.same(await found(q), [], q)
  })

  t.test('the dealer search takes %, _, quotes, backslashes and asterisks literally', async (t) => {
    for (const q of ['%', '_', '0%_', '100%_off', '"', "'", '"o\'n', '\\', '*', '%_o']) t.same(await found(q), [String(literal)], q)
    for (const q of ['%%', 'd%s', 'd_nis', '""', "' or 1=1 --"]) t.same(await found(q), [], q)
  })

  t.test('a dealer search of blanks finds everybody', async (t) => {
    t.equal((await found('   ')).length, 7)
    t.equal((await found('')).length, 7)
  })

  t.test("a manager's search finds only dealers whom they may see", async (t) => {
    t.same(await found('дарья', await as('maria')), [])
    t.same(await found('дарья', await as('mikhail')), ['daria'])
    t.same(await found('vernaya', await as('maria')), [])
  })

  t.test("a dealer is found by the name of the user who registered them, whatever that user's group", async (t) => {
    const own = insertDealer(cabinet, { lastname: 'Cousin', name: 'Carl', manager_id: cast.daria })
    t.same(await found('королева carl'), [String(own)])
    db.delete(users).where(eq(users.id, own)).run()
  })

  t.test('a renamed dealer or company is found by the new name at once', async (t) => {
    await admin.post(`/dealers/edit/${cast.ivan}`, { lastname: 'Щукин' })
    t.same(await found('щуки'), ['ivan'])
    t.same(await found('inactive'), [])
    await admin.post(`/company/edit/${cast.companies.beta}`, { org: 'Гамма' })
    t.same(await found('гамма'), ['daria', 'vera'])
    t.same(await found('ёлка'), [])
  })

  t.test('the dealer list keeps the search and the sort order in its address and fields', async (t) => {
    const page = await admin.get('/dealers?q=%D0%94%22%3C&sort=company&dir=desc')
    t.equal(fieldOf(page, 'q')?.value, 'Д"<')
    t.equal(fieldOf(page, 'sort')?.value ?? 'company', 'company')
  })

  t.test('any part of any registered name finds the dealer, whatever its case', async (t) => {
    const letters = fc.constantFrom(...'абвЁёйЙяЯdzQ%_"\'-*\\')
    const word = fc.string({ unit: letters, minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(
        word,
        word,
        fc.nat(9),
        fc.integer({ min: 1, max: 10 }),
        fc.boolean(),
        async (lastname, name, from, length, upper) => {
          const id = insertDealer(cabinet, { lastname, name })
          const part = lastname.slice(from % lastname.length).slice(0, length)
          const q = `${upper ? part.toUpperCase().replaceAll('Ё', 'Е') : part} ${name}`
          const ids = idsOf(await admin.get(`/dealers?${new URLSearchParams({ q, size: 'all' })}`), 'dealers')
          db.delete(users).where(eq(users.id, id)).run()
          return ids.includes(id)
        },
      ),
      { numRuns: 60 },
    )
    t.pass('found')
  })

  t.test('every dealer found contains every word of the query', async (t) => {
    const people = db.select().from(users).where(eq(users.group_id, 2)).all()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('de', 'n', 'ов', 'e', 'ро', 'ver', 'zz'), { minLength: 1, maxLength: 3 }),
        async (words) => {
          const page = await admin.get(`/dealers?${new URLSearchParams({ q: words.join(' ') })}`)
          for (const { id, cells } of rowsOf(page, 'dealers')) {
            const person = people.find((one) => one.id === id)
            const seen =
              `${person?.email} ${person?.phone} ${cells.company} ${cells.lastname} ${cells.name} ${cells.tg_id} ${cells.manager}`
                .toLowerCase()
                .replaceAll('ё', 'е')
            for (const one of words) if (!seen.includes(one)) throw new Error(`${one} is not in ${seen} (${id})`)
          }
          return idsOf(page, 'dealers').length <= people.length
        },
      ),
      { numRuns: 40 },
    )
    t.pass('consistent')
  })
})
