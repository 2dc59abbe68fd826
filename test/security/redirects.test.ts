import t from 'tap'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { type FormFields, formsOf, realPaths } from '../support/collect-forms.ts'
import { ask } from '../support/every-route.ts'
import { withoutThreads } from '../support/without-threads.ts'

const origin = 'http://localhost'

/** Where a redirect must never lead, as browsers understand it or as some of them once did. */
const elsewhere = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'http:/evil.example',
  '/\t/evil.example',
  '/\n//evil.example',
  '/%2f/evil.example',
  '%2f%2fevil.example',
  '/.//evil.example',
  '/orders/..//evil.example',
  'javascript:alert(1)',
  '/\u0000/evil.example',
  '?//evil.example',
]

const leaves = (location: string) => !URL.canParse(location, origin) || new URL(location, `${origin}/orders`).origin !== origin

/** A Referer is an address of its own: of another site, or of this one with a path that is none of ours. */
const refererOf = (target: string) =>
  [...target]
    .filter((letter) => letter > ' ')
    .join('')
    .replace(/^(?=[/\\])/, origin)

t.test('no redirect of any route leaves the site, whatever Referer, next and back say', async (t) => {
  withoutThreads(t)
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const forms = await formsOf(cabinet, root)
  const redirecting = new Set<string>()
  const astray = new Set<string>()
  for (const route of cabinet.app.routeTable.filter(({ method }) => method === 'GET' || method === 'POST'))
    for (const headers of [{}, htmx]) {
      const path = await findRedirecting(route, headers)
      if (!path) continue
      await lead(route, path, headers)
      break
    }
  t.same([...astray], [])
  for (const route of [
    'POST /permission-sets',
    'POST /permission-sets/:id/delete',
    'POST /preferences',
    'GET /login',
    'GET /impersonate/:id',
  ])
    t.ok(redirecting.has(route), `${route} has redirected`)

  async function findRedirecting(route: RouteEntry, headers: Record<string, string>): Promise<string | undefined> {
    for (const path of realPaths(cabinet, route).slice(0, 2)) if (await redirect(route, path, '/orders', headers)) return path
  }

  async function lead(route: RouteEntry, path: string, headers: Record<string, string>) {
    redirecting.add(`${route.method} ${route.url}`)
    for (const target of elsewhere) {
      const location = await redirect(route, path, target, headers)
      if (location && leaves(location)) astray.add(`${route.method} ${path}, told ${JSON.stringify(target)}, to ${location}`)
    }
  }

  async function redirect(route: RouteEntry, path: string, target: string, more: Record<string, string>) {
    const query = new URLSearchParams({ next: target, back: target })
    const body = String(new URLSearchParams([...fieldsOf(path), ...query]))
    const { headers } = await ask(cabinet, root, route, `${path}?${query}`, { referer: refererOf(target), ...more }, undefined, body)
    return String(headers.location ?? headers['hx-redirect'] ?? '')
  }

  function fieldsOf(path: string): FormFields {
    const fields = forms.get(path) ?? [
      ['name', 'A set'],
      ['user_id', '1'],
      ['theme', 'dark'],
    ]
    return fields.filter(([name]) => name !== 'next' && name !== 'back')
  }
})

t.test('a sign-in leads only into the cabinet', async (t) => {
  const { newBrowser } = await startCabinet(t)
  for (const next of elsewhere) {
    const { headers } = await newBrowser().post('/login', { email: emailOf('clerk'), password, next })
    t.ok(headers.location, next)
    t.notOk(leaves(String(headers.location)), `${JSON.stringify(next)} to ${headers.location}`)
  }
})

t.test('a sign-in changes nothing besides: it leads to no address that does', async (t) => {
  const { cast, newBrowser } = await startCabinet(t)
  const whereTo = async (next: string) => (await newBrowser().post('/login', { email: emailOf('root'), password, next })).headers.location
  for (const next of [
    `/impersonate/${cast.denis}`,
    `/IMPERSONATE/${cast.denis}`,
    `/%69mpersonate/${cast.denis}`,
    `/impersonate/${cast.denis}/?a=1`,
  ])
    t.equal(await whereTo(next), '/', next)
  t.equal(await whereTo('/dealers?q=impersonate'), '/dealers?q=impersonate')
})
