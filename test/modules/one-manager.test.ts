import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orders, users } from '../../src/database/schema/index.ts'
import { outdatedTexts, refreshSearchTexts } from '../../src/database/search-index.ts'
import { findPartyMembers } from '../../src/modules/orders/recipients.ts'
import { clientFor } from '../support/api.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { insertDealer } from '../support/dealers.ts'
import { cellsOf, elementById, idsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

// One manager counts for orders, notifications and rights: the company's. A dealer's own decides where the company has none.

const orderOf = ({ db }: Cabinet, id: number) => db.select().from(orders).where(eq(orders.id, id)).get() as typeof orders.$inferSelect
const facts = (cabinet: Cabinet, id: number) => ({ ...orderOf(cabinet, id), company_manufacture_id: null })

t.test("a dealer's own manager counts only while the company has none", async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { beta } = cast.companies
  const order = insertOrder(cabinet, 'new', { dealer_id: cast.vera, company_id: beta })
  const maria = await as('maria')
  const managersOf = () => findPartyMembers(db, facts(cabinet, order)).manager
  const opens = async () => [(await maria.get(`/orders/${order}`)).statusCode, (await maria.get(`/dealers/edit/${cast.vera}`)).statusCode]
  t.same([await opens(), managersOf()], [[403, 403], [cast.mikhail]], 'the manager of the company')
  const root = await as('root')
  await root.post('/companies/change', { id: beta, manager_id: '0' })
  t.same([await opens(), managersOf()], [[200, 200], [cast.maria]], 'her own, where the company has none')
  await root.post('/dealers/change', { id: cast.vera, manager_id: cast.plain })
  t.same([await opens(), managersOf()], [[403, 403], [cast.plain]], 'a bulk change of dealers leaves nobody without a manager in effect')
  db.update(users).set({ manager_id: cast.root }).where(eq(users.id, cast.vera)).run()
  t.equal(orderOf(cabinet, order).owner_manager_id, null, 'an administrator who registered a dealer is no manager')
  await root.post('/companies/change', { id: beta, manager_id: cast.maria })
  t.same([await opens(), managersOf()], [[200, 200], [cast.maria]])
})

t.test('managers of many companies are changed at once', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const { alpha, beta, nobodys } = cast.companies
  const managerOf = (id: number) => db.select().from(companies).where(eq(companies.id, id)).get()?.manager_id
  const root = await as('root')
  t.match((await root.get('/companies')).body, '/companies/change')
  const form = parseHtml((await root.get(`/companies/change?id=${alpha}&id=${nobodys}`)).body)
  t.equal(form('h1').text().trim(), 'Change 2 companies')
  t.equal(form('select[name=manager_id] option').length, 5, 'active managers, or none')
  t.equal((await root.post('/companies/change', { id: [alpha, nobodys], manager_id: cast.plain })).statusCode, 200)
  t.same([managerOf(alpha), managerOf(beta), managerOf(nobodys)], [cast.plain, cast.mikhail, cast.plain])
  t.equal((await root.post('/companies/change', { id: [alpha] })).statusCode, 422, 'nothing said')
  t.equal((await root.post('/companies/change', { id: [alpha], manager_id: cast.denis })).statusCode, 422, 'no manager')
  const mikhail = await as('mikhail')
  t.equal((await mikhail.post('/companies/change', { id: [beta, alpha], manager_id: cast.mikhail })).statusCode, 403)
  t.same([managerOf(alpha), managerOf(beta)], [cast.plain, cast.mikhail], 'one foreign company refuses the whole')
})

t.test("the list shows and filters by the manager that counts, and a dealer's own where it differs", async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  const list = await root.get('/dealers?size=all')
  const shown = (id: number) =>
    cellsOf(elementById(list, `dealers-${id}`) as string)
      .manager?.replace(/\s+/g, ' ')
      .trim()
  t.equal(shown(cast.denis), 'Petrova Maria Ivanovna')
  t.equal(shown(cast.vera), 'Sidorov Mikhail (own: Petrova)')
  t.same(idsOf(await root.get(`/dealers?manager=${cast.mikhail}&size=all`), 'dealers').sort(), [cast.daria, cast.vera].sort())
  const managers = async (name: Name, id: number) => {
    const $ = parseHtml((await (await as(name)).get(`/dealers/edit/${id}?tab=overview`)).body)
    const lines = $('[aria-labelledby=people-title] p').toArray()
    return lines.map((line) => textOf($.html(line)))
  }
  t.same(await managers('root', cast.vera), ['Sidorov Mikhail', 'Manager', 'Petrova Maria Ivanovna', 'Own manager'])
  t.same(await managers('root', cast.denis), ['Petrova Maria Ivanovna', 'Manager'])
  t.same(await managers('mikhail', cast.vera), ['Petrova Maria Ivanovna', 'Own manager'], 'nobody is told of themselves')
  t.same(await managers('maria', cast.denis), [])
})

t.test('a dealer registered on the page has whoever did it, one added by the API the manager of the company', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const person = { lastname: 'Newman', name: 'Nora', password: 'a brand new password', company_id: cast.companies.beta }
  await root.post('/dealers/add', { ...person, email: 'page@example.com' })
  const added = await clientFor(cabinet, cast.root).post('/dealers', { ...person, email: 'api@example.com' })
  t.equal(added.statusCode, 201, added.body)
  const managerOf = (email: string) => db.select().from(users).where(eq(users.email, email)).get()?.manager_id
  t.same([managerOf('page@example.com'), managerOf('api@example.com')], [cast.root, cast.mikhail])
})

t.test('list, search, card and the choice for an order have the same dealers of a manager', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { nobodys } = cast.companies
  const placed = { lastname: 'Placed', name: 'Dealer' }
  const unmanaged = insertDealer(cabinet, { ...placed, company_id: nobodys, manager_id: cast.maria })
  const without = insertDealer(cabinet, { ...placed, company_id: null, manager_id: cast.maria })
  const others = insertDealer(cabinet, { ...placed, company_id: nobodys, manager_id: cast.mikhail })
  const dealers = [unmanaged, without, others, cast.denis, cast.roman, cast.vera, cast.daria]
  const shown = async (name: 'maria' | 'mikhail') => {
    const browser = await as(name)
    const api = (await clientFor(cabinet, cast[name]).get('/dealers')).json().items as { id: number }[]
    const find = (await browser.get('/find?q=placed')).body
    const listed = idsOf(await browser.get('/dealers?size=all'), 'dealers')
    const opened = await Promise.all(dealers.map(async (id) => (await browser.get(`/dealers/edit/${id}`)).statusCode === 200))
    const choice = parseHtml((await browser.get('/orders/dealers?q=')).body)
    const inOrder = (ids: number[]) => dealers.filter((id) => ids.includes(id))
    return {
      listed: inOrder(listed),
      opened: dealers.filter((_, at) => opened[at]),
      api: inOrder(api.map(({ id }) => id)),
      found: inOrder(idsOf(await browser.get('/dealers?q=placed'), 'dealers')),
      everywhere: dealers.filter((id) => find.includes(`/dealers/edit/${id}?tab=overview"`)),
      choice: dealers.filter((id) => choice(`option[value=${id}]`).length > 0),
    }
  }
  const same = (ids: number[]) => ({ listed: ids, opened: ids, api: ids })
  t.match(await shown('maria'), same([unmanaged, without, cast.denis, cast.roman]))
  t.match(await shown('maria'), {
    found: [unmanaged, without],
    everywhere: [unmanaged, without],
    choice: [unmanaged, cast.denis, cast.roman],
  })
  t.match(await shown('mikhail'), { ...same([others, cast.vera, cast.daria]), found: [others], choice: [others, cast.vera, cast.daria] })
  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, nobodys)).run()
  t.match(await shown('maria'), { ...same([without, cast.denis, cast.roman]), found: [without] })
  t.match(await shown('mikhail'), { ...same([unmanaged, others, cast.vera, cast.daria]), found: [unmanaged, others] })
})

t.test("a dealer is found by the name of the company's manager as by their own", async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const found = async (q: string) => idsOf(await root.get(`/dealers?size=all&q=${q}`), 'dealers').sort((a, b) => a - b)
  t.same(await found('sidorov'), [cast.daria, cast.vera, cast.roman], "Mikhail's company's, and his own")
  await root.post(`/managers/edit/${cast.mikhail}`, { lastname: 'Newnamed' })
  t.same([await found('sidorov'), await found('newnamed')], [[], [cast.daria, cast.vera, cast.roman]], 'renamed')
  await root.post('/companies/change', { id: cast.companies.beta, manager_id: cast.plain })
  t.same(
    [await found('newnamed'), await found('plainer')],
    [
      [cast.daria, cast.roman],
      [cast.daria, cast.vera],
    ],
    'of another manager',
  )
  refreshSearchTexts(db, 1000)
  t.same(
    [await found('newnamed'), await found('plainer')],
    [
      [cast.daria, cast.roman],
      [cast.daria, cast.vera],
    ],
    'written anew',
  )
  t.equal(outdatedTexts(db.$client), 0)
})
