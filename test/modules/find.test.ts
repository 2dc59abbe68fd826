import fc from 'fast-check'
import t from 'tap'
import { highlight } from '../../src/core/highlight.ts'
import { searchWords } from '../../src/core/text.ts'
import { companies, news, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { type Name, names } from '../support/cast.ts'
import { idsOf, isDocument } from '../support/html.ts'

const hooksOf = (body: string) => [...body.matchAll(/data-found="([^"]+)"/g)].map(([, hook]) => hook as string)

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
    t.equal((await found('root', `#${bigOrder}`))[0], `orders-${bigOrder}`, 'the number itself comes first')
    t.equal((await found('root', `${other}`))[0], `orders-${other}`)
  })

  t.test('companies are found by name, INN, phone and email, and users likewise', async (t) => {
    for (const q of ['vega', '7701234567', '8 495 777-88-99', 'hello@vega']) t.same(await found('root', q), [`companies-${vega}`], q)
    db.update(users).set({ phone: '+7(901) 222 33 44' }).run()
    t.ok((await found('root', '8 901 222 33 44')).includes(`dealers-${cast.denis}`))
    t.ok((await found('root', 'petrova maria')).includes(`managers-${cast.maria}`))
    t.ok((await found('root', 'panorama')).includes(`news-${draft}`))
  })

  t.test('pages and actions are found by their names, if the user may open them', async (t) => {
    t.ok((await found('root', 'add dealer')).includes('page-/dealers/add'))
    t.ok((await found('denis', 'add order')).includes('page-/orders/add'))
    t.same(await found('denis', 'add dealer'), [])
    t.ok((await found('root', 'statuses')).includes('page-/statuses'))
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
    await fc.assert(
      fc.asyncProperty(people, terms, async (name, term) => {
        for (const hook of await found(name, term)) {
          if (hook.startsWith('page-')) continue
          const [list, id] = hook.split('-') as [string, string]
          const answer = await (await as(name)).get(`/${list}?size=all`)
          if (answer.statusCode !== 200) throw new Error(`${name} found ${hook} without the list`)
          const shown = list === 'news' ? answer.body.includes(`news-${id}`) : idsOf(answer, list).includes(Number(id))
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
