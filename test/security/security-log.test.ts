import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import type { SecurityEventName } from '../../src/core/labels.ts'
import { securityEvents, sessions } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { elementsOf, parseHtml, rowsOf, textOf } from '../support/html.ts'
import { at, later } from '../support/later.ts'
import { runCommand } from '../support/service.ts'

const browser = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/130.0' }
const day = 24 * 3600_000

const latest = ({ db }: Cabinet, event: SecurityEventName) =>
  db.select().from(securityEvents).where(eq(securityEvents.event, event)).orderBy(desc(securityEvents.id)).all()

t.test('security-relevant actions are logged with user, impersonator, address and browser', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const admin = await as('admin')

  await root.post(`/managers/edit/${cast.plain}/rights/status_can_view`, { value: '1' }, browser)
  t.match(latest(cabinet, 'rights-changed')[0], {
    user_id: cast.plain,
    actor_id: cast.root,
    address: '127.0.0.1',
    user_agent: browser['user-agent'],
    detail: 'status_can_view: true',
  })
  await root.post(`/managers/edit/${cast.plain}`, { password: 'a new password', email: 'plain2@example.com' }, browser)
  t.match(latest(cabinet, 'password-changed')[0], { user_id: cast.plain, actor_id: cast.root })
  t.match(latest(cabinet, 'email-changed')[0], { detail: 'plain@example.com → plain2@example.com' })
  await root.post(`/managers/${cast.plain}/active`, { value: '0' })
  t.match(latest(cabinet, 'sessions-ended')[0], { user_id: cast.plain, actor_id: cast.root })

  await admin.get(`/impersonate/${cast.denis}`)
  t.match(latest(cabinet, 'impersonation-begun')[0], { actor_id: cast.admin, user_id: cast.denis })
  await admin.get('/managers')
  t.match(latest(cabinet, 'access-refused')[0], { actor_id: cast.denis, impersonator_id: cast.admin, detail: 'GET /managers' })
  await admin.post('/impersonate/leave')
  t.match(latest(cabinet, 'impersonation-ended')[0], { actor_id: cast.admin, user_id: cast.denis, impersonator_id: null })

  await admin.get('/dealers/export?q=secret')
  t.match(latest(cabinet, 'exported')[0], { actor_id: cast.admin, detail: /^dealers_export/ })

  const denis = await as('denis')
  for (let attempt = 0; attempt < 3; attempt++) await denis.get('/managers?q=typed')
  t.equal(latest(cabinet, 'access-refused').length, 2, 'the same refusal is told once a minute')
  t.notMatch(JSON.stringify(db.select().from(securityEvents).all()), /typed|secret|a new password/, 'nothing typed is in it')
})

t.test('sign-ins, refusals and lockouts are logged, and what was typed is not', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, newBrowser } = cabinet
  const stranger = newBrowser()
  await stranger.post('/login', { email: 'denis@example.com', password: 'a wrong secret' }, browser)
  await stranger.post('/login', { email: 'my-password-by-mistake', password: 'x' })
  t.match(latest(cabinet, 'refused'), [{ user_id: null }, { user_id: cast.denis, actor_id: null, user_agent: browser['user-agent'] }])
  for (let attempt = 0; attempt < 12; attempt++) await stranger.post('/login', { email: 'denis@example.com', password: 'a wrong secret' })
  t.match(latest(cabinet, 'locked-out'), [{ user_id: cast.denis }])
  t.equal(latest(cabinet, 'locked-out').length, 1, 'once a minute')
  for (let attempt = 0; attempt < 12; attempt++) await stranger.post('/login', { email: 'daria@example.com', password: 'a wrong secret' })
  t.match(latest(cabinet, 'locked-out'), [{ user_id: cast.daria }, { user_id: cast.denis }], 'of each account')
  await newBrowser().post('/login', { email: 'maria@example.com', password })
  t.match(latest(cabinet, 'signed-in')[0], { user_id: cast.maria, actor_id: cast.maria })
  t.notMatch(JSON.stringify(db.select().from(securityEvents).all()), /by-mistake|a wrong secret/)
  await newBrowser().post('/login', { email: 'maria@example.com', password }, { 'user-agent': 'x'.repeat(300) })
  t.equal(latest(cabinet, 'signed-in')[0]?.user_agent, 'x'.repeat(255), 'what browsers call themselves is cut')
  t.equal(db.select().from(sessions).orderBy(desc(sessions.id)).get()?.user_agent, 'x'.repeat(255), 'in the list of sessions, too')
})

t.test('the security log cannot be changed, and its entries are kept for a year', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db } = cabinet
  const entry = { event: 'signed-in' as const, user_name: 'Somebody' }
  db.insert(securityEvents)
    .values([
      { ...entry, at: Date.now() - 300 * day },
      { ...entry, at: Date.now() - 367 * day, user_name: 'Long ago' },
    ])
    .run()
  t.throws(() => db.update(securityEvents).set({ user_name: 'Another' }).run(), /append-only/)
  t.throws(() => db.delete(securityEvents).run(), /kept for a year/)
  for (const days of [1, 364]) {
    const { id } = db
      .insert(securityEvents)
      .values({ ...entry, at: Date.now() - days * day })
      .returning()
      .get()
    t.throws(() => db.delete(securityEvents).where(eq(securityEvents.id, id)).run(), /kept for a year/, `after ${days} days`)
  }
  deleteExpiredRows(app)
  const names = db
    .select()
    .from(securityEvents)
    .all()
    .map(({ user_name }) => user_name)
  t.ok(names.includes('Somebody'))
  t.notOk(names.includes('Long ago'))
})

t.test('superadministrators read the security log as a list, on a card and as JSON lines', async (t) => {
  const { as, cast, db, app } = await startCabinet(t)
  const root = await as('root')
  await (await as('denis')).get('/managers')
  await root.post(`/managers/edit/${cast.plain}/rights/status_can_view`, { value: '1' })

  const events = (body: string) => [...body.matchAll(/data-event="([\w-]+)"/g)].map(([, name]) => name)
  t.ok(events((await root.get('/security-log')).body).includes('rights-changed'))
  t.same(events((await root.get('/security-log?event=access-refused')).body), ['access-refused'])
  t.same(new Set(events((await root.get(`/security-log?user=${cast.plain}`)).body)), new Set(['rights-changed']))
  t.same(events((await root.get('/security-log?until=2020-01-01')).body), [])
  t.same(events((await root.get(`/managers/edit/${cast.plain}?tab=security-log`)).body), ['rights-changed'])
  t.match((await root.get('/security-log', { 'accept-language': 'ru' })).body, 'Журнал безопасности')

  const admin = await as('admin')
  t.equal((await admin.get('/security-log')).statusCode, 403)
  t.equal((await admin.get(`/dealers/edit/${cast.denis}?tab=security-log`)).statusCode, 403)

  db.$client.pragma('wal_checkpoint(truncate)')
  const { text } = await runCommand('security-log', [], { DATA_DIR: app.config.dataDir })
  const lines = text.trim().split('\n')
  t.equal(lines.length, db.select().from(securityEvents).all().length)
  t.ok(lines.map((line) => JSON.parse(line)).find(({ event, user_id }) => event === 'rights-changed' && user_id === cast.plain))
})

const eventsOn = ({ body }: Answer) => elementsOf(body, '[data-event]').map((row) => parseHtml(row)('*').first().attr('data-event'))

t.test('a wrong current password leaves an entry, on the profile and where identity is confirmed; a right one leaves none', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [denis, root] = [await as('denis'), await as('root')]
  await denis.post('/profile', { current_password: 'a wrong secret', password: 'another password' }, browser)
  const address = { address: '127.0.0.1', user_agent: browser['user-agent'] }
  t.match(latest(cabinet, 'refused'), [{ user_id: cast.denis, actor_id: cast.denis, ...address }])
  await denis.post('/profile', { current_password: password, password: 'another password' })
  t.equal(latest(cabinet, 'refused').length, 1)
  t.match(latest(cabinet, 'password-changed'), [{ user_id: cast.denis, actor_id: cast.denis }])
  await root.get(`/impersonate/${cast.denis}`)
  t.equal((await root.post('/confirm-identity', { password: 'a wrong secret' }, browser)).statusCode, 422)
  t.match(
    latest(cabinet, 'refused')[0],
    { user_id: cast.root, actor_id: cast.root, impersonator_id: null, ...address },
    'it is their own password',
  )
  t.equal((await root.post('/confirm-identity', { password })).statusCode, 303)
  t.equal(latest(cabinet, 'refused').length, 2)
  t.notMatch(JSON.stringify(db.select().from(securityEvents).all()), /a wrong secret|another password/)
})

t.test('changes of an account are logged with what changed, and what leaves it as safe as before is not', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const begun = db.select().from(securityEvents).all().length
  await root.post(`/admins/edit/${cast.clerk}`, { name: 'Klavdia', phone: '+7(999) 111 22 33' })
  await root.post(`/admins/edit/${cast.clerk}`, { email: emailOf('clerk'), password: '', superadmin: 0, active: 1 })
  await root.post(`/managers/edit/${cast.plain}/rights/news_can_view`, { value: 1 })
  await root.post(`/dealers/edit/${cast.ivan}`, { name: 'Iwan' })
  await root.post(`/dealers/${cast.ivan}/active`, { value: 1 })
  t.equal(db.select().from(securityEvents).all().length, begun, 'names, also of a deactivated account, and what is so already')
  await root.post(`/admins/edit/${cast.clerk}`, { superadmin: 1 })
  await root.post(`/admins/edit/${cast.clerk}`, { superadmin: 0, active: 0 })
  await root.post(`/managers/edit/${cast.plain}/rights`, { category: 'Reference lists', value: 1 })
  const told = db.select().from(securityEvents).all().slice(begun)
  const clerk = { user_id: cast.clerk, user_name: 'Clerkova Klavdia', actor_id: cast.root, actor_name: 'Root Olga' }
  t.match(
    told.map(({ event, user_id, user_name, actor_id, actor_name, detail }) => ({
      event,
      user_id,
      user_name,
      actor_id,
      actor_name,
      detail,
    })),
    [
      { ...clerk, event: 'rights-changed', detail: 'superadmin: true' },
      { ...clerk, event: 'rights-changed', detail: 'superadmin: false' },
      { ...clerk, event: 'sessions-ended' },
      { event: 'rights-changed', user_id: cast.plain, detail: /^stock_can_view: true(, \w+: true)+$/ },
    ],
  )
  t.equal(told.length, 4)
})

t.test('signing out ends an impersonation in the log too, and the end is theirs who began it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const admin = await as('admin')
  await admin.get(`/impersonate/${cast.denis}`)
  await admin.post('/logout')
  t.match(latest(cabinet, 'impersonation-ended'), [{ user_id: cast.denis, actor_id: cast.admin, impersonator_id: null }])
  const maria = await as('maria')
  await maria.post('/impersonate/leave')
  await maria.post('/logout')
  t.equal(latest(cabinet, 'impersonation-ended').length, 1, 'where there was none, none has ended')
  const root = await as('root')
  await root.get(`/impersonate/${cast.vera}`)
  db.$client.prepare('update users set active = 0 where id = ?').run(cast.vera)
  await root.get('/')
  t.match(latest(cabinet, 'impersonation-ended')[0], { actor_id: cast.root }, 'nor goes it on unnoticed when the account is deactivated')
})

t.test('signing out where nobody is signed in is no event', async (t) => {
  const cabinet = await startCabinet(t)
  const denis = await cabinet.as('denis')
  await cabinet.newBrowser().post('/login', { email: emailOf('denis'), password })
  for (let times = 0; times < 3; times++) await denis.post('/profile/sessions/end', { others: 1 })
  t.match(latest(cabinet, 'sessions-ended'), [{ user_id: cabinet.cast.denis, detail: '1' }])
  t.equal(latest(cabinet, 'sessions-ended').length, 1)
})

t.test('whoever is refused over and over does not fill the log', async (t) => {
  const cabinet = await startCabinet(t)
  const [denis, daria] = [await cabinet.as('denis'), await cabinet.as('daria')]
  const refusedOf = (user: number) => latest(cabinet, 'access-refused').filter(({ user_id }) => user_id === user).length
  const first = Date.now()
  await at(first, async () => {
    for (let id = 1; id <= 70; id++) t.equal((await denis.get(`/admins/edit/${id}`)).statusCode, 403)
    await daria.get('/admins')
  })
  t.equal(refusedOf(cabinet.cast.denis), 60)
  t.equal(refusedOf(cabinet.cast.daria), 1, 'others are written down meanwhile')
  await at(first + 60_000, () => denis.get('/admins/edit/71'))
  t.equal(refusedOf(cabinet.cast.denis), 61, 'a minute later so are they')
})

t.test('the same refusal is logged once a minute: of one user, in one name, from one address, for one page', async (t) => {
  const cabinet = await startCabinet(t, { environment: { TRUST_PROXY: 'on' } })
  const { as, cast } = cabinet
  const [denis, daria, admin] = [await as('denis'), await as('daria'), await as('admin')]
  const count = () => latest(cabinet, 'access-refused').length
  const added = async (work: () => Promise<unknown>) => {
    const before = count()
    await work()
    return count() - before
  }
  t.equal(await added(() => denis.get('/managers')), 1)
  t.equal(await added(() => denis.get('/managers')), 0)
  t.equal(await added(() => denis.get('/admins')), 1, 'another page')
  t.equal(await added(() => denis.post('/managers/delete', { id: 1 })), 1, 'another action')
  t.equal(await added(() => daria.get('/managers')), 1, 'another user')
  t.equal(await added(() => denis.get('/managers', { 'x-forwarded-for': '198.51.100.7' })), 1, 'from elsewhere')
  await admin.get(`/impersonate/${cast.denis}`)
  t.equal(await added(() => admin.get('/managers')), 1, 'in the name of another')
  t.equal(await added(() => admin.get('/managers')), 0)
  await later(59_000, async () => t.equal(await added(() => denis.get('/admins')), 0))
  await later(61_000, async () => t.equal(await added(() => denis.get('/admins')), 1, 'after a minute'))
})

t.test('entries are narrowed to a person as they were called last, or by number', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const entry = { at: 1, event: 'exported' as const, actor_id: cast.plain, actor_name: 'Another' }
  db.insert(securityEvents)
    .values([
      { ...entry, user_id: cast.plain, user_name: 'Plainer Peter' },
      { ...entry, user_id: cast.plain, user_name: 'Plainer Petra' },
      { ...entry, user_id: cast.daria, user_name: 'Somebody Else' },
    ])
    .run()
  const narrowed = await root.get(`/security-log?user=${cast.plain}`)
  t.same(eventsOn(narrowed), ['exported', 'exported', 'exported'])
  t.match(textOf(narrowed.body), /User:? Plainer Petra/)
  t.match(textOf((await root.get('/security-log?user=987654')).body), /User:? #987654/)
})

t.test('the security log of a user', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [root, admin] = [await as('root'), await as('admin')]
  await root.post(`/managers/edit/${cast.plain}/rights/status_can_view`, { value: '1' })
  await admin.get(`/impersonate/${cast.denis}`)
  await admin.get('/managers', browser)
  await admin.post('/impersonate/leave')
  await cabinet.newBrowser().post('/login', { email: 'unknown@example.com', password: 'x' })

  t.test('the card holds what was done to them, what they did, and what they did in the name of another', async (t) => {
    const tab = async (path: string) => eventsOn(await root.get(`${path}?tab=security-log`))
    t.same(await tab(`/admins/edit/${cast.admin}`), ['impersonation-ended', 'access-refused', 'impersonation-begun', 'signed-in'])
    t.same(await tab(`/dealers/edit/${cast.denis}`), ['impersonation-ended', 'access-refused', 'impersonation-begun'])
    t.same(await tab(`/managers/edit/${cast.plain}`), ['rights-changed'])
    t.same(await tab(`/admins/edit/${cast.root}`), ['rights-changed', 'signed-in'])
    t.same(await tab(`/dealers/edit/${cast.daria}`), [])
    const { body } = await root.get(`/managers/edit/${cast.plain}?tab=security-log`)
    const link = parseHtml(body)('[data-event] [data-col=user] a').attr('href')
    t.same(eventsOn(await root.get(String(link))), ['rights-changed'], 'a click on a name stays on the tab')
    for (const id of [cast.admin, cast.denis, cast.daria])
      t.same(
        eventsOn(await root.get(`/security-log?user=${id}`)),
        await tab(id === cast.admin ? `/admins/edit/${id}` : `/dealers/edit/${id}`),
      )
  })

  t.test('a row tells when, what, to whom, by whom and for whom, from where, with which browser', async (t) => {
    const rows = rowsOf(await root.get('/security-log'), 'security-log')
    const cells = (event: string) => rows.find((row) => row.cells.event === event)?.cells
    t.match(cells('Access denied'), {
      at: 'now',
      user: 'Denisov Denis',
      actor: 'Denisov Denis impersonated by Adminov Anton',
      address: '127.0.0.1',
      browser: 'Firefox · Windows',
      detail: 'GET /managers',
    })
    const denied = rows.find((row) => row.cells.event === 'Access denied')?.html ?? ''
    t.equal(parseHtml(denied)('[data-col=browser]').attr('title'), browser['user-agent'], 'its own words on hovering')
    t.match(cells('Permissions changed'), {
      user: 'Plainer Peter',
      actor: 'Root Olga',
      browser: 'Unknown browser',
      detail: 'Granted: Manage statuses',
    })
    t.match(cells('Sign-in failed'), { user: '—', actor: '—', detail: '—' })
    t.same(
      rows.map(({ cells }) => cells.event),
      ['Sign-in failed', 'Impersonation ended', 'Access denied', 'Impersonation started', 'Permissions changed', 'Signed in', 'Signed in'],
      'the newest first',
    )
    t.same(
      rowsOf(await root.get('/security-log?sort=at&dir=asc'), 'security-log').map(({ id }) => id),
      rows.map(({ id }) => id).reverse(),
    )
    const entry = { event: 'exported' as const, at: 1, user_name: 'Somebody' }
    const id = db.insert(securityEvents).values(entry).returning().get().id
    const oldest = rowsOf(await root.get('/security-log?event=exported&sort=at&dir=asc'), 'security-log')[0]
    t.match(oldest, { id, cells: { address: '—', browser: 'Unknown browser' } }, 'of which neither is known')
  })

  t.test('a click on a name shows only what concerns them, and says whose entries these are', async (t) => {
    const row = rowsOf(await root.get('/security-log?event=rights-changed'), 'security-log')[0]?.html as string
    const link = parseHtml(row)('td[data-col="user"] a')
    t.equal(link.attr('title'), 'Show only Plainer Peter')
    const query = new URL(link.attr('href') as string, 'http://cabinet.test').searchParams
    t.match(textOf(row), 'Granted: Manage statuses', 'rights by their names')
    t.notMatch(row, 'status_can_view')
    t.same(Object.fromEntries(query), { event: 'rights-changed', user: String(cast.plain) })
    const narrowed = await root.get(link.attr('href') as string)
    t.same(eventsOn(narrowed), ['rights-changed'])
    t.match(textOf(narrowed.body), /User:? Plainer Peter/)
  })

  t.test('entries are found by any person, address and detail, and by days of the time zone', async (t) => {
    const found = async (query: string) => eventsOn(await root.get(`/security-log?${query}`))
    t.same(await found('q=plainer'), ['rights-changed'])
    t.same(await found('q=adminov+denied'), [])
    t.same(await found('q=adminov+managers'), ['access-refused'])
    t.same(await found('q=olga+status_can'), ['rights-changed'])
    for (const across of ['peterroot', 'olga127', '1status', 'denisadminov'])
      t.same(await found(`q=${across}`), [], `${across} is the end of one text and the beginning of the next`)
    const at = (text: string) => new Date(text).getTime()
    const entry = { event: 'exported' as const, user_name: 'Somebody', address: '203.0.113.9' }
    db.insert(securityEvents)
      .values([
        { ...entry, at: at('2026-03-05T00:00') },
        { ...entry, at: at('2026-03-05T23:59'), address: '203.0.113.10' },
        { ...entry, at: at('2026-03-06T00:00'), address: '203.0.113.11' },
      ])
      .run()
    t.equal((await found('q=203.0.113.9')).length, 1)
    const addresses = async (query: string) =>
      rowsOf(await root.get(`/security-log?${query}`), 'security-log').map(({ cells }) => cells.address)
    t.same(await addresses('from=2026-03-05&until=2026-03-05'), ['203.0.113.10', '203.0.113.9'])
    t.same(await addresses('until=2026-03-06&q=203.0.113'), ['203.0.113.11', '203.0.113.10', '203.0.113.9'])
    t.match(rowsOf(await root.get('/security-log?q=203.0.113.10'), 'security-log')[0]?.cells.at, /^5\sMar$/)
  })

  t.test('the export holds the same entries with the same values', async (t) => {
    const { body } = await root.get('/security-log/export?format=csv&event=access-refused')
    const [header = '', row = '', ...more] = body
      .replace(/^\ufeff/, '')
      .trim()
      .split(/\r?\n/)
    const separator = header.includes(';') ? ';' : ','
    t.same(header.split(separator), ['When', 'Event', 'User', 'Who', 'Impersonation', 'IP address', 'Browser', 'Details'])
    const [when, ...values] = row.split(separator)
    t.match(when, /^\d{4}-\d\d-\d\d \d\d:\d\d$/)
    t.same(values, ['Access denied', 'Denisov Denis', 'Denisov Denis', 'Adminov Anton', '127.0.0.1', 'Firefox · Windows', 'GET /managers'])
    t.same(more, [])
  })
})
