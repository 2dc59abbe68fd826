import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { roleDefaults } from '../../src/core/access.ts'
import { manufactures, notifications, policies, sessions, stocks, userPolicies, users } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password, revoke } from '../support/cast.ts'
import { userOf } from '../support/dealers.ts'
import { fieldOf, rowsOf } from '../support/html.ts'

function rightsOf({ db }: Cabinet, id: number): string[] {
  const held = db
    .select()
    .from(userPolicies)
    .innerJoin(policies, eq(policies.id, userPolicies.policy_id))
    .where(eq(userPolicies.user_id, id))
    .all()
  return held.flatMap(({ user_policies, policies }) => (user_policies.value ? [policies.key] : [])).sort()
}

t.test('an editor cannot gain more rights by editing another account (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(db, cast.clerk, 'admin_can_view', 'manager_can_view', 'manager_can_edit')
  const clerk = await as('clerk')
  const before = userOf(cabinet, cast.admin)

  for (const fields of [{ password: 'a new password' }, { email: 'taken.over@example.com' }] as Record<string, string>[])
    t.equal((await clerk.post(`/admins/edit/${cast.admin}`, fields)).statusCode, 403, JSON.stringify(fields))
  t.match(userOf(cabinet, cast.admin), { password: before?.password, email: before?.email })
  const card = await clerk.get(`/admins/edit/${cast.admin}`)
  for (const name of ['email', 'password']) t.equal(fieldOf(card, name)?.disabled, true, `${name} is not offered`)
  t.equal(
    (await clerk.post(`/admins/edit/${cast.admin}`, { name: 'Antonio', email: emailOf('admin') })).statusCode,
    303,
    'the rest is saved',
  )

  t.equal(
    (await clerk.post(`/managers/edit/${cast.plain}`, { password: 'a new password' })).statusCode,
    303,
    'of somebody with no more rights',
  )
  grant(db, cast.plain, 'status_can_view')
  t.equal((await clerk.post(`/managers/edit/${cast.plain}`, { password: 'a third password' })).statusCode, 403, 'until they get one more')
  const root = await as('root')
  t.equal((await root.post(`/admins/edit/${cast.admin}`, { password: 'a new password' })).statusCode, 303, 'a superadministrator may')
})

t.test('the Telegram ID of somebody with more rights is not set, and whoever has another one is told', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit')
  const clerk = await as('clerk')
  const send = (id: number, tg_id: string) => clerk.post(`/managers/edit/${id}`, { tg_id })
  const told = () => db.select().from(notifications).where(eq(notifications.event, 'telegram-changed')).all()
  t.equal((await send(cast.maria, '666')).statusCode, 403, 'she holds what the clerk does not')
  t.equal(userOf(cabinet, cast.maria)?.tg_id, null)
  t.equal((await send(cast.plain, '777')).statusCode, 303)
  t.match(told(), [{ user_id: cast.plain }])
  t.equal((await send(cast.plain, '777')).statusCode, 303)
  t.equal((await (await as('plain')).post('/profile', { tg_id: '888' })).statusCode, 303)
  t.equal(told().length, 1, 'not of the same one again, nor of what they did themselves')
})

t.test('nobody moves themselves to another workplace, whose orders they would see (403); a superadministrator moves them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const site = Number(db.insert(manufactures).values({ name: 'Second site' }).run().lastInsertRowid)
  const stock = Number(db.insert(stocks).values({ name: 'South stock' }).run().lastInsertRowid)
  const colleague = Number(
    db.insert(users).values({ group_id: 4, lastname: 'Colleague', name: 'C', email: 'c@example.com', password: '-' }).run().lastInsertRowid,
  )
  grant(db, cast.pavel, 'production_can_view', 'production_can_edit')
  const [pavel, root] = [await as('pavel'), await as('root')]
  const own = `/productions/edit/${cast.pavel}`
  for (const [name, id] of [
    ['manufacture_id', site],
    ['stock_id', stock],
  ] as const) {
    const fields = { [name]: id }
    t.equal((await pavel.post(own, fields)).statusCode, 403)
    t.equal((await pavel.post(`/productions/edit/${colleague}`, fields)).statusCode, 303, 'a colleague')
  }
  t.match(userOf(cabinet, cast.pavel), { manufacture_id: cast.site, stock_id: cast.stock })
  t.equal((await pavel.post(own, { position: 'Foreman' })).statusCode, 303)
  t.equal((await root.post(own, { manufacture_id: site, stock_id: stock })).statusCode, 303)
  t.match(userOf(cabinet, cast.pavel), { manufacture_id: site, stock_id: stock, position: 'Foreman' })
})

t.test('an impersonator cannot change passwords, emails or rights (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(
    db,
    cast.admin,
    'admin_can_view',
    'admin_can_add',
    'manager_can_view',
    'manager_can_add',
    'manager_can_edit',
    'manager_can_edit_policy',
  )
  const root = await as('root')
  await root.get(`/impersonate/${cast.admin}`)
  const attempts: [string, Record<string, string>][] = [
    [`/managers/edit/${cast.plain}`, { password: 'a new password' }],
    [`/managers/edit/${cast.plain}`, { email: 'other@example.com' }],
    [`/managers/edit/${cast.plain}`, { tg_id: '12345' }],
    [`/managers/edit/${cast.plain}/rights/news_can_view`, { value: '0' }],
    [`/managers/edit/${cast.plain}/rights`, { category: 'News', value: '0' }],
    ['/managers/add', { lastname: 'A', name: 'B', email: 'ab@example.com', password: 'a good password', active: '1' }],
    ['/admins/add', { lastname: 'A', name: 'B', email: 'ab@example.com', password: 'a good password', active: '1' }],
    [
      '/dealers/add',
      { lastname: 'A', name: 'B', email: 'ab@example.com', password: 'a good password', company_id: String(cast.companies.alpha) },
    ],
    ['/profile', { tg_id: '12345' }],
    ['/profile', { password: 'a new password', current_password: password }],
  ]
  const before = JSON.stringify(db.select().from(users).all())
  for (const [path, fields] of attempts) t.equal((await root.post(path, fields)).statusCode, 403, `${path} ${Object.keys(fields)}`)
  t.equal(JSON.stringify(db.select().from(users).all()), before)
  t.notOk((await root.get('/managers')).body.includes('/managers/add'), 'nothing is offered that would be refused')
  t.equal((await root.post(`/managers/edit/${cast.plain}`, { name: 'Pyotr' })).statusCode, 303, 'other data may be changed')
})

t.test('an administrator does not deactivate or delete themselves in the name of a colleague (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(db, cast.admin, 'admin_can_view', 'admin_can_auth')
  grant(db, cast.clerk, 'admin_can_view', 'admin_can_edit', 'admin_can_delete')
  const admin = await as('admin')
  await admin.get(`/impersonate/${cast.clerk}`)
  const [self] = rowsOf(await admin.get('/admins'), 'admins').filter(({ id }) => id === cast.admin)
  t.notMatch(self?.html, /Delete:/, 'it is not offered')
  t.equal((await admin.post(`/admins/${cast.admin}/active`, { value: 0 })).statusCode, 403)
  t.equal((await admin.post('/admins/delete', { id: cast.admin })).statusCode, 403)
  t.equal(userOf(cabinet, cast.admin)?.active, true)
  t.equal((await (await as('clerk')).post(`/admins/${cast.admin}/active`, { value: 0 })).statusCode, 303, 'the colleague may')
})

t.test('whoever creates a user passes on only default rights that they hold themselves', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const latest = () => db.select().from(users).orderBy(desc(users.id)).get()?.id as number
  const fields = { lastname: 'New', name: 'One', email: 'new@example.com', password: 'a good password', active: '1' }
  grant(db, cast.clerk, 'admin_can_view', 'admin_can_add')
  revoke(db, cast.clerk, 'order_can_delete', 'news_can_delete')
  await (await as('clerk')).post('/admins/add', fields)
  const withheld = ['order_can_delete', 'news_can_delete']
  const passedOn = roleDefaults[1].filter((key) => !withheld.includes(key))
  t.same(rightsOf(cabinet, latest()), passedOn.sort())
  await (await as('root')).post('/admins/add', { ...fields, email: 'another@example.com' })
  t.same(rightsOf(cabinet, latest()), [...roleDefaults[1]].sort(), 'a superadministrator gives all')
})

t.test('a manager moves dealers only to their own companies (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const maria = await as('maria')
  const { alpha, beta } = cast.companies
  const dealer = (email: string, company_id: number) => ({ lastname: 'New', name: 'One', email, password: 'a good password', company_id })
  t.equal((await maria.post('/dealers/add', dealer('one@example.com', beta))).statusCode, 422)
  t.equal((await maria.post('/dealers/add', dealer('one@example.com', alpha))).statusCode, 303)
  t.equal((await maria.post(`/dealers/edit/${cast.denis}`, { company_id: beta })).statusCode, 422, 'nor moves them elsewhere')
  t.equal((await maria.post(`/dealers/edit/${cast.denis}`, { company_id: alpha, phone: '+7(999) 111 22 33' })).statusCode, 303)
  t.equal((await maria.post(`/dealers/edit/${cast.vera}`, { phone: '+7(999) 111 22 33' })).statusCode, 403, "a colleague's company")
  t.notOk((await maria.get('/dealers/companies?q=')).body.includes('Ёлка'))
  grant(db, cast.maria, 'company_can_view')
  t.equal(
    (await maria.post(`/dealers/edit/${cast.denis}`, { company_id: beta, orders: 'move' })).statusCode,
    303,
    'who sees every company chooses from them',
  )
  t.equal(
    (await (await as('admin')).post(`/dealers/edit/${cast.denis}`, { company_id: alpha, orders: 'move' })).statusCode,
    303,
    'and so does an administrator',
  )
})

t.test('under strict rules, category discounts need company_can_edit_discount (403)', async (t) => {
  const { as, cast, db } = await startCabinet(t, { environment: { RULES: 'strict' } })
  const admin = await as('admin')
  const path = `/company/edit/${cast.companies.alpha}`
  const fields = { discounts: '', 'discounts[0][category_id]': cast.category, 'discounts[0][discount]': '50' }
  t.equal((await admin.post(path, fields)).statusCode, 403)
  grant(db, cast.admin, 'company_can_edit_discount')
  t.equal((await admin.post(path, fields)).statusCode, 303)
})

t.test('cards and lists offer only actions that would succeed', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  t.equal(
    (await (await as('mikhail')).get(`/dealers/edit/${cast.vera}`)).statusCode,
    200,
    "the card of a colleague's dealer in the own company",
  )
  t.equal((await (await as('maria')).get(`/dealers/edit/${cast.daria}`)).statusCode, 403)
  grant(db, cast.clerk, 'production_can_view', 'manager_can_edit')
  const clerk = await as('clerk')
  const offersEdit = async () => rowsOf(await clerk.get('/productions'), 'productions')[0]?.html.includes('title="Edit: ')
  t.equal(await offersEdit(), false, 'a row offers no editing that the card refuses')
  grant(db, cast.clerk, 'production_can_edit')
  t.equal(await offersEdit(), true)
  revoke(db, cast.clerk, 'manager_can_edit')
  t.equal(await offersEdit(), false, 'as specified, editing production users from the list takes that of managers, too')
})

t.test('the rights tab describes policies by the rules in force', async (t) => {
  const described = async (rules: string) => {
    const { as, cast } = await startCabinet(t, { environment: { RULES: rules } })
    return (await (await as('root')).get(`/admins/edit/${cast.clerk}?tab=rights&size=all`)).body
  }
  t.match(await described('as-specified'), 'Has no effect: deleting production users')
  t.notMatch(await described('strict'), 'Has no effect')
})

t.test('impersonation by a link', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db } = cabinet
  const browser = newBrowser()
  await browser.post('/login', { email: emailOf('admin'), password })
  const actingAs = () => db.select().from(sessions).where(eq(sessions.user_id, cast.admin)).get()?.acting_as_id
  const path = `/impersonate/${cast.denis}`

  t.test('an impersonation link that was typed or mailed asks first', async (t) => {
    const page = await browser.get(path, { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })
    t.equal(page.statusCode, 200)
    t.match(page.body, `action="${path}"`)
    t.equal(actingAs(), null)
    t.equal((await browser.post(path, {}, { 'sec-fetch-site': 'same-origin' })).statusCode, 303)
    t.equal(actingAs(), cast.denis)
    await browser.post('/impersonate/leave')
  })

  t.test('signing in never redirects to an impersonation link, however it is written', async (t) => {
    const ways = [
      path,
      `${path}/`,
      `/impers%6Fnate/${cast.denis}`,
      `/imp\nersonate/${cast.denis}`,
      `/imp%0Aersonate/${cast.denis}`,
      `/x/../impersonate/${cast.denis}`,
      `/%69mpersonate/${cast.denis}?a=b`,
      `/impersonate%2F${cast.denis}`,
    ]
    for (const next of ways) {
      const { headers } = await browser.get(`/login?next=${encodeURIComponent(next)}`)
      t.equal(headers.location, '/', JSON.stringify(next))
      t.equal((await newBrowser().post('/login', { email: emailOf('maria'), password, next })).headers.location, '/')
    }
    t.equal((await browser.get('/login?next=%2Fresume%2F5')).headers.location, '/resume/5', 'going on with a form is')
  })
})
