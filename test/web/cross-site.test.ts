import { eq } from 'drizzle-orm'
import t from 'tap'
import { sessions } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { addressesOf, ask } from '../support/every-route.ts'

t.test('requests from other sites are refused', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  const admin = await as('admin')
  const write = (headers: Record<string, string>) => admin.post(`/dealers/${cast.denis}/active`, { value: 1 }, headers)
  const follow = async (headers: Record<string, string>, method = 'GET') => {
    const answer = await admin.send(method, `/impersonate/${cast.denis}`, headers)
    const context = db.select().from(sessions).where(eq(sessions.user_id, cast.admin)).get()?.acting_as_id
    if (context) await admin.post('/impersonate/leave')
    t.equal(context, answer.statusCode === 303 ? cast.denis : null, 'carried out exactly when not refused')
    return answer.statusCode
  }

  t.test('a write is allowed or refused (403) by Sec-Fetch-Site', async (t) => {
    for (const site of ['same-origin', 'none']) t.equal((await write({ 'sec-fetch-site': site })).statusCode, 303, site)
    for (const site of ['cross-site', 'same-site', 'anything']) t.equal((await write({ 'sec-fetch-site': site })).statusCode, 403, site)
    const both = { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }
    t.equal((await write(both)).statusCode, 303, 'which counts more than Origin')
    t.equal((await write({ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' })).statusCode, 403)
  })

  t.test('a write that claims to come from no site but names one is refused (403)', async (t) => {
    const none = { 'sec-fetch-site': 'none' }
    for (const foreign of ['https://evil.example', 'null', 'http://localhost:8080', 'junk']) {
      t.equal((await write({ ...none, origin: foreign })).statusCode, 403, `Origin ${foreign}`)
      t.equal((await write({ ...none, referer: `${foreign}/page` })).statusCode, 403, `Referer ${foreign}`)
      t.equal(await follow({ ...none, 'sec-fetch-dest': 'document', origin: foreign }), 403, `impersonation, Origin ${foreign}`)
    }
    const own = { origin: 'http://localhost', referer: 'http://localhost/dealers' }
    t.equal((await write({ ...none, ...own })).statusCode, 303, 'this one is no other site')
  })

  t.test('a write without Sec-Fetch-Site is allowed only for an Origin with the host of this service', async (t) => {
    for (const origin of [
      'null',
      'https://evil.example',
      'http://localhost.evil.example',
      'http://localhost:8080',
      'junk',
      'http://sub.localhost',
    ])
      t.equal((await write({ origin })).statusCode, 403, origin)
    for (const origin of ['http://localhost', 'http://localhost:80', 'https://localhost'])
      t.equal((await write({ origin })).statusCode, 303, origin)
    const host = { host: 'cabinet.example:8443' }
    for (const origin of ['http://cabinet.example:8443', 'https://cabinet.example:8443'])
      t.equal((await write({ ...host, origin })).statusCode, 303, `${origin} at its own host`)
    t.equal((await write({ ...host, origin: 'https://cabinet.example' })).statusCode, 403, 'another port is another host')
  })

  t.test('a write with neither Sec-Fetch-Site nor Origin is allowed', async (t) => {
    t.equal((await write({})).statusCode, 303)
    t.equal((await write({ referer: 'https://evil.example/' })).statusCode, 303)
  })

  t.test('every writing route refuses other sites (403) before it looks at the session', async (t) => {
    for (const route of app.routeTable.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method)))
      for (const { path } of addressesOf(cabinet, route).slice(0, 1))
        for (const headers of [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'none', referer: 'https://evil.example/' },
          { origin: 'https://evil.example' },
        ] as Record<string, string>[])
          t.equal((await ask(cabinet, admin, route, path, headers)).statusCode, 403, `${route.method} ${path}`)
  })

  t.test('pages can be opened by links from other sites', async (t) => {
    t.equal((await admin.get('/dealers', { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' })).statusCode, 200)
    t.equal((await admin.send('HEAD', '/dealers', { 'sec-fetch-site': 'cross-site' })).statusCode, 200)
  })

  t.test('an impersonation link works only when it was followed within the cabinet', async (t) => {
    t.equal(await follow({}), 303, 'by a client that says nothing')
    const followed = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }
    t.equal(await follow({ ...followed, referer: 'http://localhost/dealers' }), 303, 'from a list that offers it')
    t.equal(await follow(followed), 200, 'from a page that says nothing: it asks')
    t.equal(await follow({ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }), 200, 'typed or from a mail: a page that asks first')
    for (const site of ['cross-site', 'same-site'])
      t.equal(await follow({ 'sec-fetch-site': site, 'sec-fetch-dest': 'document' }), 403, site)
    for (const dest of ['image', 'iframe', 'empty', 'script', 'embed'])
      t.equal(await follow({ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest }), 403, dest)
    for (const origin of ['null', 'https://evil.example']) t.equal(await follow({ origin }), 403, `Origin ${origin}`)
    for (const referer of ['https://evil.example/', 'https://localhost.evil.example/', 'junk'])
      t.equal(await follow({ referer }), 403, `Referer ${referer}`)
    for (const referer of ['http://localhost/dealers', 'https://localhost:80/dealers', 'http://localhost:80/dealers?page=2'])
      t.equal(await follow({ referer }), referer.startsWith('https://localhost:80') ? 403 : 303, `Referer ${referer}`)
    for (const [name, value] of [
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const)
      t.equal(await follow({ [name]: value }), 403, `${name}: ${value}`)
    t.equal(await follow({}, 'HEAD'), 403, 'not by HEAD')
  })

  t.test('the forwarded host counts only behind a trusted proxy', async (t) => {
    const headers = { host: 'internal:3000', 'x-forwarded-host': 'cabinet.example', 'x-forwarded-proto': 'https' }
    const status = async (TRUST_PROXY: string, origin: string) => {
      const { as, cast } = await startCabinet(t, { environment: { TRUST_PROXY } })
      return (await (await as('admin')).post(`/dealers/${cast.denis}/active`, { value: 1 }, { ...headers, origin })).statusCode
    }
    t.equal(await status('on', 'https://cabinet.example'), 303)
    t.equal(await status('on', 'https://internal:3000'), 403)
    t.equal(await status('off', 'https://cabinet.example'), 403)
    t.equal(await status('off', 'http://internal:3000'), 303)
  })
})
