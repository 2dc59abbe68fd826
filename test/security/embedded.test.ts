import { eq } from 'drizzle-orm'
import t from 'tap'
import { securityEvents, sessions } from '../../src/database/schema/index.ts'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { realPaths } from '../support/collect-forms.ts'
import { ask } from '../support/every-route.ts'

const embedding = ['image', 'video', 'audio', 'track', 'script', 'style', 'font', 'embed', 'object', 'frame', 'manifest', 'worker']

const isSpreadsheet = ({ method, url }: RouteEntry) =>
  method === 'GET' && /\/(export|report|template)$|^\/notifications\/:id\/file$/.test(url)

t.test('no part of a page exports anything (403): an article must not make its readers do so', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, db } = cabinet
  const root = await as('root')
  const exported = () => db.select().from(securityEvents).where(eq(securityEvents.event, 'exported')).all().length
  const before = exported()
  const routes = app.routeTable.filter(isSpreadsheet)
  t.ok(routes.length > 20, 'the spreadsheets were found')
  for (const route of routes)
    for (const path of realPaths(cabinet, route).slice(0, 1))
      for (const dest of embedding) {
        const { statusCode } = await ask(cabinet, root, route, path, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest })
        t.equal(statusCode, 403, `${path} as ${dest}`)
      }
  t.equal(exported(), before)
  for (const dest of ['document', 'empty', 'iframe'])
    t.equal((await root.get('/dealers/export?format=csv', { 'sec-fetch-dest': dest })).statusCode, 200, dest)
  t.equal((await root.get('/dealers/export?format=csv')).statusCode, 200, 'a client that says nothing')
  t.equal((await root.get('/news', { 'sec-fetch-dest': 'image' })).statusCode, 200, 'other pages cost nothing')
})

const followed = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' }

function follower({ as, cast, db }: Cabinet) {
  return async (headers: Record<string, string>) => {
    const root = await as('root')
    const answer = await root.get(`/impersonate/${cast.denis}`, headers)
    const isActing = db.select().from(sessions).where(eq(sessions.user_id, cast.root)).get()?.acting_as_id === cast.denis
    if (isActing) await root.post('/impersonate/leave')
    t.equal(answer.statusCode, isActing ? 303 : 200)
    if (!isActing) t.match(answer.body, `action="/impersonate/${cast.denis}"`, 'it asks')
    return isActing
  }
}

t.test('a link that somebody wrote begins no impersonation, it asks', async (t) => {
  const cabinet = await startCabinet(t)
  const follow = follower(cabinet)
  t.equal(await follow(followed), false, 'without a Referer, as Ctrl+click in the editor sends it')
  for (const path of [
    '/',
    '/news',
    '/news/1',
    '/news/edit/1',
    '/orders/1',
    '/profile',
    '/dealersnews',
    '/dealers/export',
    '/companies/1',
    '/impersonate/5',
  ])
    t.equal(await follow({ ...followed, referer: `http://localhost${path}` }), false, path)
  t.equal(await follow({ ...followed, 'sec-fetch-site': 'none' }), false)
  t.equal(await follow({ ...followed, 'sec-fetch-site': 'none', referer: 'http://localhost/dealers' }), false, 'asked for by no page')
  t.equal(await follow({}), true, 'a script that says nothing acts as before')
})

t.test('every page that offers an impersonation begins it with one click', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as } = cabinet
  const follow = follower(cabinet)
  const root = await as('root')
  const offering = new Set<string>()
  for (const route of app.routeTable.filter(({ method, answers, access }) => method === 'GET' && !answers && access !== 'public'))
    for (const path of realPaths(cabinet, route).slice(0, 4))
      for (const query of ['', '?tab=dealers', '?q=denis']) {
        const { statusCode, body } = await root.get(path + query)
        // A list that only tells what was refused is no page to begin from.
        if (statusCode === 200 && body.includes('href="/impersonate/')) offering.add(path + query)
      }
  for (const expected of ['/dealers', '/dealers?q=denis', '/managers', `/dealers/edit/${cabinet.cast.denis}`])
    t.ok(offering.has(expected), expected)
  for (const address of offering) t.equal(await follow({ ...followed, referer: `http://localhost${address}` }), true, address)
})
