import { eq } from 'drizzle-orm'
import t from 'tap'
import { policyKeys } from '../../src/core/policies.ts'
import { manufactures, stocks, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant } from '../support/cast.ts'
import { userOf } from '../support/dealers.ts'
import { elementsOf, errorsOf, fieldOf, idsOf, parseHtml, rowsOf, switchOf, textOf, textsByRole, totalOf } from '../support/html.ts'

const set = ({ db }: Cabinet, id: number, values: object) => db.update(users).set(values).where(eq(users.id, id)).run()

t.test('the lists of administrators, managers and production users', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  set(cabinet, cast.maria, { phone: '+7(999) 111 22 33', tg_id: 'maria_tg' })
  set(cabinet, cast.plain, { active: false })
  const south = Number(db.insert(stocks).values({ name: 'South stock', search: 'south stock' }).run().lastInsertRowid)
  const second = Number(db.insert(manufactures).values({ name: 'Second site', search: 'second site' }).run().lastInsertRowid)
  const member = { lastname: 'Abel', name: 'Semyon', password: 'x', active: 1, stock_id: south, manufacture_id: second }
  await root.post('/productions/add', { ...member, email: 'semyon@example.com', password: 'a good password' })
  const semyon = db.select().from(users).where(eq(users.email, 'semyon@example.com')).get()?.id as number

  t.test('a row shows what is known of a person, and whether they may sign in', async (t) => {
    const rows = rowsOf(await root.get('/managers'), 'managers')
    const of = (id: number) => rows.find((row) => row.id === id)
    t.match(of(cast.maria)?.cells, {
      image: 'MP',
      email: 'maria@example.com',
      name: 'Maria',
      lastname: 'Petrova',
      phone: '+7(999) 111 22 33',
      tg_id: 'maria_tg',
    })
    t.match(of(cast.mikhail)?.cells, { phone: '—', tg_id: '—' })
    t.same(
      [cast.maria, cast.plain].map((id) => switchOf(of(id)?.html ?? '')?.checked),
      [true, false],
    )
    t.same(
      [cast.maria, cast.plain].map((id) => /<tr[^>]*class="is-off"/.test(of(id)?.html ?? '')),
      [false, true],
    )
    t.match(of(cast.maria)?.html, 'title="Edit: Petrova Maria"', 'actions are heard apart')
    t.equal(
      parseHtml(of(cast.maria)?.html ?? '')('a.row-link')
        .attr('href')
        ?.split('?')[0],
      `/managers/edit/${cast.maria}`,
    )
    const people = rowsOf(await root.get('/productions'), 'productions')
    const form = await root.get('/productions/add')
    for (const [field, names] of Object.entries({
      stock_id: ['North stock', 'South stock'],
      manufacture_id: ['First site', 'Second site'],
    }))
      t.same(
        fieldOf(form, field)?.options.map(({ text }) => text),
        ['Not selected', ...names],
        field,
      )
    t.match(people.find(({ id }) => id === cast.pavel)?.cells, { stock: 'North stock', manufacture: 'First site' })
    t.match(people.find(({ id }) => id === semyon)?.cells, { stock: 'South stock', manufacture: 'Second site' })
    const admins = rowsOf(await root.get('/admins'), 'admins').map(({ id, cells }) => [id, /Superadministrator/.test(cells.email ?? '')])
    t.same(Object.fromEntries(admins), { [cast.root]: true, [cast.admin]: false, [cast.clerk]: false })
  })

  t.test('each list holds its own group, by last name unless another column is chosen', async (t) => {
    t.same(idsOf(await root.get('/managers'), 'managers'), [cast.maria, cast.plain, cast.mikhail])
    t.same(idsOf(await root.get('/admins'), 'admins'), [cast.admin, cast.clerk, cast.root])
    t.same(idsOf(await root.get('/productions'), 'productions'), [semyon, cast.pavel])
    const sorted = async (sort: string, dir = 'asc') => idsOf(await root.get(`/managers?sort=${sort}&dir=${dir}`), 'managers')
    t.same(await sorted('lastname', 'desc'), [cast.mikhail, cast.plain, cast.maria])
    t.same(await sorted('email'), [cast.maria, cast.mikhail, cast.plain])
    t.same(await sorted('name', 'desc'), [cast.plain, cast.mikhail, cast.maria])
    t.equal((await sorted('phone', 'desc'))[0], cast.maria)
    for (const sort of ['stock', 'manufacture']) {
      t.same(idsOf(await root.get(`/productions?sort=${sort}&dir=asc`), 'productions'), [cast.pavel, semyon], sort)
      t.same(idsOf(await root.get(`/productions?sort=${sort}&dir=desc`), 'productions'), [semyon, cast.pavel], sort)
    }
  })

  t.test('people are found by name, patronymic, email, messenger, workplace, and a phone number however it is written', async (t) => {
    const found = async (list: string, q: string) => idsOf(await root.get(`/${list}?q=${encodeURIComponent(q)}`), list)
    for (const q of ['petr', 'maria', 'ivanovna', 'maria@', '(999) 111', '9991112233', 'maria_tg', 'maria petrova'])
      t.same(await found('managers', q), [cast.maria], q)
    t.same(await found('managers', 'maria sidorov'), [], 'every word')
    t.same(await found('managers', 'denis'), [], 'nobody of another group')
    for (const q of ['north', 'first site', 'pavel masterov']) t.same(await found('productions', q), [cast.pavel], q)
    for (const q of ['south', 'second', 'semyon']) t.same(await found('productions', q), [semyon], q)
    t.equal(totalOf(await root.get('/productions?q=site'), 'productions'), 2)
  })
})

t.test('the card of a user', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [root, admin, maria] = [await as('root'), await as('admin'), await as('maria')]
  const facts = ({ body }: { body: string }) => {
    const page = parseHtml(body)
    const terms = page('dt')
      .toArray()
      .map((term) => page(term))
    return Object.fromEntries(terms.map((term) => [term.text().trim(), term.next('dd').text().trim()]))
  }

  t.test('names company and contacts, and in its overview the manager and the last sign-in', async (t) => {
    set(cabinet, cast.denis, { phone: '+7(999) 222 33 44' })
    t.same(facts(await admin.get(`/dealers/edit/${cast.denis}`)), {
      Company: 'Alpha Windows',
      Email: emailOf('denis'),
      Phone: '+7(999) 222 33 44',
    })
    const overview = async () => facts(await admin.get(`/dealers/edit/${cast.denis}?tab=overview`))
    t.match(await overview(), { 'Last sign-in': 'Never' })
    set(cabinet, cast.denis, { last_auth: new Date('2026-03-05T23:07').getTime() })
    t.match(await overview(), { 'Last sign-in': '05.03.2026 23:07' })
    set(cabinet, cast.clerk, { position: 'Chief clerk' })
    t.match(facts(await root.get(`/admins/edit/${cast.clerk}`)), { 'Job title': 'Chief clerk' })
  })

  t.test('links the company only for those who may open it', async (t) => {
    const link = (body: string) => elementsOf(body, 'dd a[href^="/company/edit/"]').map(textOf)
    t.same(link((await admin.get(`/dealers/edit/${cast.vera}`)).body), ['ООО «Бета Ёлка»'])
    t.same(link((await maria.get(`/dealers/edit/${cast.denis}`)).body), ['Alpha Windows'])
    grant(db, cast.clerk, 'dealer_can_view', 'dealer_can_edit')
    const seen = await (await as('clerk')).get(`/dealers/edit/${cast.vera}`)
    t.same(link(seen.body), [], 'who sees dealers, and no companies')
    t.match(facts(seen), { Company: 'ООО «Бета Ёлка»' })
  })

  t.test('says whether the account is active and offers to sign in as its user only where that works', async (t) => {
    const offers = async (browser: Browser, path: string) =>
      (await browser.get(path)).body.includes(`/impersonate/${path.split('/').at(-1)}"`)
    t.ok(await offers(admin, `/dealers/edit/${cast.denis}`))
    t.notOk(await offers(admin, `/dealers/edit/${cast.ivan}`), 'deactivated')
    t.notOk(await offers(root, `/admins/edit/${cast.root}`), 'oneself')
    grant(cabinet.db, cast.admin, 'admin_can_view', 'admin_can_auth')
    t.same([await offers(admin, `/admins/edit/${cast.clerk}`), await offers(admin, `/admins/edit/${cast.root}`)], [true, false])
    t.match(textOf((await admin.get(`/dealers/edit/${cast.ivan}`)).body), /Delete… Deactivated Last updated/)
    t.match(textOf((await admin.get(`/dealers/edit/${cast.denis}`)).body), /Delete… Active Last updated/)
  })
})

t.test('users of each staff group are added', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const kinds = [
    ['admins', 1, 'Administrator', {}],
    ['managers', 3, 'Manager', {}],
    ['productions', 4, 'Production user', { stock_id: cast.stock, manufacture_id: cast.site }],
  ] as const
  for (const [list, group_id, role, more] of kinds)
    await t.test(`${list} get what the form says, and the form refuses what would lock somebody out or mislead`, async (t) => {
      const email = `new-${list}@example.com`
      const fields = { lastname: 'Newton', name: 'Nina', middlename: 'Olegovna', position: 'Head', phone: '+7(999) 111 22 33', ...more }
      const refused = await root.post(`/${list}/add`, { ...fields, email: emailOf('denis'), password: 'a good password', active: 1 })
      t.same(errorsOf(refused), { email: 'This email is already in use.' })
      const required = await root.post(`/${list}/add`, { lastname: '', name: '', email: '', password: '' })
      t.same(Object.keys(errorsOf(required)).sort(), ['email', 'lastname', 'name', 'password'])
      const added = await root.post(`/${list}/add`, { ...fields, email, password: 'a good password', active: 1 })
      const person = db.select().from(users).where(eq(users.email, email)).get()
      t.match(person, { ...fields, email, group_id, active: true, superadmin: false })
      t.equal(added.headers.location, `/${list}/edit/${person?.id}`)
      t.same(textsByRole(await root.get(String(added.headers.location)), 'status').slice(0, 1), [`${role} Newton Nina Olegovna added`])
      const saved = await root.post(`/${list}/edit/${person?.id}`, { email: emailOf('vera') })
      t.equal(saved.statusCode, list === 'admins' ? 303 : 422, 'as specified, the email of administrators is not compared')
      const one = { ...fields, email: `inactive-${list}@example.com`, password: 'a good password', active: 0 }
      await root.post(`/${list}/add`, one)
      t.equal(db.select().from(users).where(eq(users.email, one.email)).get()?.active, false)
      t.equal((await cabinet.newBrowser().post('/login', { email: one.email, password: one.password })).statusCode, 422)
    })
})

t.test('only a superadministrator makes another one, and nobody does while impersonating', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  grant(db, cast.admin, ...policyKeys)
  const [root, admin] = [await as('root'), await as('admin')]
  const card = `/admins/edit/${cast.clerk}`
  const isOffered = async (browser: typeof root) => fieldOf(await browser.get(card), 'superadmin')?.disabled === false
  const isSuper = () => db.select().from(users).where(eq(users.id, cast.clerk)).get()?.superadmin
  t.equal(await isOffered(root), true)
  t.equal(await isOffered(admin), false)
  t.equal((await admin.post(card, { superadmin: 1 })).statusCode, 403)
  t.equal(isSuper(), false)
  t.equal((await root.post(card, { superadmin: 1 })).statusCode, 303)
  t.equal(isSuper(), true)
  await root.post(card, { superadmin: 0 })
  const other = await as('root')
  await root.post(`/admins/edit/${cast.admin}`, { superadmin: 1 })
  await other.get(`/impersonate/${cast.admin}`)
  t.notOk(await isOffered(other), 'not in the name of somebody else')
  t.equal((await other.post(card, { superadmin: 1 })).statusCode, 403)
  t.equal(isSuper(), false)
  t.equal(
    (await other.post(`/managers/edit/${cast.plain}`, { discount_limit: 5 })).statusCode,
    403,
    'nor gives what only superadministrators do',
  )
})

t.test('the last active superadministrator cannot be deactivated, demoted or deleted (422), any other can', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  const isThere = (id: number) => userOf(cabinet, id)
  const message = 'At least one active superadministrator is required.'
  const refuses = async (path: string, fields: Record<string, string | number>, why: string) => {
    const answer = await root.post(path, fields)
    t.equal(answer.statusCode, 422, why)
    t.match(textOf(answer.body), message, why)
    t.match(isThere(cast.root), { active: true, superadmin: true }, why)
  }
  await refuses(`/admins/edit/${cast.root}`, { superadmin: 0 }, 'demoted')
  await root.post(`/admins/edit/${cast.clerk}`, { superadmin: 1, active: 0 })
  await refuses(`/admins/edit/${cast.root}`, { superadmin: 0 }, 'another one is not active')
  await root.post(`/admins/${cast.clerk}/active`, { value: 1 })
  const clerk = await as('clerk')
  t.equal((await clerk.post(`/admins/${cast.root}/active`, { value: 0 })).statusCode, 303)
  t.equal(isThere(cast.root).active, false)
  const last = await clerk.post(`/admins/edit/${cast.clerk}`, { superadmin: 0 })
  t.equal(last.statusCode, 422)
  t.equal((await clerk.post('/admins/delete', { id: cast.root })).statusCode, 303, 'who is deactivated may go')
  t.equal(isThere(cast.root), undefined)
  t.equal(fieldOf(await clerk.get(`/admins/edit/${cast.clerk}`), 'active')?.disabled, true, 'nobody deactivates themselves')
})
