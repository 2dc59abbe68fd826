import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Actor, Grant, Rule } from '../../src/core/access.ts'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { openDatabase } from '../../src/database/open.ts'
import { policies, sessions, userPolicies, users } from '../../src/database/schema/index.ts'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, names, revoke } from '../support/cast.ts'
import { templateFile } from '../support/database-template.ts'
import { type Address, addressesOf, ask, unknown } from '../support/every-route.ts'
import { isDocument, textsByRole } from '../support/html.ts'
import { performer } from '../support/performer.ts'
import { temporaryFolder } from '../support/service.ts'
import { withoutThreads } from '../support/without-threads.ts'

t.test('a route without an access rule stops the start', async (t) => {
  const start = async (extend: (app: FastifyInstance) => void) => {
    const dataDir = temporaryFolder(t)
    copyFileSync(templateFile(), join(dataDir, 'cabinet.sqlite'))
    const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
    const app = await buildApp({ config: readConfig({ DATA_DIR: dataDir }), db })
    t.teardown(async () => {
      await app.close()
      db.$client.close()
    })
    extend(app)
    await app.ready()
  }
  await t.resolves(start(() => undefined))
  await t.resolves(start((app) => app.get('/covered', { access: 'signed-in' }, () => 'ok')))
  await t.rejects(
    start((app) => app.get('/bare', () => 'ok')),
    { message: /\/bare/ },
  )
  await t.rejects(
    start((app) => app.post('/bare', { config: {} }, () => 'ok')),
    { message: /POST \/bare/ },
  )
  await t.rejects(
    start((app) => app.register(async (inner) => void inner.get('/inner', () => 'ok'))),
    { message: /\/inner/ },
  )
})

/** What a rule says, read from its data and not by the code that the service decides with. */
type Verdict = 'allowed' | 'no right' | 'unknown' | 'not theirs'

function verdict(access: Exclude<RouteEntry['access'], undefined>, actor: Actor, record: { asked: boolean; found?: unknown }): Verdict {
  const parts: Rule<unknown> = typeof access === 'string' ? [] : access
  if (parts.some((ways) => !ways.some((way) => isHeld(way, actor)))) return 'no right'
  if (!record.asked) return 'allowed'
  if (record.found === undefined) return 'unknown'
  const covered = (ways: readonly Grant<unknown>[]) =>
    ways.some((way) => isHeld(way, actor) && (way.scope === undefined || way.scope.predicate(actor, record.found)))
  return parts.every(covered) ? 'allowed' : 'not theirs'
}

function isHeld({ permission }: Grant<unknown>, actor: Actor): boolean {
  if (permission === 'everyone') return true
  if (permission === 'superadministrator') return actor.superadmin
  if (permission === 'own-name') return !actor.impersonator
  return 'group' in permission ? actor.group_id === permission.group : actor.superadmin || actor.policies.has(permission.policy)
}

function actorOf({ db }: Cabinet, id: number): Actor {
  const row = db.select().from(users).where(eq(users.id, id)).get()
  const granted = db
    .select({ key: policies.key, value: userPolicies.value })
    .from(userPolicies)
    .innerJoin(policies, eq(policies.id, userPolicies.policy_id))
    .where(eq(userPolicies.user_id, id))
    .all()
  return { ...performer(row as typeof users.$inferSelect), policies: new Set(granted.filter(({ value }) => value).map(({ key }) => key)) }
}

/** One address for each thing that a route can answer to somebody; the access table and random people go over the records. */
function eachVerdict(cabinet: Cabinet, route: RouteEntry, actor: Actor): Map<Verdict, string> {
  // Following an impersonation by HEAD is refused before anything else.
  const refused = route.changesState && route.method === 'HEAD'
  return new Map(
    addressesOf(cabinet, route).map(({ path, ...record }) => [
      refused ? 'no right' : verdict(route.access ?? 'signed-in', actor, record),
      path,
    ]),
  )
}

const isApi = (url: string) => url.startsWith('/api/')

/** A file of this format is made faster. */
function quick(path: string): string {
  return path.endsWith('/export') ? `${path}?format=csv` : path
}

/** What is wrong with an answer to somebody who is signed in; nothing when it is as it should be. */
function complaint(answer: Answer, expected: Verdict): string | undefined {
  const { statusCode } = answer
  if (statusCode >= 500) return `a server error ${statusCode}`
  if (expected === 'no right' || expected === 'not theirs') return statusCode === 403 ? undefined : `${statusCode} for ${expected}`
  if (expected === 'unknown') return statusCode === 404 ? undefined : `${statusCode} for an unknown record`
  if (statusCode === 403 || statusCode === 401) return `${statusCode} although allowed`
  return /\/login/.test(`${answer.headers.location} ${answer.headers['hx-redirect']}`) ? 'sent to the sign-in page' : undefined
}

t.test('every route answers every user as its access rule says', async (t) => {
  withoutThreads(t)
  const cabinet = await startCabinet(t)
  const { app, cast, as, newBrowser } = cabinet
  const walkable = app.routeTable.filter(({ access }) => access && access !== 'public')
  t.ok(walkable.length > 20)
  t.ok(
    walkable.some(({ method }) => method === 'HEAD'),
    'automatic HEAD routes are in the table',
  )

  const entered = new Set<RouteEntry>()
  for (const name of names.filter((one) => one !== 'ivan')) {
    t.test(`every route answers ${name} as its access rule says`, async (t) => {
      const actor = actorOf(cabinet, cast[name])
      const browser = await as(name)
      // HEAD is answered by what answers GET.
      for (const route of walkable.filter(({ method }) => method !== 'HEAD' || name === 'maria'))
        for (const [expected, path] of eachVerdict(cabinet, route, actor)) {
          // Refusals are quick, and one person who is let in tells most.
          if (expected === 'allowed' && name !== 'maria' && entered.has(route)) continue
          if (expected === 'allowed') entered.add(route)
          // Whole pages for one person, and for the others fragments, which are made faster.
          const wrong = complaint(await ask(cabinet, browser, route, quick(path), name === 'maria' ? {} : htmx), expected)
          if (wrong) t.fail(`${route.method} ${path}: ${wrong}`)
        }
      t.pass('walked')
    })
  }

  t.test('visitors who are not signed in are redirected to sign in, whether or not the record exists', async (t) => {
    const nobody = newBrowser()
    const pages = walkable.filter(({ url }) => !isApi(url))
    for (const route of pages.filter(({ changesState, method }) => !(changesState && method === 'HEAD')))
      for (const { path } of [addressesOf(cabinet, route)[0], ...addressesOf(cabinet, route).slice(-1)] as Address[]) {
        const reads = route.method !== 'POST'
        const plain = await ask(cabinet, nobody, route, path)
        const target = reads ? `/login?next=${encodeURIComponent(path)}` : '/login'
        const asked = plain.statusCode === 303 && plain.headers.location === target
        if (!asked) t.fail(`${route.method} ${path}: ${plain.statusCode} ${plain.headers.location}`)
        const fragment = await ask(cabinet, nobody, route, path, htmx)
        const led = fragment.statusCode === 401 && String(fragment.headers['hx-redirect']).startsWith('/login')
        if (!led) t.fail(`${route.method} ${path} by htmx: ${fragment.statusCode} ${fragment.headers['hx-redirect']}`)
      }
    t.equal(cabinet.db.select().from(sessions).all().length, names.length - 1, 'and gets no session')
  })

  t.test('programs without a token are told so, whether or not the record exists', async (t) => {
    for (const route of walkable.filter(({ url }) => isApi(url)))
      for (const { path } of addressesOf(cabinet, route)) {
        const { statusCode, headers } = await ask(cabinet, newBrowser(), route, path)
        t.match({ statusCode, ...headers }, { statusCode: 401, 'www-authenticate': 'Bearer' }, `${route.method} ${path}`)
      }
  })

  t.test('public routes answer visitors without a server error', async (t) => {
    const nobody = newBrowser()
    for (const route of app.routeTable.filter(({ access }) => access === 'public'))
      for (const { path } of addressesOf(cabinet, route)) {
        const { statusCode, headers } = await ask(cabinet, nobody, route, path)
        t.ok(statusCode < 500, `${route.method} ${path}: ${statusCode}`)
        t.notMatch(headers.location ?? '', 'next=')
      }
  })

  t.test('every route answers as its access rule says, whatever the policies of the user', async (t) => {
    const browser = await as('plain')
    const cases = walkable.flatMap((route) => addressesOf(cabinet, route).map((address) => ({ route, ...address })))
    await fc.assert(
      fc.asyncProperty(fc.subarray(policyKeys), fc.nat(cases.length - 1), async (held, at) => {
        const { route, path, ...record } = cases[at] as (typeof cases)[number]
        if (route.changesState && route.method === 'HEAD') return
        // Whoever has more rights than oneself may not be invited, which this rule cannot say.
        if (route.url.endsWith('/invitation')) return
        let expected: Verdict = 'no right'
        const regrant = () => {
          revoke(cabinet.db, cast.plain, ...policyKeys)
          grant(cabinet.db, cast.plain, ...held)
          expected = verdict(route.access ?? 'signed-in', actorOf(cabinet, cast.plain), record)
        }
        const wrong = complaint(await ask(cabinet, browser, route, quick(path), htmx, regrant), expected)
        if (wrong) throw new Error(`${route.method} ${path} with ${held}: ${wrong}`)
      }),
      { numRuns: 100, includeErrorInReport: true },
    )
    t.pass('walked')
  })
})

t.test('errors are answered in a fixed order', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const addresses = (id: number | string) => [`/dealers/edit/${id}`, `/company/edit/${id}`]

  t.test('without any permission it is 403, whether or not the id exists', async (t) => {
    const plain = await as('plain')
    for (const id of [cast.denis, cast.companies.alpha, unknown, 'word'])
      for (const path of addresses(id)) {
        t.equal((await plain.get(path)).statusCode, 403, path)
        t.equal((await plain.post(path, { name: '' })).statusCode, 403, `POST ${path}`)
      }
  })

  t.test('with a permission, an unknown id or another kind of record is 404', async (t) => {
    const maria = await as('maria')
    for (const path of ['/dealers/edit/', '/company/edit/'])
      for (const id of [unknown, 'word', 0, -1, '1e1', '1.5', '0x1', '99999999999999999999', '%20'])
        t.equal((await maria.get(path + id)).statusCode, 404, path + id)
    for (const id of [cast.admin, cast.maria, cast.pavel, cast.root]) {
      t.equal((await maria.get(`/dealers/edit/${id}`)).statusCode, 404, 'a user of another group')
      t.equal((await maria.post(`/dealers/edit/${id}`, { name: 'Hacked' })).statusCode, 404)
      t.equal((await maria.post(`/dealers/${id}/active`, { value: 0 })).statusCode, 404)
    }
  })

  t.test('a record of somebody else is 403 before any input is read', async (t) => {
    const maria = await as('maria')
    t.equal((await maria.get(`/dealers/edit/${cast.daria}`)).statusCode, 403)
    t.equal((await maria.post(`/dealers/edit/${cast.daria}`, { email: 'not an email' })).statusCode, 403)
    t.equal((await maria.send('POST', `/dealers/edit/${cast.daria}`, { 'content-type': 'application/json' }, '{}')).statusCode, 403)
    t.equal((await maria.get(`/company/edit/${cast.companies.beta}`)).statusCode, 403)
    t.equal((await maria.get(`/company/edit/${cast.companies.nobodys}`)).statusCode, 403, 'nobody owns it, so she does not')
  })

  t.test("invalid input for a user's own record is 422", async (t) => {
    const answer = await (await as('maria')).post(`/dealers/edit/${cast.denis}`, { email: 'not an email' })
    t.equal(answer.statusCode, 422)
  })

  t.test('an unknown address is 404 in the layout of the cabinet', async (t) => {
    const plain = await as('plain')
    for (const path of ['/nothing', '/dealers/nothing', '/dealers/edit', '/dealers/1/nothing', '/.env', '/assets/x/../../package.json']) {
      const answer = await plain.get(path)
      t.equal(answer.statusCode, 404, path)
      t.ok(isDocument(answer))
      t.ok(textsByRole(answer, 'alert').length > 0)
    }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) t.equal((await plain.send(method, '/dealers')).statusCode, 404, method)
    for (const path of ['/dealers/edit/%zz', '/%c0%af', '/dealers/edit/%00']) {
      const { statusCode } = await plain.get(path)
      t.ok(statusCode >= 400 && statusCode < 500, `${path}: ${statusCode}`)
    }
  })

  t.test('an error is a page, or for htmx a fragment for the message area', async (t) => {
    const plain = await as('plain')
    const page = await plain.get('/dealers')
    t.ok(isDocument(page))
    t.ok(textsByRole(page, 'alert').length > 0)
    t.notMatch(page.body, /\bat .*\.ts:\d+/, 'no stack trace')
    const fragment = await plain.get('/dealers', htmx)
    t.equal(fragment.statusCode, 403)
    t.notOk(isDocument(fragment))
    t.ok(textsByRole(fragment, 'alert').length > 0)
    t.match(textsByRole(await plain.get('/nope'), 'alert').join(), 'Page not found', 'where no route leads there is no page, not no record')
  })

  t.test('a permission counts from the next request on', async (t) => {
    const plain = await as('plain')
    grant(db, cast.plain, 'dealer_can_view')
    t.equal((await plain.get('/dealers')).statusCode, 200)
    revoke(db, cast.plain, 'dealer_can_view')
    t.equal((await plain.get('/dealers')).statusCode, 403)
  })

  t.test('a user who may edit but not view a record cannot save it (403)', async (t) => {
    const plain = await as('plain')
    grant(db, cast.plain, 'dealer_can_edit', 'dealer_can_delete', 'company_can_edit', 'company_can_delete')
    const saves: [string, Record<string, string | number>][] = [
      [`/dealers/edit/${cast.denis}`, { name: 'Updated' }],
      [`/dealers/${cast.denis}/active`, { value: 0 }],
      ['/dealers/delete', { id: cast.denis }],
      [`/company/edit/${cast.companies.alpha}`, { org: 'Updated' }],
      ['/companies/delete', { id: cast.companies.alpha }],
    ]
    for (const [path, fields] of saves) t.equal((await plain.post(path, fields)).statusCode, 403, path)
    grant(db, cast.plain, 'dealer_manager_can_view' as PolicyKey)
    t.equal((await plain.post(`/dealers/edit/${cast.denis}`, { name: 'Updated' })).statusCode, 303, 'any view policy of the module will do')
  })
})
