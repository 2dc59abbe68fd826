import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import type { SecurityEventName } from '../../src/core/labels.ts'
import { securityEvents } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/web/operations/housekeeping.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { password } from '../support/cast.ts'
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
  await newBrowser().post('/login', { email: 'maria@example.com', password })
  t.match(latest(cabinet, 'signed-in')[0], { user_id: cast.maria, actor_id: cast.maria })
  t.notMatch(JSON.stringify(db.select().from(securityEvents).all()), /by-mistake|a wrong secret/)
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
