import { eq } from 'drizzle-orm'
import t from 'tap'
import { accessRequests, notifications, policies, sessions, trash, users, webhooks } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { textOf } from '../support/html.ts'
import { until } from '../support/until.ts'

/** The password was given so many minutes ago, in every session. */
const givenAgo = ({ db }: Cabinet, minutes: number) =>
  db
    .update(sessions)
    .set({ proved_at: Date.now() - minutes * 60_000 })
    .run()

const newAdministrator = { email: 'new@example.com', lastname: 'Newman', name: 'Nora', password: 'a brand new password' }
const webhook = { url: 'https://hooks.example.com/x', events: 'order.created' }

const told = ({ db }: Cabinet, event: string) =>
  db
    .select()
    .from(notifications)
    .all()
    .filter((row) => row.event === event)

t.test('what gives power asks for the password again a quarter of an hour after it was given, and then goes on', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const policy_id = db.select().from(policies).where(eq(policies.key, 'company_can_view')).get()?.id as number
  const request = db.insert(accessRequests).values({ user_id: cast.clerk, policy_id, created_at: 1 }).returning().get().id
  db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run()
  await root.post('/admins/add', { ...newAdministrator, email: 'gone@example.com' })
  const gone = db.select().from(users).where(eq(users.email, 'gone@example.com')).get()?.id as number
  await root.post('/admins/delete', { id: gone })
  const batch = db.select().from(trash).all().at(-1)?.id as number
  const rights = `/admins/edit/${cast.clerk}/rights`
  const changes: [path: string, body: Record<string, string>, done: () => unknown][] = [
    ['/webhooks', webhook, () => db.select().from(webhooks).get()],
    ['/admins/add', newAdministrator, () => db.select().from(users).where(eq(users.email, newAdministrator.email)).get()],
    [`${rights}/dealer_can_view`, { value: '1' }, () => holds(cabinet, cast.clerk, 'dealer_can_view')],
    [`${rights}/dealer_can_view`, { value: '0' }, () => !holds(cabinet, cast.clerk, 'dealer_can_view')],
    [rights, { category: 'Managers', value: '1' }, () => holds(cabinet, cast.clerk, 'manager_can_view')],
    [rights, { copy_from: String(cast.admin) }, () => holds(cabinet, cast.clerk, 'dealer_can_auth')],
    [`/rights/requests/${request}`, { decision: 'grant' }, () => db.select().from(accessRequests).get()?.state === 'granted'],
    [`/admins/edit/${cast.clerk}`, { superadmin: '1' }, () => userOf(cabinet, cast.clerk)?.superadmin],
    [`/admins/${cast.admin}/active`, { value: '1' }, () => userOf(cabinet, cast.admin)?.active],
    [`/bin/${batch}/restore`, {}, () => userOf(cabinet, gone)],
  ]
  for (const [path, body, done] of changes) {
    if (path === `/rights/requests/${request}`) await root.post(`${rights}/company_can_view`, { value: '0' })
    if (path === `/rights/requests/${request}`) db.update(accessRequests).set({ state: 'open' }).run()
    givenAgo(cabinet, 16)
    const asked = await root.post(path, body)
    t.match(asked.headers.location, /^\/confirm-identity\?next=/, `${path} asks`)
    t.notOk(done(), 'and nothing was done')
    const next = new URLSearchParams(String(asked.headers.location).split('?')[1]).get('next') as string
    t.equal((await root.post('/confirm-identity', { password, next })).statusCode, 303)
    if (next.startsWith('/resume/')) await root.get(next)
    else await root.post(path, body)
    t.ok(done(), `${path} goes on`)
  }
  givenAgo(cabinet, 14)
  t.equal((await root.post(`${rights}/dealer_can_view`, { value: '0' })).headers.location, `/admins/edit/${cast.clerk}?tab=rights`)
  givenAgo(cabinet, 16)
  for (const [path, body] of [
    [`/admins/edit/${cast.clerk}`, { phone: '+7(999) 123 45 67' }],
    [`/admins/${cast.clerk}/active`, { value: '0' }],
    [`/managers/edit/${cast.plain}/rights/company_can_view`, { value: '1' }],
    ['/managers/add', { ...newAdministrator, email: 'manager2@example.com' }],
  ] as [string, Record<string, string>][])
    t.notMatch((await root.post(path, body)).headers.location, /confirm-identity/, `${path} does not ask`)
})

t.test(
  'superadministrators are told by mail of a new webhook, a new administrator and the rights of one, and of nothing else',
  async (t) => {
    const office = await startMailServer(t)
    const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example' } })
    const { as, cast, db } = cabinet
    const second = { superadmin: true, email: 'second@example.com', language: 'ru' } as const
    db.update(users).set(second).where(eq(users.id, cast.admin)).run()
    db.update(users).set({ superadmin: true, active: false }).where(eq(users.id, cast.plain)).run()
    const root = await as('root')
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0' }
    const received = async (count: number) => {
      await until(() => office.letters.length >= count)
      const letters = office.letters.slice(-2)
      return { toRoot: letters.find(({ to }) => to === emailOf('root')), toSecond: letters.find(({ to }) => to === second.email) }
    }

    await root.post('/webhooks', webhook, agent)
    const { toRoot, toSecond } = await received(2)
    t.match(toRoot?.subject, 'Dealer cabinet: A webhook was added')
    t.match(
      toRoot?.text,
      /^A webhook was added: hooks\.example\.com\nChanged by: Root Olga, \d\d\.\d\d\.\d{4} \d\d:\d\d\nIP address: 127\.0\.0\.1\nBrowser: Firefox[^\n]*\n\nIf this was not agreed, end the sessions of that account and look at the security log:\nhttps:\/\/cabinet\.example\/security-log\n*$/,
    )
    t.match(toSecond?.subject, 'Дилерский кабинет: Добавлен вебхук')
    t.notMatch(toRoot?.text, 'hooks.example.com/x', 'the address itself is a secret of its owner')

    await root.post('/admins/add', newAdministrator)
    t.match((await received(4)).toRoot?.text, 'An administrator was added: Newman Nora')
    await root.post(`/admins/edit/${cast.clerk}/rights/dealer_can_view`, { value: '1' })
    t.match((await received(6)).toSecond?.text, 'Изменены права администратора: Clerkova Klara')
    t.match((await received(6)).toSecond?.text, 'Root Olga')
    await root.post(`/admins/edit/${cast.clerk}/rights/dealer_can_view`, { value: '1' })
    await root.post(`/admins/edit/${cast.clerk}/rights/dealer_can_edit`, { value: '1' })
    t.equal(told(cabinet, 'administrator-rights').length, 2, 'of several switches one mail each')
    db.update(notifications)
      .set({ created_at: Date.now() - 16 * 60_000 })
      .run()
    await root.post(`/admins/edit/${cast.clerk}/rights/dealer_can_edit`, { value: '1' })
    t.equal(told(cabinet, 'administrator-rights').length, 2, 'nothing was changed')
    await root.post(`/admins/edit/${cast.clerk}/rights/dealer_can_edit`, { value: '0' })
    t.equal(told(cabinet, 'administrator-rights').length, 4, 'a quarter of an hour later there is another')

    await root.post(`/managers/edit/${cast.plain}/rights/company_can_view`, { value: '1' })
    await root.post('/managers/add', { ...newAdministrator, email: 'manager2@example.com' })
    await root.post(`/admins/edit/${cast.clerk}`, { phone: '+7(999) 123 45 67' })
    t.equal(told(cabinet, 'administrator-rights').length + told(cabinet, 'administrator-added').length, 6)
    t.same(
      new Set(
        db
          .select()
          .from(notifications)
          .all()
          .map(({ user_id }) => user_id),
      ),
      new Set([cast.root, cast.admin]),
    )
    for (const path of ['/notifications', '/notifications/latest']) {
      const text = textOf((await root.get(path)).body)
      t.match(text, 'A webhook was added', path)
      t.match(text, 'hooks.example.com', path)
      t.match(text, 'Root Olga', path)
      t.notMatch(text, 'If this was not you', path)
    }
  },
)

t.test('whoever acts for somebody else is named too', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  db.update(users).set({ superadmin: true }).where(eq(users.id, cast.admin)).run()
  const root = await as('root')
  await root.get(`/impersonate/${cast.admin}`)
  await root.post('/webhooks', webhook)
  t.match(told(cabinet, 'webhook-added'), [
    { user_id: cast.root, detail: 'hooks.example.com', actor_name: 'Adminov Anton (Root Olga)' },
    { user_id: cast.admin },
  ])
})

const userOf = ({ db }: Cabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()

const holds = ({ db }: Cabinet, id: number, key: string) =>
  db.$client
    .prepare('select value from user_policies join policies on policies.id = policy_id where user_id = ? and key = ?')
    .pluck()
    .get(id, key) === 1
