import t from 'tap'
import { sessions } from '../../src/database/schema/index.ts'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { names } from '../support/cast.ts'
import { addressesOf } from '../support/every-route.ts'
import { type LargeBody, largeBodies } from '../support/large-bodies.ts'
import { takingBack } from '../support/taking-back.ts'

const answerLimit = 2 * 1024 ** 2

t.test('whatever a body holds, no route answers with 2 MB or an error of ours, whoever sends it', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db } = cabinet
  const browsers: [string, Browser][] = [['nobody', cabinet.newBrowser()]]
  for (const name of names.filter((name) => name !== 'ivan')) browsers.push([name, await cabinet.as(name)])
  db.update(sessions)
    .set({ seen_at: Date.now() + 3600_000 })
    .run()
  const bodies = new Map(shapes.map((shape) => [shape, largeBodies(...shape.body)]))
  const routes = app.routeTable.filter(({ method }) => !['GET', 'HEAD'].includes(method))
  for (const route of routes) {
    const wrong: string[] = []
    let letIn = 0
    for (const [name, browser] of browsers) {
      // Of all that are let in one tells most, and of those that are not the stranger.
      if (letIn > 0) break
      const path = await addressLettingIn(cabinet, browser, route)
      if (path) letIn += 1
      else if (name !== 'nobody') continue
      const known = bodies.get(shapes.find(({ of }) => of.test(route.url)) as (typeof shapes)[number]) as LargeBody[]
      for (const body of path ? known.filter((one) => isTelling(route, one)) : known.slice(0, 1)) {
        const answer = await send(cabinet, browser, route, path ?? addressesOf(cabinet, route)[0]?.path ?? route.url, body)
        const size = Buffer.byteLength(answer.rawPayload) + String(answer.headers.location).length
        const fits = answer.statusCode < 500 && size < answerLimit
        const isRefused = !path || !body.refused || [413, 415].includes(answer.statusCode)
        if (!fits || !isRefused) wrong.push(`${name}, ${body.name}: ${answer.statusCode}, ${size} bytes`)
      }
    }
    t.same(wrong, [], `${route.method} ${route.url}`)
  }
})

/** The rest of them tells nothing more of most routes, and takes minutes. */
function isTelling({ url }: RouteEntry, { telling, type }: LargeBody): boolean {
  return thorough.includes(url) || (telling === true && url.startsWith('/api/') === (type === 'application/json'))
}

const thorough = ['/login', '/views', '/orders/add', '/orders/drafts', '/company/add', '/api/v1/orders', '/api/v1/companies/:id']

/** Which text and which rows a form has that can be largest. */
const shapes: { of: RegExp; body: Parameters<typeof largeBodies> }[] = [
  {
    of: /^(\/api\/v1)?\/order/,
    body: ['comment', 'items', ['category_id', 'name', 'product_id', 'width', 'height', 'quantity', 'price', 'agreed', 'id']],
  },
  { of: /^(\/api\/v1)?\/compan/, body: ['org', 'contract_prices', ['product_id', 'price', 'id']] },
  { of: /^\/news/, body: ['description', 'images', ['stored']] },
  { of: /^\/login|^\/confirm/, body: ['email'] },
  { of: /./, body: ['name', 'files', ['name', 'stored']] },
]

async function addressLettingIn(cabinet: Cabinet, browser: Browser, route: RouteEntry): Promise<string | undefined> {
  for (const { path } of addressesOf(cabinet, route)) {
    const { statusCode, headers } = await send(cabinet, browser, route, path, { name: '', type: typeOf(route), payload: '{}' })
    const toSignIn =
      statusCode === 401 || (statusCode === 303 && /^\/login\b/.test(String(headers.location)) && !/^\/login/.test(route.url))
    if (toSignIn) return undefined
    if (![403, 404].includes(statusCode)) return path
  }
  return undefined
}

const typeOf = ({ url }: RouteEntry) => (url.startsWith('/api/') ? 'application/json' : 'application/x-www-form-urlencoded')

function send(cabinet: Cabinet, browser: Browser, { method }: RouteEntry, path: string, { type, payload }: LargeBody) {
  const headers = { 'content-type': type, 'accept-encoding': 'identity' }
  return takingBack(cabinet, () => browser.send(method, path, headers, payload), browser)
}
