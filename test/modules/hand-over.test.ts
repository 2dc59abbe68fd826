import { eq, isNull } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, handOvers, orders, trash, users } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db } = cabinet
  const root = await cabinet.as('root')
  const managerOf = {
    company: (id: number) => db.select().from(companies).where(eq(companies.id, id)).get()?.manager_id,
    user: (id: number) => db.select().from(users).where(eq(users.id, id)).get()?.manager_id,
    order: (id: number) => db.select().from(orders).where(eq(orders.id, id)).get()?.owner_manager_id,
  }
  const isActive = (id: number) => db.select().from(users).where(eq(users.id, id)).get()?.active
  const held = () => [
    managerOf.company(cast.companies.alpha),
    managerOf.user(cast.denis),
    managerOf.user(cast.vera),
    managerOf.order(cast.order),
  ]
  const everythingOf = (id: number | null) => [id, id, id, id]
  return { ...cabinet, root, isActive, held, everythingOf }
}

t.test('deleting a manager asks who takes over their companies, dealers and orders', async (t) => {
  const { cast, db, root, as, held, everythingOf } = await start(t)
  const question = await root.get(`/managers/delete?id=${cast.maria}`)
  t.match(textOf(question.body), /Companies: 1\s*Dealers: 3\s*Orders: 1/)
  t.same(
    fieldOf(question, 'hand_over_to')
      ?.options?.map(({ value }) => value)
      .sort(),
    ['', String(cast.mikhail), String(cast.plain), 'none'].sort(),
  )
  for (const hand_over_to of [cast.maria, cast.denis, 99_999, 'x']) {
    const refused = await root.post('/managers/delete', { id: cast.maria, hand_over_to })
    t.equal(refused.statusCode, 422, `${hand_over_to}`)
    t.match(textOf(refused.body), 'Choose an active manager.')
  }
  t.same(held(), everythingOf(cast.maria), 'nothing was changed')
  const before = db.select().from(changes).all().length
  const done = await root.post('/managers/delete', { id: cast.maria, hand_over_to: cast.mikhail, once: 'a' })
  t.equal(done.statusCode, 303)
  t.same(held(), everythingOf(cast.mikhail))
  t.equal(db.select().from(changes).all().length, before + 5, 'each company and dealer has it in its history')
  t.match(textOf((await (await as('mikhail')).get('/orders')).body), `#${cast.order}`)
  t.equal((await root.post('/managers/delete', { id: cast.maria, hand_over_to: cast.mikhail, once: 'a' })).statusCode, 303, 'sent twice')
})

t.test('a manager can be deleted without a successor', async (t) => {
  const { cast, root, held, everythingOf } = await start(t)
  await root.post('/managers/delete', { id: cast.maria, hand_over_to: 'none' })
  t.same(held(), everythingOf(null))
  await root.post('/managers/delete', { id: cast.mikhail })
})

t.test('deactivating a manager in the list asks for a successor; a request without `ask` deactivates at once', async (t) => {
  const { cast, root, isActive, held, everythingOf } = await start(t)
  const list = await root.get('/managers')
  t.ok(hiddenOf(list, 'ask').length > 0)
  const address = `/managers/${cast.maria}/hand-over?deactivate=1`
  const plain = await root.post(`/managers/${cast.maria}/active`, { value: 0, ask: 1 })
  t.same([plain.statusCode, plain.headers.location], [303, address])
  t.equal((await root.post(`/managers/${cast.maria}/active`, { value: 0, ask: 1 }, htmx)).headers['hx-redirect'], address)
  t.equal(isActive(cast.maria), true)
  t.equal(
    (await root.post(`/managers/${cast.plain}/active`, { value: 0, ask: 1 })).headers.location,
    '/managers',
    'who has nothing is not asked about',
  )
  const page = await root.get(address)
  t.match(textOf(page.body), 'Deactivate Petrova Maria Ivanovna?')
  t.equal((await root.post(`/managers/${cast.maria}/hand-over`, { deactivate: 1 })).statusCode, 422)
  t.equal((await root.post(`/managers/${cast.maria}/hand-over`, { deactivate: 1, hand_over_to: cast.plain })).statusCode, 422, 'inactive')
  t.equal(isActive(cast.maria), true)
  const kept = await root.post(`/managers/${cast.maria}/hand-over`, { deactivate: 1, hand_over_to: 'keep' })
  t.equal(kept.statusCode, 303)
  t.same(held(), everythingOf(cast.maria))
  t.equal(isActive(cast.maria), false)
  const again = await root.post(`/managers/${cast.maria}/active`, { value: 1, ask: 1 })
  t.equal(again.headers.location, '/managers', 'an activation asks nothing')
  t.equal(isActive(cast.maria), true)
  await root.post(`/managers/${cast.maria}/hand-over`, { deactivate: 1, hand_over_to: cast.mikhail })
  t.same(held(), everythingOf(cast.mikhail))
  t.equal(isActive(cast.maria), false)
  await root.post(`/managers/${cast.mikhail}/active`, { value: 0 })
  t.equal(isActive(cast.mikhail), false, 'without ask, at once')
})

t.test('deactivating a manager on the card asks for a successor, and an active manager can hand over too', async (t) => {
  const { cast, root, held, everythingOf, isActive, db } = await start(t)
  const saved = await root.post(`/managers/edit/${cast.maria}`, { active: 0 })
  t.equal(saved.headers.location, `/managers/${cast.maria}/hand-over?deactivate=1`)
  const card = `/managers/edit/${cast.maria}`
  t.match((await root.get(card)).body, `/managers/${cast.maria}/hand-over"`)
  t.equal((await root.post(card, { name: 'Mariya' })).headers.location, card, 'whoever is deactivated already is not asked about again')
  t.equal((await root.post(card, { active: 1 })).headers.location, card, 'nor whoever is activated')
  t.equal(isActive(cast.maria), true)
  t.equal((await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: 'keep' })).statusCode, 422)
  const done = await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: 'none', once: 'b' })
  t.equal(done.headers.location, `/managers/edit/${cast.maria}`)
  t.same(held(), everythingOf(null))
  t.equal(isActive(cast.maria), true)
  t.equal(
    db
      .select()
      .from(users)
      .where(isNull(users.manager_id))
      .all()
      .filter(({ company_id }) => company_id).length,
    3,
  )
})

t.test('who was chosen to take over stays chosen when the question comes again, as more managers were found than seen', async (t) => {
  const { cast, root, held, everythingOf } = await start(t)
  const chosen = (answer: Parameters<typeof fieldOf>[0]) => fieldOf(answer, 'hand_over_to')?.value
  t.equal(chosen(await root.get('/managers/delete?all=1&q=petrova')), '', 'nobody is chosen at first')
  for (const hand_over_to of [String(cast.mikhail), String(cast.plain), 'none']) {
    const again = await root.post('/managers/delete', { all: 1, q: 'petrova', seen: 'others', hand_over_to })
    t.equal(again.statusCode, 409)
    t.equal(chosen(again), hand_over_to, 'the same successor is chosen')
  }
  t.same(held(), everythingOf(cast.maria), 'nothing was handed over')
})

t.test('handing over needs the permissions to edit every company and dealer (403)', async (t) => {
  const { cast, as, db, held, everythingOf } = await start(t)
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit', 'manager_can_delete')
  const clerk = await as('clerk')
  t.equal((await clerk.get(`/managers/${cast.maria}/hand-over`)).statusCode, 403)
  t.equal((await clerk.post('/managers/delete', { id: cast.maria, hand_over_to: cast.mikhail })).statusCode, 403)
  t.same(held(), everythingOf(cast.maria))
  const question = textOf((await clerk.get(`/managers/delete?id=${cast.maria}`)).body)
  t.match(question, /1 company will have no manager\. 3 dealers will have no manager\./)
  const consequences = async (id: number) =>
    elementsOf((await clerk.get(`/managers/delete?id=${id}`)).body, '.confirm-consequences li').map(textOf)
  t.same(await consequences(cast.plain), [], 'of who has nothing nothing is lost')
  db.update(users).set({ manager_id: cast.plain }).where(eq(users.id, cast.roman)).run()
  t.same(await consequences(cast.plain), ['1 dealer will have no manager.'])
  t.equal(
    (await clerk.post(`/managers/${cast.maria}/active`, { value: 0, ask: 1 })).headers.location,
    '/managers',
    'not asked, as they may not',
  )
})

t.test('whoever may hand over and not deactivate does only that (403 for both at once)', async (t) => {
  const { cast, as, db, held, everythingOf, isActive } = await start(t)
  grant(db, cast.clerk, 'manager_can_view', 'company_can_edit', 'company_can_view', 'dealer_can_edit', 'dealer_can_view')
  const clerk = await as('clerk')
  const path = `/managers/${cast.maria}/hand-over`
  for (const hand_over_to of [String(cast.mikhail), 'none', 'keep'])
    t.equal((await clerk.post(path, { hand_over_to, deactivate: 1 })).statusCode, 403, hand_over_to)
  t.same([held(), isActive(cast.maria)], [everythingOf(cast.maria), true], 'nothing happened')
  t.equal((await clerk.post(path, { hand_over_to: cast.mikhail })).statusCode, 303)
  t.same([held(), isActive(cast.maria)], [everythingOf(cast.mikhail), true])
})

t.test('a hand-over takes what one manager holds and nothing of others, and says whose work was handed over', async (t) => {
  const cabinet = await start(t)
  const { cast, db, root, held, everythingOf } = cabinet
  const managers = () => ({
    beta: db.select().from(companies).where(eq(companies.id, cast.companies.beta)).get()?.manager_id,
    nobodys: db.select().from(companies).where(eq(companies.id, cast.companies.nobodys)).get()?.manager_id,
    daria: db.select().from(users).where(eq(users.id, cast.daria)).get()?.manager_id,
    roman: db.select().from(users).where(eq(users.id, cast.roman)).get()?.manager_id,
  })
  const before = managers()
  const second = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  const page = await root.get(`/managers/${cast.maria}/hand-over`)
  t.match(textOf(page.body), /Hand over Petrova Maria Ivanovna's work/)
  t.match(textOf(page.body), /Companies: 1\s*Dealers: 3\s*Orders: 2/)
  db.delete(orders).where(eq(orders.id, second)).run()
  const optionsOf = (of: typeof page) => fieldOf(of, 'hand_over_to')?.options.map(({ text }) => text)
  t.same(optionsOf(page), ['Not selected', 'Plainer Peter', 'Sidorov Mikhail', 'Nobody'])
  t.same(hiddenOf(page, 'deactivate'), [], 'it does not deactivate')
  const deactivating = await root.get(`/managers/${cast.maria}/hand-over?deactivate=1`)
  t.same(optionsOf(deactivating), ['Not selected', 'Plainer Peter', 'Sidorov Mikhail', 'Nobody', 'Leave unchanged'])
  t.same(hiddenOf(deactivating, 'deactivate'), ['1'])
  const [question, other] = [page, deactivating].map(({ body }) => elementsOf(body, '.confirm .btn-list > *').map(textOf))
  t.same(
    [question, other],
    [
      ['Cancel', 'Hand over'],
      ['Cancel', 'Deactivate'],
    ],
  )
  for (const form of [page, deactivating]) {
    t.equal(parseHtml(form.body)('.confirm a.btn').attr('href'), `/managers/edit/${cast.maria}`, 'Cancel leads back to the card')
    t.match(hiddenOf(form, 'once'), [/^[\w-]{36}$/], 'it can be sent twice')
    t.equal(fieldOf(form, 'hand_over_to')?.required, true, 'a choice is asked for')
  }
  const refused = await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: cast.maria })
  t.equal(refused.statusCode, 422)
  t.same(textsByRole(refused, 'alert'), ['Choose an active manager.'])
  await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: cast.plain })
  t.same(held(), everythingOf(cast.plain))
  t.same(managers(), before)
  t.same(textsByRole(await root.get(`/managers/edit/${cast.maria}`), 'status').slice(0, 1), ["Petrova Maria Ivanovna's work handed over"])
  t.notMatch((await root.get(`/managers/edit/${cast.maria}`)).body, '/hand-over"', 'nothing is left to hand over')
  await root.post(`/managers/${cast.plain}/hand-over`, { hand_over_to: cast.mikhail, deactivate: 1 })
  t.same(textsByRole(await root.get(`/managers/edit/${cast.plain}`), 'status').slice(0, 1), ['Deactivated: Plainer Peter'])
  const none = await root.get(`/managers/${cast.plain}/hand-over`)
  t.same(hiddenOf(none, 'hand_over_to'), ['none'])
})

t.test('the companies of a manager stand on their card, and those of others do not', async (t) => {
  const { cast, db, root, as } = await start(t)
  const listed = async (query = '') => textOf((await root.get(`/managers/edit/${cast.maria}?tab=dealers${query}`)).body)
  db.update(companies)
    .set({ contract_number: 'K-17', phone: '+7(999) 333', email: 'alpha@example.com', discount: 12 })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  t.match(await listed(), /Alpha Windows K-17 \+7\(999\) 333 alpha@example\.com 12/)
  db.update(companies).set({ discount: 0 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.match(await listed(), /alpha@example\.com 0 /, 'none is no dash')
  t.notMatch(await listed(), /Бета|Nobody Ltd/)
  for (const q of ['alpha w', 'K-17', '333', 'alpha@']) t.match(await listed(`&q=${encodeURIComponent(q)}`), 'Alpha Windows', q)
  t.notMatch(await listed('&q=nothing'), 'K-17')
  grant(db, cast.clerk, 'manager_can_view')
  const clerk = await as('clerk')
  t.equal((await clerk.get(`/managers/edit/${cast.maria}?tab=dealers`)).statusCode, 403)
  grant(db, cast.clerk, 'manager_can_view_dealers')
  t.equal((await clerk.get(`/managers/edit/${cast.maria}?tab=dealers`)).statusCode, 200)
})

t.test('what was handed over is remembered, shown to both, and given back as far as its receiver has it still', async (t) => {
  const { cast, db, root, as, held, everythingOf } = await start(t)
  const other = Number(db.insert(companies).values({ org: 'Gamma', manager_id: cast.maria }).run().lastInsertRowid)
  const managerOf = (id: number) => db.select().from(companies).where(eq(companies.id, id)).get()?.manager_id
  await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: cast.mikhail })
  t.same([held(), managerOf(other)], [everythingOf(cast.mikhail), cast.mikhail])
  for (const manager of [cast.maria, cast.mikhail]) {
    const [shown] = elementsOf((await root.get(`/managers/edit/${manager}?tab=deputies`)).body, 'li[data-hand-over]').map(textOf)
    t.match(shown, /Petrova Maria Ivanovna → Sidorov Mikhail .*Root Olga .*Companies: 2, Dealers: 3 .*Alpha Windows, Gamma.* Give back/)
  }
  t.same(elementsOf((await root.get(`/managers/edit/${cast.plain}?tab=deputies`)).body, 'li[data-hand-over]'), [])
  const own = (await (await as('maria')).get('/profile?tab=deputies')).body
  t.match(textOf(own), /Petrova Maria Ivanovna → Sidorov Mikhail/)
  t.notMatch(textOf(own), /Give back/)
  const [row] = db.select().from(handOvers).all()
  const undo = (browser: typeof root, manager: number, fields: Record<string, number | string> = { hand_over: row?.id ?? 0 }) =>
    browser.post(`/managers/${manager}/hand-over/undo`, fields)
  t.equal((await undo(await as('maria'), cast.maria)).statusCode, 403)
  t.equal((await undo(root, cast.plain)).statusCode, 404, 'it is of two others')
  for (const wrong of ['', 'x', 99_999]) t.equal((await undo(root, cast.maria, { hand_over: wrong })).statusCode, 404)
  db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run()
  t.equal((await undo(root, cast.maria)).statusCode, 422, 'nothing goes back to who is deactivated')
  db.update(users).set({ active: true }).where(eq(users.id, cast.maria)).run()
  db.update(companies).set({ manager_id: cast.plain }).where(eq(companies.id, other)).run()
  db.update(users).set({ manager_id: null }).where(eq(users.id, cast.vera)).run()
  const before = db.select().from(changes).all().length
  t.equal((await undo(root, cast.mikhail)).statusCode, 303)
  t.same(held(), [cast.maria, cast.maria, null, cast.maria])
  t.equal(managerOf(other), cast.plain, 'what was given to others stays with them')
  t.equal(managerOf(cast.companies.beta), cast.mikhail, 'and what the receiver had before, with them')
  t.equal(db.select().from(changes).all().length, before + 3, 'each has it in its history')
  t.equal((await undo(root, cast.maria)).statusCode, 409)
  t.match(textOf((await root.get(`/managers/edit/${cast.maria}?tab=deputies`)).body), /Undone/)
})

t.test('what a manager handed over with the own deletion comes back after they do', async (t) => {
  const { cast, db, root, held, everythingOf } = await start(t)
  await root.post('/managers/delete', { id: cast.maria, hand_over_to: cast.mikhail })
  const [row] = db.select().from(handOvers).all()
  t.match(row, { from_id: null, from_name: 'Petrova Maria Ivanovna', to_id: cast.mikhail })
  const undo = () => root.post(`/managers/${cast.mikhail}/hand-over/undo`, { hand_over: row?.id ?? 0 })
  t.equal((await undo()).statusCode, 422)
  const removed = db.select().from(trash).where(eq(trash.record_id, cast.maria)).get()
  t.equal((await root.post(`/bin/${removed?.id}/restore`)).statusCode, 303)
  t.equal((await undo()).statusCode, 303)
  t.same(held(), everythingOf(cast.maria))
})

t.test('a hand-over to nobody is given back, too', async (t) => {
  const { cast, db, root, held, everythingOf } = await start(t)
  await root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: 'none' })
  const [row] = db.select().from(handOvers).all()
  t.match(row, { to_id: null, to_name: null })
  await root.post(`/managers/${cast.maria}/hand-over/undo`, { hand_over: row?.id ?? 0 })
  t.same(held(), everythingOf(cast.maria))
})
