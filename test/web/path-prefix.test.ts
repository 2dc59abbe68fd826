import { load } from 'cheerio'
import t from 'tap'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { tagsOf } from '../support/html.ts'

t.test('the service under a path prefix', async (t) => {
  const cabinet = await startCabinet(t, { environment: { BASE_URL: '/cabinet' } })
  const { app, as, cast, newBrowser } = cabinet
  const admin = await as('admin')

  t.test('every route lives under the path prefix and none outside', async (t) => {
    for (const { url } of app.routeTable) t.match(url, /^\/cabinet(\/|$)/)
    for (const path of ['/', '/dealers', '/login', '/healthz']) {
      const { statusCode } = await app.inject({
        url: path,
        headers: { cookie: [...admin.cookies].map((pair) => pair.join('=')).join('; ') },
      })
      t.ok([303, 404].includes(statusCode), `${path}: ${statusCode}`)
    }
    t.equal((await admin.get('/')).statusCode, 200)
    t.equal((await admin.get('')).statusCode, 200, 'without a slash at the end too')
  })

  t.test('every link, form and asset of a page stays under the path prefix', async (t) => {
    for (const path of ['/', '/dealers', '/dealers/add', `/dealers/edit/${cast.denis}`, `/dealers/delete?id=${cast.denis}`, '/companies']) {
      const { body } = await admin.get(path)
      const attributes = ['a', 'form', 'link', 'script', 'button', 'input', 'img', 'use'].flatMap((tag) => tagsOf(body, tag))
      const targets = attributes.flatMap(({ href, action, src, 'hx-get': get, 'hx-post': post }) => [href, action, src, get, post])
      for (const target of targets.filter((one) => one?.startsWith('/'))) t.match(target, /^\/cabinet\//, `${path}: ${target}`)
    }
    const stylesheet = load((await admin.get('/')).body)('link[href*="cabinet.css"]').attr('href') ?? ''
    t.equal((await admin.get(stylesheet.replace('/cabinet', ''))).statusCode, 200)
  })

  t.test('the session cookie is limited to the path prefix', async (t) => {
    const answer = await newBrowser().post('/login', { email: 'admin@example.com', password: 'a good password' })
    t.equal(answer.cookies[0]?.path, '/cabinet')
  })

  t.test('redirects stay under the path prefix, and next leads nowhere else', async (t) => {
    const nobody = newBrowser()
    t.equal((await nobody.get('/dealers?q=a')).headers.location, `/cabinet/login?next=${encodeURIComponent('/cabinet/dealers?q=a')}`)
    t.equal((await nobody.get('/dealers', htmx)).headers['hx-redirect'], '/cabinet/login')
    const targets: [string, string][] = [
      ['/cabinet/dealers', '/cabinet/dealers'],
      ['/dealers', '/cabinet/'],
      ['/cabinetry', '/cabinet/'],
      ['/cabinet/../dealers', '/cabinet/'],
      ['/cabinet/..//evil.example', '/cabinet/'],
      ['', '/cabinet/'],
    ]
    for (const [next, expected] of targets)
      t.equal(
        (await newBrowser().post('/login', { email: 'admin@example.com', password: 'a good password', next })).headers.location,
        expected,
        next,
      )
    t.equal((await admin.post(`/dealers/${cast.denis}/active`, { value: 1 })).headers.location, '/cabinet/dealers')
    t.equal((await admin.post(`/dealers/edit/${cast.denis}`, { name: 'Denis' })).headers.location, `/cabinet/dealers/edit/${cast.denis}`)
    t.equal((await admin.post('/dealers/delete', { id: cast.ivan })).headers.location, '/cabinet/dealers')
    t.equal((await admin.get(`/impersonate/${cast.denis}`)).headers.location, '/cabinet/')
    t.equal((await admin.post('/impersonate/leave')).headers.location, '/cabinet/')
    t.equal((await admin.post('/logout')).headers.location, '/cabinet/login')
  })
})
