import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, idsOf } from '../support/html.ts'
import { attributesIn, sentWith, textsIn } from '../support/parts.ts'
import { insertProduct } from '../support/products.ts'

t.test('what is done with ticked rows starts from the list as it is', async (t) => {
  const { as } = await startCabinet(t)
  const { body } = await (await as('admin')).get('/dealers?q=den&active=1&sort=company&dir=desc&cols=created_at')
  t.same(sentWith(body, 'dealers-bulk'), [
    ['q', 'den'],
    ['active', '1'],
    ['sort', 'company'],
    ['dir', 'desc'],
    ['cols', 'created_at'],
  ])
  t.same(attributesIn(body, '#dealers-bulk', 'method', 'action', 'aria-label'), [['get', '/dealers/delete', 'Selected rows']])
  t.same(attributesIn(body, '#dealers-bulk .bulk-count', 'role', 'data-selected'), [['status', '# selected']])
  t.same(textsIn(body, '#dealers-bulk .is-at-hand'), ['Invite'], 'what is at hand is folded on a phone')
  t.same(textsIn(body, '#dealers-bulk button:not([data-close-menu])'), ['', 'Change…', 'Invite', 'Invite', 'Export', 'Delete…'])
  t.same(attributesIn(body, '#dealers-bulk', 'hx-include:inherited', 'hx-target:inherited', 'hx-swap:inherited'), [
    ["closest form, [form='dealers-bulk']", '#dialog', 'innerHTML'],
  ])
  t.same(attributesIn(body, '#dealers-bulk button:not([data-close-menu])', 'formaction', 'hx-get'), [
    [undefined, undefined],
    ['/dealers/change', '/dealers/change'],
    ['/dealers/invite', '/dealers/invite'],
    ['/dealers/invite', '/dealers/invite'],
    ['/dealers/export', undefined],
    [undefined, '/dealers/delete'],
  ])
  t.same(textsIn(body, '#dealers-table thead .row-select, #dealers-table thead .row-actions'), ['', 'Actions'])
  t.same(attributesIn(body, '#dealers-table thead input', 'aria-label'), [['Select all on this page']])
  t.same(attributesIn(body, '#dealers-table tbody .row-select input', 'aria-label', 'form', 'name'), [
    ['Select: Denisov Denis', 'dealers-bulk', 'id'],
  ])
})

t.test('whoever may neither change nor delete rows ticks none of them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  grant(db, cast.clerk, 'dealer_can_view')
  const { body } = await (await as('clerk')).get('/dealers')
  t.same(elementsOf(body, '#dealers-bulk, .row-select'), [])
  t.same(textsIn(body, '.page-actions .btn'), [], 'nor adds one')
})

t.test('what is asked of rows that do not exist is not found (404)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const before = db.select().from(companies).all().length
  for (const path of ['/companies/delete', '/dealers/change'])
    for (const [query, status, words] of [
      ['id=x', 404, 'Record not found'],
      ['id=1&id=9999', 404, 'Record not found'],
    ] as const) {
      const fields = Object.fromEntries([...new URLSearchParams(query)].map(([name]) => [name, new URLSearchParams(query).getAll(name)]))
      for (const answer of [await root.get(`${path}?${query}`), await root.post(path, fields)]) {
        t.equal(answer.statusCode, status, `${path}?${query}`)
        t.match(textsIn(answer.body, 'main h1').join(), words, `${path}?${query}`)
      }
    }
  t.equal(db.select().from(companies).all().length, before)
  const twice = await root.get(`/companies/delete?id=${cast.companies.alpha}&id=${cast.companies.alpha}`)
  t.same(textsIn(twice.body, 'h1, .confirm-names li'), ['Delete 1 company?', 'Alpha Windows'], 'a row that is named twice is one')
})

t.test('whoever asks something of no rows is told so in their list, as it was (422)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  insertProduct(db, { article: 'A' })
  const root = await as('root')
  const asked: [path: string, list: string, posted: boolean][] = [
    ['/companies/delete', 'companies', true],
    ['/dealers/delete', 'dealers', true],
    ['/dealers/change', 'dealers', true],
    ['/products/prices', 'products', true],
    ['/statuses/delete', 'statuses', true],
    ['/orders/transitions', 'orders', true],
    ['/orders/print', 'orders', false],
  ]
  for (const [path, list, posted] of asked) {
    const refused = [
      await root.get(`${path}?sort=created_at&dir=asc`),
      ...(posted ? [await root.post(path, { sort: 'created_at', dir: 'asc' })] : []),
    ]
    for (const answer of refused) {
      t.equal(answer.statusCode, 422, path)
      t.equal(textsIn(answer.body, '#messages [role=alert]').join(), 'Choose at least one record.', path)
      t.same(textsIn(answer.body, 'main h1'), textsIn((await root.get(`/${list}`)).body, 'main h1'), path)
      t.ok(elementsOf(answer.body, `#${list}-table tbody tr`).length > 0, path)
    }
  }
  const sorted = await root.post('/dealers/delete', { q: 'denisov', size: 10 })
  t.same(idsOf(sorted, 'dealers'), [cast.denis], 'what the list was searched for is kept')
  t.same(textsIn((await root.post('/dealers/delete', { all: 1, q: 'nowhere' })).body, '#messages [role=alert]'), [
    'Choose at least one record.',
  ])
  const part = await root.post('/dealers/delete', {}, htmx)
  t.same(
    [part.statusCode, part.headers['hx-retarget'], textsIn(part.body, '[role=alert] span')],
    [422, '#messages', ['Choose at least one record.']],
  )
  t.same(elementsOf(part.body, 'table'), [])
})
