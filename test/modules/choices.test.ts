import { eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { companies, users } from '../../src/database/schema/index.ts'
import { whenAsked } from '../../src/records/form/choices.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'

/** A cabinet with a thousand more companies, every other one Maria's, and five hundred managers. */
async function openLarge(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  // Whoever registers dealers chooses among all companies.
  revoke(db, cast.maria, 'dealer_can_add')
  const firms = Array.from({ length: 1000 }, (_, index) => {
    const org = `Firm ${index + 1}`
    return { org, search: org.toLowerCase(), manager_id: index % 2 ? null : cast.maria }
  })
  const overseers = Array.from({ length: 500 }, (_, index) => {
    const [lastname, email] = [`Overseer ${index + 1}`, `overseer${index + 1}@firm.example`]
    return { group_id: 3, email, password: '-', lastname, name: 'One', search: `${lastname} one\n${email}`.toLowerCase() }
  })
  db.insert(companies).values(firms).run()
  db.insert(users).values(overseers).run()
  return cabinet
}

const idOf = (db: Database, org: string) => db.select().from(companies).where(eq(companies.org, org)).get()?.id as number
const namesIn = (answer: Answer) => elementsOf(answer.body, 'option[value!=""]').map(textOf)
const offeredIn = (answer: Answer, name: string) => fieldOf(answer, name)?.options.map(({ value }) => value) ?? []

t.test('a form with very many choices carries a few of them and always the current one', async (t) => {
  const { as, db, cast } = await openLarge(t)
  const admin = await as('admin')
  db.update(users)
    .set({ company_id: idOf(db, 'Firm 999') })
    .where(eq(users.id, cast.denis))
    .run()
  const overseer = db.select().from(users).where(eq(users.lastname, 'Overseer 499')).get()?.id as number
  db.update(companies).set({ manager_id: overseer }).where(eq(companies.id, cast.companies.alpha)).run()
  for (const [path, field, present] of [
    [`/dealers/edit/${cast.denis}`, 'company_id', idOf(db, 'Firm 999')],
    [`/company/edit/${cast.companies.alpha}`, 'manager_id', overseer],
    ['/dealers/add', 'company_id', ''],
  ] as const) {
    const card = await admin.get(path)
    t.ok(Buffer.byteLength(card.body) < 30_000, `${path}: ${Buffer.byteLength(card.body)} bytes`)
    t.ok(offeredIn(card, field).length <= 22, path)
    t.equal(fieldOf(card, field)?.value, String(present), path)
    t.match(card.body, new RegExp(`name="${field}_search"`), 'there is a search')
  }
})

t.test('a form with few choices carries all of them, so that it is searched by scripts alone, as one with many is', async (t) => {
  const { as, cast } = await startCabinet(t)
  const card = await (await as('admin')).get(`/dealers/edit/${cast.denis}`)
  t.notMatch(card.body, /company_id_search/)
  t.equal(elementsOf(card.body, '#company_id[data-searchable="/dealers/companies?mode=edit"]').length, 1)
  t.ok(offeredIn(card, 'company_id').includes(String(cast.companies.beta)))
})

t.test('the search among choices finds only those that the user may choose', async (t) => {
  const { as } = await openLarge(t)
  const find = async (name: 'admin' | 'maria' | 'root', path: string, q: string) =>
    namesIn(await (await as(name)).get(`${path}?mode=edit&q=${encodeURIComponent(q)}`, htmx))
  t.same(await find('admin', '/dealers/companies', 'FIRM 998'), ['Firm 998'], 'case is ignored')
  t.same(await find('maria', '/dealers/companies', 'firm 998'), [], 'not their company')
  t.same(await find('maria', '/dealers/companies', 'firm 997'), ['Firm 997'])
  t.equal((await find('admin', '/dealers/companies', '')).length, 20)
  t.same(await find('admin', '/company/managers', 'overseer 321'), ['Overseer 321 One'])
  t.same(await find('admin', '/company/managers', 'overseer321@firm'), [], 'found by name only')
  t.same(await find('admin', '/company/managers', '%'), [])
})

t.test('the search among choices works without JavaScript and keeps everything typed', async (t) => {
  const { as, db, cast } = await openLarge(t)
  const admin = await as('admin')
  const before = db.select().from(users).where(eq(users.id, cast.denis)).get()
  const searched = await admin.post(`/dealers/edit/${cast.denis}`, {
    company_id: String(before?.company_id),
    company_id_search: 'firm 77',
    lastname: 'Typed',
    _find: 'company_id',
  })
  t.equal(searched.statusCode, 200)
  t.ok(offeredIn(searched, 'company_id').includes(String(idOf(db, 'Firm 777'))))
  t.match([fieldOf(searched, 'lastname')?.value, fieldOf(searched, 'company_id_search')?.value], ['Typed', 'firm 77'])
  const few = await admin.post(`/dealers/edit/${cast.denis}`, { company_id_search: 'firm 777', _find: 'company_id' })
  t.equal(fieldOf(few, 'company_id_search')?.value, 'firm 777', 'where little was found one may search again')
  t.same(db.select().from(users).where(eq(users.id, cast.denis)).get(), before, 'nothing was saved')
  const refused = await admin.post(`/dealers/edit/${cast.denis}`, { company_id: idOf(db, 'Firm 777'), email: 'no address' })
  t.equal(refused.statusCode, 422)
  t.equal(fieldOf(refused, 'company_id')?.value, String(idOf(db, 'Firm 777')), 'the chosen one stays chosen')
})

t.test('a choice outside the first page of results is saved, one that the user may not choose is refused (422)', async (t) => {
  const { as, db, cast } = await openLarge(t)
  const [maria, admin] = [await as('maria'), await as('admin')]
  const saved = await maria.post(`/dealers/edit/${cast.denis}`, { company_id: idOf(db, 'Firm 997'), orders: 'move' })
  t.equal(saved.statusCode, 303)
  const foreign = await maria.post(`/dealers/edit/${cast.denis}`, { company_id: idOf(db, 'Firm 998') })
  t.equal(foreign.statusCode, 422)
  t.ok(errorsOf(foreign).company_id)
  const dealerAsManager = await admin.post(`/company/edit/${cast.companies.alpha}`, { manager_id: cast.denis })
  t.equal(dealerAsManager.statusCode, 422)
  t.ok(errorsOf(dealerAsManager).manager_id)
  t.equal((await admin.post(`/company/edit/${cast.companies.alpha}`, { manager_id: cast.mikhail })).statusCode, 303)
})

t.test('the search among choices reads a limited number of rows, however long the query is', async (t) => {
  const { as, db, cast } = await openLarge(t)
  const admin = await as('admin')
  const asked: string[] = []
  const { prepare } = db.$client
  db.$client.prepare = ((source: string) => {
    asked.push(source)
    return prepare.call(db.$client, source)
  }) as typeof prepare
  const words = Array.from({ length: 20_000 }, (_, number) => `w${number}`).join(' ')
  for (const path of [`/dealers/edit/${cast.denis}`, '/orders/add']) {
    const field = path.startsWith('/orders') ? 'dealer_id' : 'company_id'
    const answer = await admin.post(path, { [field]: '', [`${field}_search`]: words, _find: field })
    t.equal(answer.statusCode, 200, path)
  }
  db.$client.prepare = prepare
  t.ok(asked.length > 0 && asked.every((source) => source.length < 20_000), 'no query grows with it')
})

t.test('companies and managers are offered in the order of their names, as lists sort them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  for (const [org, search] of [
    ['ёлка', 'елка'],
    ['Береза', 'береза'],
    ['alder', 'alder'],
  ])
    db.insert(companies)
      .values({ org: org as string, search })
      .run()
  const admin = await as('admin')
  const offered = async (path: string) => namesIn(await admin.get(path, htmx))
  t.same(await offered('/dealers/companies?mode=edit&q='), ['alder', 'Alpha Windows', 'Nobody Ltd', 'Береза', 'ёлка', 'ООО «Бета Ёлка»'])
  t.same(await offered('/company/managers?q='), ['Petrova Maria Ivanovna', 'Plainer Peter', 'Sidorov Mikhail'])
  insertPayment(db, cast.order)
  const filter = elementsOf((await admin.get('/payments')).body, '#payments-company li').map(textOf)
  t.same(filter, ['alder', 'Alpha Windows', 'Nobody Ltd', 'Береза', 'ёлка', 'ООО «Бета Ёлка»'], 'in a filter, too')
  const ofMaria = elementsOf((await (await as('maria')).get('/payments')).body, '#payments-company li').map(textOf)
  t.same(ofMaria, ['Alpha Windows'], 'a manager chooses among their own')
})

t.test('choices are loaded where they are asked for, and once, in a form that has others besides, too', async (t) => {
  const loaded: string[] = []
  const load = (name: string) => () => {
    loaded.push(name)
    return [{ id: 1, name }]
  }
  const choices = whenAsked({ second: load('second'), third: load('third') }, whenAsked({ first: load('first') }))
  t.same(Object.keys(choices), ['first', 'second', 'third'])
  t.same(loaded, [])
  for (const name of ['first', 'second', 'first', 'second']) t.same(choices[name], [{ id: 1, name }])
  t.same(loaded, ['first', 'second'])
})
