import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryMarkups, changes, offerTerms, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { errorsOf, fieldOf, parseHtml, textsByRole } from '../support/html.ts'
import { insertTerms } from '../support/terms.ts'

const own = '/profile?tab=offer'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db } = cabinet
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const stored = () => db.select().from(offerTerms).all()
  const markups = () =>
    db
      .select()
      .from(categoryMarkups)
      .all()
      .map(({ company_id, category_id, markup }) => [company_id, category_id, markup])
  const save = (browser: Browser, fields: Fields, path = '/profile/offer') => browser.post(path, fields)
  return { ...cabinet, alpha: cast.companies.alpha, doors, stored, markups, save }
}

const markupLine = (index: number, category_id: number, markup: number | string, id?: number): Fields => ({
  [`markups[${index}][category_id]`]: category_id,
  [`markups[${index}][markup]`]: markup,
  ...(id && { [`markups[${index}][id]`]: id }),
})

t.test('a dealer says how offers of their company look, and their colleagues go on with that; the history tells who did it', async (t) => {
  const { as, cast, db, alpha, doors, stored, markups, save } = await start(t)
  const denis = await as('denis')
  t.match(parseHtml((await denis.get('/profile')).body)('#profile-tab-offer').text(), 'Offer')
  const fields = { markup: 30, round_to: '100', valid_days: 5, name: 'Denis & Co', phone: '+7 900 123 45 67', text: 'Two\nlines' }
  const saved = await save(denis, { ...fields, markups: '', ...markupLine(0, doors, 15), ...markupLine(1, cast.category, 0) })
  t.match(saved, { statusCode: 303, headers: { location: own } })
  t.same(textsByRole(await denis.get(own), 'status').slice(0, 1), ['Offer saved'])
  t.match(stored(), [{ company_id: alpha, markup: 30, round_to: '100', valid_days: 5, name: 'Denis & Co', text: 'Two\nlines', version: 1 }])
  t.same(markups(), [
    [alpha, doors, 15],
    [alpha, cast.category, 0],
  ])
  const roman = await as('roman')
  t.equal(fieldOf(await roman.get(own), 'markup')?.value, '30')
  t.equal((await save(roman, { markup: 35 })).statusCode, 303)
  t.match(stored(), [{ markup: 35, name: 'Denis & Co', round_to: '100', version: 2 }], 'what is not sent stays')
  t.equal(markups().length, 2)
  const told = db.select().from(changes).where(eq(changes.entity, 'offer_terms')).all()
  t.match(told, [
    { action: 'create', actor_id: cast.denis, label: 'Alpha Windows' },
    { action: 'update', actor_id: cast.roman, fields: { markup: [30, 35] } },
  ])
  const stale = await save(denis, { markup: 40, version: 1 })
  t.equal(stale.statusCode, 409, 'two at once see both values')
  t.match(stale.body, 'Romanov Roman')
  t.match(stored(), [{ markup: 35 }])

  const daria = await as('daria')
  t.equal(fieldOf(await daria.get(own), 'markup')?.value, '', 'another company has its own')
  t.equal((await save(daria, { markup: 1 })).statusCode, 303)
  t.match(stored(), [
    { company_id: alpha, markup: 35 },
    { company_id: cast.companies.beta, markup: 1, round_to: '1', valid_days: 14 },
  ])
})

t.test('what is wrong is said at its field, and nothing is saved', async (t) => {
  const { as, doors, stored, markups, save } = await start(t)
  const denis = await as('denis')
  const valid = { markup: 30, round_to: '1', valid_days: 14 }
  for (const [wrong, field] of [
    [{ markup: '' }, 'markup'],
    [{ markup: -1 }, 'markup'],
    [{ markup: 1001 }, 'markup'],
    [{ markup: '1.5' }, 'markup'],
    [{ round_to: '5' }, 'round_to'],
    [{ valid_days: 0 }, 'valid_days'],
    [{ valid_days: 366 }, 'valid_days'],
    [{ text: 'x'.repeat(2001) }, 'text'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [markupLine(0, doors, 1001), 'markups.0.markup'],
    [markupLine(0, 999, 10), 'markups.0.category_id'],
    [{ ...markupLine(0, doors, 1), ...markupLine(1, doors, 2) }, 'markups.1.category_id'],
    [{ 'logo[stored]': 'f'.repeat(64) }, 'logo'],
  ] as [Fields, string][]) {
    const answer = await save(denis, { ...valid, name: 'Typed', ...wrong })
    t.equal(answer.statusCode, 422, JSON.stringify(wrong))
    t.same(Object.keys(errorsOf(answer)), [field])
    t.equal(fieldOf(answer, 'valid_days')?.value, String(wrong.valid_days ?? 14), 'nothing typed is lost')
  }
  t.equal((await save(denis, { name: 'Only a name' })).statusCode, 422, 'without a markup there is nothing to begin with')
  t.same([stored(), markups()], [[], []])
})

t.test('rows are added and taken away without scripts, and by them', async (t) => {
  const { as, alpha, doors, db, cast, markups, save } = await start(t)
  insertTerms(db, alpha, {}, { [doors]: 20 })
  const denis = await as('denis')
  const page = await save(denis, { markup: 10, markups: '', _add: 'markups' })
  t.equal(parseHtml(page.body)('#markups-rows li').length, 1)
  const row = await denis.get('/profile/offer/markups/row?index=7')
  t.match(row.body, 'name="markups[7][markup]"')
  const [stored] = db.select().from(categoryMarkups).all()
  await save(denis, { markup: 10, markups: '', ...markupLine(0, cast.category, 25, stored?.id) })
  t.same(markups(), [[alpha, cast.category, 25]])
  t.equal(db.select().from(categoryMarkups).get()?.id, stored?.id)
  await save(denis, { markup: 10, markups: '' })
  t.same(markups(), [])
})

t.test('only who has the permission changes it: dealers for their own company, others for companies that they may view', async (t) => {
  const { as, alpha, cast, db, stored, save } = await start(t)
  const { beta } = cast.companies
  const tabOf = async (name: Name, company: number) => (await (await as(name)).get(`/company/edit/${company}?tab=offer`)).statusCode
  t.same([await tabOf('maria', alpha), await tabOf('maria', beta), await tabOf('denis', alpha)], [200, 403, 403])
  const maria = await as('maria')
  const saved = await save(maria, { markup: 12 }, `/company/${alpha}/offer`)
  t.match(saved, { statusCode: 303, headers: { location: `/company/edit/${alpha}?tab=offer` } })
  t.match(stored(), [{ company_id: alpha, markup: 12 }])
  const wrong = await save(maria, { markup: 'x' }, `/company/${alpha}/offer`)
  t.equal(wrong.statusCode, 422)
  t.equal(fieldOf(wrong, 'markup')?.value, 'x')
  t.match(parseHtml(wrong.body)('#companies-tab-offer').attr('aria-current'), 'page')
  t.equal((await save(maria, { markup: 12 }, `/company/${beta}/offer`)).statusCode, 403)
  for (const name of ['maria', 'root', 'pavel'] as const) {
    t.equal((await (await as(name)).get(own)).statusCode, 403, `${name} has no customers`)
    t.equal((await save(await as(name), { markup: 13 })).statusCode, 403)
  }
  revoke(db, cast.maria, 'company_offer_can_edit')
  t.equal(await tabOf('maria', alpha), 403)
  t.equal(parseHtml((await maria.get(`/company/edit/${alpha}`)).body)('#companies-tab-offer').length, 0)
  t.equal((await save(maria, { markup: 14 }, `/company/${alpha}/offer`)).statusCode, 403)

  grant(db, cast.denis, 'company_can_view', 'company_can_edit')
  t.same([await tabOf('denis', alpha), await tabOf('denis', beta)], [200, 403], 'a dealer who may view companies: only their own')
  t.equal((await save(await as('denis'), { markup: 15 }, `/company/${beta}/offer`)).statusCode, 403)
  revoke(db, cast.denis, 'company_offer_can_edit')
  const denis = await as('denis')
  for (const path of [own, '/profile/offer/markups/row?index=0']) t.equal((await denis.get(path)).statusCode, 403)
  t.equal((await save(denis, { markup: 16 })).statusCode, 403)
  t.equal(parseHtml((await denis.get('/profile')).body)('#profile-tab-offer').length, 0)
  t.match(stored(), [{ company_id: alpha, markup: 12 }])
})

t.test('a dealer without a company has no offers to make', async (t) => {
  const { as, cast, db } = await start(t)
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.denis)).run()
  const denis = await as('denis')
  t.equal((await denis.get('/profile')).statusCode, 200)
  t.equal((await denis.get(own)).statusCode, 403)
  t.equal((await denis.post('/profile/offer', { markup: 1 })).statusCode, 404)
})

t.test('neither the history nor the API tells a markup to those who may not set one', async (t) => {
  const cabinet = await start(t)
  const { as, alpha, cast, db, save } = cabinet
  await save(await as('denis'), { markup: 387, name: 'Hidden name' })
  grant(db, cast.maria, 'activity_can_view')
  const maria = await as('maria')
  const seen = async () =>
    [(await maria.get('/activity')).body, (await maria.get(`/company/edit/${alpha}?tab=history`)).body].map((body) => /387/.test(body))
  t.same(await seen(), [true, true])
  revoke(db, cast.maria, 'company_offer_can_edit')
  t.same(await seen(), [false, false])
  for (const name of ['root', 'maria', 'denis'] as const)
    for (const path of ['/companies', `/companies/${alpha}`, '/openapi.json'])
      t.notMatch((await clientOf(cabinet, name).get(path)).body, /387|Hidden name|"markup/, `${name} ${path}`)
})

t.test('terms go with their company and come back with it, and markups with their category', async (t) => {
  const { as, alpha, db, doors, stored, markups } = await start(t)
  insertTerms(db, alpha, { markup: 77 }, { [doors]: 20 })
  const root = await as('root')
  const question = await root.get(`/categories/delete?id=${doors}`)
  t.match(question.body, '1 category markup will also be deleted.')
  await root.post('/categories/delete', { id: doors, _confirmed: 1 })
  t.same(markups(), [])
  await root.post('/companies/delete', { id: alpha, _confirmed: 1 })
  t.same(stored(), [])
})
