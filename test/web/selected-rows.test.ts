import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf } from '../support/html.ts'
import { attributesIn, sentWith, textsIn } from '../support/parts.ts'

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
  t.same(textsIn(body, '#dealers-bulk button'), ['', 'Change…', 'Invite', 'Export', 'Delete…'])
  t.same(attributesIn(body, '#dealers-bulk', 'hx-include:inherited', 'hx-target:inherited', 'hx-swap:inherited'), [
    ["closest form, [form='dealers-bulk']", '#dialog', 'innerHTML'],
  ])
  t.same(attributesIn(body, '#dealers-bulk button', 'formaction', 'hx-get'), [
    [undefined, undefined],
    ['/dealers/change', '/dealers/change'],
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

t.test('what is asked of no rows is refused (422), and of rows that do not exist not found (404)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const before = db.select().from(companies).all().length
  for (const path of ['/companies/delete', '/dealers/change'])
    for (const [query, status, words] of [
      ['', 422, 'Nothing selected'],
      ['all=1&q=nowhere', 422, 'Nothing selected'],
      ['id=x', 404, 'Record not found. It may have been deleted'],
      ['id=1&id=9999', 404, 'Record not found. It may have been deleted'],
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
