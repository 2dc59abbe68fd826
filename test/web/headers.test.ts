import { load } from 'cheerio'
import t from 'tap'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { isDocument, totalOf } from '../support/html.ts'

t.test('response headers', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const admin = await as('admin')
  const stylesheet = load((await admin.get('/')).body)('link[href*="cabinet.css"]').attr('href') as string
  const answers: [string, Answer][] = [
    ['a page', await admin.get('/dealers')],
    ['a fragment', await admin.get('/dealers', htmx)],
    ['no such page', await admin.get('/nothing')],
    ['no right', await (await as('plain')).get('/dealers')],
    ['invalid input', await admin.post('/dealers/add', {})],
    ['a redirect', await newBrowser().get('/dealers')],
    ['the sign-in page', await newBrowser().get('/login')],
    ['an asset', await newBrowser().get(stylesheet)],
  ]

  t.test('every response forbids foreign and inline scripts, framing and content sniffing', async (t) => {
    for (const [name, { headers }] of answers) {
      const policy = String(headers['content-security-policy'])
      t.match(policy, "default-src 'none'", name)
      t.match(policy, "script-src 'self'", name)
      t.match(policy, "frame-ancestors 'none'", name)
      t.match(policy, "form-action 'self'", name)
      t.notMatch(policy, /unsafe|\*|https?:/, name)
      t.equal(headers['x-content-type-options'], 'nosniff', name)
      t.equal(headers['x-frame-options'], 'DENY', name)
      t.equal(headers['referrer-policy'], 'same-origin', name)
      t.equal(headers['x-powered-by'], undefined, name)
    }
  })

  t.test('pages and fragments vary by the headers of htmx, compressed or not', async (t) => {
    for (const [name, { headers }] of answers.filter(([name]) => !['a redirect', 'an asset'].includes(name))) {
      t.match(String(headers.vary), /HX-Request\b(?!-)/i, name)
      t.match(String(headers.vary), /HX-Request-Type/i, name)
    }
    const packed = await admin.send('GET', '/dealers', { 'accept-encoding': 'gzip' })
    t.equal(packed.headers['content-encoding'], 'gzip')
    t.match(String(packed.headers.vary), /HX-Request, HX-Request-Type/i)
    t.match(String(packed.headers.vary), /accept-encoding/i)
  })

  t.test('browsers cache assets and never pages', async (t) => {
    for (const [name, { headers }] of answers.slice(0, 5)) t.match(String(headers['cache-control']), 'no-store', name)
    t.match(String(answers.at(-1)?.[1].headers['cache-control']), /immutable/)
  })

  t.test('htmx gets a region, everybody else the document', async (t) => {
    const partial = await admin.get('/dealers', htmx)
    t.notOk(isDocument(partial))
    t.equal(totalOf(partial, 'dealers'), 5)
    t.ok(isDocument(await admin.get('/dealers')))
    t.ok(isDocument(await admin.get('/dealers', { 'hx-request': 'true', 'hx-request-type': 'full' })), 'when it swaps the whole page')
    t.notOk(isDocument(await admin.get('/dealers', { 'hx-request': 'true' })), 'without saying which')
  })
})

t.test('an error response to htmx leaves the address and the page as they are', async (t) => {
  const { as, cast } = await startCabinet(t)
  const [maria, clerk] = [await as('maria'), await as('clerk')]
  const answers = {
    403: await clerk.get('/dealers', htmx),
    404: await maria.get('/dealers/edit/987654', htmx),
    422: await maria.post('/dealers/delete', {}, htmx),
  }
  t.notMatch((await maria.get('/dealers/edit/987654')).body, 'send this ID to an administrator', 'what is no error of ours is not reported')
  for (const [status, { statusCode, headers }] of Object.entries(answers)) {
    t.equal(statusCode, Number(status))
    t.equal(headers['hx-push-url'], 'false', `${status} is no page of the history`)
    t.equal(headers['hx-retarget'], '#messages', `${status} is said among the messages`)
  }
  const list = await maria.get(`/dealers?q=denis`, htmx)
  t.equal(list.headers['hx-push-url'], '/dealers?q=denis', 'a list becomes the address')
  t.ok(cast.denis)
})

t.test('assets are immutable, and compressed ones vary by encoding', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const page = load((await (await as('root')).get('/dealers')).body)
  const path = page('script[data-then]').attr('data-then') as string
  const plain = await newBrowser().get(path, { 'accept-encoding': 'identity' })
  const small = await newBrowser().get(path, { 'accept-encoding': 'br' })
  for (const { headers } of [plain, small]) t.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  t.notOk(plain.headers['content-encoding'])
  t.equal(small.headers['content-encoding'], 'br')
  t.match(small.headers.vary, /accept-encoding/i)
})
