import t from 'tap'
import { payments } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { columnsOf, elementsOf, textOf } from '../support/html.ts'

t.test('above lists of amounts dealers read the balance of their company, whose name is in no row', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const { alpha, beta } = cast.companies
  const root = await as('root')
  for (const [company, amount] of [
    [alpha, '1500'],
    [beta, '70'],
  ] as const)
    t.equal((await root.post(`/company/${company}/ledger`, { amount, direction: 'credit', note: 'Opening', once: '' })).statusCode, 303)
  db.insert(payments)
    .values({
      company_id: alpha,
      amount: 100,
      date: '2026-11-01',
      kind: 'transfer',
      state: 'reported',
      reporter_name: 'Denis',
      at: 1,
    } as never)
    .run()
  const balance = async (name: Name, path: string) =>
    elementsOf((await (await as(name)).get(path)).body, '.page-header .own-balance').map(textOf)
  for (const path of ['/ledger', '/payments']) {
    t.same(await balance('denis', path), ['Balance: 1 500,00 ₽'], path)
    t.same(await balance('daria', path), ['Balance: 70,00 ₽'], path)
    t.same(await balance('maria', path), [], path)
    t.same(await balance('root', path), [], path)
    t.notOk(columnsOf(await (await as('denis')).get(path)).includes('company'), path)
    t.ok(columnsOf(await (await as('denis')).get(`${path}?cols=company`)).includes('company'), `${path}, where it is wanted`)
    t.ok(columnsOf(await root.get(path)).includes('company'), path)
  }
  t.ok(columnsOf(await (await as('denis')).get('/ledger')).includes('balance'))
  t.notOk(columnsOf(await root.get('/ledger')).includes('balance'))
  revoke(db, cast.denis, 'order_can_view_prices')
  t.same(await balance('denis', '/payments'), [])
})
