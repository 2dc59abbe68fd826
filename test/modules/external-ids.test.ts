import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orders, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, password } from '../support/cast.ts'
import { controlsOf, elementsOf, errorsOf, fieldOf, idsOf, textOf, textsByRole } from '../support/html.ts'
import { checked, csv, rowsOf } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

const taken = 'Another record has this value.'

t.test('companies, dealers, orders and products have an external ID that no other record of them has', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const { alpha, beta } = cast.companies
  const other = await root.post('/orders/add', { dealer_id: cast.denis, without_lines: 1 })
  const second = Number(/\d+$/.exec(String(other.headers.location))?.[0])
  const [one, two] = [insertProduct(db, { article: 'A' }), insertProduct(db, { article: 'B' })]
  const kinds: [path: string, list: string, first: number, second: number][] = [
    ['/company/edit', 'companies', alpha, beta],
    ['/dealers/edit', 'dealers', cast.denis, cast.daria],
    ['/orders/edit', 'orders', cast.order, second],
    ['/products/edit', 'products', one, two],
  ]
  for (const [path, list, first, second] of kinds) {
    t.equal((await root.post(`${path}/${first}`, { external_id: ' 1C-77 ' })).statusCode, 303, list)
    t.equal(fieldOf(await root.get(`${path}/${first}`), 'external_id')?.value, '1C-77')
    t.equal((await root.post(`${path}/${first}`, { external_id: '1C-77' })).statusCode, 303, 'its own is none of another record')
    const refused = await root.post(`${path}/${second}`, { external_id: '1C-77' })
    t.equal(refused.statusCode, 422)
    t.same(errorsOf(refused), { external_id: taken })
    t.equal((await root.post(`${path}/${second}`, { external_id: '1c-77' })).statusCode, 303, 'codes differ in case, too')
    t.equal((await root.post(`${path}/${second}`, { external_id: '' })).statusCode, 303)
    t.equal((await root.post(`${path}/${first}`, { external_id: '1C-770' })).statusCode, 303)
    t.same(idsOf(await root.get(`/${list}?q=c-770`), list), [first], 'it is found by it')
    t.match(textOf(elementsOf((await root.get('/activity')).body, 'tr[id^=activity-]')[0] ?? ''), /External ID:? ?1C-77 → 1C-770/)
  }
  for (const list of ['companies', 'orders']) t.match(textOf((await root.get(`/${list}?cols=external_id`)).body), /1C-770/)
  for (const list of ['companies', 'orders'])
    t.match((await root.get(`/${list}/export?format=csv&cols=external_id`)).body, /External ID[\s\S]*1C-770/, list)
})

t.test('products that had the same external ID before are saved with it, and get no other one that is taken', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const [first] = ['A', 'B'].map((article) => insertProduct(db, { article, external_id: 'twice' }))
  insertProduct(db, { article: 'C', external_id: 'once' })
  t.equal((await root.post(`/products/edit/${first}`, { external_id: 'twice', name: 'Gate' })).statusCode, 303)
  t.same(errorsOf(await root.post(`/products/edit/${first}`, { external_id: 'once' })), { external_id: taken })
})

t.test('dealers see the external ID of their orders and change none; they do not see that of their company', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  db.update(orders).set({ external_id: 'ORDER-9' }).where(eq(orders.id, cast.order)).run()
  db.update(companies).set({ external_id: 'COMPANY-9' }).where(eq(companies.id, cast.companies.alpha)).run()
  const denis = await as('denis')
  const card = await denis.get(`/orders/edit/${cast.order}`)
  t.match(fieldOf(card, 'external_id'), { value: 'ORDER-9', disabled: true })
  await denis.post(`/orders/edit/${cast.order}`, { external_id: 'MINE' })
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.external_id, 'ORDER-9')
  t.notOk(controlsOf((await denis.get('/orders/add')).body).some(({ name }) => name === 'external_id'))
  grant(db, cast.denis, 'company_can_view')
  t.notMatch((await denis.get(`/company/edit/${cast.companies.alpha}`)).body, 'COMPANY-9')
})

t.test('programs set external IDs, and are refused those of others (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const root = clientOf(cabinet, 'root')
  const company = await root.post('/companies', { org: 'Gamma', external_id: 'c-1' })
  t.same([company.statusCode, company.json().external_id], [201, 'c-1'])
  const again = await root.post('/companies', { org: 'Delta', external_id: 'c-1' })
  t.same([again.statusCode, Object.keys(again.json().errors)], [422, ['external_id']])
  const dealer = await root.post('/dealers', {
    company_id: company.json().id,
    lastname: 'L',
    name: 'N',
    email: 'l@example.com',
    password,
    external_id: 'd-1',
  })
  t.same([dealer.statusCode, dealer.json().external_id], [201, 'd-1'])
  const order = await root.patch(`/orders/${cast.order}`, { version: 1, external_id: 'o-1' })
  t.same([order.statusCode, order.json().external_id], [200, 'o-1'])
  t.equal((await root.get(`/orders/${cast.order}`)).json().external_id, 'o-1')
  t.same(
    (await root.get('/companies?q=c-1')).json().items.map(({ external_id }: { external_id: string }) => external_id),
    ['c-1'],
  )
})

t.test('rows of a sheet find companies and dealers by their external ID first', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  db.update(companies).set({ external_id: 'c-1' }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ external_id: 'd-1' }).where(eq(users.id, cast.denis)).run()
  const rows = [
    ['External ID', 'Organization', 'INN'],
    ['c-1', 'Renamed', '7707083893'],
    ['c-2', 'New one', '500100732259'],
  ]
  const { path, page } = await checked(root, 'companies', csv(rows))
  t.same(
    rowsOf(page).map(({ outcome }) => outcome),
    ['changed', 'new'],
  )
  t.equal((await root.post(`${path}/save`)).statusCode, 303)
  t.equal(db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.org, 'Renamed')
  t.ok(db.select().from(companies).where(eq(companies.external_id, 'c-2')).get())
  const dealers = await checked(
    root,
    'dealers',
    csv([
      ['External ID', 'Email'],
      ['d-1', 'other@example.com'],
    ]),
  )
  t.same(
    rowsOf(dealers.page).map(({ outcome }) => outcome),
    ['changed'],
  )
})

t.test('a deleted record leaves its external ID to others, and then cannot be restored (409)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  db.update(companies).set({ external_id: 'c-1' }).where(eq(companies.id, cast.companies.beta)).run()
  await root.post('/companies/delete', { id: cast.companies.beta })
  t.equal((await root.post(`/company/edit/${cast.companies.alpha}`, { external_id: 'c-1' })).statusCode, 303)
  const restore = elementsOf((await root.get('/bin')).body, 'form[action$="/restore"]').map(
    (form) => /action="([^"]+)"/.exec(form)?.[1],
  )[0] as string
  const refused = await root.post(restore)
  t.equal(refused.statusCode, 409)
  t.match(textsByRole(refused, 'alert').join(), /another record now has the same value \(External ID\)/)
  await root.post(`/company/edit/${cast.companies.alpha}`, { external_id: '' })
  t.equal((await root.post(restore)).statusCode, 303)
  t.equal(db.select().from(companies).where(eq(companies.id, cast.companies.beta)).get()?.external_id, 'c-1')
})
