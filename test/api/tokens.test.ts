import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { apiTokens, rateHits, securityEvents, sessions } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { clientOf, tokenFor } from '../support/api.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { elementsOf, errorsOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { at } from '../support/later.ts'

const events = ({ db }: Cabinet, event: string) =>
  db
    .select()
    .from(securityEvents)
    .where(eq(securityEvents.event, event as never))
    .all()

const statusWith = async ({ app }: Cabinet, headers: Record<string, string>, path = '/api/v1/orders') =>
  (await app.inject({ url: path, headers, remoteAddress: '198.51.100.7' })).statusCode

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function makeToken(browser: Browser, fields: Record<string, string | number> = {}) {
  const answer = await browser.post('/profile/tokens', { name: 'Accounting', ...fields })
  return { answer, token: parseHtml(answer.body)('[data-token]').attr('data-token') ?? '' }
}

t.test('somebody makes a token, sees it once, uses it and revokes it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const maria = await as('maria')
  const { answer, token } = await makeToken(maria)
  t.equal(answer.statusCode, 200)
  t.match(token, /^cabinet_[\w-]{43}$/)
  t.notMatch((await maria.get('/profile?tab=security')).body, token, 'it is shown once')
  const row = db.select().from(apiTokens).get()
  t.notMatch(JSON.stringify(row), token, 'only its hash is stored')
  const year = (row?.expires_at ?? 0) - Date.now()
  t.ok(year > 364 * 86400_000 && year < 367 * 86400_000, 'without a day it works for a year')

  t.equal(await statusWith(cabinet, bearer(token)), 200)
  const page = parseHtml((await maria.get('/profile?tab=security')).body)
  t.match(textOf(elementsOf(page.html(), 'tr[id^=tokens-] [data-col=last_used_at]')[0] as never), '198.51.100.7')
  const revoked = await maria.post(`/profile/tokens/${row?.id}/revoke`, { id: 1 })
  t.match(revoked, { statusCode: 303, headers: { location: '/profile?tab=security' } })
  t.same(textsByRole(await maria.get('/profile?tab=security'), 'status').slice(0, 1), ['API token Accounting revoked'])
  t.equal(await statusWith(cabinet, bearer(token)), 401)
  t.equal((await maria.post(`/profile/tokens/${row?.id}/revoke`, { id: 1 })).statusCode, 303, 'again it changes nothing')
  for (const event of ['token-created', 'token-used', 'token-revoked'])
    t.match(events(cabinet, event), [{ user_id: cast.maria, detail: 'Accounting' }], event)
  t.equal(events(cabinet, 'token-revoked').length, 1)
})

t.test('a hundred tokens are made within an hour, however many are revoked', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const mikhail = await as('mikhail')
  for (let made = 0; made < 99; made++)
    db.insert(rateHits)
      .values({ key: `token of ${cast.mikhail}`, at: Date.now() })
      .run()
  t.equal((await makeToken(mikhail)).answer.statusCode, 200)
  const { answer } = await makeToken(mikhail, { name: 'Kept' })
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
  t.match(answer.body, 'Kept')
  t.equal((await makeToken(await as('maria'))).answer.statusCode, 200, 'others go on')
})

t.test('a token writes unless it is made as read-only', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  const writes = async (fields: Record<string, number | string>) => {
    const { token } = await makeToken(maria, fields)
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const answer = await cabinet.app.inject({ method: 'POST', url: '/api/v1/orders', headers, payload: '{}' })
    return answer.statusCode !== 403
  }
  t.same([await writes({}), await writes({ read_only: 0 }), await writes({ read_only: '' })], [true, true, true])
  t.equal(await writes({ read_only: 1 }), false)
})

t.test('a form sent twice makes one token', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  await makeToken(maria, { once: 'a' })
  const { answer, token } = await makeToken(maria, { once: 'a' })
  t.equal(answer.statusCode, 303, 'only the first answer has it')
  t.equal(token, '')
  t.equal(cabinet.db.select().from(apiTokens).all().length, 1)
})

t.test('what is typed for a token is checked, and shown again', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  const wrong: Record<string, string>[] = [
    { name: '' },
    { name: 'x'.repeat(101) },
    { expires: '2020-01-01' },
    { expires: 'soon' },
    { read_only: 'maybe' },
  ]
  for (const fields of wrong) {
    const { answer } = await makeToken(maria, fields)
    t.equal(answer.statusCode, 422, JSON.stringify(fields).slice(0, 40))
    t.ok(parseHtml(answer.body)('[aria-invalid=true]').length > 0)
  }
  t.equal(cabinet.db.select().from(apiTokens).all().length, 0)
})

t.test('nobody makes, sees or revokes a token while impersonating, and nobody revokes those of others on their own profile', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const token = tokenFor(cabinet, cast.denis)
  const id = db.select().from(apiTokens).get()?.id
  const maria = await as('maria')
  t.equal((await maria.post(`/profile/tokens/${id}/revoke`, {})).statusCode, 403)
  await maria.post(`/impersonate/${cast.denis}`)
  t.equal((await makeToken(maria)).answer.statusCode, 403)
  t.equal((await maria.post(`/profile/tokens/${id}/revoke`, {})).statusCode, 403)
  t.equal((await maria.get('/profile?tab=security')).statusCode, 403)
  t.equal(await statusWith(cabinet, bearer(token)), 200)
})

t.test('an old sign-in does not make tokens', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  cabinet.db
    .update(sessions)
    .set({ proved_at: Date.now() - 2 * 3600_000 })
    .run()
  t.match((await makeToken(maria)).answer.headers.location, '/confirm-identity')
})

t.test('an administrator sees the tokens of others and revokes them, but makes none', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const token = tokenFor(cabinet, cast.maria, { name: 'Ledger' })
  const other = tokenFor(cabinet, cast.denis)
  const [first, second] = db.select().from(apiTokens).all()
  const root = await as('root')
  const tab = await root.get(`/managers/edit/${cast.maria}?tab=security`)
  t.match(tab.body, 'Ledger')
  t.notMatch(tab.body, 'name="read_only"')
  const address = `/managers/edit/${cast.maria}/tokens/revoke`
  t.equal((await (await as('mikhail')).post(address, { id: first?.id ?? 0 })).statusCode, 403)
  t.equal((await root.post(address, { id: second?.id ?? 0 })).statusCode, 404, 'a token of somebody else')
  t.equal((await root.post(address)).statusCode, 422)
  t.equal((await root.post(address, { id: first?.id ?? 0 })).statusCode, 303)
  t.equal(await statusWith(cabinet, bearer(token)), 401)
  t.equal(await statusWith(cabinet, bearer(other)), 200)
  t.match(events(cabinet, 'token-revoked'), [{ actor_id: cast.root, user_id: cast.maria }])
  const after = await root.get(`/managers/edit/${cast.maria}?tab=security`)
  t.same(textsByRole(after, 'status').slice(0, 1), ['API token of Petrova Maria Ivanovna revoked'])
})

t.test('a token of somebody deactivated or deleted opens nothing, now and later', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const [maria, mikhail] = [tokenFor(cabinet, cast.maria), tokenFor(cabinet, cast.mikhail)]
  tokenFor(cabinet, cast.maria, { name: 'Revoked before', revoked_at: 1 })
  const denis = tokenFor(cabinet, cast.denis)
  await root.post(`/managers/${cast.maria}/active`, { value: 0 })
  t.equal(db.select().from(apiTokens).where(eq(apiTokens.name, 'Revoked before')).get()?.revoked_at, 1, 'when it was revoked stays')
  await root.post(`/dealers/edit/${cast.denis}`, { password: 'another good password' })
  t.equal(await statusWith(cabinet, bearer(denis)), 200, 'nobody else loses theirs, and nobody by a new password')
  await root.post('/managers/delete', { id: cast.mikhail })
  for (const token of [maria, mikhail]) t.equal(await statusWith(cabinet, bearer(token)), 401)
  await root.post(`/managers/${cast.maria}/active`, { value: 1 })
  t.equal(await statusWith(cabinet, bearer(maria)), 401, 'it does not come back')
  t.equal(db.select().from(apiTokens).where(eq(apiTokens.user_id, cast.mikhail)).all().length, 0)
})

t.test('a token works to the end of its last day, and that of today can be chosen', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const maria = await as('maria')
  const today = new Date()
  const dayOf = (date: Date) => new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  t.equal((await makeToken(maria, { expires: dayOf(today) })).answer.statusCode, 200)
  const midnight = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1).getTime()
  t.equal(db.select().from(apiTokens).get()?.expires_at, midnight)
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1, 12)
  const { answer } = await makeToken(maria, { expires: dayOf(yesterday) })
  t.equal(answer.statusCode, 422)
  t.equal(parseHtml(answer.body)('.token-form [autofocus]').attr('id'), 'expires')
})

t.test('tokens are listed with their state, those that can be used first, and only these are revoked', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const at = (day: number) => new Date(2026, 0, day, 23, 30).getTime()
  tokenFor(cabinet, cast.maria, { name: 'Usable', created_at: at(1), expires_at: new Date(2999, 0, 2).getTime(), read_only: true })
  tokenFor(cabinet, cast.maria, { name: 'Expired', created_at: at(1), expires_at: at(3), last_used_at: at(4), last_address: '192.0.2.9' })
  tokenFor(cabinet, cast.maria, { name: 'Revoked', created_at: at(1), expires_at: at(5), revoked_at: at(2) })
  const shown = [
    { name: 'Usable Read-only', expires_at: /^02\.01\.2999 00:00$/, last_used_at: '—', actions: 'Revoke token' },
    { name: 'Revoked', expires_at: /^Revoked: 02\.01\.2026 23:30$/, last_used_at: '—', actions: '' },
    { name: 'Expired', expires_at: /^Expired: 03\.01\.2026 23:30$/, last_used_at: '04.01.2026 23:30, 192.0.2.9', actions: '' },
  ]
  const root = await as('root')
  for (const page of [await (await as('maria')).get('/profile?tab=security'), await root.get(`/managers/edit/${cast.maria}?tab=security`)])
    t.match(
      rowsOf(page, 'tokens').map(({ cells }) => cells),
      shown,
    )
  const [usable = { html: '', id: 0 }, ...ended] = rowsOf(await root.get(`/managers/edit/${cast.maria}?tab=security`), 'tokens')
  const row = parseHtml(`<table>${usable.html}</table>`)
  t.equal(row('button').attr('aria-label'), 'Revoke token: Usable')
  t.equal(row('form').attr('action'), `/managers/edit/${cast.maria}/tokens/revoke`)
  t.equal(row('button').attr('value'), String(usable.id))
  t.equal(row('[data-col=created_at]').attr('title'), '01.01.2026 23:30')
  t.same(
    ended.map(({ html }) => parseHtml(`<table>${html}</table>`)('form').length),
    [0, 0],
  )
  const none = await root.get(`/managers/edit/${cast.mikhail}?tab=security`)
  t.match(textOf(none.body), 'No API tokens. Users create them on their own profiles.')
  t.notMatch(textOf((await root.get(`/managers/edit/${cast.maria}?tab=security`)).body), 'No API tokens')
})

t.test('somebody has up to fifty tokens that can be used', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const maria = await as('maria')
  tokenFor(cabinet, cast.denis)
  tokenFor(cabinet, cast.maria, { revoked_at: 1 })
  tokenFor(cabinet, cast.maria, { expires_at: 1 })
  for (let made = 0; made < 49; made++) tokenFor(cabinet, cast.maria)
  t.equal((await makeToken(maria, { name: 'The fiftieth' })).answer.statusCode, 200)
  const { answer, token } = await makeToken(maria, { name: 'One more' })
  t.equal(answer.statusCode, 422)
  t.equal(token, '')
  t.match(errorsOf(answer).name, /Revoke one first/)
  t.equal(parseHtml(answer.body)('.token-form [name=name]').attr('value'), 'One more', 'what was typed stays')
  t.equal(db.select().from(apiTokens).where(eq(apiTokens.name, 'One more')).get(), undefined)
})

t.test('an expired token opens nothing', async (t) => {
  const cabinet = await startCabinet(t)
  t.equal((await clientOf(cabinet, 'maria', { expires_at: Date.now() - 1 }).get('/orders')).statusCode, 401)
})

t.test('only the header opens the API: no cookie, no address, no form', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, app, newBrowser } = cabinet
  const token = tokenFor(cabinet, cast.maria)
  const cookie = [...(await as('maria')).cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  t.equal((await app.inject({ url: '/orders', headers: { cookie } })).statusCode, 200, 'of somebody signed in')
  for (const url of ['/%61pi/v1/orders', '/ap%69/v1/orders', '/api/%76%31/orders'])
    t.equal((await app.inject({ url, headers: { cookie } })).statusCode, 401, `${url} is the same address`)
  const refused = await app.inject({ url: '/api/v1/orders', headers: { cookie } })
  t.equal(refused.statusCode, 401, 'a session')
  t.equal(refused.headers['www-authenticate'], 'Bearer')
  t.match(refused.headers['content-type'], 'application/problem+json')
  for (const path of [`/api/v1/orders?access_token=${token}`, `/api/v1/orders/${token}`])
    t.equal(await statusWith(cabinet, {}, path), 401, path.slice(0, 30))
  t.equal(await statusWith(cabinet, bearer(token), `/api/v1/orders?token=${token}`), 401, 'in both places')
  for (const authorization of ['', 'Bearer', `Basic ${token}`, `Bearer ${token}x`, token])
    t.equal(await statusWith(cabinet, { authorization }), 401, authorization.slice(0, 12))
  const answer = await app.inject({ url: '/api/v1/orders', headers: { ...bearer(token), origin: 'https://elsewhere.example' } })
  t.same(
    Object.keys(answer.headers).filter((name) => /^(access-control|set-cookie)/.test(name)),
    [],
    'no CORS and no cookie',
  )
  const page = await newBrowser().get('/orders', bearer(token))
  t.equal(page.statusCode, 303, 'a token opens no page')
  const options = await app.inject({ method: 'OPTIONS', url: '/api/v1/orders', headers: { origin: 'https://elsewhere.example' } })
  t.notOk(options.headers['access-control-allow-origin'])
})

t.test('a token has the rights of its person of the moment', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const admin = clientOf(cabinet, 'admin')
  t.equal((await admin.get('/companies')).statusCode, 200)
  await (await as('root')).post(`/admins/edit/${cast.admin}/rights/company_can_view`, { value: 0 })
  const refused = await admin.get('/companies')
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { status: 403, reasons: [/permission/] })
})

t.test('a mandatory second factor holds for tokens, too', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SECOND_FACTOR: 'staff' } })
  t.equal((await clientOf(cabinet, 'maria').get('/orders')).statusCode, 403)
  t.equal((await clientOf(cabinet, 'denis').get('/orders')).statusCode, 200)
})

t.test('use from a new network is told once, and of the person of the token', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const token = tokenFor(cabinet, cast.maria, { name: 'Ledger' })
  for (const remoteAddress of ['198.51.100.7', '198.51.100.8', '198.51.100.7', '2001:db8::1', '2001:db8::2'])
    t.equal((await app.inject({ url: '/api/v1/orders', headers: bearer(token), remoteAddress })).statusCode, 200)
  t.same(
    events(cabinet, 'token-used').map(({ address, user_id }) => ({ address, user_id })),
    ['198.51.100.7', '198.51.100.8', '2001:db8::1'].map((address) => ({ address, user_id: cast.maria })),
  )
  t.equal(
    db
      .select()
      .from(apiTokens)
      .where(and(eq(apiTokens.last_address, '2001:db8::2')))
      .get()?.name,
    'Ledger',
  )
})

t.test('of many networks a token is remembered in the latest', async (t) => {
  const cabinet = await startCabinet(t)
  const networks = Array.from({ length: 50 }, (_, index) => `203.0.113.${index}`)
  const headers = bearer(tokenFor(cabinet, cabinet.cast.maria, { networks }))
  const told = async (remoteAddress: string) => {
    await cabinet.app.inject({ url: '/api/v1/orders', headers, remoteAddress })
    return events(cabinet, 'token-used').length
  }
  t.equal(await told('198.51.100.7'), 1)
  t.equal(await told('203.0.113.1'), 1)
  t.equal(await told('198.51.100.7'), 1, 'known by now')
  t.equal(await told('203.0.113.0'), 2, 'the one for which it took the place is new again')
})

t.test('the tokens of a person share a limit of requests, a minute long', async (t) => {
  const cabinet = await startCabinet(t)
  const [busy, more, other] = [clientOf(cabinet, 'vera'), clientOf(cabinet, 'vera'), clientOf(cabinet, 'denis')]
  const first = Date.now()
  await at(first, async () => {
    for (let requests = 0; requests < 599; requests++) await busy.get('/unknown')
    t.equal((await busy.get('/orders')).statusCode, 200, 'the last one of the minute')
    const refused = await busy.get('/orders')
    t.same([refused.statusCode, refused.headers['retry-after']], [429, '60'])
    const again = formatDateTime(first + 119_999).slice(-5)
    t.match(
      refused.json().detail,
      new RegExp(`The tokens of one person can send up to 600 requests a minute. Try again after .*${again}\\.$`),
      'a minute that has begun counts',
    )
    t.equal((await more.get('/orders')).statusCode, 429, 'another token gives no room')
    t.equal((await other.get('/orders')).statusCode, 200, 'another person')
  })
  await at(first + 59_999, async () => t.equal((await busy.get('/orders')).headers['retry-after'], '1'))
  await at(first + 60_000, async () => t.equal((await busy.get('/orders')).statusCode, 200, 'the next minute'))
})

t.test('the last use of a token is known to five minutes', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const headers = bearer(tokenFor(cabinet, cast.maria))
  const first = Date.now()
  const usedAfter = (seconds: number, remoteAddress: string) =>
    at(first + seconds * 1000, async () => {
      await app.inject({ url: '/api/v1/orders', headers, remoteAddress })
      const { last_used_at, last_address } = db.select().from(apiTokens).get() ?? {}
      return [((last_used_at ?? 0) - first) / 1000, last_address]
    })
  t.same(await usedAfter(0, '2001:db8::1'), [0, '2001:db8::1'])
  t.same(await usedAfter(299, '2001:db8::1'), [0, '2001:db8::1'], 'reading is no write each time')
  t.same(await usedAfter(300, '2001:db8::1'), [300, '2001:db8::1'])
  t.same(await usedAfter(301, '2001:db8::2'), [301, '2001:db8::2'], 'another address is known at once')
})

t.test('an unknown address of the API is a problem document', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = clientOf(cabinet, 'maria')
  for (const path of ['/nothing', '/orders/1/nothing']) {
    const answer = await maria.get(path)
    t.equal(answer.statusCode, 404)
    t.match(answer.headers['content-type'], 'application/problem+json')
    t.match(answer.json(), { status: 404, title: 'Not Found' })
  }
})

t.test('a token that ended a month ago is deleted, and no other', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const [old, late] = [Date.now() - 31 * 86_400_000, Date.now() - 29 * 86_400_000]
  tokenFor(cabinet, cast.maria, { name: 'expired long ago', expires_at: old })
  tokenFor(cabinet, cast.maria, { name: 'revoked long ago', revoked_at: old })
  tokenFor(cabinet, cast.maria, { name: 'expired', expires_at: late })
  tokenFor(cabinet, cast.maria, { name: 'revoked', revoked_at: late })
  tokenFor(cabinet, cast.maria, { name: 'usable' })
  deleteExpiredRows(app)
  t.same(
    db
      .select()
      .from(apiTokens)
      .all()
      .map(({ name }) => name),
    ['expired', 'revoked', 'usable'],
  )
})
